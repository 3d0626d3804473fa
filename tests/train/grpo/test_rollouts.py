"""Rollouts of a judge whose LoRA trains tokens that its base lacks."""

import contextlib
from pathlib import Path
from typing import Any

import pytest
import torch
from peft.tuners.trainable_tokens.layer import TrainableTokensLayer

from aptone.train.grpo import rollouts as grpo_replies
from aptone.train.grpo.rollouts import RolloutConfig, generate_rollouts
from aptone.train.judge.model import load_judge
from tests.train.judge.tiny_judges import SMALL, example, save_base


def test_new_tokens_are_written_in_place_and_taken_out_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    omni = load_judge(str(save_base(tmp_path / "base")), SMALL).omni
    learned = [one for name, one in omni.model.named_parameters() if "trainable_tokens_delta" in name]
    assert len(learned) == 2  # of what is read, and of what is written
    for rows in learned:
        rows.data += torch.linspace(-0.2, 0.2, rows.numel()).view_as(rows)
    matrices = [omni.model.get_input_embeddings().weight, omni.model.get_output_embeddings().weight]
    before = [one.detach().clone() for one in matrices]
    asked, rollout = (
        [example(number, reasoned=False) for number in range(2)],
        RolloutConfig(num_generations=1, max_new_tokens=12, temperature=0.0),
    )
    with monkeypatch.context() as aside:
        aside.setattr(grpo_replies, "_merged_token_rows", lambda thinker: contextlib.nullcontext())
        expected = generate_rollouts(omni, asked, rollout)
    seen: list[str] = []
    generate = type(omni.model).generate

    def watched(self: Any, **options: Any) -> Any:
        seen.append(self.writing)
        return generate(self, **options)

    with monkeypatch.context() as aside:
        # What could not be recorded: rows that are put together on the way.
        aside.setattr(TrainableTokensLayer, "get_merged_weights", lambda *_: pytest.fail("put together on the way"))
        aside.setattr(type(omni.model), "generate", watched)
        found = generate_rollouts(omni, asked, rollout)
    assert [one.tolist() for one in found.replies] == [one.tolist() for one in expected.replies]
    assert seen == ["auto"]
    assert omni.model.writing == "growing"
    after = [omni.model.get_input_embeddings().weight, omni.model.get_output_embeddings().weight]
    assert all(torch.equal(one, other) for one, other in zip(before, after, strict=True))
