//! Each construct of Lark's notation → the texts that it allows; each mistake → its place and hint.

use super::Dialect;
use crate::notation::tests::{allows, fails, lower, options, Digit};
use crate::notation::{self, Failure, Notation};
use frisket_core::builder::Builder;

const LARK: Notation = Notation::Lark(Dialect::Lark);
const LLGUIDANCE: Notation = Notation::Lark(Dialect::Llguidance);
const XGRAMMAR: Notation = Notation::Lark(Dialect::XGrammar);

#[test]
fn a_template_is_a_rule_for_each_use() {
    let text = "start: list{A, \",\"} list{pair{A}, \";\"}?\nlist{item, mark}: item (mark item)*
pair{x}: x \"=\" x\nA: \"a\"";
    allows(text, LLGUIDANCE, &["a", "a,a", "a,aa=a;a=a"], &["a;a", "a,", "aa=a,a=a"]);
    fails("start: grow{\"a\"}\ngrow{x}: grow{x2{x}}\nx2{x}: x x", LLGUIDANCE, 26, "grow without end", "given");
    fails("start: pair{\"a\"}\npair{x, y}: x y", LLGUIDANCE, 7, "pair takes 2 arguments, got 1", "");
}

#[test]
fn a_parameter_decides_which_alternatives_there_are() {
    let each = "start: r::0\nr::_: \"\" %if is_ones([0:2])
  | \"a\" r::set_bit(0) %if bit_clear(0)\n  | \"b\" r::set_bit(1) %if bit_clear(1)";
    allows(each, LLGUIDANCE, &["ab", "ba"], &["", "a", "aab", "abb"]);
    let count = "start: r::0\nr::_: \"a\" r::incr([0:3]) %if lt([0:3], 4) | \"b\" %if ge([0:3], 2)";
    allows(count, LLGUIDANCE, &["aab", "aaaab"], &["b", "ab", "aaaaab"]);
    fails("start: r\nr::_: \"a\" %if true", LLGUIDANCE, 7, "takes a parameter", "r::0");
    fails("start: r::0\nr::_: \"a\" %if odd", LLGUIDANCE, 26, "expected a condition, found odd", "bit_clear");
}

#[test]
fn a_lazy_rule_ends_as_soon_as_it_can_and_others_yield_to_it() {
    let text = "start: call* TEXT\ncall: mark /[0-9]/\nmark[lazy]: TEXT \"<n>\"\nTEXT: /(.|\\n)*/";
    allows(text, LLGUIDANCE, &["", "x<n", "<n>1", "a<n>2b<n>3c"], &["<n>", "a<n>b"]);
    allows("start: end \"!\"\nend[suffix=\"END\"]: /(.|\\n)*/", LLGUIDANCE, &["aEND!"], &["aENDbEND!", "a!"]);
    allows("start: alone\nalone[lazy]: /(.|\\n)*/ \"<n>\"", XGRAMMAR, &["a<n>", "a"], &["a<n>b"]);
    let beside = "start: (m | T){0,2} \".\"\nm[lazy]: /[^<]*<a>/\nT: /[a-z]+/";
    allows(beside, LLGUIDANCE, &[".", "ab.", "<a>b<a>."], &["<a><a><a>."]);
    fails("start: (m | T){17} \".\"\nm[lazy]: /[^<]*<a>/\nT: /[a-z]+/", LLGUIDANCE, 0, "large counts", "* or +");
}

#[test]
fn an_ignored_text_is_the_longest_of_its_terminal() {
    let comment = "start: \"a\" \"b\"\n%ignore /#[^\\n]*/\n%ignore \"\\n\"";
    allows(comment, LLGUIDANCE, &["ab", "a#\nb", "a\n\nb#"], &["a#b", "#\nab"]);
    allows(comment, LARK, &["#\nab", "a#\nb"], &["a#b"]);
    let blank = "start: \"a\" (\" b\" | \"c\")\n%ignore / +/";
    allows(blank, LLGUIDANCE, &["a b", "a  c", "ac"], &["a  b"]);
    let once = "%llguidance {\"ignore_once\": true}\nstart: \"a\" \"b\"\n%ignore \" \"";
    allows(once, LLGUIDANCE, &["ab", "a b"], &["a  b"]);
    allows("start: /[ab]*/ \"c\"\n%ignore \" \"", LLGUIDANCE, &["c", "ab c"], &[" c"]);
    allows("start: \"x\" %json {} \"y\"\n%ignore \" \"", LLGUIDANCE, &["x 1 y"], &["x 1 2 y"]);
    fails(
        "start: \"a\" (\"b\" | \"bc\")\n%ignore /x(bd)?/",
        LLGUIDANCE,
        0,
        "decides in more than one place",
        "end by itself",
    );
}

#[test]
fn a_library_a_declaration_and_a_nested_grammar() {
    allows("start: INT\n%import common.INT\n%extend INT: \"no\"", LLGUIDANCE, &["12", "no"], &["n"]);
    allows("start: S\n%import common._STRING_INNER\nS: \"<\" _STRING_INNER \">\"", LARK, &["<a>"], &["<a>b>"]);
    allows("start: LINE\nLINE: \"#\" REST\nREST: /[^\\n]*/", LLGUIDANCE, &["#", "#a"], &["#\n"]);
    let nested = "start: start_of \"!\"\nstart_of: %lark { start: A+\nA: \"n\" } A\nA: \"o\"";
    allows(nested, LLGUIDANCE, &["nno!"], &["no", "oo!"]);
    fails("start: _IN \"a\"\n%declare _IN", LLGUIDANCE, 24, "is declared and has no texts", "define it");
    fails("start: NUMBRE\n%import common.NUMBRE", LLGUIDANCE, 29, "has no NUMBRE", "is it NUMBER?");
    fails("start: \"a\" %lark { start: \"b\"", LLGUIDANCE, 17, "the nested grammar is not closed", "}");
}

#[test]
fn a_pattern_is_read_as_its_engine_does() {
    allows(r"start: /\x{41}[[:digit:]]\w/", LLGUIDANCE, &["A1é"], &["A1 "]);
    allows(r"start: /\cA(?<n>\d)[^\w\]]/", XGRAMMAR, &["\u{1}1 "], &["\u{1}1]", "\u{1}1_"]);
    allows(r"start: /\/\*(.|\n)*?\*\//", LARK, &["/* a */"], &["/* a */ */"]);
    allows("start: \"i\"i \"\\q\"", LARK, &["ı\\q", "I\\q"], &["i"]);
    allows("start: \"i\"i", LLGUIDANCE, &["I"], &["ı"]);
    fails("start: /a*?b+/", LARK, 9, "the lazy quantifier *? ends a terminal", "write what may stand inside");
    fails("start: /é[a&&b]/", LLGUIDANCE, 12, "a class of classes", "list the characters");
    fails(r"start: /\u{110000}/", XGRAMMAR, 8, "there is no such character", "U+10FFFF");
}

#[test]
fn a_mistake_has_a_place_and_a_hint() {
    for (text, at, message, hint) in [
        ("", 0, "the grammar has no rules", ""),
        ("\u{feff}start: \"a\"", 0, "byte order mark", "utf-8-sig"),
        ("one: \"a\"", 8, "there is no rule start", "start=\"one\""),
        ("start: \"a", 7, "the text is not closed", "\""),
        ("start: \"\\ud800\"", 8, "half of a surrogate pair", "whole character"),
        ("start: (\"a\"", 7, "the group is not closed", ")"),
        ("start: onne\none: \"a\"", 7, "there is no rule onne", "is it one?"),
        ("start: \"a\"~3..2", 10, "at least 3 and at most 2 times", "smaller"),
        ("start: \"a\"{99999999999}", 11, "repetitions is too large", "4,294,967,295"),
        ("start: A\nA: B\nB: A", 17, "the terminal A holds itself: A → B → A", "recursive"),
        ("start: A\nA: start", 12, "a terminal calls no rules", "capital"),
        ("start: \"a\" & \"b\"", 11, "& stands between terminals only", "capital"),
        ("start: \"a\"\r\nstart: \"b\"", 12, "the rule start is defined twice, first at 1:1", "|"),
        ("start[lasy]: \"a\"", 6, "there is no attribute lasy", "is it lazy?"),
        ("start: %json {]", 14, "this is no JSON", ""),
        ("start: %json []", 7, "no digit", ""),
        ("start: \"a\" list\nlist: \"b\" list", 16, "the rule list matches nothing", "alternative that ends"),
        ("start: NO\nNO: \"a\" & \"b\"", 10, "the rule NO matches nothing", "excludes all"),
        ("start: <[-1]>", 7, "<[-1]> is not one token", "|"),
        ("start: 'a'", 7, "unexpected \"'\"", "double quotes"),
    ] {
        fails(text, LLGUIDANCE, at, message, hint);
    }
}

#[test]
fn json_that_nests_deep_is_beyond_a_limit() {
    let text = format!("%llguidance {{\"a\": {}{}}}\nstart: \"a\"", "[".repeat(500), "]".repeat(500));
    let failure = lower(&mut Builder::default(), &text, LLGUIDANCE).unwrap_err();
    assert!(matches!(failure, Failure::Limit(fault) if fault.message == "this JSON nests too deep"));
}

#[test]
fn groups_nest_however_deep() {
    let deep = 20_000;
    allows(&format!("start: {}\"x\"{}", "(".repeat(deep), ")".repeat(deep)), LLGUIDANCE, &["x"], &[""]);
    allows(&format!("start: A\nA: {}/x/", "~".repeat(deep)), LLGUIDANCE, &["x"], &["y"]);
    let grammars = "%lark { start: ".repeat(30) + "\"a\"" + &"}".repeat(30);
    fails(&format!("start: {grammars}"), LLGUIDANCE, 313, "grammars nest too deep", "");
    let templates = "wrap{".repeat(200) + "\"a\"" + &"}".repeat(200);
    fails(&format!("start: {templates}\nwrap{{x}}: x"), LLGUIDANCE, 516, "templates nest too deep", "name");
}

#[test]
fn rules_are_those_of_the_text_with_their_places() {
    let text = "start: A+\nA: /a/";
    let found = notation::read(&mut Builder::default(), text, &options(LARK), &mut Digit, |_, read| {
        let rules = read.rules;
        let names = rules.all().map(|rule| rules.productions.name(rule).to_owned());
        Ok((rules.root.to_string(), names.zip(rules.places.clone()).collect::<Vec<_>>()))
    });
    assert_eq!(found.unwrap(), ("start".into(), vec![("A".into(), 10), ("start".into(), 0)]));
}
