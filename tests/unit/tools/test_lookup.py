"""A family is found by its name, by a model's name, and by a model's id; what is far from all gets no false hint."""

from __future__ import annotations

import pytest

from frisket.errors import UnknownFamilyError
from frisket.tools import families, family


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("qwen3-coder", "qwen3_coder"),
        ("Qwen-3", "qwen3"),
        ("qwen3.5", "qwen3_coder"),
        ("nemotron3", "qwen3_coder"),
        ("Kimi K2", "kimi_k2"),
        ("Qwen/Qwen3-8B", "qwen3"),
        ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3_coder"),
        ("Qwen/Qwen2.5-3B", "hermes"),
        ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "qwen3_coder"),
        ("nvidia/Llama-3_3-Nemotron-Super-49B-v1_5", "nemotron"),
        ("NousResearch/Hermes-3-Llama-3.1-8B", "hermes"),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama3"),
        ("deepseek-ai/DeepSeek-V3.2-Exp", "deepseek_v31"),
        ("deepseek-ai/DeepSeek-V3.2", "deepseek_v32"),
        ("deepseek-ai/DeepSeek-V3-0324", "deepseek_v3"),
        ("mistralai/Mistral-Small-3.2-24B-Instruct-2506", "mistral_v11"),
        ("CohereLabs/c4ai-command-r7b-12-2024", "command_a"),
        ("internlm/internlm2_5-7b-chat", "internlm2"),
    ],
)
def test_a_model_has_its_family(said: str, name: str) -> None:
    assert family(said).name == name


@pytest.mark.parametrize("said", ["gemma4", "exaone4", "moonshotai/Kimi-K3", "Qwen 4", "DeepSeek-V5", "3", ""])
def test_a_model_of_no_family_gets_no_false_hint(said: str) -> None:
    with pytest.raises(UnknownFamilyError) as caught:
        family(said)
    assert (caught.value.hint or "").startswith("known are apertus, ")


def test_a_model_that_writes_in_two_ways_names_both() -> None:
    with pytest.raises(UnknownFamilyError) as caught:
        family("meta-llama/Llama-4-Scout-17B-16E-Instruct")
    assert caught.value.hint == "models of that name write as llama3 or llama4_pythonic: name the family"


@pytest.mark.parametrize("name", families())
def test_every_name_of_a_model_is_found(name: str) -> None:
    for model in family(name).models.split(", "):
        if "(" not in model and model != "Llama 4":
            assert family(model).name == name
