//! JSON on top of regular languages: registers of objects and of arrays with unique items, and canonical values.

pub mod arena;
pub mod object;
pub(crate) mod partial_value;
pub(crate) mod registers;
pub(crate) mod unique;
pub(crate) mod value;
