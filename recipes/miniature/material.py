"""Data of the miniature in its folder: clips, pairs, reasonings for grades, and a tokenizer.

Everything is made in advance by ``python -m recipes.miniature rows``, so that a GPU does not wait for it.
"""

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from aptone.errors import UsageError
from aptone.files import make_folder, write_bytes_whole
from aptone.planner.labelled_dialogues import read_meld
from aptone.types import dumps, loads
from recipes.miniature.clips import MiniatureClip, read_miniature_clips, write_miniature_clips
from recipes.miniature.examples import attribute_examples, caption_examples, judge_examples, reasoning_of
from recipes.miniature.model import miniature_tokenizer
from recipes.miniature.pairs import Pair, make_pairs, read_pairs, write_pairs
from recipes.miniature.planner import fit_line_classifier
from recipes.miniature.sounds import in_processes

CLIPS, REASONS, TOKENIZER = "clips", "reasons.json.gz", "tokenizer"
TEXTS = 3000
"""Pairs whose texts the tokenizer is trained on."""
SPLITS = ("train", "dev", "test")
PAIRS: Mapping[str, int] = {"train": 20_000, "dev": 600, "test": 2_000}
SEED = 1


@dataclass(frozen=True, slots=True)
class Material:
    """Data of the miniature.

    Args:
        clips: clips by key.
        pairs: pairs by split.
        reasons: reasonings for the grades of the training split, by pair.
        tokenizer: folder of the tokenizer.
    """

    clips: Mapping[str, MiniatureClip]
    pairs: Mapping[str, Sequence[Pair]]
    reasons: Mapping[str, str] = field(default_factory=dict)
    tokenizer: Path = Path()

    def readable(self, split: str) -> list[Pair]:
        """Return the pairs of a split for training and testing; see `recipes.miniature.pairs`."""
        return [pair for pair in self.pairs[split] if pair.is_readable]


def pairs_file(folder: Path, split: str) -> Path:
    """Return the path of the pairs of a split."""
    return folder / f"{split}.jsonl.gz"


def read_material(data: Path) -> Material:
    """Read the files of ``python -m recipes.miniature rows``.

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
    """Write the reasonings for the grades of the training split, and the tokenizer.

    Args:
        data: output folder.
        material: clips and pairs.
        workers: processes that write reasonings.
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
    """Yield the training texts of the tokenizer: prompts and replies of the training split, in all forms."""
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


class MadeRows(NamedTuple):
    """Numbers of written clips and pairs."""

    clips: int
    pairs: Mapping[str, int]


def make_miniature_rows(
    data: Path, texts: Path, out: Path, *, pairs: Mapping[str, int] = PAIRS, clips: int | None = None, workers: int
) -> MadeRows:
    """Measure all clips, sample all pairs, write reasonings, train the tokenizer; existing clips are kept.

    Args:
        data: folder with a folder for each set of acted speech, with labels.csv.
        texts: folder with ``meld/``.
        out: folder for the files.
        pairs: number of pairs of each split.
        clips: largest number of clips of each part of a set; None for all.
        workers: processes.

    Raises:
        UsageError: if a set or a table is missing.
        RecordError: if a table is damaged.
    """
    make_folder(out)
    write_miniature_clips(data, out / CLIPS, workers=workers, most=clips)
    heard = read_miniature_clips(out / CLIPS)
    other = fit_line_classifier(read_meld(texts, parts=("train",)))
    made = {}
    for split, count in pairs.items():
        dialogues = read_meld(texts, parts=(split,))
        made[split] = list(make_pairs(dialogues, heard, split=split, count=count, seed=SEED, other=other))
        write_pairs(pairs_file(out, split), made[split])
    finish_material(out, Material({clip.key: clip for clip in heard}, made), workers=workers)
    return MadeRows(len(heard), dict(pairs))
