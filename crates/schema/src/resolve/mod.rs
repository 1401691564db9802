//! Documents → resources, and references → the schemas that they mean.
//!
//! Nothing is ever fetched: documents beyond the schema's own come from a [`Registry`] that the caller gives.
//!
//! ```text
//! applicator   keyword → which parts of its value are schemas
//! pointer      token ↔ its spelling in a JSON pointer
//! uri          base × reference → URI
//! document     trees → resources: base URIs, drafts, anchors
//! references   schema → all references in it
//! ```

pub mod applicator;
pub mod pointer;
pub mod references;
pub mod uri;

mod document;

pub use document::{DocumentId, Documents, Location, Registry, Resource, ResourceId, Target};
