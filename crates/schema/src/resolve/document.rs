//! The schema and the registry's documents → resources, found by URI, JSON pointer and anchor.

use super::applicator::subschemas;
use super::pointer::{escape_str, step, unescape};
use super::uri;
use crate::draft::Draft;
use crate::error::Result;
use crate::json::{NodeId, Object, Tree, Value};
use frisket_core::limits::Watch;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Places of a document between two checks of flag and clock, some 100 µs.
const CHECKED: u32 = 256;

/// Documents that references may lead to.
pub trait Registry: Send + Sync {
    /// The document of an absolute URI without a fragment; None if there is none.
    ///
    /// Errors: what keeps the document from being read.
    fn document(&self, uri: &str) -> Result<Option<Arc<Tree>>>;
}

/// A document of one compile; 0 is the schema itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId(pub u32);

/// A node of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The document.
    pub document: DocumentId,
    /// Its node.
    pub node: NodeId,
}

/// A resource of one compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceId(pub u32);

/// A schema with its own base URI.
#[derive(Debug)]
pub struct Resource {
    /// The schema.
    pub root: Location,
    /// The base URI of its references; empty if there is none.
    pub uri: Arc<str>,
    /// The draft whose rules hold.
    pub draft: Draft,
    /// The JSON pointer of the resource, for messages.
    pub pointer: Arc<str>,
    /// The resource around it.
    pub parent: Option<ResourceId>,
    /// Whether the keywords of the validation vocabulary have an effect: metaschemas since 2019-09 may leave it out.
    pub has_validation: bool,
    /// Whether `$recursiveAnchor` is true.
    pub is_recursive: bool,
    anchors: FxHashMap<Box<str>, (Location, Arc<str>)>,
    dynamic_anchors: FxHashMap<Box<str>, (Location, Arc<str>)>,
    is_scanned: bool,
}

/// The schema that a reference leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The schema.
    pub schema: Location,
    /// The resource that it belongs to.
    pub resource: ResourceId,
    /// The JSON pointer of the schema, for messages.
    pub pointer: Arc<str>,
}

/// Every document and resource that a schema reaches.
pub struct Documents<'a> {
    registry: Option<&'a dyn Registry>,
    trees: Vec<Arc<Tree>>,
    resources: Vec<Resource>,
    by_uri: FxHashMap<Arc<str>, ResourceId>,
    by_location: FxHashMap<(Location, Option<ResourceId>), ResourceId>,
    fetched: FxHashMap<String, Option<DocumentId>>,
    watch: Watch,
}

impl<'a> Documents<'a> {
    /// A schema with the documents that it may refer to.
    ///
    /// Errors: those of the registry.
    pub fn new(schema: Arc<Tree>, registry: Option<&'a dyn Registry>) -> Result<Self> {
        let root = Location { document: DocumentId(0), node: schema.root() };
        let mut documents = Documents {
            registry,
            trees: vec![schema],
            resources: Vec::new(),
            by_uri: FxHashMap::default(),
            by_location: FxHashMap::default(),
            fetched: FxHashMap::default(),
            watch: Watch::default(),
        };
        documents.enter(root, "", Draft::Draft2020, "".into(), None)?;
        Ok(documents)
    }

    /// Lets a flag or the clock end the long walks that follow.
    pub fn watched_by(&mut self, watch: Watch) {
        self.watch = watch;
    }

    /// The flag and clock that end long walks.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// The resource of the schema itself.
    pub fn root(&self) -> ResourceId {
        ResourceId(0)
    }

    /// A resource by its number.
    pub fn resource(&self, resource: ResourceId) -> &Resource {
        &self.resources[resource.0 as usize]
    }

    /// The tree of a location's document.
    pub fn tree(&self, location: Location) -> &Tree {
        &self.trees[location.document.0 as usize]
    }

    /// The value at a location.
    pub fn value(&self, location: Location) -> Value<'_> {
        self.tree(location).value(location.node)
    }

    /// The members at a location, None for other values.
    pub fn object(&self, location: Location) -> Option<Object<'_>> {
        self.tree(location).object(location.node)
    }

    /// The resource of a subschema: its own if it has an `$id`, otherwise the one around it.
    ///
    /// Errors: those of the registry.
    pub fn inside(&mut self, schema: Location, resource: ResourceId, pointer: &str) -> Result<ResourceId> {
        let around = self.resource(resource);
        if schema == around.root || self.identifier(schema, around.draft).is_none() {
            return Ok(resource);
        }
        let (base, draft) = (around.uri.clone(), around.draft);
        self.enter(schema, &base, draft, pointer.into(), Some(resource))
    }

    /// The schema that a reference leads to; None if no document has it.
    ///
    /// Errors: those of the registry.
    pub fn resolve(&mut self, reference: &str, resource: ResourceId) -> Result<Option<Target>> {
        let (resource, fragment) = match reference.strip_prefix('#') {
            Some(fragment) => (resource, fragment.to_owned()),
            None => {
                let joined = uri::join(&self.resource(resource).uri, reference);
                let (uri, fragment) = uri::without_fragment(&joined);
                let Some(found) = self.lookup(uri, resource)? else { return Ok(None) };
                (found, fragment.to_owned())
            }
        };
        if fragment.is_empty() {
            let Resource { root, pointer, .. } = self.resource(resource);
            return Ok(Some(Target { schema: *root, resource, pointer: pointer.clone() }));
        }
        let fragment = uri::decoded(&fragment);
        if fragment.starts_with('/') {
            return self.walk(&fragment, resource);
        }
        self.scan(resource)?;
        let Resource { anchors, dynamic_anchors, .. } = self.resource(resource);
        let found = anchors.get(&*fragment).or_else(|| dynamic_anchors.get(&*fragment));
        Ok(found.map(|(schema, pointer)| Target { schema: *schema, resource, pointer: pointer.clone() }))
    }

    /// The value at a JSON pointer of the schema itself, and its resource; None if nothing stands there.
    ///
    /// Errors: those of the registry.
    pub fn find(&mut self, pointer: &str) -> Result<Option<(Location, ResourceId)>> {
        let target = self.walk(pointer, self.root())?;
        Ok(target.map(|target| (target.schema, target.resource)))
    }

    /// The schema of a `$dynamicAnchor` of a resource; None if it has none.
    ///
    /// Errors: those of the registry.
    pub fn dynamic_anchor(&mut self, resource: ResourceId, name: &str) -> Result<Option<Target>> {
        self.scan(resource)?;
        let found = self.resource(resource).dynamic_anchors.get(name);
        Ok(found.map(|(schema, pointer)| Target { schema: *schema, resource, pointer: pointer.clone() }))
    }

    /// Makes the resource that begins at a schema.
    fn enter(
        &mut self,
        schema: Location,
        base: &str,
        inherited: Draft,
        pointer: Arc<str>,
        parent: Option<ResourceId>,
    ) -> Result<ResourceId> {
        if let Some(&known) = self.by_location.get(&(schema, parent)) {
            return Ok(known);
        }
        let draft = self.draft_of(schema, inherited)?;
        let uri: Arc<str> = self.identifier(schema, draft).map_or(base.into(), |name| uri::join(base, name).into());
        let inherited = parent.is_none_or(|parent| self.resource(parent).has_validation);
        let has_validation = self.has_validation(schema, draft, inherited)?;
        let resource = self.add(schema, uri, draft, pointer, parent, has_validation);
        let uri = self.resource(resource).uri.clone();
        if !uri.is_empty() {
            self.by_uri.entry(uri).or_insert(resource);
        }
        Ok(resource)
    }

    fn add(
        &mut self,
        root: Location,
        uri: Arc<str>,
        draft: Draft,
        pointer: Arc<str>,
        parent: Option<ResourceId>,
        has_validation: bool,
    ) -> ResourceId {
        let flag = self.object(root).and_then(|members| members.get("$recursiveAnchor"));
        let is_recursive = flag.is_some_and(|node| matches!(self.tree(root).value(node), Value::Boolean(true)));
        let resource = ResourceId(self.resources.len() as u32);
        self.resources.push(Resource {
            root,
            uri,
            draft,
            pointer,
            parent,
            has_validation,
            is_recursive,
            anchors: FxHashMap::default(),
            dynamic_anchors: FxHashMap::default(),
            is_scanned: false,
        });
        self.by_location.insert((root, parent), resource);
        resource
    }

    /// The string that a keyword has as its value.
    fn string(&self, schema: Location, keyword: &str) -> Option<&str> {
        let tree = self.tree(schema);
        tree.str(tree.object(schema.node)?.get(keyword)?)
    }

    /// The URI in the `$id` of a schema, which makes it a resource.
    fn identifier(&self, schema: Location, draft: Draft) -> Option<&str> {
        if !self.tree(schema).has_ids() {
            return None;
        }
        let name = self.string(schema, draft.id_keyword())?;
        // Before 2019-09, `$ref` disables the keywords beside it.
        if draft < Draft::Draft2019 && self.object(schema)?.get("$ref").is_some() {
            return None;
        }
        let (bare, _) = uri::without_fragment(name);
        Some(bare).filter(|bare| !bare.is_empty())
    }

    /// The draft that `$schema` names, directly or through its metaschema; otherwise the inherited one.
    fn draft_of(&mut self, schema: Location, inherited: Draft) -> Result<Draft> {
        let mut met = FxHashSet::default();
        let mut schema = schema;
        loop {
            let Some(named) = self.string(schema, "$schema").map(str::to_owned) else { return Ok(inherited) };
            if let Some(draft) = Draft::of_metaschema(&named) {
                return Ok(draft);
            }
            match self.fetch(uri::without_fragment(&named).0)? {
                Some(metaschema) if met.insert(metaschema) => schema = self.document_root(metaschema),
                _ => return Ok(inherited),
            }
        }
    }

    /// Whether a schema's metaschema has the validation vocabulary.
    fn has_validation(&mut self, schema: Location, draft: Draft, inherited: bool) -> Result<bool> {
        let Some(named) = self.string(schema, "$schema").map(str::to_owned) else { return Ok(inherited) };
        if draft < Draft::Draft2019 || named.contains("//json-schema.org/") {
            return Ok(true);
        }
        let Some(metaschema) = self.fetch(uri::without_fragment(&named).0)? else { return Ok(true) };
        let root = self.document_root(metaschema);
        let tree = self.tree(root);
        let vocabularies = tree.object(root.node).and_then(|members| tree.object(members.get("$vocabulary")?));
        Ok(vocabularies.is_none_or(|vocabularies| {
            vocabularies.iter().any(|member| match member.key {
                crate::json::Key::Text(text) => text.as_str().is_some_and(|uri| uri.ends_with("/vocab/validation")),
                crate::json::Key::Foreign(_) => false,
            })
        }))
    }

    fn document_root(&self, document: DocumentId) -> Location {
        Location { document, node: self.trees[document.0 as usize].root() }
    }

    /// The resource of a URI without a fragment.
    fn lookup(&mut self, uri: &str, resource: ResourceId) -> Result<Option<ResourceId>> {
        if let Some(&found) = self.by_uri.get(uri) {
            return Ok(Some(found));
        }
        self.scan(self.outermost(resource))?;
        self.scan(self.root())?;
        if let Some(&found) = self.by_uri.get(uri) {
            return Ok(Some(found));
        }
        if *self.resource(self.root()).uri == *uri {
            return Ok(Some(self.root()));
        }
        let Some(document) = self.fetch(uri)? else { return Ok(None) };
        let root = self.document_root(document);
        let draft = self.draft_of(root, self.resource(resource).draft)?;
        let named: Option<Arc<str>> = self.identifier(root, draft).map(|name| uri::join(uri, name).into());
        let base = named.clone().unwrap_or_else(|| uri.into());
        let found = self.add(root, base, draft, format!("{uri}#").into(), None, true);
        if let Some(named) = named {
            self.by_uri.entry(named).or_insert(found);
        }
        self.by_uri.insert(uri.into(), found);
        self.scan(found)?;
        Ok(Some(found))
    }

    fn outermost(&self, mut resource: ResourceId) -> ResourceId {
        while let Some(parent) = self.resource(resource).parent {
            resource = parent;
        }
        resource
    }

    /// The registry's document of a URI; the registry is asked once.
    fn fetch(&mut self, uri: &str) -> Result<Option<DocumentId>> {
        if let Some(&known) = self.fetched.get(uri) {
            return Ok(known);
        }
        let tree = match self.registry {
            Some(registry) => registry.document(uri)?,
            None => None,
        };
        let found = tree.map(|tree| {
            self.trees.push(tree);
            DocumentId(self.trees.len() as u32 - 1)
        });
        self.fetched.insert(uri.to_owned(), found);
        Ok(found)
    }

    /// Follows a JSON pointer; a subschema with an `$id` on the way changes the base.
    fn walk(&mut self, path: &str, mut resource: ResourceId) -> Result<Option<Target>> {
        let mut schema = self.resource(resource).root;
        let mut pointer = self.resource(resource).pointer.to_string();
        for token in path.split('/').skip(1) {
            let token = unescape(token);
            let Some(node) = step(self.tree(schema), schema.node, &token) else { return Ok(None) };
            schema = Location { node, ..schema };
            pointer.push('/');
            pointer += &escape_str(&token);
            resource = self.inside(schema, resource, &pointer)?;
        }
        Ok(Some(Target { schema, resource, pointer: pointer.into() }))
    }

    /// Finds every name below a resource: `$id`, `$anchor`, `$dynamicAnchor`.
    fn scan(&mut self, resource: ResourceId) -> Result<()> {
        if std::mem::replace(&mut self.resources[resource.0 as usize].is_scanned, true) {
            return Ok(());
        }
        let Resource { root, pointer, .. } = self.resource(resource);
        let mut stack = vec![(*root, resource, pointer.to_string())];
        let mut places = 0u32;
        while let Some((schema, around, pointer)) = stack.pop() {
            places += 1;
            if places.is_multiple_of(CHECKED) {
                self.watch.check()?;
            }
            if self.object(schema).is_none() {
                continue;
            }
            let current = self.inside(schema, around, &pointer)?;
            let draft = self.resource(current).draft;
            self.resources[current.0 as usize].is_scanned = true;
            let (anchor, dynamic_anchor) = match draft >= Draft::Draft2019 {
                true => (
                    self.string(schema, "$anchor").map(Box::from),
                    self.string(schema, "$dynamicAnchor").map(Box::from),
                ),
                false => (self.id_anchor(schema, draft), None),
            };
            let below = subschemas(self.tree(schema), schema.node, &pointer);
            let pointer: Arc<str> = pointer.into();
            let Resource { anchors, dynamic_anchors, .. } = &mut self.resources[current.0 as usize];
            if let Some(name) = anchor {
                anchors.entry(name).or_insert_with(|| (schema, pointer.clone()));
            }
            if let Some(name) = dynamic_anchor {
                dynamic_anchors.entry(name).or_insert_with(|| (schema, pointer.clone()));
            }
            stack.extend(below.into_iter().map(|(node, pointer)| (Location { node, ..schema }, current, pointer)));
        }
        Ok(())
    }

    /// The anchor of a schema before 2019-09: the fragment of its `$id`.
    fn id_anchor(&self, schema: Location, draft: Draft) -> Option<Box<str>> {
        if self.object(schema)?.get("$ref").is_some() {
            return None;
        }
        let (_, fragment) = self.string(schema, draft.id_keyword())?.split_once('#')?;
        Some(fragment.into())
    }
}
