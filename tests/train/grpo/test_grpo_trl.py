"""The loss against that of TRL's trainer, on text: its own method, given the same replies and log-probabilities."""

from pathlib import Path
from typing import Any

import pytest
import torch

from aptone.train.grpo.loss import LOSS_TYPES, LossType, PolicyLossConfig, advantages, grpo_loss
from tests.models.local_models import save_chat, tokenizer, transformers

LENGTH = 9


@pytest.fixture(scope="module")
def trl() -> Any:
    return pytest.importorskip("trl", reason="TRL is not installed; its loss is what ours is compared with")


def trainer(trl: Any, folder: Path, loss_type: LossType, *, kl_correction: bool) -> Any:
    """TRL's trainer around a tiny text model with random weights."""
    from datasets import Dataset

    saved = save_chat(folder / "model")
    settings = trl.GRPOConfig(
        output_dir=str(folder),
        use_cpu=True,
        report_to=[],
        per_device_train_batch_size=4,
        num_generations=2,
        max_completion_length=LENGTH,
        epsilon=0.1,
        beta=0.5,  # large, so that a wrong divergence shows
        use_bias_correction_kl=kl_correction,
        loss_type=loss_type,
        bf16=False,
    )
    return trl.GRPOTrainer(
        model=transformers().Qwen2ForCausalLM.from_pretrained(saved),
        args=settings,
        reward_funcs=lambda completions, **_: [0.0] * len(completions),
        train_dataset=Dataset.from_dict({"prompt": ["a", "b", "c", "d"]}),
        processing_class=tokenizer(),
    )


def log_probabilities(model: Any, ids: torch.Tensor, mask: torch.Tensor, count: int) -> torch.Tensor:
    logits = model(input_ids=ids, attention_mask=mask).logits[:, -count - 1 : -1].float()
    found: torch.Tensor = logits.log_softmax(-1).gather(-1, ids[:, -count:, None])[..., 0]
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("loss_type", "kl_correction"), [*((one, False) for one in LOSS_TYPES), ("grpo", True)])
def test_the_loss_and_its_gradient_are_those_of_trl(
    trl: Any, tmp_path: Path, loss_type: LossType, kl_correction: bool
) -> None:
    theirs = trainer(trl, tmp_path, loss_type, kl_correction=kl_correction)
    model = theirs.model
    model.train()
    theirs.current_gradient_accumulation_steps = 1
    drawn = torch.Generator().manual_seed(1)
    prompt, completion = (torch.randint(0, 200, (4, count), generator=drawn) for count in (5, LENGTH))
    mask = (torch.arange(LENGTH)[None] < torch.tensor([9, 4, 6, 1])[:, None]).long()
    prompt_mask = torch.ones_like(prompt)
    prompt_mask[0, :2] = 0  # padded on the left
    ids, seen = torch.cat([prompt, completion], 1), torch.cat([prompt_mask, mask], 1)
    with torch.no_grad():
        now = log_probabilities(model, ids, seen, LENGTH)
    old = now + 0.2 * torch.randn(now.shape, generator=drawn)  # so that some ratios lie beyond the clip
    reference = now + 0.2 * torch.randn(now.shape, generator=drawn)
    weights = advantages(torch.tensor([0.3, 1.7, 2.0, 0.0]), num_generations=2)
    expected = theirs._compute_loss(
        model,
        {
            "prompt_ids": prompt,
            "prompt_mask": prompt_mask,
            "completion_ids": completion,
            "completion_mask": mask,
            "advantages": weights,
            "old_per_token_logps": old,
            "ref_per_token_logps": reference,
            "num_items_in_batch": mask.sum(),
        },
    )
    expected.backward()
    gradients = [parameter.grad.clone() for parameter in model.parameters()]
    model.zero_grad()
    ours = grpo_loss(
        log_probabilities(model, ids, seen, LENGTH),
        old=old,
        reference=reference,
        advantages=weights,
        mask=mask,
        config=PolicyLossConfig(epsilon=0.1, beta=0.5, loss_type=loss_type, length=LENGTH, kl_correction=kl_correction),
    )
    ours.value.backward()  # type: ignore[no-untyped-call]
    assert float(ours.value) == pytest.approx(float(expected), abs=1e-6)
    for mine, their in zip(model.parameters(), gradients, strict=True):
        assert mine.grad is not None
        torch.testing.assert_close(mine.grad, their, atol=1e-6, rtol=1e-5)
    metrics = theirs._metrics["train"]
    assert ours.kl == pytest.approx(metrics["kl"][0], abs=1e-6)
    assert ours.clip_ratio == pytest.approx(metrics["clip_ratio/region_mean"][0], abs=1e-6)
    assert 0.0 < ours.clip_ratio < 1.0
