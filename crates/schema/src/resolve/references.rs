//! Schema → every reference in it, and where each leads: for tests beside a resolver of their own.

use super::applicator::subschemas;
use super::{Documents, Location, Registry, ResourceId};
use crate::error::Result;
use crate::json::Tree;
use std::collections::HashSet;
use std::sync::Arc;

/// (pointer of a subschema, keyword, its reference, pointer, base URI and draft of the target)
pub type Reference = (String, String, String, Option<(String, String, String)>);

/// Every reference of a schema and of the schemas that it leads to. Errors: what is no reference; those of the registry.
pub fn references(schema: Arc<Tree>, registry: &dyn Registry) -> Result<Vec<Reference>> {
    let mut documents = Documents::new(schema, Some(registry))?;
    let root = documents.root();
    let start = documents.resource(root).root;
    let mut found = Vec::new();
    let mut met: HashSet<(Location, ResourceId)> = HashSet::new();
    let mut stack = vec![(start, root, String::new())];
    while let Some((schema, around, pointer)) = stack.pop() {
        let resource = documents.inside(schema, around, &pointer)?;
        if documents.object(schema).is_none() || !met.insert((schema, resource)) {
            continue;
        }
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let tree = documents.tree(schema);
            let reference = tree.object(schema.node).and_then(|members| tree.str(members.get(keyword)?));
            let Some(reference) = reference.map(str::to_owned) else { continue };
            let target = documents.resolve(&reference, resource)?;
            let shown = target.as_ref().map(|target| {
                let resource = documents.resource(target.resource);
                (target.pointer.to_string(), resource.uri.to_string(), resource.draft.to_string())
            });
            found.push((pointer.clone(), keyword.to_owned(), reference, shown));
            stack.extend(target.map(|target| (target.schema, target.resource, target.pointer.to_string())));
        }
        let below = subschemas(documents.tree(schema), schema.node, &pointer);
        stack.extend(below.into_iter().map(|(node, pointer)| (Location { node, ..schema }, resource, pointer)));
    }
    Ok(found)
}
