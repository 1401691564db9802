//! Places of schemas → the subschemas that they were read as.
//!
//! Schemas of equal content are one subschema, which knows only the place where it was found first. A report names all
//! places, so it goes over the schema again, along the same keywords and references.

use super::table::Subschemas;
use crate::condition::ConjunctionId;
use crate::error::Result;
use crate::json::NodeId;
use crate::resolve::{Location, ResourceId};
use std::rc::Rc;
use std::sync::Arc;

/// A schema at one of the places to which keywords and references lead.
#[derive(Debug, Clone)]
pub struct Place {
    /// The schema.
    pub schema: Location,
    /// The resource that it belongs to.
    pub resource: ResourceId,
    /// The resources through which references led here, outermost first; empty without dynamic references.
    pub scope: Rc<[ResourceId]>,
    /// The JSON pointer.
    pub pointer: Arc<str>,
}

impl Subschemas<'_> {
    /// The place of the whole schema.
    pub fn root_place(&self) -> Place {
        let resource = self.documents.root();
        let found = self.documents.resource(resource);
        Place { schema: found.root, resource, scope: self.root_scope(), pointer: found.pointer.clone() }
    }

    /// The place of a schema below another one.
    ///
    /// Errors: those of the registry.
    pub fn place_below(&mut self, around: &Place, node: NodeId, pointer: String) -> Result<Place> {
        let schema = Location { node, ..around.schema };
        let resource = self.documents.inside(schema, around.resource, &pointer)?;
        let scope = match resource == around.resource {
            true => around.scope.clone(),
            false => self.entered(&around.scope, resource),
        };
        Ok(Place { schema, resource, scope, pointer: pointer.into() })
    }

    /// The place that a reference leads to; None if it is in no document.
    ///
    /// Errors: those of the registry, a dynamic reference without dynamic scopes.
    pub fn place_referred(&mut self, from: &Place, keyword: &str, reference: &str) -> Result<Option<Place>> {
        let target = self.target(from.resource, &from.scope, keyword, reference)?;
        Ok(target.map(|target| Place {
            schema: target.schema,
            resource: target.resource,
            scope: self.entered(&from.scope, target.resource),
            pointer: target.pointer,
        }))
    }

    /// Whether the schema at a place has no keyword but `$ref`.
    pub fn is_only_reference(&self, place: &Place) -> bool {
        self.only_reference(place.schema).is_some()
    }

    /// The conjunction of the schema at a place; None if no compile read it, or it has no keyword with an effect.
    pub fn conjunction_at(&mut self, place: &Place) -> Option<ConjunctionId> {
        // Only cancellation makes this fail, and the documents of a report have no flag.
        let key = self.key(place.schema, place.resource, &place.scope).ok()??;
        self.by_key.get(&key).copied()
    }
}
