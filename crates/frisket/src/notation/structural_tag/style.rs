//! Name of a style → how a model writes the members of an object.

/// The begin and end of an element, which stands for a member or an item.
pub(super) struct Style {
    /// The name in a structural tag.
    pub name: &'static str,
    /// The begin of a member. It holds {key}, and {kind} if elements name the type of their value.
    pub begin: &'static str,
    /// The end of every element.
    pub end: &'static str,
    /// For each element that a value may have: its kind, and the types of the values.
    pub kinds: &'static [(&'static str, &'static [&'static str])],
    /// Characters of a name → how they are written.
    pub escapes: &'static [(char, &'static str)],
    /// The begin of an array's item, in styles that write arrays as elements; empty in styles that write JSON.
    pub item: &'static str,
    /// The pattern of names that the schema does not list.
    pub any_name: &'static str,
    /// A string that no text may contain; empty is none.
    pub reserved: &'static str,
    /// Whether a whole number of a member that the schema does not list may have the kind `integer`.
    pub has_integers: bool,
}

const STRING: &[&str] = &["string"];
const OTHERS: &[&str] = &["null", "boolean", "number", "array", "object"];

/// Marker before each element in MiniMax M3's style.
const MINIMAX: &str = "]<]minimax[>[";

const PLAIN: Style = Style {
    name: "",
    begin: "",
    end: "",
    kinds: &[("", STRING), ("", OTHERS)],
    escapes: &[],
    item: "",
    any_name: "[A-Za-z_][0-9A-Za-z_]*",
    reserved: "",
    has_integers: false,
};

/// The styles, in the order in which errors list them.
pub(super) const STYLES: [Style; 8] = [
    Style { name: "qwen_xml", begin: "<parameter={key}>", end: "</parameter>", ..PLAIN },
    Style { name: "minimax_xml", begin: "<parameter name=\"{key}\">", end: "</parameter>", ..PLAIN },
    Style {
        name: "deepseek_xml",
        begin: "<｜DSML｜parameter name=\"{key}\" string=\"{kind}\">",
        end: "</｜DSML｜parameter>",
        kinds: &[("true", STRING), ("false", OTHERS)],
        ..PLAIN
    },
    Style {
        name: "deepseek_v4_1_xml",
        begin: "<｜DSML｜ parameter name=\"{key}\" string=\"{kind}\">",
        end: "</｜DSML｜ parameter>",
        kinds: &[("true", STRING), ("false", OTHERS)],
        ..PLAIN
    },
    Style {
        name: "minimax_m3_xml",
        begin: "]<]minimax[>[<{key}>",
        end: "]<]minimax[>[</{key}>",
        item: "]<]minimax[>[<item>",
        reserved: MINIMAX,
        ..PLAIN
    },
    Style { name: "glm_xml", begin: "<arg_key>{key}</arg_key>{space}<arg_value>", end: "</arg_value>", ..PLAIN },
    Style {
        name: "cohere_xml",
        begin: "<cofl:value name=\"{key}\" type=\"{kind}\">",
        end: "</cofl:value>",
        kinds: &[
            ("raw", STRING),
            ("json", &["number", "boolean", "null"]),
            ("dict", &["object"]),
            ("list", &["array"]),
        ],
        escapes: &[('&', "&amp;"), ('"', "&quot;"), ('<', "&lt;"), ('>', "&gt;")],
        item: "<cofl:value type=\"{kind}\">",
        any_name: r#"(?:[^\x00"&<>]|&(?:amp|quot|lt|gt);)+"#,
        ..PLAIN
    },
    Style {
        name: "kimi_k3_xml",
        begin: "<|open|>argument key=\"{key}\" type=\"{kind}\"<|sep|>",
        end: "<|close|>argument<|sep|>",
        kinds: &[
            ("string", STRING),
            ("number", &["number"]),
            ("boolean", &["boolean"]),
            ("object", &["object"]),
            ("array", &["array"]),
            ("null", &["null"]),
        ],
        escapes: &[('&', "&amp;"), ('"', "&quot;")],
        has_integers: true,
        ..PLAIN
    },
];

impl Style {
    /// Whether an element ends with its own name.
    pub fn ends_with_name(&self) -> bool {
        self.end.contains("{key}")
    }

    /// A name as the style writes it.
    pub fn escaped(&self, name: &str) -> String {
        let escape = |char| self.escapes.iter().find(|(plain, _)| *plain == char).map(|(_, written)| *written);
        let mut made = String::new();
        for char in name.chars() {
            match escape(char) {
                Some(written) => made.push_str(written),
                None => made.push(char),
            }
        }
        made
    }
}
