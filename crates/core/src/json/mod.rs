//! What JSON adds to regular languages: registers of objects and arrays with unique items, and canonical values.

pub mod object;
pub(crate) mod partial_value;
pub(crate) mod unique;
pub(crate) mod value;
