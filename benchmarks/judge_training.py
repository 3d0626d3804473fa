"""A judge of the paper's size learns on one GPU: a step of fine-tuning and one of reinforcement, time and memory.

    PYTHONPATH=src:. python -m benchmarks.judge_training --output benchmarks/results/judge_training.json

Qwen2.5-Omni-7B's thinker with random weights at its true shapes, kept in bf16; LoRA of rank 32 and the gates are
trained in float32, as `aptone train` does. Clips of 10 s, prompts of 300 tokens, replies of 200, as in
benchmarks/judge_throughput.py.

- ``sft``: log-probabilities of a batch of replies, backward, AdamW; with and without the bias, layers kept or computed
  again in the backward pass (``again``).
- ``grpo``: eight prompts, eight replies each of 200 tokens: all are written at once with a cache, weighed by the
  reference (the adapter off), learned from in chunks of 16 replies, one step of AdamW.

``agreement``: whether a step of writing that is recorded gives the logits of one that is not, with adapters and with
autocast, as in benchmarks/judge_throughput.py.

A row is the mean of three steps (of one, for reinforcement) behind one that is not counted. Samples are clips with
their replies; memory is the peak of the step.
"""

import argparse
import gc
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

import benchmarks.without_core  # noqa: F401  (before anything of ours)
from aptone.models.omni.attention_layout import release_markers
from aptone.models.omni.checkpoint import Omni
from aptone.train.grpo.loss import PolicyLossConfig, advantages, grpo_loss
from aptone.train.judge.batch import IGNORED
from aptone.train.judge.model import AdapterConfig, Judge, ReplyNetwork, make_trainable
from benchmarks.judge_throughput import FOCUS, REPLY, SCORE, Talk, agreement, thinker, write

GROUP, PROMPTS, CHUNK = 8, 8, 16


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table."""

    stage: str
    bias: bool
    again: bool
    samples: int
    seconds: float
    samples_per_second: float
    peak_gib: float
    seconds_of: dict[str, float]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--tiny", action="store_true", help="A model that fits on a processor: to see that it runs.")
    options = parser.parse_args()
    device = torch.device("cpu" if options.tiny else "cuda")
    found = measure(thinker(device, tiny=options.tiny), tiny=options.tiny)
    if options.output is not None:
        options.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def measure(model: Any, *, tiny: bool = False) -> dict[str, Any]:
    """All rows; the model has adapters afterwards."""
    markers = release_markers(audio=model.config.audio_token_id, score=SCORE, focus=FOCUS)
    judge = make_trainable(
        Omni("random weights", model, None, None, markers), AdapterConfig(), gradient_checkpointing=True
    )
    found: dict[str, Any] = {
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
        "torch": torch.__version__,
        "trained": sum(one.numel() for one in judge.parameters().values()),
        "rows": [],
    }
    rows: list[Callable[[bool], Row]] = [
        lambda bias, samples=samples, again=again: fine_tuned(judge, samples, bias=bias, again=again)  # type: ignore[misc]
        for samples, again in ([(2, False)] if tiny else [(4, False), (16, False), (16, True)])
    ]
    rows.append(lambda bias: reinforced(judge, bias=bias, tiny=tiny))
    for make in rows:
        for bias in (False, True):
            model.bias_by(markers if bias else None)
            row = make(bias)
            found["rows"].append(asdict(row))
            print(row, flush=True)
    judge.model.eval()
    with torch.autocast(next(model.parameters()).device.type, dtype=torch.bfloat16, enabled=not tiny):
        found["agreement"] = agreement(model)
    return found


def _computed_again(model: Any, again: bool) -> None:
    if again:
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    else:
        model.gradient_checkpointing_disable()


def examples(judge: Judge, samples: int) -> dict[str, torch.Tensor]:
    """A batch with its replies, labels on those only."""
    talk = Talk(judge.omni.model, samples)
    replies = talk.reply[None].expand(samples, -1)
    ids = torch.cat([talk.ids, replies], dim=1)
    mask = torch.cat([talk.mask, torch.ones_like(replies)], dim=1)
    labels = torch.cat([torch.full_like(talk.ids, IGNORED), replies], dim=1)
    return {"input_ids": ids, "attention_mask": mask, "labels": labels, **talk.heard}


def fine_tuned(judge: Judge, samples: int, *, bias: bool, again: bool) -> Row:
    """Steps of fine-tuning."""
    _computed_again(judge.omni.model, again)
    inputs = examples(judge, samples)
    network = ReplyNetwork(judge, precision="bfloat16" if inputs["input_ids"].is_cuda else "float32").train()
    optimiser = torch.optim.AdamW(judge.parameters().values(), lr=5e-6)

    def step() -> dict[str, float]:
        optimiser.zero_grad(set_to_none=True)
        loss = -network(inputs).sum() / (samples * REPLY)
        loss.backward()
        optimiser.step()
        return {}

    return _row("sft", step, samples, bias=bias, again=again)


def reinforced(judge: Judge, *, bias: bool, tiny: bool) -> Row:
    """Steps of reinforcement."""
    _computed_again(judge.omni.model, again=True)
    prompts, group = (2, 2) if tiny else (PROMPTS, GROUP)
    samples, chunk = prompts * group, min(CHUNK, prompts * group)
    model = judge.omni.model
    talk = Talk(model, samples)
    inputs = examples(judge, samples)
    network = ReplyNetwork(judge, precision="bfloat16" if talk.ids.is_cuda else "float32")
    optimiser = torch.optim.AdamW(judge.parameters().values(), lr=5e-6)
    chunks = [
        {name: value[first : first + chunk] for name, value in inputs.items()} for first in range(0, samples, chunk)
    ]
    draw = torch.Generator().manual_seed(1)

    def step() -> dict[str, float]:
        begun = time.perf_counter()
        network.eval()
        with torch.autocast(talk.ids.device.type, dtype=torch.bfloat16, enabled=talk.ids.is_cuda):
            write(model, talk, 4 if tiny else REPLY)
        _wait()
        written = time.perf_counter()
        with torch.no_grad(), judge.model.disable_adapter():
            reference = [network(part) for part in chunks]
        _wait()
        weighed = time.perf_counter()
        network.train()
        optimiser.zero_grad(set_to_none=True)
        worth = advantages(torch.rand(samples, generator=draw), num_generations=group)
        for number, part in enumerate(chunks):
            current = network(part)
            loss = grpo_loss(
                current,
                old=current.detach(),
                reference=reference[number],
                advantages=worth[number * chunk : (number + 1) * chunk].to(current),
                mask=part["labels"][:, 1:] != IGNORED,
                config=PolicyLossConfig(),
            )
            torch.autograd.backward(loss.value * len(part["labels"]) / samples)
        optimiser.step()
        _wait()
        learned = time.perf_counter()
        return {"writing": written - begun, "reference": weighed - written, "learning": learned - weighed}

    return _row("grpo", step, samples, bias=bias, again=True)


def _wait() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def _row(stage: str, step: Callable[[], dict[str, float]], samples: int, *, bias: bool, again: bool) -> Row:
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    if stage == "sft" or not bias:  # what is without the bias warms up for what is with it
        step()
    _wait()
    times, parts = [], []
    for _ in range(3 if stage == "sft" else 1):
        begun = time.perf_counter()
        parts.append(step())
        _wait()
        times.append(time.perf_counter() - begun)
    seconds = sum(times) / len(times)
    peak = torch.cuda.max_memory_allocated() / 2**30 if torch.cuda.is_available() else float("nan")
    means = {name: round(sum(one[name] for one in parts) / len(parts), 3) for name in parts[0]}
    return Row(stage, bias, again, samples, round(seconds, 3), round(samples / seconds, 2), round(peak, 2), means)


if __name__ == "__main__":
    main()
