"""Dialogues as the numbers that the planner's network is trained on: made once, drawn from again and again."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.planner.label_sets import LABEL_SETS, typical_vad
from aptone.planner.labelled_dialogues import Dialogue, Labelled
from aptone.planner.line_encoder import LineEncoder
from aptone.planner.manner import manner
from aptone.planner.phrases import PhraseTable, phrases
from aptone.types import Language

PHRASES = 16_000
FEWEST = 3
ENCODED_AT_ONCE = 2048

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of one dialogue as numbers.

    Args:
        set, part, language: of the dialogue.
        vectors: [lines, size] in English; empty in Mandarin.
        phrases: numbers of each line's phrases in Mandarin; empty in English.
        manner: [lines, 12].
        roles: who speaks, as a number; -1 when that is not known.
        target: [lines, labels] shares.
        vad: [lines, 3]; NaN where it is not known.
    """

    set: str
    part: str
    language: Language
    vectors: Floats
    phrases: tuple[tuple[int, ...], ...]
    manner: Floats
    roles: npt.NDArray[np.int64]
    target: Floats
    vad: Floats


def phrase_vocabulary(dialogues: Iterable[Dialogue], *, most: int = PHRASES) -> list[str]:
    """The phrases that occur most often in the Mandarin lines of the part ``train``; at least three times."""
    seen: Counter[str] = Counter()
    for dialogue in dialogues:
        if dialogue.language == "zh" and dialogue.part == "train":
            for line in dialogue.lines:
                seen.update(set(phrases(line.line.text)))
    return [phrase for phrase, count in seen.most_common(most) if count >= FEWEST]


def make_lines(
    dialogues: Sequence[Dialogue],
    encoder: Mapping[str, npt.NDArray[Any]],
    vocabulary: Sequence[str],
    *,
    log: Callable[[str], None],
) -> list[Lines]:
    """Turn dialogues into numbers; equal English texts are encoded once."""
    texts = sorted({line.line.text for one in dialogues if one.language == "en" for line in one.lines}, key=len)
    reader, parts = LineEncoder(encoder), []
    for start in range(0, len(texts), ENCODED_AT_ONCE):
        parts.append(reader.encode(texts[start : start + ENCODED_AT_ONCE]).astype(np.float16))
        log(f"{min(start + ENCODED_AT_ONCE, len(texts))} of {len(texts)} English lines read")
    vectors = np.concatenate(parts) if parts else np.zeros((0, reader.size), dtype=np.float16)
    place = {text: number for number, text in enumerate(texts)}
    table = PhraseTable(vocabulary)
    return [_numbers(dialogue, vectors, place, table) for dialogue in dialogues]


def _numbers(
    dialogue: Dialogue, vectors: npt.NDArray[np.float16], place: Mapping[str, int], table: PhraseTable
) -> Lines:
    texts = [line.line.text for line in dialogue.lines]
    english = dialogue.language == "en"
    names = sorted({line.line.role for line in dialogue.lines if line.line.role})
    labels = LABEL_SETS.get(dialogue.set, ())
    return Lines(
        set=dialogue.set,
        part=dialogue.part,
        language=dialogue.language,
        vectors=vectors[[place[text] for text in texts]].astype(np.float32)
        if english
        else np.zeros((0, 0), np.float32),
        phrases=() if english else tuple(table.numbers(text) for text in texts),
        manner=np.stack([manner(text) for text in texts]),
        roles=np.array([names.index(line.line.role) if line.line.role else -1 for line in dialogue.lines]),
        target=np.array(
            [[line.labels.get(label, 0.0) for label in labels] for line in dialogue.lines], dtype=np.float32
        ),
        vad=np.array([_vad(line) for line in dialogue.lines], dtype=np.float32),
    )


def _vad(line: Labelled) -> tuple[float, float, float]:
    """What people gave, or the mean of the labels' typical points."""
    if line.vad is not None:
        return line.vad
    points = [(typical_vad(label), share) for label, share in line.labels.items()]
    if not points:
        return (np.nan, np.nan, np.nan)
    return (
        sum(point.valence * share for point, share in points),
        sum(point.arousal * share for point, share in points),
        sum(point.dominance * share for point, share in points),
    )
