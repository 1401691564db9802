"""Chat templates are rendered as transformers renders them."""

from __future__ import annotations

import sys

import pytest

from frisket.chat_template import ChatTemplate
from frisket.errors import EngineError, MissingDependencyError

pytest.importorskip("jinja2", reason="jinja2 is not installed")

SAID = [{"role": "user", "content": "a < b & 'ü'"}]


def rendered(text: str, **variables: object) -> str:
    return ChatTemplate(text, {"bos_token": "<s>"}).render(SAID, **variables)


def test_json_is_plain_json_and_takes_its_options() -> None:
    assert rendered("{{ messages[0] | tojson }}") == '{"role": "user", "content": "a < b & \'ü\'"}'
    assert rendered("{{ {'b': 1, 'a': [2]} | tojson(sort_keys=true, separators=(',', ':')) }}") == '{"a":[2],"b":1}'
    assert rendered("{{ 'ü' | tojson(ensure_ascii=true) }}{{ [1] | tojson(indent=2) }}") == '"\\u00fc"[\n  1\n]'


def test_blocks_take_their_lines_and_loops_may_break() -> None:
    assert (
        rendered("  {% for i in range(9) %}\n{{ i }}\n  {% if i == 1 %}{% break %}{% endif %}\n{% endfor %}")
        == "0\n1\n"
    )


def test_the_assistants_text_is_rendered_once() -> None:
    assert rendered("a{% generation %}b{% endgeneration %}c") == "abc"


def test_defaults_give_way_to_variables() -> None:
    assert rendered("{{ bos_token }}{{ add_generation_prompt }}{{ thinking }}", thinking=1) == "<s>True1"
    assert rendered("{{ bos_token }}", bos_token="") == ""


def test_a_tokenizer_may_have_a_template_for_tools() -> None:
    chat = ChatTemplate({"default": "plain", "tool_use": "{{ tools | length }} tools"})
    assert (chat.render(SAID), chat.render(SAID, [{"name": "now"}])) == ("plain", "1 tools")
    assert "tools" in chat.variables and ChatTemplate({"default": "plain"}).render(SAID, [{}]) == "plain"


def test_a_template_may_change_its_lists_and_not_those_of_the_caller() -> None:
    before = [{**message} for message in SAID]
    text = (
        "{% set ids = [] %}{% set _ = ids.append(7) %}{{ ids.pop() }}{% set _ = messages.append(messages[0].clear()) %}"
    )
    assert rendered(text + "{{ messages | length }}") == "72"
    assert before == SAID


def test_a_template_that_refuses_says_why() -> None:
    with pytest.raises(EngineError, match="only one user"):
        rendered("{{ raise_exception('only one user') }}")
    with pytest.raises(EngineError, match="unsafe"):
        rendered("{{ messages.__class__.__mro__ }}{{ ''.__class__.__base__.__subclasses__() }}")
    with pytest.raises(EngineError, match="line 1"):
        ChatTemplate("{% if %}")


def test_without_jinja_the_error_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("jinja2", "jinja2.sandbox"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingDependencyError, match=r'pip install "frisket-llm\[templates\]"'):
        ChatTemplate("x")


def test_equal_to_transformers() -> None:
    library = pytest.importorskip("transformers", reason="transformers is not installed")
    from transformers.utils.chat_template_utils import _compile_jinja_template

    assert library
    text = "{% for m in messages %}\n  {{ m | tojson(indent=2) }}\n{% generation %}x{% endgeneration %}\n{% endfor %}"
    assert rendered(text) == _compile_jinja_template(text).render(messages=SAID)
