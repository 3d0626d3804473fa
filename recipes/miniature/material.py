"""What the miniature is made of, as its folder holds it: clips, pairs, reasons for grades, and a tokenizer.

Everything here was made beforehand by ``python -m recipes.miniature rows``, so that a GPU does not wait for it.
"""

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aptone.errors import UsageError
from aptone.files import write_bytes_whole
from aptone.types import dumps, loads
from recipes.miniature.clips import MiniatureClip, read_miniature_clips
from recipes.miniature.examples import attribute_examples, caption_examples, judge_examples, reasoning_of
from recipes.miniature.model import miniature_tokenizer
from recipes.miniature.pairs import Pair, read_pairs
from recipes.miniature.sounds import in_processes

CLIPS, REASONS, TOKENIZER = "clips", "reasons.json.gz", "tokenizer"
TEXTS = 3000
"""Pairs whose texts the tokenizer is taught on."""
SPLITS = ("train", "dev", "test")


@dataclass(frozen=True, slots=True)
class Material:
    """What the miniature is made of.

    Args:
        clips: by key.
        pairs: by split.
        reasons: for the grades of the training split, by pair.
        tokenizer: folder of the tokenizer.
    """

    clips: Mapping[str, MiniatureClip]
    pairs: Mapping[str, Sequence[Pair]]
    reasons: Mapping[str, str] = field(default_factory=dict)
    tokenizer: Path = Path()

    def readable(self, split: str) -> list[Pair]:
        """The pairs of a split that judges are taught with and tested on; see `recipes.miniature.pairs`."""
        return [pair for pair in self.pairs[split] if pair.is_readable]


def pairs_file(folder: Path, split: str) -> Path:
    """Where the pairs of a split lie."""
    return folder / f"{split}.jsonl.gz"


def read_material(data: Path) -> Material:
    """The files that ``python -m recipes.miniature rows`` wrote.

    Raises:
        UsageError: if one is missing.
        RecordError: if one is damaged.
    """
    clips = {clip.key: clip for clip in read_miniature_clips(data / CLIPS)}
    pairs = {split: read_pairs(pairs_file(data, split)) for split in SPLITS}
    if not (data / REASONS).is_file() or not (data / TOKENIZER).is_dir():
        raise UsageError(f"{data}: holds no {REASONS} or no {TOKENIZER}; make them: python -m recipes.miniature rows")
    reasons: Any = loads(gzip.decompress((data / REASONS).read_bytes()), what=str(data / REASONS))
    return Material(clips, pairs, reasons, data / TOKENIZER)


def finish_material(data: Path, material: Material, *, workers: int) -> Material:
    """Write the reasons for the grades of the training split, and the tokenizer.

    Args:
        data: where to.
        material: clips and pairs.
        workers: processes that write reasons.
    """
    tasks = [(pair, material.clips[pair.clip]) for pair in material.readable("train")]
    written = list(in_processes(_reasoning, tasks, workers=workers))
    reasons = {pair.id: text for (pair, _), text in zip(tasks, written, strict=True)}
    write_bytes_whole(data / REASONS, gzip.compress(dumps(reasons).encode(), mtime=0))
    finished = Material(material.clips, material.pairs, reasons, data / TOKENIZER)
    miniature_tokenizer(texts_of(finished)).save_pretrained(data / TOKENIZER)
    return finished


def _reasoning(task: tuple[Pair, MiniatureClip]) -> str:
    return reasoning_of(*task)


def texts_of(material: Material) -> list[str]:
    """What the tokenizer is taught on: prompts and replies of the training split, in all forms."""
    pairs = material.readable("train")[:TEXTS]
    found = [
        *attribute_examples(pairs, material.clips),
        *caption_examples(pairs, material.clips),
        *judge_examples(pairs, planned="none"),
        *judge_examples(pairs, planned="vote"),
        *judge_examples(pairs, planned="vote", reasons=material.reasons),
    ]
    return [
        text for example in found for text in (example.conversation.system, example.conversation.before, example.reply)
    ]
