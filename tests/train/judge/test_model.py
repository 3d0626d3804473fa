"""Bases that learn: what is trained of them, adapters kept and put back, and models that the local engine takes."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("peft", reason="training judges needs torch, transformers and peft: pip install 'aptone[train]'")

import torch
from safetensors.torch import load_file, save_file

from aptone.errors import UsageError
from aptone.models.local.placement import Placement
from aptone.models.omni.checkpoint import TOKENS, load_omni
from aptone.train.judge.batch import make_inputs, reply_log_probabilities
from aptone.train.judge.model import AdapterConfig, Judge, load_judge, write_merged
from aptone.train.judge.run import ADAPTER, load_adapter, save_adapter
from tests.models.local_models import save_omni
from tests.train.judge.tiny_judges import SMALL, example, judge, save_base


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_base(tmp_path_factory.mktemp("judge") / "base")


PAPER = replace(SMALL, bias_form="paper")
KEYED = replace(SMALL, gate_position="key")


def shaken(student: Judge) -> Judge:
    """The judge with something learned: everything that is trained gets noise."""
    torch.manual_seed(1)
    with torch.no_grad():
        for one in student.parameters().values():
            one.add_(0.05 * torch.randn_like(one))
    return student


@torch.no_grad()
def said(model: Any, student: Judge) -> torch.Tensor:
    return reply_log_probabilities(model, make_inputs(student.omni, [example(0), example(1, reasoned=False)]))


@pytest.mark.parametrize("adapter", [SMALL, replace(SMALL, bias=False), replace(SMALL, kind="all"), PAPER, KEYED])
def test_a_merged_model_says_what_the_judge_said_in_training(
    base: Path, tmp_path: Path, adapter: AdapterConfig
) -> None:
    student = shaken(judge(base, adapter))
    expected = said(student.model, student)
    assert (expected - said(judge(base, adapter).model, student)).abs().max() > 0.01  # it has learned something
    write_merged(student, tmp_path)
    loaded = load_omni.__wrapped__(Placement(str(tmp_path), device="cpu"))
    assert (loaded.markers is not None) == adapter.bias
    assert loaded.markers == student.omni.markers
    loaded.switch(gated="auto")
    assert all(len(loaded.tokenizer(token, add_special_tokens=False)["input_ids"]) == 1 for token in TOKENS)
    assert (said(loaded.model, replace(student, omni=loaded)) - expected).abs().max() < 1e-4


def test_a_merged_model_is_a_base_for_the_next_stage(base: Path, tmp_path: Path) -> None:
    student = shaken(judge(base))
    write_merged(student, tmp_path)
    following = load_judge(str(tmp_path), SMALL)
    assert following.new_tokens == ()  # their rows are learned, and stay as they are
    assert not any("trainable_tokens" in name for name in following.parameters())
    assert (said(following.model, following) - said(student.model, student)).abs().max() < 1e-4
    with following.model.disable_adapter(), torch.no_grad():  # what reinforcement compares with
        assert (said(following.model, following) - said(student.model, student)).abs().max() < 1e-4


def test_the_form_of_the_bias_stays_with_the_checkpoint(base: Path, tmp_path: Path) -> None:
    write_merged(judge(base, PAPER), tmp_path)
    following = load_judge(str(tmp_path), SMALL)  # which names no form
    assert following.omni.markers is not None
    assert following.omni.markers.reasoning is not None
    named = load_judge(str(tmp_path), replace(SMALL, bias_form="release"))
    assert named.omni.markers is not None
    assert named.omni.markers.reasoning is None


def test_where_gates_are_read_stays_with_the_checkpoint(base: Path, tmp_path: Path) -> None:
    write_merged(judge(base, KEYED), tmp_path / "keyed")
    following = load_judge(str(tmp_path / "keyed"), SMALL)  # which names no position
    assert following.omni.model.gate_position == following.adapter.gate_position == "key"
    write_merged(following, tmp_path / "next")
    assert load_judge(str(tmp_path / "next"), SMALL).omni.model.gate_position == "key"
    named = load_judge(str(tmp_path / "keyed"), replace(SMALL, gate_position="query"))
    assert named.omni.model.gate_position == "query"
    write_merged(named, tmp_path / "named")
    assert load_judge(str(tmp_path / "named"), SMALL).omni.model.gate_position == "query"
    write_merged(judge(base), tmp_path / "plain")
    assert "gate_position" not in (tmp_path / "plain" / "config.json").read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="at the query or at the key, got 'value'"):
        replace(SMALL, gate_position="value")  # type: ignore[arg-type]


def test_an_adapter_is_kept_and_put_back(base: Path, tmp_path: Path) -> None:
    student = shaken(judge(base))
    save_adapter(tmp_path / ADAPTER, student)
    assert {path.name for path in (tmp_path / ADAPTER).iterdir()} == {
        "adapter_config.json",
        "adapter_model.safetensors",
        "gates.safetensors",
    }
    assert len(load_file(tmp_path / ADAPTER / "gates.safetensors")) == 2 * 3 * 2
    again = judge(base)
    load_adapter(tmp_path / ADAPTER, again)
    assert all(torch.equal(one, again.parameters()[name]) for name, one in student.parameters().items())
    others = (
        replace(SMALL, **change)
        for change in ({"bias": False}, {"lora_alpha": 16}, {"lora_rank": 2}, {"bias_form": "paper"})
    )
    for other in (*others, KEYED):
        with pytest.raises(UsageError, match="other settings"):
            load_adapter(tmp_path / ADAPTER, judge(base, other))
    save_file(load_file(tmp_path / ADAPTER / "gates.safetensors"), tmp_path / ADAPTER / "gates.safetensors")
    load_adapter(tmp_path / ADAPTER, judge(base))  # from before it was written down where gates are read
    (tmp_path / "adapter_model.bin").write_bytes(b"a pickle is not even looked at")
    for nothing in (tmp_path, tmp_path / "owner"):  # nor is the hub asked for it
        with pytest.raises(UsageError, match=r"holds no adapter.*No such file"):
            load_adapter(nothing, judge(base))
    with pytest.raises(UsageError, match="there is no adapter"):
        save_adapter(tmp_path / "none", judge(base, replace(SMALL, kind="all")))


def test_a_base_without_room_for_the_tokens_gets_it(tmp_path: Path) -> None:
    student = judge(save_omni(tmp_path, gated=False, tokens=False, room=3))
    rows = student.omni.model.get_input_embeddings().weight.shape[0]
    assert rows == len(student.omni.tokenizer)
    assert max(student.new_tokens) < rows
    assert student.omni.model.config.text_config.vocab_size == rows
    shaken(student)
    write_merged(student, tmp_path / "merged")
    assert load_omni.__wrapped__(Placement(str(tmp_path / "merged"), device="cpu")).markers is not None


def test_rows_of_new_tokens_differ_and_are_of_the_usual_size(base: Path) -> None:
    student = judge(base)
    weight = student.omni.model.lm_head.weight.detach()
    new, usual = weight[list(student.new_tokens)], weight[: min(student.new_tokens)]
    assert torch.linalg.vector_norm(new, dim=1).mean() == pytest.approx(
        torch.linalg.vector_norm(usual, dim=1).mean().item(), rel=0.3
    )
    assert torch.pdist(new).min() > 0.1 * torch.linalg.vector_norm(usual, dim=1).mean()


def test_only_steps_that_a_gpu_can_record_are_recorded(base: Path, tmp_path: Path) -> None:
    student = judge(base)
    assert any("trainable_tokens" in name for name in student.parameters())
    assert student.omni.model.writing == "growing"
    for other in (judge(base, replace(SMALL, kind="all")), judge(save_base(tmp_path / "gated", gated=True))):
        assert not any("trainable_tokens" in name for name in other.parameters())
        assert other.omni.model.writing == "auto"


def test_a_base_with_gates_and_tokens_keeps_them(tmp_path: Path) -> None:
    student = judge(save_base(tmp_path / "gated", gated=True))
    assert student.new_tokens == ()
    kept = {name: one for name, one in student.parameters().items() if "biasfc" in name}
    assert len(kept) == 12
    assert all(one.abs().max() > 0 for one in kept.values())


def test_gates_of_a_base_without_any_start_in_the_middle(base: Path) -> None:
    assert all(one.abs().max() == 0 for name, one in judge(base).parameters().items() if "biasfc" in name)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"kind": "some"}, "lora or all"),
        ({"lora_rank": 0}, "1 or more"),
        ({"bias_form": "mine"}, "release or paper"),
        ({"lora_dropout": 1.0}, "below 1"),
        ({"tokens": False}, "cannot be on without them"),
    ],
)
def test_what_cannot_be_trained_is_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        AdapterConfig(**wrong)
