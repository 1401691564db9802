"""Text of a family → calls, by small parsers of our own that share nothing with the package.

Each follows the description that its family cites: find the tags by a regular expression, then read what stands between
them as JSON, as Python or tag by tag. This is how servers read calls, so the masks must keep such parsers right, too.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

Calls = list[tuple[str, dict[str, Any]]]


def json_objects(pattern: str, arguments: str = "arguments") -> Callable[[str, Any], Calls]:
    """Every match holds one JSON object with a name and arguments."""

    def parse(text: str, _: Any) -> Calls:
        found = [json.loads(match[1]) for match in re.finditer(pattern, text, re.DOTALL)]
        return [(call["name"], call[arguments]) for call in found]

    return parse


def json_array(pattern: str, name: str = "name", arguments: str = "arguments") -> Callable[[str, Any], Calls]:
    """The first match is followed by a JSON array of objects with a name and arguments."""

    def parse(text: str, _: Any) -> Calls:
        match = re.search(pattern, text)
        if match is None:
            return []
        calls, _end = json.JSONDecoder().raw_decode(text[match.end() :].lstrip())
        return [(call[name], call[arguments]) for call in calls]

    return parse


def named(pattern: str) -> Callable[[str, Any], Calls]:
    """Every match holds a name and the arguments as JSON."""

    def parse(text: str, _: Any) -> Calls:
        return [(match["name"], json.loads(match["args"])) for match in re.finditer(pattern, text, re.DOTALL)]

    return parse


def tagged(call: str, parameter: str) -> Callable[[str, Any], Calls]:
    """Every match of `call` holds a name and a body, in which `parameter` finds keys and values."""

    def parse(text: str, schemas: dict[str, Any]) -> Calls:
        found: Calls = []
        for match in re.finditer(call, text, re.DOTALL):
            properties = schemas[match["name"]].get("properties", {})
            values = {
                each["key"]: typed(each["value"], properties[each["key"]], each.groupdict().get("kind"))
                for each in re.finditer(parameter, match["body"], re.DOTALL)
            }
            found.append((match["name"], values))
        return found

    return parse


def typed(text: str, schema: dict[str, Any], kind: str | None) -> Any:
    """A value as its schema's type has it: what is no text is JSON, with Python's words for the truth values."""
    if kind is not None:
        return text if kind == "true" else json.loads(text)
    types = schema.get("type", [type_of(value) for value in schema.get("enum", [])])
    types = [types] if isinstance(types, str) else types
    if types == ["string"]:
        return text
    try:
        value = json.loads({"True": "true", "False": "false"}.get(text, text))
    except ValueError:
        return text
    return value if type_of(value) in types or (type_of(value) == "integer" and "number" in types) else text


def type_of(value: Any) -> str:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null", list: "array"}
    return kinds.get(type(value), "object")


class _JSONWords(ast.NodeTransformer):
    """JSON's words in Python's syntax tree: LFM 2.5 writes mappings as JSON."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant({"true": True, "false": False, "null": None}[node.id])


def python_calls(begin: str, end: str, separated: str = ",") -> Callable[[str, Any], Calls]:
    """Calls of Python between two texts."""

    def parse(text: str, _: Any) -> Calls:
        match = re.search(f"{begin}(.*){end}", text, re.DOTALL)
        if match is None:
            return []
        body = match[1].strip()
        source = f"[{body}]" if separated == "," else f"[{','.join(body.splitlines())}]"
        [statement] = ast.parse(source).body
        assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.List)
        found: Calls = []
        for call in statement.value.elts:
            assert isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
            values = {str(each.arg): ast.literal_eval(_JSONWords().visit(each.value)) for each in call.keywords}
            found.append((call.func.id, values))
        return found

    return parse


def json_lines(text: str, _: Any) -> Calls:
    """MiniMax M1: objects one after another in one element."""
    match = re.search("<tool_calls>(.*?)</tool_calls>", text, re.DOTALL)
    found: Calls = []
    rest = match[1].strip() if match else ""
    while rest:
        call, end = json.JSONDecoder().raw_decode(rest)
        found.append((call["name"], call["arguments"]))
        rest = rest[end:].strip()
    return found


def llama3(text: str, _: Any) -> Calls:
    """Objects divided by semicolons are the whole message."""
    found: Calls = []
    rest = text.strip()
    while rest.startswith("{"):
        call, end = json.JSONDecoder().raw_decode(rest)
        found.append((call["name"], call["parameters"]))
        rest = rest[end:].lstrip("; ")
    return found


def llama4(text: str, schemas: Any) -> Calls:
    """A list of calls is the whole message."""
    return python_calls(r"^\[", r"\]$")(text.strip(), schemas) if text.strip().startswith("[") else []


def functionary(text: str, _: Any) -> Calls:
    """Parts divided by >>>: the recipient's name in the first line, what it gets below."""
    parts = [part.partition("\n")[::2] for part in text.split(">>>")]
    return [(name, json.loads(body)) for name, body in parts if name != "all"]


def harmony(text: str, _: Any) -> Calls:
    """Messages; those to functions are calls."""
    found: Calls = []
    for message in re.split(r"<\|end\|><\|start\|>assistant", text):
        header, _sep, body = message.partition("<|message|>")
        recipient = re.search(r"to=functions\.([\w./-]+)", header)
        if recipient is not None:
            found.append((recipient[1], json.loads(body)))
    return found


def apertus(text: str, _: Any) -> Calls:
    match = re.search(r"<\|tools_prefix\|>(.*?)<\|tools_suffix\|>", text, re.DOTALL)
    return [pair for call in json.loads(match[1]) for pair in call.items()] if match else []


def elements(text: str, schemas: dict[str, Any]) -> Calls:
    """MiniCPM 5: elements that a parser of XML reads."""
    found: Calls = []
    for match in re.finditer("<function .*?</function>", text, re.DOTALL):
        function = ElementTree.fromstring(match[0])
        properties = schemas[function.attrib["name"]].get("properties", {})
        values = {each.attrib["name"]: each.text or "" for each in function}
        found.append((function.attrib["name"], {key: typed(values[key], properties[key], None) for key in values}))
    return found


_HERMES = json_objects("<tool_call>(.*?)</tool_call>")
_QWEN_PARAMETER = r"<parameter=(?P<key>[^>]+)>\n(?P<value>.*?)\n</parameter>"
_DSML_CALL = r'<｜DSML｜invoke name="(?P<name>[^"]+)">(?P<body>.*?)</｜DSML｜invoke>'
_DSML_PARAMETER = (
    r'<｜DSML｜parameter name="(?P<key>[^"]+)" string="(?P<kind>true|false)">(?P<value>.*?)</｜DSML｜parameter>'
)
_DEEPSEEK = r"<｜tool▁call▁begin｜>function<｜tool▁sep｜>(?P<name>.*?)\n```json\n(?P<args>.*?)\n```<｜tool▁call▁end｜>"

PARSERS: dict[str, Callable[[str, dict[str, Any]], Calls]] = {
    "apertus": apertus,
    "command_a": json_array(r"<\|START_ACTION\|>", "tool_name", "parameters"),
    "deepseek_r1": named(_DEEPSEEK),
    "deepseek_v3": named(_DEEPSEEK),
    "deepseek_v31": named(r"<｜tool▁call▁begin｜>(?P<name>.*?)<｜tool▁sep｜>(?P<args>.*?)<｜tool▁call▁end｜>"),
    "deepseek_v32": tagged(_DSML_CALL, _DSML_PARAMETER),
    "deepseek_v4": tagged(_DSML_CALL, _DSML_PARAMETER),
    "functionary_v31": named(r"<function=(?P<name>[^>]+)>(?P<args>.*?)</function>"),
    "functionary_v32": functionary,
    "gigachat3": json_objects(r"<\|function_call\|>(.*)"),
    "glm45": tagged(
        r"<tool_call>(?P<name>[\w./-]+)(?P<body>.*?)</tool_call>",
        r"<arg_key>(?P<key>.*?)</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>",
    ),
    "gpt_oss": harmony,
    "granite3": json_array(r"<\|tool_call\|>"),
    "granite4": _HERMES,
    "hermes": _HERMES,
    "internlm2": json_objects(r"<\|action_start\|><\|plugin\|>(.*?)<\|action_end\|>", "parameters"),
    "jamba": json_array("<tool_calls>"),
    "kimi_k2": named(
        r"<\|tool_call_begin\|>functions\.(?P<name>.*?):\d+<\|tool_call_argument_begin\|>(?P<args>.*?)<\|tool_call_end\|>"
    ),
    "lfm2": python_calls(r"<\|tool_call_start\|>\[", r"\]<\|tool_call_end\|>"),
    "llama3": llama3,
    "llama4_pythonic": llama4,
    "minicpm5": elements,
    "minimax_m1": json_lines,
    "minimax_m2": tagged(
        r'<invoke name="(?P<name>[^"]+)">(?P<body>.*?)</invoke>',
        r'<parameter name="(?P<key>[^"]+)">(?P<value>.*?)</parameter>',
    ),
    "mistral_v11": named(
        r"\[TOOL_CALLS\](?P<name>[\w./-]+)(?:\[CALL_ID\]\w{9})?\[ARGS\](?P<args>.*?)(?=\[TOOL_CALLS\]|$)"
    ),
    "mistral_v3": json_array(r"\[TOOL_CALLS\]"),
    "nemotron": json_array("<TOOLCALL>"),
    "olmo3": python_calls("<function_calls>", "</function_calls>", "\n"),
    "phi4_mini": json_array(r"functools(?=\[)"),
    "qwen3": _HERMES,
    "qwen3_coder": tagged(r"<function=(?P<name>[^>]+)>(?P<body>.*?)</function>", _QWEN_PARAMETER),
    "seed_oss": tagged(
        r"<function=(?P<name>[^>]+)>(?P<body>.*?)</function>",
        r"<parameter=(?P<key>[^>]+)>(?P<value>.*?)</parameter>",
    ),
    "solar_open": named(r"<\|tool_call:name\|>(?P<name>.*?)<\|tool_call:args\|>(?P<args>.*?)<\|tool_call:end\|>"),
}
