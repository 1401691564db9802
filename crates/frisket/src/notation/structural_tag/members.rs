//! JSON Schema of an object × a model's style of writing members → rules with one element for each member.
//!
//! A member that is text is written without quotes and escapes. Any other value is JSON; some styles write objects and
//! arrays as elements again.

use super::style::Style;
use super::value::Data;
use super::Settings;
use crate::error::{Code, Error, Result};
use crate::grammar::Grammar;
use crate::options::SchemaOptions;
use frisket_core::builder::Builder;
use frisket_core::regular::term::{TermId, EPSILON};
use frisket_regex::{Dialect, Pattern, Syntax};
use frisket_schema::compile::{Prelude, PropertyOrder};
use frisket_schema::condition::Types;
use frisket_schema::json::{Key, Member, NodeId, Text, Tree, TreeBuilder, Value};
use frisket_schema::member::{bounded_text, relating, MemberValues};
use frisket_schema::resolve::pointer::{escape_str, follow};
use percent_encoding::{percent_decode_str, utf8_percent_encode, AsciiSet, NON_ALPHANUMERIC};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Keywords that are enforced for an object or array written as elements.
const HELD: [(&str, &[&str]); 2] = [
    ("object", &["type", "properties", "required", "additionalProperties"]),
    ("array", &["type", "items", "minItems", "maxItems"]),
];

/// Most members that may come in any order, since each subset of them needs a node.
const MOST_IN_ANY_ORDER: usize = 10;

/// Most blanks and line breaks between two elements.
const BLANKS: u32 = 64;

/// Most references from one to the next.
const MOST_REFERENCES: usize = 200;

/// Characters that a pointer in a URI percent-encodes.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'_').remove(b'.').remove(b'-').remove(b'~');

/// The grammar of an object's members in a style; no value contains an excluded string.
///
/// Errors: keywords that relate members to each other; a schema that is wrong; limits.
pub(super) fn members(
    schema: &Data,
    style: &Style,
    options: &SchemaOptions,
    excluded: &[&str],
    settings: &Settings,
) -> Result<Grammar> {
    let Some(node) = schema.node() else { return Err(unsupported("", "there is no schema")) };
    let options = options.clone().without_texts(excluded);
    let (limits, flag) = settings.limits.parts();
    let prelude = options.prelude(settings.limits.between())?;
    let mut builder = prelude.fork(limits, flag);
    builder.check(0)?;
    let blanks = builder.byte_class(&[(0x09, 0x0a), (0x0d, 0x0d), (0x20, 0x20)])?.number();
    let blanks = builder.repeat(blanks, 0, Some(BLANKS))?;
    let mut excluded: Vec<String> = excluded.iter().map(|&text| text.to_owned()).collect();
    excluded.extend(Some(style.reserved.to_owned()).filter(|reserved| !reserved.is_empty()));
    let schema = Arc::new(schema.tree().copy(node)?);
    let mut members = Members { builder, prelude, schema, style, excluded, blanks, rules: FxHashMap::default() };
    let root = members.node()?;
    Ok(Grammar::of_rules(members.builder.build(root.number())?))
}

/// A value of a member or item: its key among the found values, and the pointer to its schema, None if it has none.
#[derive(Clone, Copy)]
struct Place<'p> {
    key: Option<&'p str>,
    pointer: Option<&'p str>,
}

/// The schema, with its pointer, that defines the members or items of a value; without both, any are allowed.
type Shape = Option<(NodeId, String)>;

struct Members<'s> {
    builder: Builder,
    prelude: Arc<Prelude>,
    schema: Arc<Tree>,
    style: &'s Style,
    excluded: Vec<String>,
    blanks: TermId,
    /// The rules of objects and arrays, by the pointer of their schema and their type.
    rules: FxHashMap<(Option<String>, &'static str), TermId>,
}

impl Members<'_> {
    fn node(&mut self) -> Result<TermId> {
        let schema = self.schema.clone();
        let only = "only the members of an object are written one by one";
        match schema.value(schema.root()) {
            Value::Boolean(true) => return self.members(None, Some("")),
            Value::Object(object) => {
                if object.get("type").is_some_and(|node| schema.str(node) != Some("object")) {
                    return Err(unsupported("", only));
                }
                let keys: Vec<&str> = object.iter().filter_map(|member| name_of(&member)).collect();
                if let Some(key) = relating(&keys, None).first() {
                    let reason = format!("{key} relates members, which the style writes one by one");
                    return Err(unsupported(&format!("/{}", escape_str(key)), reason));
                }
            }
            _ => return Err(unsupported("", only)),
        }
        MemberValues::new(schema.clone(), &self.prelude)?.check(&mut self.builder)?;
        self.members(Some(schema.root()), Some(""))
    }

    /// The members of an object whose schema has no conditions between members. An empty pointer is that of the whole
    /// schema.
    fn members(&mut self, schema: Option<NodeId>, pointer: Option<&str>) -> Result<TermId> {
        let tree = self.schema.clone();
        let (place, is_root) = (pointer.unwrap_or_default(), pointer == Some(""));
        let object = schema.and_then(|node| tree.object(node));
        let keyword = |name: &str| object.and_then(|object| object.get(name));
        let properties = keyword("properties").and_then(|node| tree.object(node));
        let required: Vec<&str> = keyword("required")
            .and_then(|node| tree.array(node))
            .map_or_else(Vec::new, |items| items.iter().filter_map(|&item| tree.str(item)).collect());
        let extra = keyword("additionalProperties");
        let is_conditional = extra.and_then(|node| tree.object(node)).is_some_and(|object| !object.is_empty());
        let has_properties = properties.is_some_and(|properties| !properties.is_empty());
        if is_conditional && (has_properties || self.style.ends_with_name()) {
            let reason = "members without a name in the schema are not told apart";
            return Err(unsupported(&format!("{place}/additionalProperties"), reason));
        }
        let is_known = |key: &&&str| properties.is_some_and(|properties| properties.get(key).is_some());
        if let Some(missing) = required.iter().find(|key| !is_known(key)) {
            let reason = format!("nothing is said of the required member {missing}");
            return Err(unsupported(&format!("{place}/required"), reason));
        }
        let mut named = Vec::new();
        for member in properties.iter().flat_map(|properties| properties.iter()) {
            let Some(key) = name_of(&member) else {
                return Err(unsupported(place, "no element has a name with half of a surrogate pair"));
            };
            named.push((key, format!("{place}/properties/{}", escape_str(key))));
        }
        let rest = extra.map(|_| format!("{place}/additionalProperties"));
        let mut found = match is_root {
            true => MemberValues::new(tree.clone(), &self.prelude)?,
            false => self.find_values(named.iter().map(|(_, at)| &**at).chain(rest.as_deref()))?,
        };
        let mut nodes = Vec::new();
        for (key, at) in &named {
            let value = Place { key: Some(if is_root { key } else { at }), pointer: Some(at) };
            nodes.push((self.member(&mut found, Some(key), value)?, required.contains(key)));
        }
        let mut parts = match self.prelude.options().property_order {
            PropertyOrder::Any => vec![self.in_any_order(&nodes)?.number()],
            _ => {
                let mut parts = Vec::new();
                for (node, is_needed) in nodes {
                    parts.push(if is_needed { node } else { self.optional(node)? }.number());
                }
                parts
            }
        };
        let is_open = !matches!(extra.map(|node| tree.value(node)), Some(Value::Boolean(false)));
        if !has_properties && is_open && !self.style.ends_with_name() {
            let key = if is_root { None } else { rest.as_deref() };
            let any = self.member(&mut found, None, Place { key, pointer: rest.as_deref() })?;
            parts.push(self.builder.repeat(any.number(), 0, None)?.number());
        }
        found.refuse_unsupported()?;
        parts.push(self.blanks.number());
        Ok(self.builder.seq(&parts)?)
    }

    fn optional(&mut self, node: TermId) -> Result<TermId> {
        Ok(self.builder.alt(&[EPSILON.number(), node.number()])?)
    }

    /// The items of an array.
    fn items(&mut self, schema: Option<NodeId>, pointer: Option<&str>) -> Result<TermId> {
        let tree = self.schema.clone();
        let object = schema.and_then(|node| tree.object(node));
        let keyword = |name: &str| object.and_then(|object| object.get(name));
        let at = keyword("items").map(|_| format!("{}/items", pointer.unwrap_or_default()));
        if keyword("items").is_some_and(|node| tree.array(node).is_some()) {
            let reason = "items that differ by their place are not told apart";
            return Err(unsupported(&at.unwrap_or_default(), reason));
        }
        let mut found = self.find_values(at.as_deref().into_iter())?;
        let value = Place { key: at.as_deref(), pointer: at.as_deref() };
        let mut each = vec![self.blanks.number()];
        each.extend(self.element(&mut found, self.style.item, Some("item"), value)?);
        let each = self.builder.seq(&each)?.number();
        found.refuse_unsupported()?;
        let count = |name| {
            keyword(name).and_then(|node| match tree.value(node) {
                Value::Number(numeral) => numeral.parse::<f64>().ok().map(|count| count as u32),
                _ => None,
            })
        };
        let low = count("minItems").unwrap_or(0);
        let most = self.prelude.options().max_items.map(|most| low.max(u32::try_from(most).unwrap_or(u32::MAX - 1)));
        let items = self.builder.repeat(each, low, count("maxItems").or(most))?.number();
        Ok(self.builder.seq(&[items, self.blanks.number()])?)
    }

    /// The values of the schemas at these pointers, each of which is a key of its own.
    fn find_values<'p>(&self, pointers: impl Iterator<Item = &'p str>) -> Result<MemberValues> {
        let tree = &self.schema;
        let root = tree.object(tree.root());
        let mut made = TreeBuilder::default();
        made.begin_object()?;
        for member in root.iter().flat_map(|root| root.iter()) {
            if !matches!(name_of(&member), Some("properties" | "additionalProperties")) {
                made.copied_key(member.key)?;
                made.copy(tree, member.value)?;
            }
        }
        made.key(Text::Unicode("properties"))?;
        made.begin_object()?;
        let known = root.and_then(|root| root.get("properties")).and_then(|node| tree.object(node));
        for member in known.iter().flat_map(|known| known.iter()) {
            made.copied_key(member.key)?;
            made.copy(tree, member.value)?;
        }
        for pointer in pointers {
            made.key(Text::Unicode(pointer))?;
            made.begin_object()?;
            made.key(Text::Unicode("$ref"))?;
            made.string(Text::Unicode(&format!("#{}", utf8_percent_encode(pointer, ENCODED))))?;
            made.end()?;
        }
        made.end()?;
        made.key(Text::Unicode("additionalProperties"))?;
        made.boolean(true)?;
        made.end()?;
        Ok(MemberValues::new(Arc::new(made.finish()), &self.prelude)?)
    }

    /// Each member at most once. There is a node per set of members, for what may follow after that set.
    fn in_any_order(&mut self, members: &[(TermId, bool)]) -> Result<TermId> {
        if members.len() > MOST_IN_ANY_ORDER {
            let reason = format!("more than {MOST_IN_ANY_ORDER} members cannot come in any order");
            return Err(unsupported("/properties", reason));
        }
        let needed: usize = members.iter().enumerate().map(|(at, (_, needed))| usize::from(*needed) << at).sum();
        let mut behind = vec![EPSILON; 1 << members.len()];
        for came in (0..behind.len()).rev() {
            let mut ways = Vec::new();
            for (at, (member, _)) in members.iter().enumerate().filter(|(at, _)| came >> at & 1 == 0) {
                ways.push(self.builder.seq(&[member.number(), behind[came | 1 << at].number()])?.number());
            }
            ways.extend((came & needed == needed).then_some(EPSILON.number()));
            behind[came] = self.builder.alt(&ways)?;
        }
        Ok(behind[0])
    }

    /// One element after blanks; the key None stands for any name.
    fn member(&mut self, found: &mut MemberValues, key: Option<&str>, value: Place) -> Result<TermId> {
        if let Some(key) = key
            .filter(|key| self.style.ends_with_name() && (key.is_empty() || key.starts_with('/') || key.contains('>')))
        {
            let reason = format!("no element of this style has the name {}", frisket_regex::quoted(key.chars()));
            return Err(unsupported(value.pointer.unwrap_or_default(), reason));
        }
        let mut parts = vec![self.blanks.number()];
        parts.extend(self.element(found, self.style.begin, key, value)?);
        Ok(self.builder.seq(&parts)?)
    }

    /// The ways to write a value's element, with the begin and end of the style.
    fn element(&mut self, found: &mut MemberValues, begin: &str, key: Option<&str>, value: Place) -> Result<Vec<u32>> {
        let end = self.style.end.replace("{key}", key.unwrap_or_default());
        if !begin.contains("{kind}") && found.is_anything(value.key)? {
            let mut parts = self.begin(begin, key, "")?;
            let any_text = self.builder.any_text()?;
            parts.push(self.text(any_text, &end)?.number());
            return Ok(parts);
        }
        let mut ways = Vec::new();
        for (kind, types) in self.style.kinds {
            for node in self.values(found, value, types, &end)? {
                let mut parts = self.begin(begin, key, kind)?;
                parts.push(node.number());
                ways.push(self.builder.seq(&parts)?.number());
            }
        }
        if self.style.has_integers && key.is_none() {
            if let Some(integers) = found.literals(&mut self.builder, value.key, Types::NUMBER)? {
                let mut parts = self.begin(begin, key, "integer")?;
                parts.push(self.other(integers, &end)?.number());
                ways.push(self.builder.seq(&parts)?.number());
            }
        }
        Ok(vec![self.builder.alt(&ways)?.number()])
    }

    /// The nodes of a value of these types with the end of its element; none if there is no such value.
    fn values(&mut self, found: &mut MemberValues, value: Place, types: &[&str], end: &str) -> Result<Vec<TermId>> {
        let mut nodes = Vec::new();
        if types == ["string"] {
            if let Some(text) = found.text(&mut self.builder, value.key)? {
                nodes.push(self.text(text, end)?);
            }
            return Ok(nodes);
        }
        let is_nested = |name: &str| !self.style.item.is_empty() && matches!(name, "object" | "array");
        let named = |name: &str| Types::named(name).unwrap_or(Types::NONE);
        let others = types.iter().filter(|name| !is_nested(name)).fold(Types::NONE, |all, name| all | named(name));
        let nested: Vec<&'static str> =
            ["array", "object"].into_iter().filter(|name| types.contains(name) && is_nested(name)).collect();
        if others != Types::NONE {
            if let Some(node) = found.literals(&mut self.builder, value.key, others)? {
                nodes.push(self.other(node, end)?);
            }
        }
        for name in nested {
            if found.has(&mut self.builder, value.key, named(name))? {
                let node = self.nested(value.pointer, name)?;
                nodes.push(self.other(node, end)?);
            }
        }
        Ok(nodes)
    }

    /// The rule of an object's or array's elements; a schema may nest it recursively.
    fn nested(&mut self, pointer: Option<&str>, name: &'static str) -> Result<TermId> {
        let key = (pointer.map(str::to_owned), name);
        if let Some(&rule) = self.rules.get(&key) {
            return Ok(rule);
        }
        let rule = self.builder.rule(&format!("{name} at {}", pointer.unwrap_or("any place")))?;
        self.rules.insert(key, rule);
        let mut nodes = Vec::new();
        for shape in self.shapes(pointer, name, 0)? {
            let (schema, at) = shape.as_ref().map_or((None, None), |(schema, at)| (Some(*schema), Some(&**at)));
            let node = if name == "object" { self.members(schema, at) } else { self.items(schema, at) };
            nodes.push(node?.number());
        }
        let body = self.builder.alt(&nodes)?;
        self.builder.define(rule.number(), body.number())?;
        Ok(rule)
    }

    /// The schemas that define the members or items of a value.
    fn shapes(&self, pointer: Option<&str>, name: &'static str, depth: usize) -> Result<Vec<Shape>> {
        let tree = &*self.schema;
        let Some(pointer) = pointer else { return Ok(vec![None]) };
        if depth > MOST_REFERENCES {
            return Err(Error::limit("the schema's references lead too far", "refer to the definition itself"));
        }
        let Some(node) = follow(tree, pointer) else { return Err(unsupported(pointer, "nothing stands here")) };
        let Some(object) = tree.object(node) else {
            return Ok(if matches!(tree.value(node), Value::Boolean(false)) { vec![] } else { vec![None] });
        };
        let text = |key: &str| object.get(key).and_then(|node| tree.str(node));
        if !pointer.is_empty() && (text("$id").is_some() || text("id").is_some()) {
            let reason = "references within a schema with an id of its own are not followed here";
            return Err(unsupported(pointer, reason));
        }
        let keys: Vec<&str> = object.iter().filter_map(|member| name_of(&member)).collect();
        let whole = relating(&keys, Some(name));
        let held = HELD.iter().find(|(kind, _)| *kind == name).map_or(&[][..], |(_, keys)| keys);
        let holds = keys.iter().any(|key| held.contains(key));
        if whole.is_empty() && !holds {
            return Ok(vec![None]);
        }
        let alone = if let ([alone], false) = (&whole[..], holds) { alone } else { "" };
        if let Some(reference) = text("$ref").filter(|reference| alone == "$ref" && is_local(reference)) {
            let target = percent_decode_str(&reference[1..]).decode_utf8_lossy();
            return self.shapes(Some(&target), name, depth + 1);
        }
        if let (Some(items), "anyOf" | "oneOf" | "allOf") = (object.get(alone).and_then(|node| tree.array(node)), alone)
        {
            let mut branches = Vec::new();
            for at in 0..items.len() {
                branches.push(self.shapes(Some(&format!("{pointer}/{alone}/{at}")), name, depth + 1)?);
            }
            let filled = branches.iter().filter(|branch| !branch.is_empty()).count();
            if alone == "anyOf" || branches.len() == 1 || (alone == "oneOf" && filled <= 1) {
                return Ok(branches.into_iter().flatten().collect());
            }
        }
        let is_named = |node| match tree.array(node) {
            Some(types) => types.iter().any(|&item| tree.str(item) == Some(name)),
            None => tree.str(node) == Some(name),
        };
        if object.get("type").is_some_and(|node| !is_named(node)) {
            return Ok(vec![]);
        }
        let is_kind = |node: NodeId| match name {
            "object" => tree.object(node).is_some(),
            _ => tree.array(node).is_some(),
        };
        let listed = object.get("enum").and_then(|node| tree.array(node)).map(<[NodeId]>::to_vec);
        let listed = listed.or_else(|| object.get("const").map(|node| vec![node]));
        if listed.is_some_and(|listed| !listed.into_iter().any(is_kind)) {
            return Ok(vec![]);
        }
        if let Some(key) = whole.first() {
            let reason = format!("{key} is not held where each {name} is a list of elements");
            return Err(unsupported(&format!("{pointer}/{}", escape_str(key)), reason));
        }
        Ok(vec![Some((node, pointer.to_owned()))])
    }

    /// The nodes of an element's begin.
    fn begin(&mut self, begin: &str, key: Option<&str>, kind: &str) -> Result<Vec<u32>> {
        let begin = begin.replace("{kind}", kind);
        let Some((before, after)) = begin.split_once("{key}") else {
            return Ok(vec![self.builder.literal(begin.as_bytes())?.number()]);
        };
        let mut parts = vec![self.builder.literal(before.as_bytes())?.number()];
        parts.push(match key {
            Some(key) => self.builder.literal(self.style.escaped(key).as_bytes())?.number(),
            None => self.any_name()?.number(),
        });
        for (place, piece) in after.split("{space}").enumerate() {
            parts.extend((place > 0).then_some(self.blanks.number()));
            parts.push(self.builder.literal(piece.as_bytes())?.number());
        }
        Ok(parts)
    }

    fn any_name(&mut self) -> Result<TermId> {
        let pattern = Pattern::read(self.style.any_name, &Syntax::new(Dialect::Ecma))?;
        let name = pattern.lower(&mut self.builder, false)?;
        self.text(name, "")
    }

    /// A text without excluded strings and the end of its element, and then that end.
    fn text(&mut self, node: TermId, end: &str) -> Result<TermId> {
        let excluded: Vec<&str> = self.excluded.iter().map(|text| &**text).collect();
        Ok(bounded_text(&mut self.builder, node, end, &excluded)?)
    }

    fn other(&mut self, node: TermId, end: &str) -> Result<TermId> {
        let (blanks, end) = (self.blanks.number(), self.builder.literal(end.as_bytes())?.number());
        Ok(self.builder.seq(&[blanks, node.number(), blanks, end])?)
    }
}

fn name_of<'t>(member: &Member<'t>) -> Option<&'t str> {
    match member.key {
        Key::Text(text) => text.as_str(),
        Key::Foreign(_) => None,
    }
}

/// Whether a reference leads into the schema by a JSON pointer.
fn is_local(reference: &str) -> bool {
    reference == "#" || reference.starts_with("#/")
}

fn unsupported(pointer: &str, reason: impl Into<String>) -> Box<Error> {
    let hint = "use the style \"json\", which writes the whole object";
    Error::new(Code::SchemaUnsupported, reason).at(Some(pointer.to_owned())).with_hint(hint)
}
