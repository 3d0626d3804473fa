"""Rated tones and a tiny Qwen2.5-Omni: enough to learn from in a second or two."""

from pathlib import Path

import numpy as np

from aptone.audio import encode_lossless
from aptone.judge.chat.conversation import Conversation
from aptone.train.judge.config import JudgeConfig
from aptone.train.judge.dataset import write_examples
from aptone.train.judge.example import Example, score_reply
from aptone.train.judge.model import AdapterConfig, Judge, load_judge
from aptone.types import Audio, Language
from tests.models.local_models import save_omni

SMALL = AdapterConfig(lora_rank=4, lora_alpha=8)
RECIPE = JudgeConfig(batch_size=4, micro_batch_size=2, steps=4, lr=1e-3, min_lr=1e-4, save_every=1, eval_every=2)
REASONS = "Calm; <focus_audio>bright</focus_audio>."


def recording(number: int) -> bytes:
    """A tone of half a second and more; every number has a pitch of its own."""
    times = np.arange(8_000 + 800 * (number % 3)) / 16_000
    samples = 0.3 * np.sin(2 * np.pi * 200 * 1.1**number * times)
    return encode_lossless(Audio(samples.astype(np.float32), rate=16_000))[0]


def example(number: int, *, reasoned: bool = True, language: Language = "en") -> Example:
    """A line that asks for calm; whether it reasons before it scores."""
    score = number % 6 * 1.0
    return Example(
        f"line-{number}-{'reasoned' if reasoned else 'score'}",
        recording(number),
        Conversation("Judge it between <score> and </score>.", f"calm: number {number}."),
        reply=score_reply(score, REASONS if reasoned else ""),
        score=score,
        seconds=0.5 + 0.05 * (number % 3),
        language=language,
        kind="reasoned" if reasoned else "score",
    )


def examples(count: int) -> list[Example]:
    """Every clip with reasoning and without."""
    return [example(number, reasoned=reasoned) for number in range(count) for reasoned in (True, False)]


def save_shards(folder: Path, count: int, *, per_shard: int = 3) -> Path:
    write_examples(folder, examples(count), per_shard=per_shard)
    return folder


def save_base(folder: Path, *, gated: bool = False) -> Path:
    """A checkpoint without gates and without the release's tokens, as Qwen2.5-Omni is."""
    folder.mkdir(parents=True)
    return save_omni(folder, gated=gated, tokens=gated)


def judge(folder: Path, adapter: AdapterConfig = SMALL) -> Judge:
    return load_judge(str(folder), adapter)
