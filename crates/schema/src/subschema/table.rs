//! Schemas, references and other subschemas → subschemas by number.

use super::conjunction::{Conjunctions, Literal};
use super::content::{Content, Contents};
use super::origin::{joined, At, Origin};
use crate::condition::{Conjunct, ConjunctionId, SubschemaId};
use crate::draft::Draft;
use crate::error::{Error, Kind, Result};
use crate::json::{Key, Text, Value};
use crate::message::{no_name, refers_to_itself, shown};
use crate::read::{is_keyword, meant_type, Inexactness};
use crate::resolve::pointer::escape;
use crate::resolve::{DocumentId, Documents, Location, ResourceId, Target};
use crate::similar::closest;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

/// The caller's options that change the meaning of a schema.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether OpenAPI's `nullable: true` adds null to `type`.
    pub is_nullable: bool,
    /// Whether objects have only listed members where the schema says nothing of others.
    pub has_closed_objects: bool,
    /// Whether dynamic references are followed. If so, subschemas differ by the references that led to them.
    pub has_scopes: bool,
}

/// The constraint of a subschema on a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asks {
    /// The keywords of a schema in a document.
    Schema(Location),
    /// Equality with this part of a `const` or `enum`.
    Constant(Location),
    /// One of these conjunctions.
    Either(Arc<[ConjunctionId]>),
    /// A conjunct.
    Conjunct(Rc<Conjunct>),
}

/// A subschema.
#[derive(Debug, Clone)]
pub struct Subschema {
    /// Its constraint.
    pub asks: Asks,
    /// The resource that it belongs to; the root's if it is no schema of a document.
    pub resource: ResourceId,
    /// The resources through which references led here, outermost first; empty without dynamic references.
    pub scope: Rc<[ResourceId]>,
    origin: Origin,
}

/// A keyword that is not enforced, since it cannot be enforced exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Omission {
    /// The JSON pointer of the keyword.
    pub pointer: String,
    /// The keyword.
    pub keyword: String,
    /// Which values could slip through, and why.
    pub slips: String,
}

/// The identity of a subschema: schemas with equal keys are one.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum Identity {
    Free(Draft, bool, u128),
    Bound(ResourceId, Rc<[ResourceId]>, u128),
    Own(Location, ResourceId, Rc<[ResourceId]>),
}

/// All subschemas of one compile.
pub struct Subschemas<'a> {
    /// The documents that they stand in.
    pub documents: Documents<'a>,
    /// The conjunctions of them.
    pub conjunctions: Conjunctions,
    /// Keywords that are not enforced, in the order in which they were met.
    pub omissions: Vec<Omission>,
    /// Formats of which not all texts are allowed, in the order in which they were met.
    pub narrowed: Vec<Omission>,
    /// The pointer and the constraint of each `propertyNames`.
    pub names: Vec<(String, ConjunctionId)>,
    options: Options,
    all: Vec<Subschema>,
    contents: FxHashMap<DocumentId, Contents>,
    pub(super) by_key: FxHashMap<Identity, ConjunctionId>,
    constants: FxHashMap<u128, ConjunctionId>,
    conjuncts: FxHashMap<Rc<Conjunct>, ConjunctionId>,
    negated: FxHashMap<ConjunctionId, ConjunctionId>,
    no_scope: Rc<[ResourceId]>,
}

impl<'a> Subschemas<'a> {
    /// A table without subschemas.
    pub fn new(documents: Documents<'a>, options: Options) -> Self {
        Subschemas {
            documents,
            conjunctions: Conjunctions::default(),
            omissions: Vec::new(),
            narrowed: Vec::new(),
            names: Vec::new(),
            options,
            all: Vec::new(),
            contents: FxHashMap::default(),
            by_key: FxHashMap::default(),
            constants: FxHashMap::default(),
            conjuncts: FxHashMap::default(),
            negated: FxHashMap::default(),
            no_scope: Rc::from([]),
        }
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// How many subschemas there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is no subschema yet.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// A subschema by its number.
    pub fn get(&self, subschema: SubschemaId) -> &Subschema {
        &self.all[subschema.0 as usize]
    }

    /// The JSON pointer at which a subschema was found first.
    pub fn pointer(&self, subschema: SubschemaId) -> String {
        let mut parts: Vec<&str> = Vec::new();
        let mut origin = &self.get(subschema).origin;
        while let Origin::Below(around, path) = origin {
            parts.push(path);
            origin = &self.get(*around).origin;
        }
        if let Origin::Pointer(start) = origin {
            parts.push(start);
        }
        parts.reverse();
        parts.concat()
    }

    /// The conjunction of the whole schema. Errors: no schema.
    pub fn root(&mut self) -> Result<ConjunctionId> {
        let resource = self.documents.root();
        let scope = self.root_scope();
        let root = self.documents.resource(resource);
        let (schema, pointer) = (root.root, root.pointer.clone());
        self.conjunction(schema, resource, scope, At::Pointer(pointer))
    }

    /// The conjunction of the schema at this pointer of the whole one. Errors: no schema, no URI.
    pub fn at(&mut self, schema: Location, pointer: &str) -> Result<ConjunctionId> {
        self.placed(schema, self.documents.root(), self.root_scope(), At::Pointer(pointer.into()))
    }

    /// The scope in which the whole schema is read.
    pub(super) fn root_scope(&self) -> Rc<[ResourceId]> {
        if self.options.has_scopes {
            Rc::from([self.documents.root()])
        } else {
            self.no_scope.clone()
        }
    }

    /// The conjunction of a schema below a subschema.
    ///
    /// Errors: no schema, no URI, errors of the registry.
    pub fn below(&mut self, around: SubschemaId, schema: Location, path: &[&str]) -> Result<ConjunctionId> {
        let Subschema { resource, scope, .. } = self.get(around);
        self.placed(schema, *resource, scope.clone(), At::Below(around, path))
    }

    /// The conjunction of a schema that stands in a resource, and may begin another one.
    fn placed(
        &mut self,
        schema: Location,
        mut resource: ResourceId,
        mut scope: Rc<[ResourceId]>,
        at: At<'_>,
    ) -> Result<ConjunctionId> {
        let names_itself =
            |keyword| self.documents.object(schema).is_some_and(|members| members.get(keyword).is_some());
        if self.documents.tree(schema).has_ids() && (names_itself("$id") || names_itself("id")) {
            let pointer = self.pointer_at(&at);
            let inner = self.documents.inside(schema, resource, &pointer)?;
            if inner != resource {
                (resource, scope) = (inner, self.entered(&scope, inner));
            }
        }
        self.conjunction(schema, resource, scope, at)
    }

    /// The conjunction of a reference's target. If no document has the target, the reference is an omission and allows
    /// anything.
    ///
    /// Errors: a reference that leads nowhere in its own document, errors of the registry.
    pub fn referred(&mut self, from: SubschemaId, keyword: &str, reference: &str) -> Result<ConjunctionId> {
        let Subschema { resource, scope, .. } = self.get(from);
        let (resource, scope) = (*resource, scope.clone());
        let Some(target) = self.target(resource, &scope, keyword, reference)? else {
            return self.unresolved(self.pointer(from), resource, keyword, reference);
        };
        let scope = self.entered(&scope, target.resource);
        self.conjunction(target.schema, target.resource, scope, At::Pointer(target.pointer))
    }

    /// The conjunction of the values equal to a part of a `const` or `enum` of a subschema.
    pub fn constant(&mut self, from: SubschemaId, value: Location) -> ConjunctionId {
        let content = self.documents.tree(value).hash(value.node);
        if let Some(&known) = self.constants.get(&content) {
            return known;
        }
        let made = self.invented(from, Asks::Constant(value));
        self.constants.insert(content, made);
        made
    }

    /// The conjunction that equals a conjunct.
    pub fn in_conjunct(&mut self, from: SubschemaId, conjunct: Conjunct) -> ConjunctionId {
        if let Some(&known) = self.conjuncts.get(&conjunct) {
            return known;
        }
        let conjunct = Rc::new(conjunct);
        let made = self.invented(from, Asks::Conjunct(conjunct.clone()));
        self.conjuncts.insert(conjunct, made);
        made
    }

    /// The union of conjunctions, as a conjunction.
    pub fn either(&mut self, from: SubschemaId, conjunctions: &[ConjunctionId]) -> ConjunctionId {
        let mut distinct: Vec<ConjunctionId> = Vec::new();
        for &conjunction in conjunctions {
            if !conjunction.is_nothing() && !distinct.contains(&conjunction) {
                distinct.push(conjunction);
            }
        }
        match distinct[..] {
            _ if distinct.contains(&ConjunctionId::ANYTHING) => ConjunctionId::ANYTHING,
            [] => ConjunctionId::NOTHING,
            [one] => one,
            _ => self.invented(from, Asks::Either(distinct.into())),
        }
    }

    /// The complement of a conjunction.
    pub fn negated(&mut self, conjunction: ConjunctionId) -> ConjunctionId {
        if conjunction.is_anything() {
            return ConjunctionId::NOTHING;
        }
        if conjunction.is_nothing() {
            return ConjunctionId::ANYTHING;
        }
        if let Some(&known) = self.negated.get(&conjunction) {
            return known;
        }
        let literals = self.conjunctions.literals(conjunction);
        let parts: Vec<_> = literals.iter().map(|literal| self.conjunctions.of(vec![literal.negated()])).collect();
        let made = self.either(literals[0].subschema(), &parts);
        self.negated.insert(conjunction, made);
        made
    }

    /// Notes that a keyword is not enforced.
    pub fn omit(&mut self, pointer: String, keyword: &str, slips: String) {
        let omission = Omission { pointer, keyword: keyword.into(), slips };
        if !self.omissions.contains(&omission) {
            self.omissions.push(omission);
        }
    }

    /// Notes that a format's node is not its exact language.
    pub fn narrow(&mut self, pointer: String, keyword: &str, name: &str, inexactness: &Inexactness) {
        let Inexactness { reason, narrows_complement } = inexactness;
        let complement =
            if *narrows_complement { "; where it must not hold, so is what only looks like one" } else { "" };
        let omission = Omission { pointer, keyword: keyword.into(), slips: format!("{name}: {reason}{complement}") };
        if !self.narrowed.contains(&omission) {
            self.narrowed.push(omission);
        }
    }

    /// The target of a reference in a resource; the scope decides about dynamic references.
    pub(super) fn target(
        &mut self,
        resource: ResourceId,
        scope: &[ResourceId],
        keyword: &str,
        reference: &str,
    ) -> Result<Option<Target>> {
        let Some(target) = self.documents.resolve(reference, resource)? else { return Ok(None) };
        if keyword == "$ref" {
            return Ok(Some(target));
        }
        if !self.options.has_scopes {
            return Err(Error::new(Kind::NeedsScopes, "a dynamic reference needs dynamic scopes"));
        }
        if keyword == "$recursiveRef" {
            if self.documents.resource(target.resource).is_recursive {
                let outer = scope.iter().find(|&&outer| self.documents.resource(outer).is_recursive);
                if let Some(&outer) = outer {
                    let found = self.documents.resource(outer);
                    return Ok(Some(Target { schema: found.root, resource: outer, pointer: found.pointer.clone() }));
                }
            }
            return Ok(Some(target));
        }
        let name = reference.split_once('#').map_or("", |(_, name)| name);
        let tree = self.documents.tree(target.schema);
        let anchor = tree.object(target.schema.node).and_then(|members| tree.str(members.get("$dynamicAnchor")?));
        if !name.is_empty() && anchor == Some(name) {
            for &outer in scope {
                if let Some(found) = self.documents.dynamic_anchor(outer, name)? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(Some(target))
    }

    fn unresolved(
        &mut self,
        pointer: String,
        resource: ResourceId,
        keyword: &str,
        reference: &str,
    ) -> Result<ConjunctionId> {
        let place = format!("{pointer}/{keyword}");
        if reference.starts_with('#') {
            let known = self.definitions(resource);
            let moved = [("/$defs/", "/definitions/"), ("/definitions/", "/$defs/")]
                .iter()
                .find_map(|(from, to)| known.iter().find(|known| **known == reference.replace(from, to)));
            let near = moved.map(String::as_str).or_else(|| closest(reference, known.iter().map(String::as_str)));
            let hint = match near {
                Some(meant) => format!("did you mean {meant}?"),
                None => "name a place of this document, as #/$defs/name does".into(),
            };
            return Err(Error::invalid(format!("'{reference}' leads nowhere")).at(place).with_hint(hint));
        }
        let slips = format!("{reference} is not among the documents given; pass a registry that holds it");
        self.omit(place, keyword, slips);
        Ok(ConjunctionId::ANYTHING)
    }

    /// References to all definitions of a resource.
    pub(crate) fn definitions(&self, resource: ResourceId) -> Vec<String> {
        let root = self.documents.resource(resource).root;
        let tree = self.documents.tree(root);
        let mut found = Vec::new();
        for holder in ["$defs", "definitions"] {
            let names = tree.object(root.node).and_then(|members| tree.object(members.get(holder)?));
            for member in names.iter().flat_map(|names| names.iter()) {
                found.push(format!("#/{holder}/{}", escape(member.key)));
            }
        }
        found
    }

    /// The scope after a reference into a resource.
    pub(super) fn entered(&self, scope: &Rc<[ResourceId]>, resource: ResourceId) -> Rc<[ResourceId]> {
        match self.options.has_scopes && !scope.contains(&resource) {
            true => scope.iter().copied().chain([resource]).collect(),
            false => scope.clone(),
        }
    }

    fn invented(&mut self, from: SubschemaId, asks: Asks) -> ConjunctionId {
        let resource = self.documents.root();
        self.add(Subschema {
            asks,
            resource,
            scope: self.no_scope.clone(),
            origin: Origin::Below(from, Box::default()),
        })
    }

    fn add(&mut self, subschema: Subschema) -> ConjunctionId {
        let number = SubschemaId(self.all.len() as u32);
        self.all.push(subschema);
        self.conjunctions.of(vec![Literal::positive(number)])
    }

    /// The conjunction of a schema. A schema with no keyword but `$ref` is the schema that it refers to.
    fn conjunction(
        &mut self,
        mut schema: Location,
        mut resource: ResourceId,
        mut scope: Rc<[ResourceId]>,
        mut at: At<'_>,
    ) -> Result<ConjunctionId> {
        let mut passed: FxHashSet<(Location, ResourceId)> = FxHashSet::default();
        let mut keys = Vec::new();
        let found = loop {
            match self.documents.value(schema) {
                Value::Boolean(true) => break ConjunctionId::ANYTHING,
                Value::Boolean(false) => break ConjunctionId::NOTHING,
                Value::Object(_) => {}
                other => return Err(self.no_schema(other, &at)),
            }
            self.check_names(schema, &at)?;
            let Some(key) = self.key(schema, resource, &scope)? else { break ConjunctionId::ANYTHING };
            if let Some(&known) = self.by_key.get(&key) {
                break known;
            }
            let Some(reference) = self.only_reference(schema) else {
                let made = self.add(Subschema { asks: Asks::Schema(schema), resource, scope, origin: at.origin() });
                self.by_key.insert(key, made);
                break made;
            };
            keys.push(key);
            let pointer = self.pointer_at(&at);
            if !passed.insert((schema, resource)) {
                return Err(refers_to_itself(pointer)
                    .with_hint("let one of the references lead to a schema that says something"));
            }
            let Some(target) = self.target(resource, &scope, "$ref", &reference)? else {
                // Each reference without a target is reported.
                return self.unresolved(pointer, resource, "$ref", &reference);
            };
            scope = self.entered(&scope, target.resource);
            (schema, resource, at) = (target.schema, target.resource, At::Pointer(target.pointer));
        };
        self.by_key.extend(keys.into_iter().map(|key| (key, found)));
        Ok(found)
    }

    /// The identity of a schema; None if it has no keyword with an effect. Errors: cancellation, time.
    pub(super) fn key(
        &mut self,
        schema: Location,
        resource: ResourceId,
        scope: &Rc<[ResourceId]>,
    ) -> Result<Option<Identity>> {
        let contents = self.contents.entry(schema.document).or_default();
        let found = self.documents.resource(resource);
        let tree = self.documents.tree(schema);
        Ok(match contents.of(tree, schema.node, self.documents.watch())? {
            Content::Nothing => None,
            Content::Free(content) => Some(Identity::Free(found.draft, found.has_validation, content)),
            Content::Bound(content) => Some(Identity::Bound(resource, scope.clone(), content)),
            Content::Own => Some(Identity::Own(schema, resource, scope.clone())),
        })
    }

    /// The reference of a schema with no keyword but `$ref`.
    pub(super) fn only_reference(&self, schema: Location) -> Option<String> {
        let tree = self.documents.tree(schema);
        tree.object(schema.node)?.get("$ref")?;
        let mut counting = tree.object(schema.node)?.iter().filter(|member| match member.key {
            Key::Text(text) => text.as_str().is_some_and(is_keyword),
            Key::Foreign(_) => true,
        });
        let (member, None) = (counting.next()?, counting.next()) else { return None };
        let is_reference = matches!(member.key, Key::Text(text) if text.as_str() == Some("$ref"));
        tree.str(member.value).filter(|_| is_reference).map(str::to_owned)
    }

    fn check_names(&self, schema: Location, at: &At<'_>) -> Result<()> {
        if !self.documents.tree(schema).has_foreign_keys() {
            return Ok(());
        }
        for member in self.documents.object(schema).iter().flat_map(|members| members.iter()) {
            if let Key::Foreign(name) = member.key {
                return Err(no_name(name).at(self.pointer_at(at)));
            }
        }
        Ok(())
    }

    fn no_schema(&self, value: Value<'_>, at: &At<'_>) -> Box<Error> {
        let hint = match (value, meant_type(value)) {
            (_, Some(name)) => format!("write {{\"type\": \"{name}\"}}"),
            (Value::String(Text::Unicode(flag @ ("true" | "false"))), _) => format!("write {flag}, without quotes"),
            (Value::Foreign(_), _) => "for a type of Python write {\"type\": …}, or pass a class as the target".into(),
            _ => "true is the schema of any value, false that of none".into(),
        };
        Error::invalid(format!("a schema is an object or a boolean, not {}", shown(value)))
            .at(self.pointer_at(at))
            .with_hint(hint)
    }

    fn pointer_at(&self, at: &At<'_>) -> String {
        match at {
            At::Pointer(pointer) => pointer.to_string(),
            At::Below(around, path) => self.pointer(*around) + &joined(path),
        }
    }
}
