//! What JSON adds to regular languages: registers for the members of objects and for unique items, and values.

pub mod object;
pub(crate) mod partial_value;
pub(crate) mod unique;
pub(crate) mod value;
