//! Texts and pushes → trees: what is kept of a text, and where an error is.

use frisket_core::limits::{Cancellation, Limits, Watch};
use frisket_schema::error::{Error, Kind};
use frisket_schema::json::{parse, parse_watched, Key, NodeId, Text, Tree, TreeBuilder, Value, MAX_DEPTH};
use std::time::Duration;

/// The value written anew, members in order.
fn written(tree: &Tree, node: NodeId) -> String {
    match tree.value(node) {
        Value::Null => "null".into(),
        Value::Boolean(flag) => flag.to_string(),
        Value::Number(numeral) => numeral.into(),
        Value::NonFinite(name) | Value::Foreign(name) => format!("<{name}>"),
        Value::String(text) => format!("{:?}", text.to_string()),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(|&item| written(tree, item)).collect::<Vec<_>>().join(","))
        }
        Value::Object(object) => {
            let members = object.iter().map(|member| match member.key {
                Key::Text(text) => format!("{:?}:{}", text.to_string(), written(tree, member.value)),
                Key::Foreign(name) => format!("<{name}>:{}", written(tree, member.value)),
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
    }
}

fn read(text: &str) -> String {
    let tree = parse(text).unwrap();
    written(&tree, tree.root())
}

#[test]
fn a_tree_keeps_order_and_the_spelling_of_numbers() {
    for text in [
        "null",
        "true",
        "false",
        "-0",
        "-0.50e+07",
        "123456789012345678901234567890.10",
        "1E400",
        r#""""#,
        "[]",
        "{}",
        r#"{"b":[1,[],{"a":{}}],"a":"x","":null}"#,
        r#"[[[[1],2],3],{"k":[{}]}]"#,
    ] {
        assert_eq!(read(text), text);
    }
    assert_eq!(read(" [ 1 ,\t{ \"a\" :\r\n2 } ] "), r#"[1,{"a":2}]"#);
}

#[test]
fn of_equal_names_the_first_gives_the_place_and_the_last_the_value() {
    assert_eq!(read(r#"{"a":1,"b":2,"a":3,"c":4,"b":5,"a":6}"#), r#"{"a":6,"b":5,"c":4}"#);
    let tree = parse(r#"{"a":1,"b":2,"\u0061":3}"#).unwrap();
    let object = tree.object(tree.root()).unwrap();
    assert!(matches!(object.get("a").map(|node| tree.value(node)), Some(Value::Number("3"))));
    assert_eq!((object.len(), object.get("c")), (2, None));
}

#[test]
fn members_are_found_among_many() {
    let names: Vec<String> = (0..500).map(|number| format!("k{}", number * 7919 % 500)).collect();
    let text = names.iter().enumerate().map(|(at, name)| format!("{name:?}:{at}")).collect::<Vec<_>>().join(",");
    let tree = parse(&format!("{{{text}}}")).unwrap();
    let object = tree.object(tree.root()).unwrap();
    assert!(object.iter().zip(&names).all(|(member, name)| member.key == Key::Text(Text::Unicode(name))));
    for (at, name) in names.iter().enumerate() {
        assert!(matches!(tree.value(object.get(name).unwrap()), Value::Number(numeral) if numeral == at.to_string()));
    }
    assert_eq!(object.get("k500"), None);
}

#[test]
fn escapes_are_decoded_and_only_lone_surrogates_stay_apart() {
    let of = |text: &str| {
        let tree = parse(text).unwrap();
        let Value::String(text) = tree.value(tree.root()) else { panic!() };
        (text.to_string(), text.as_str().is_some())
    };
    for (text, decoded, is_unicode) in [
        (r#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é""#, "\"\\/\u{8}\u{c}\n\r\té😀é", true),
        (r#""a\ud83d""#, r"a\ud83d", false),
        (r#""\ude00\ud83d""#, r"\ude00\ud83d", false),
        (r#""\ud83d\ud83d\ude00""#, "\\ud83d😀", false),
        (r#""\ud83d\n""#, "\\ud83d\n", false),
    ] {
        assert_eq!(of(text), (decoded.to_owned(), is_unicode), "{text}");
    }
    let tree = parse(r#"{"\ud800":1,"\ud800":2,"\ud801":3}"#).unwrap();
    assert_eq!(tree.object(tree.root()).unwrap().len(), 2);
}

#[test]
fn what_is_no_json_is_refused_at_its_place() {
    for (text, place, what) in [
        ("", "1:1", "expected a value"),
        ("{\"a\": 1,}", "1:9", "expected a name in double quotes"),
        ("[1,]", "1:4", "expected a value"),
        ("[1 2]", "1:4", "expected ',' or ']'"),
        ("{\"a\" 1}", "1:6", "expected ':'"),
        ("{\"a\":1 \"b\"}", "1:8", "expected ',' or '}'"),
        ("{'a':1}", "1:2", "expected a name in double quotes"),
        ("{1:1}", "1:2", "expected a name in double quotes"),
        ("[\n  tru]", "2:3", "expected a value"),
        ("01", "1:2", "expected the end of the text"),
        ("1.", "1:2", "expected the end of the text"),
        ("[1.e5]", "1:3", "expected ',' or ']'"),
        ("1e+", "1:2", "expected the end of the text"),
        ("-", "1:1", "expected a value"),
        ("+1", "1:1", "expected a value"),
        ("-a", "1:1", "expected a value"),
        ("NaN", "1:1", "NaN is no JSON number"),
        ("[-Infinity]", "1:2", "-Infinity is no JSON number"),
        ("\"é\n\"", "1:3", "a control character in a string must be escaped"),
        ("[\"a]", "1:2", "this string has no end"),
        ("\"\\", "1:1", "this string has no end"),
        ("\"ab\\x\"", "1:4", "no such escape in a string"),
        ("\"\\u12g4\"", "1:2", "\\u needs four hexadecimal digits"),
        ("\"\\u12", "1:2", "\\u needs four hexadecimal digits"),
        ("{} {}", "1:4", "expected the end of the text"),
        ("// no\n{}", "1:1", "expected a value"),
        ("[", "1:2", "expected a value"),
        ("{", "1:2", "expected a name in double quotes"),
    ] {
        let error = parse(text).unwrap_err();
        assert_eq!(error.message, format!("the schema is not JSON: {what}"), "{text}");
        assert_eq!((error.place.as_deref(), &error.kind), (Some(place), &Kind::Invalid), "{text}");
        assert!(error.hint.is_some());
    }
    let error = parse("\u{feff}{}").unwrap_err();
    assert_eq!(error.message, "the schema begins with a byte order mark, which is no JSON");
    assert_eq!((error.place.as_deref(), &error.kind), (Some("1:1"), &Kind::Invalid));
    assert!(error.hint.is_some());
}

#[test]
fn ten_thousand_levels_are_read_and_one_more_is_a_limit() {
    let nested = |levels: usize| format!("{}1{}", "[{\"a\":".repeat(levels / 2), "}]".repeat(levels / 2));
    let depth = MAX_DEPTH as usize;
    assert_eq!(parse(&nested(depth)).unwrap().len(), depth + 1);
    let error = parse(&nested(depth + 2)).unwrap_err();
    assert_eq!((error.code(), error.place.unwrap()), ("limit", format!("1:{}", 6 * depth / 2 + 1)));
    assert!(parse(&"[".repeat(1_000_000)).is_err());
}

#[test]
fn equal_contents_have_equal_hashes_and_others_have_not() {
    let hash = |text: &str| {
        let tree = parse(text).unwrap();
        tree.hash(tree.root())
    };
    for (left, right) in [
        (r#"{"a" : [1, "x"]}"#, r#"{"\u0061":[1,"x"]}"#),
        (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
        (r#""\ud83d\ude00""#, "\"😀\""),
    ] {
        assert_eq!(hash(left), hash(right), "{left}");
    }
    let apart = [
        "null",
        "true",
        "false",
        "1",
        "1.0",
        "\"1\"",
        "[1]",
        "[[1]]",
        "[1,1]",
        "{}",
        "[]",
        r#"{"a":1,"b":2}"#,
        r#"{"b":2,"a":1}"#,
        r#"{"a":"b"}"#,
        r#"["a","b"]"#,
        r#""\ud800""#,
        r#""\ud801""#,
        r#""""#,
    ];
    for (at, text) in apart.iter().enumerate() {
        assert!(apart[..at].iter().all(|other| hash(other) != hash(text)), "{text}");
    }
    let tree = parse(r#"{"a":{"type":"string"},"b":{"type":"string"}}"#).unwrap();
    let object = tree.object(tree.root()).unwrap();
    assert_eq!(tree.hash(object.get("a").unwrap()), tree.hash(object.get("b").unwrap()));
}

#[test]
fn pushes_make_the_tree_of_the_text_that_spells_them() {
    let mut builder = TreeBuilder::default();
    builder.begin_object().unwrap();
    builder.key(Text::Unicode("a")).unwrap();
    builder.begin_array().unwrap();
    builder.null().unwrap();
    builder.boolean(true).unwrap();
    builder.number("1.0").unwrap();
    builder.string(Text::Unicode("x")).unwrap();
    let shared = builder.end().unwrap();
    builder.key(Text::Unicode("b")).unwrap();
    builder.shared(shared).unwrap();
    builder.end().unwrap();
    let pushed = builder.finish();
    let parsed = parse(r#"{"a":[null,true,1.0,"x"],"b":[null,true,1.0,"x"]}"#).unwrap();
    assert_eq!(written(&pushed, pushed.root()), written(&parsed, parsed.root()));
    assert_eq!(pushed.hash(pushed.root()), parsed.hash(parsed.root()));
    let object = pushed.object(pushed.root()).unwrap();
    assert_eq!(object.get("a"), object.get("b"), "a shared value is one node");
    assert_eq!(pushed.len(), 6);
}

#[test]
fn values_of_other_languages_keep_what_is_no_json() {
    let mut builder = TreeBuilder::default();
    builder.begin_object().unwrap();
    builder.foreign_key("1").unwrap();
    builder.non_finite("inf").unwrap();
    builder.foreign_key("1").unwrap();
    builder.foreign("set").unwrap();
    builder.end().unwrap();
    let tree = builder.finish();
    assert_eq!(written(&tree, tree.root()), "{<1>:<inf>,<1>:<set>}");
}

#[test]
fn a_shared_value_counts_its_levels_wherever_it_stands() {
    let mut builder = TreeBuilder::default();
    builder.begin_array().unwrap();
    let mut node = builder.null().unwrap();
    for _ in 1..MAX_DEPTH {
        builder.begin_array().unwrap();
        builder.shared(node).unwrap();
        builder.shared(node).unwrap();
        node = builder.end().unwrap();
    }
    builder.begin_array().unwrap();
    assert_eq!(builder.shared(node).unwrap_err().code(), "limit");
}

#[test]
fn a_member_is_found_among_names_of_any_length_and_kind() {
    let names = ["b", "", "a", "$id", "é", "aa", "id", "\\ud800", "description", "c"];
    let members: Vec<String> = names.iter().enumerate().map(|(at, name)| format!("\"{name}\":{at}")).collect();
    let tree = parse(&format!("{{{}}}", members.join(","))).unwrap();
    let object = tree.object(tree.root()).unwrap();
    for (at, name) in names.iter().enumerate().filter(|(_, name)| !name.starts_with('\\')) {
        let value = tree.value(object.get(name).unwrap());
        assert!(matches!(value, Value::Number(numeral) if numeral == at.to_string()), "{name}");
    }
    assert!(["ab", "d", "descriptioN", "iD"].iter().all(|name| object.get(name).is_none()));
}

#[test]
fn a_tree_says_what_its_readers_need_not_look_for() {
    let plain = parse(r#"{"$ref":"a","ids":[{"iD":1}]}"#).unwrap();
    assert!(!plain.has_ids() && !plain.has_foreign_keys() && !plain.is_shared());
    assert!(parse(r#"[{"id":1}]"#).unwrap().has_ids() && parse(r#"{"a":{"$id":"b"}}"#).unwrap().has_ids());
    let mut builder = TreeBuilder::default();
    builder.begin_object().unwrap();
    builder.foreign_key("1").unwrap();
    let one = builder.null().unwrap();
    builder.key(Text::Unicode("a")).unwrap();
    builder.shared(one).unwrap();
    builder.end().unwrap();
    let tree = builder.finish();
    assert!(tree.is_shared() && tree.has_foreign_keys());
}

#[test]
fn a_flag_or_the_clock_ends_the_reading_of_a_long_text_and_many_pushes() {
    let cancellation = Cancellation::default();
    cancellation.cancel();
    let late = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    let long = format!("[{}0]", "0,".repeat(5_000));
    assert!(parse_watched(&long, Watch::default()).is_ok());
    for (watch, reason) in
        [(Watch::new(&Limits::default(), Some(cancellation)), "cancelled"), (Watch::new(&late, None), "seconds")]
    {
        let is_ended = |error: &Error| error.message.contains(reason);
        assert!(is_ended(&parse_watched(&long, watch.clone()).unwrap_err()), "{reason}");
        let mut builder = TreeBuilder::default();
        builder.watched_by(watch);
        builder.begin_array().unwrap();
        let failed = (0..5_000).find_map(|_| builder.null().err());
        assert!(is_ended(&failed.expect("some push looks")), "{reason}");
    }
}
