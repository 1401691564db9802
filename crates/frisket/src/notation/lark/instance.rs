//! Definitions with templates and parameters → definitions without: one for each use that differs.

use super::tree::{Definition, Definitions, Id, Module, Node};
use super::{library, Context};
use crate::notation::rules::listed;
use crate::notation::source::{fail, Read};
use frisket_core::builder::Builder;
use frisket_schema::similar::nearest;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::fmt::Write;
use std::rc::Rc;

/// Most instances of one grammar; each becomes a rule of the engine.
const MOST: usize = 20_000;
/// Limit steps per instance, per node of its body, and per condition.
const STEPS: u64 = 100;
const STEPS_PER_NODE: u64 = 10;
const STEPS_PER_CONDITION: u64 = 5;
/// Limit bytes per node of a body, as tree and as production.
const BYTES_PER_NODE: usize = 200;
/// Most characters of an instance's template and arguments; longer ones count as endless recursion.
const LONGEST: usize = 5_000;

/// The arguments of a template by the names of its parameters.
type Arguments = Vec<(Rc<str>, Id)>;

/// A definition that is called, under a name of its own, with arguments and a parameter.
struct Call {
    name: Rc<str>,
    definition: Rc<str>,
    arguments: Arguments,
    value: Option<u64>,
}

/// The definitions that a module's plain ones lead to.
#[derive(Default)]
pub(super) struct Instances {
    pub found: Definitions,
    /// Instances of parametric rules, which may be empty without error.
    pub parametric: FxHashSet<Rc<str>>,
    /// What may be ignored.
    pub ignored: Vec<Id>,
}

/// Makes the instances of a module.
pub(super) fn instances(cx: &mut Context, builder: &mut Builder, module: &Module) -> Read<Instances> {
    let mut maker =
        Maker { cx, builder, known: &module.definitions, made: Instances::default(), agenda: VecDeque::new() };
    maker.all(&module.ignored)?;
    Ok(maker.made)
}

struct Maker<'m, 'c> {
    cx: &'m mut Context<'c>,
    builder: &'m mut Builder,
    known: &'m Definitions,
    made: Instances,
    agenda: VecDeque<Call>,
}

impl Maker<'_, '_> {
    fn all(&mut self, ignored: &[Id]) -> Read<()> {
        for (name, definition) in self.known.iter() {
            if definition.parameters.is_empty() && !definition.is_parametric {
                let name = name.clone();
                self.agenda.push_back(Call { definition: name.clone(), name, arguments: Vec::new(), value: None });
            }
            if definition.is_parametric && !self.asks(definition.body) {
                let message = format!("the rule {name} never uses its parameter");
                return fail(message, definition.at, "leave ::_ out");
            }
        }
        self.made.ignored =
            ignored.iter().map(|&node| self.resolved(node, &Vec::new(), None)).collect::<Read<Vec<Id>>>()?;
        while let Some(Call { name, definition, arguments, value }) = self.agenda.pop_front() {
            let Some(definition) = self.known.get(&definition).filter(|_| !self.made.found.contains_key(&name)) else {
                continue;
            };
            if self.made.found.len() >= self.known.len() + MOST {
                let message = "there are more than 20,000 rules with the parameters that come up";
                return fail(message, definition.at, "use fewer bits, or templates that do not grow");
            }
            self.builder.check(STEPS)?;
            let body = self.resolved(definition.body, &arguments, value)?;
            let mut attributes = definition.attributes;
            if let Some(ending) = attributes.ending {
                attributes.ending = Some(self.resolved(ending, &arguments, value)?);
            }
            let (at, parameters) = (definition.at, Vec::new());
            let made = Definition { name: name.clone(), at, body, parameters, is_parametric: false, attributes };
            self.made.found.insert(name, made);
        }
        Ok(())
    }

    /// Whether a body depends on the rule's parameter.
    fn asks(&self, body: Id) -> bool {
        self.cx.trees.postorder(body).into_iter().any(|id| match self.cx.trees.node(id) {
            Node::If(..) => true,
            Node::Name { parameter: Some(parameter), .. } => parameter.function != "number",
            _ => false,
        })
    }

    /// The body with each name replaced by its instance's name, without the alternatives whose conditions do not hold.
    fn resolved(&mut self, body: Id, arguments: &Arguments, value: Option<u64>) -> Read<Id> {
        // A node is left once all below it are made; `None` stands for an alternative that is left out.
        let mut made: Vec<Option<Id>> = Vec::new();
        let mut agenda = vec![(body, false)];
        let (mut nodes, mut conditions) = (0, 0);
        while let Some((id, is_left)) = agenda.pop() {
            if is_left {
                let below = made.split_off(made.len() - self.cx.trees.below(id).len());
                made.push(match self.cx.trees.node(id) {
                    Node::If(..) => below[0],
                    Node::Alt(_) => Some(self.cx.trees.with_below(id, below.into_iter().flatten().collect())),
                    _ => {
                        let below: Option<Vec<Id>> = below.into_iter().collect();
                        below.map(|below| self.cx.trees.with_below(id, below))
                    }
                });
                continue;
            }
            nodes += 1;
            match self.cx.trees.node(id) {
                Node::Name { name, arguments: given, parameter } => {
                    let (name, given, parameter) = (name.clone(), given.clone(), parameter.clone());
                    made.push(Some(self.name(id, &name, &given, parameter.as_deref(), arguments, value)?));
                }
                Node::If(condition, _) if condition.evaluate(value)? == 0 => made.push(None),
                node => {
                    conditions += u64::from(matches!(node, Node::If(..)));
                    agenda.push((id, true));
                    agenda.extend(self.cx.trees.below(id).iter().rev().map(|&child| (child, false)));
                }
            }
        }
        self.builder.hold(BYTES_PER_NODE * nodes);
        self.builder.check(STEPS_PER_NODE * nodes as u64 + STEPS_PER_CONDITION * conditions)?;
        Ok(made.pop().flatten().unwrap_or(body))
    }

    /// The name of the instance that a name calls.
    fn name(
        &mut self,
        id: Id,
        name: &Rc<str>,
        given: &[Id],
        parameter: Option<&super::parameter::Formula>,
        arguments: &Arguments,
        value: Option<u64>,
    ) -> Read<Id> {
        let at = self.cx.trees.at(id);
        let argument = arguments.iter().find(|(known, _)| known == name).map(|(_, node)| *node);
        if let Some(argument) = argument.filter(|_| given.is_empty() && parameter.is_none()) {
            return Ok(argument);
        }
        let known = self.known;
        let Some(definition) = known.get(name) else {
            let kind = if is_upper(name) { "terminal" } else { "rule" };
            return fail(format!("there is no {kind} {name}"), at, self.instead(name));
        };
        if given.len() != definition.parameters.len() {
            let takes = match definition.parameters.len() {
                0 => "no".into(),
                count => count.to_string(),
            };
            return fail(format!("{name} takes {takes} arguments, got {}", given.len()), at, "");
        }
        if definition.is_parametric != parameter.is_some() {
            let (what, hint) = match definition.is_parametric {
                true => ("takes a parameter", format!("as in {name}::0")),
                false => ("has no parameter", format!("write {name}::_ where it is defined")),
            };
            return fail(format!("the rule {name} {what}"), at, hint);
        }
        let call = if let Some(parameter) = parameter {
            let given = parameter.evaluate(value)?;
            let key: Rc<str> = format!("{name}::{given}").into();
            self.made.parametric.insert(key.clone());
            Call { name: key, definition: name.clone(), arguments: Vec::new(), value: Some(given) }
        } else if !given.is_empty() {
            let below = given.iter().map(|&argument| self.resolved(argument, arguments, value));
            let below = below.collect::<Read<Vec<Id>>>()?;
            let spelled: Vec<String> = below.iter().map(|&argument| self.spelled(argument)).collect();
            let key = format!("{name}{{{}}}", spelled.join(", "));
            if key.len() > LONGEST {
                let message = format!("the arguments of {name} grow without end");
                return fail(message, at, "call it with what it was given");
            }
            let arguments = definition.parameters.iter().cloned().zip(below).collect();
            Call { name: key.into(), definition: name.clone(), arguments, value }
        } else {
            return Ok(id);
        };
        let key = call.name.clone();
        self.agenda.push_back(call);
        Ok(self.cx.trees.name(key, at))
    }

    /// The hint for a name that is not defined.
    fn instead(&self, name: &str) -> String {
        if let Some(near) = nearest(name, self.known.keys().map(|known| &**known)) {
            return format!("is it {near}?");
        }
        if library::names().any(|known| known == name) {
            return format!("add the line: %import common.{name}");
        }
        let names = self.known.keys().map(|known| &**known);
        let names: Vec<&str> = names.filter(|known| is_upper(known) == is_upper(name)).collect();
        match names.len() {
            0 => format!("add a line that says what it is, as in: {name}: /[a-z]+/"),
            _ => format!("known are {}", listed(&names)),
        }
    }

    /// The text of an argument, by which equal ones are told.
    fn spelled(&self, argument: Id) -> String {
        let mut made = String::new();
        let mut agenda = vec![Ok(argument)];
        while let Some(next) = agenda.pop() {
            let id = match next {
                Ok(id) => id,
                Err(sign) => {
                    made.push_str(sign);
                    continue;
                }
            };
            // Writing into a String cannot fail.
            let _ = match self.cx.trees.node(id) {
                Node::Name { name, .. } => write!(made, "{name}"),
                Node::Text { text, any_case } => {
                    write!(made, "{text:?}{}", if *any_case { "i" } else { "" })
                }
                Node::Regex(regex) => write!(made, "/{}/{}", regex.pattern, regex.flags),
                Node::Special(name) => write!(made, "{name}"),
                Node::Schema(schema) => write!(made, "%json {schema}"),
                Node::Substring(chunks) => write!(made, "%regex {chunks:?}"),
                Node::Chars(ranges) => write!(made, "{ranges:?}"),
                Node::Octets(ranges) => write!(made, "{ranges:?}"),
                Node::Nested(_, text) => write!(made, "%lark {{{text}}}"),
                Node::Seq(_) => write!(made, "("),
                Node::Alt(_) => write!(made, "(| "),
                Node::Both(_) => write!(made, "(& "),
                Node::If(..) => write!(made, "(%if "),
                Node::Repeat(_, low, high) => match high {
                    Some(high) => write!(made, "({{{low},{high}}} "),
                    None => write!(made, "({{{low},}} "),
                },
                Node::Not(_) => write!(made, "(~"),
                Node::Shortest(_) | Node::Cut { .. } => write!(made, "({id} "),
            };
            let below = self.cx.trees.below(id);
            if !below.is_empty() || made.ends_with(['(', ' ', '~']) {
                agenda.push(Err(")"));
                for (number, &child) in below.iter().enumerate().rev() {
                    agenda.push(Ok(child));
                    if number > 0 {
                        agenda.push(Err(" "));
                    }
                }
            }
        }
        made
    }
}

/// Whether all letters of a name are capitals.
fn is_upper(name: &str) -> bool {
    name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
}
