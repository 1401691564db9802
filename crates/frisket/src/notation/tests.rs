//! Each construct of GBNF, EBNF and ABNF → the texts that it allows; each mistake → its place and hint.

use super::lark::Schemas;
use super::*;
use frisket_core::automaton::recognizer::Recognizer;

/// Knows one schema, that of a digit.
pub(super) struct Digit;

impl Schemas for Digit {
    fn builder(&self) -> Builder {
        Builder::default()
    }

    fn lower(&mut self, builder: &mut Builder, schema: &str, at: usize) -> Result<TermId, Failure> {
        match schema {
            "{}" => Ok(builder.char_class(&[(0x30, 0x39)])?),
            _ => Err(Failure::Unread(Fault::new("no digit", at, None))),
        }
    }
}

pub(super) fn options(notation: Notation) -> Options<'static> {
    Options { notation, root: None, python: Syntax::new(frisket_regex::Dialect::Python) }
}

pub(super) fn lower(builder: &mut Builder, text: &str, notation: Notation) -> Result<TermId, Failure> {
    read(builder, text, &options(notation), &mut Digit, |builder, read| read.lower(builder))
}

fn recognizer(text: &str, notation: Notation) -> Result<Recognizer, Fault> {
    let mut builder = Builder::default();
    match lower(&mut builder, text, notation) {
        Ok(node) => Ok(Recognizer::new(builder.build(node.number()).unwrap())),
        Err(Failure::Unread(fault) | Failure::Empty(fault) | Failure::Limit(fault)) => Err(fault),
        Err(other) => panic!("{other:?}"),
    }
}

#[track_caller]
pub(super) fn allows(text: &str, notation: Notation, accepted: &[&str], refused: &[&str]) {
    let recognizer = recognizer(text, notation).unwrap();
    let accepts = |text: &str| recognizer.read(text.as_bytes(), &Allowance::default()).unwrap().is_sentence;
    for each in accepted {
        assert!(accepts(each), "{text}\n{each:?}");
    }
    for each in refused {
        assert!(!accepts(each), "{text}\n{each:?}");
    }
}

#[track_caller]
pub(super) fn fails(text: &str, notation: Notation, at: usize, message: &str, hint: &str) {
    let fault = recognizer(text, notation).map(|_| ()).unwrap_err();
    assert_eq!(fault.at, Some(at), "{text}\n{fault:?}");
    assert!(fault.message.contains(message), "{text}\n{fault:?}");
    assert!(fault.hint.as_deref().unwrap_or("").contains(hint), "{text}\n{fault:?}");
}

use Notation::Gbnf;
const W3C: Notation = Notation::Ebnf(EbnfDialect::W3c);
const ISO: Notation = Notation::Ebnf(EbnfDialect::Iso);
const XGRAMMAR: Notation = Notation::Ebnf(EbnfDialect::XGrammar);
const ABNF: Notation = Notation::Abnf(AbnfValues::Characters);

#[test]
fn each_construct_of_gbnf() {
    let rules = "# rules\nroot ::= \"a\\x62\" ( [^\"\\n-] | \".\"\n )* sign{2,3}\n  | \"\"\nsign ::= [+\\-]? \"!\"";
    allows(rules, Gbnf, &["", "ab!!", "abé.+!-!!"], &["ab!", "a", "ab\"!!"]);
    allows("root ::= a{2}\na::=\"é\"+", Gbnf, &["éé", "ééé"], &["é"]);
    allows(&format!("root ::= {}\"x\"{}", "(".repeat(20_000), ")".repeat(20_000)), Gbnf, &["x"], &[""]);
}

#[test]
fn each_mistake_in_gbnf() {
    fails("root ::= \"a\" b ::= \"c\"", Gbnf, 13, "a rule begins in a line of its own", "break the line");
    fails("root ::= (\"a\"\nb ::= \"c\"", Gbnf, 9, "the group is not closed", "close it with )");
    fails("root ::= \"\\q\"", Gbnf, 10, "GBNF has no escape \\q", "there are \\n");
    fails("root ::= \"\\x4\"", Gbnf, 10, "\\x takes 2 hexadecimal digits", "");
    fails("root ::= \"\\ud800\"", Gbnf, 10, "U+D800 is half of a surrogate pair", "whole");
    fails("root ::= \"a\"{3,2}", Gbnf, 12, "at least 3 and at most 2 times is never", "smaller");
    fails("root ::= \"a\"{x}", Gbnf, 13, "expected a count, found 'x'", "counts are {m}");
    fails("root ::= * \"a\"", Gbnf, 9, "there is nothing to repeat before *", "\"*\"");
    fails("root ::= <[x]>", Gbnf, 9, "<[x]> names no token", "");
    fails("root ::= !<a>", Gbnf, 9, "any but one", "");
    fails("root ::= \"a\"\nroot ::= \"b\"", Gbnf, 13, "defined twice, first at 1:1", "join");
    fails("a ::= \"a\"", Gbnf, 9, "there is no rule root", "call a rule root, or pass root=\"a\"");
    fails(" ", Gbnf, 1, "the grammar has no rules", "");
    fails("\u{feff}root ::= \"a\"", Gbnf, 0, "byte order mark", "utf-8-sig");
}

#[test]
fn each_construct_of_xgrammar() {
    allows("root[lazy, max_chars=3] ::= [a-z]* \".\"\n\"\"", XGRAMMAR, &["ab."], &["abc.", "a"]);
    allows("root ::= Substring(\"a\", \"b\", \"c\")", XGRAMMAR, &["", "bc"], &["ac"]);
    allows("root ::= Regex(\"\\\\d\\x41+\", flags=\"i\")", XGRAMMAR, &["1Aa"], &["1", "A"]);
    allows("root ::= Regex(\".+\", json_string=true)", XGRAMMAR, &["a b"], &["a\"b"]);
    let tags = "b ::= \"!\"\nroot ::= TagDispatch((\"<a>\", b), (\"<b>\", b), excludes=(\"no\"))";
    allows(tags, XGRAMMAR, &["", "x<a>!y<b>!", "n"], &["<a>", "x no"]);
    let once = "b ::= \"!\"\nroot ::= TagDispatch((\"ab\", b), (\"b\", b), loop_after_dispatch=false)";
    allows(once, XGRAMMAR, &["xb!", "ab!", "x"], &["b!b!", "b"]);
}

#[test]
fn each_mistake_in_xgrammars_ebnf() {
    fails("root ::= \"a\"+?", XGRAMMAR, 13, "an item is repeated by one sign", "parentheses");
    fails("root[greedy] ::= \"a\"", XGRAMMAR, 5, "there is no option greedy", "capture, lazy");
    fails("root[max_chars=true] ::= \"a\"", XGRAMMAR, 5, "max_chars is a number", "");
    fails("root[max_tokens=1] ::= \"a\"", XGRAMMAR, 5, "a number of tokens", "max_chars");
    fails("root ::= Token(1)", XGRAMMAR, 9, "names tokens by their numbers", "GBNF");
    fails("root ::= Regex(\"a\", 1)", XGRAMMAR, 20, "expected the name of an argument, found '1'", "");
    fails("root ::= Regex(\"(\")", XGRAMMAR, 15, "", "");
    fails("root ::= TagDispatch()", XGRAMMAR, 9, "there is no tag", "a pair is");
    fails("root ::= <a>", XGRAMMAR, 9, "unexpected '<'", "[^]");
}

#[test]
fn each_construct_of_the_w3c() {
    let rules = "[1] a.b ::= ('x' | \"y\")* #x41 [a-c#x30] /* note */ [ wfc: a note ]\n_c ::= a.b - 'xA0'";
    allows(rules, W3C, &["xyAa", "A0"], &["xA", "B0"]);
    allows("a ::= b - 'x' - 'y'+\nb ::= [x-z]+", W3C, &["z", "xx"], &["x", "yy"]);
    fails("a ::= 'x", W3C, 6, "the text is not closed", "close it with '");
    fails("a ::= - 'x'", W3C, 6, "there is nothing before the exception", "'-'");
    fails("a ::= 'x' -", W3C, 11, "expected an operand, found the end of the grammar", "");
    fails("a ::= [b", W3C, 6, "the class is not closed", "close it with ]");
    fails("a ::= 'x'; /*", W3C, 9, "unexpected ';'", "the dialect with ; is iso");
    fails("a ::= /* 'x'", W3C, 6, "the comment is not closed", "*/");
    fails("a = 'x'", W3C, 0, "expected a rule", "name ::= body");
}

#[test]
fn each_construct_of_iso() {
    let rules = "a rule = 2 * 'x', [b], (/ 'y' /), {c}- ; (* a (* b *) c *)\nb = 'z' | ; c = 'w' - 'v'.";
    allows(rules, ISO, &["xxzyw", "xxww"], &["xx", "xw"]);
    allows("a = {'x' | 'y'}, ;", ISO, &["", "xy"], &["z"]);
    fails("a = 'x' 'y';", ISO, 8, "expected , or | or ; before", "a comma stands between items");
    fails("a = 'x'+;", ISO, 7, "expected , or | or ; before", "one or more is");
    fails("a = ('x'];", ISO, 8, "there is no group to close with ]", "']'");
    fails("a = ?x?;", ISO, 4, "a special sequence", "");
    fails("a ::= 'x';", ISO, 2, "expected = after the name a", "w3c");
    fails("a = 2 * 3 * 'x';", ISO, 8, "another count", "");
    fails("a = 'x'", ISO, 7, "expected ; at the end of the rule a", "");
}

#[test]
fn each_construct_of_abnf() {
    let rules = " a = 2*3DIGIT [%s\"B\"] \"c\" ; note\n   / %x41.42 / Word\n word = 1*%d97-98\n A =/ \"!\"\n";
    allows(rules, ABNF, &["12Bc", "123C", "AB", "ba", "!"], &["1c", "12bc", "ab!"]);
    let byte = Notation::Abnf(AbnfValues::Bytes);
    allows("a = %xC3.A9", byte, &["é"], &["Ã©"]);
    fails("a = %x100", byte, 6, "no byte has this value", "characters");
    fails("a =/ \"x\"", ABNF, 2, "there is no rule a that could have more alternatives", "=");
    fails("a = \"x\"\nA = \"y\"", ABNF, 8, "the rule A is defined twice, first at 1:1", "=/");
    fails("a = \"é\"", ABNF, 5, "ABNF has no 'é' between quotes", "%xE9");
    fails("a = 2 \"x\"", ABNF, 4, "a count stands next to what it repeats", "");
    fails("a = (\"x\"\nb = \"y\"", ABNF, 4, "the group is not closed", "indented");
    fails("a = %q", ABNF, 4, "there is no %q", "%x41");
    fails("a = | \"x\"", ABNF, 4, "unexpected '|'", "separated by /");
    fails("a = ()", ABNF, 5, "expected an element", "\"\"");
    fails("a = %xD800", ABNF, 4, "half of a surrogate pair", "");
}
