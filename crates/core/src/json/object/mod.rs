//! JSON objects as registers: their specification, their states, their keys, and whether a state can be closed.

pub(crate) mod clause;
pub(crate) mod feasibility;
pub(crate) mod head;
pub(crate) mod key;
pub(crate) mod open_key;
pub(crate) mod property_set;
pub(crate) mod spec;
pub(crate) mod state;
pub(crate) mod steps;

pub(crate) use feasibility::Needs;
pub(crate) use key::Narrowed;
pub(crate) use spec::earlier_properties;
pub(crate) use state::{ObjectParts, SeenKeys};
pub(crate) use steps::Steps;
