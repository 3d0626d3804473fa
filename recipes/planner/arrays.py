"""Training examples as arrays: streams of pieces, and the place of each example's target in its stream.

Everything that training needs is in one file of arrays per language, so that the training machine needs neither the
texts nor Aptone.
"""

import bisect
import functools
import random
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.lexicon.feelings import VOICES
from aptone.planner.encoder import BREAK, LONGEST, LONGEST_AFTER, MARKS, Piece, Pieces
from aptone.planner.labelled_dialogues import LABEL_SETS
from aptone.types import Language
from recipes.planner.examples import EMOTIONS, INTONATIONS, RHYTHMS, TAG_EMOTIONS, Example, voice_of
from recipes.planner.fiction import AFTER, BEFORE, Fiction, TaggedLine
from recipes.planner.mention_spans import PRONOUNS, mention_spans

LABELS: dict[str, tuple[str, ...]] = {
    "contrast": EMOTIONS,
    "lines": EMOTIONS,
    "talk": EMOTIONS,
    "scenes": EMOTIONS,
    "books": EMOTIONS,
    "pieces": EMOTIONS,
    "passages": EMOTIONS,
    "narrated": EMOTIONS,
    "tags": TAG_EMOTIONS,
    "hidden": TAG_EMOTIONS,
    **LABEL_SETS,
}
KINDS = ("tag", "stage", "narrated", "tricky", "far", "implicit")
TRAINING_BOOKS: dict[Language, int] = {"en": 240, "zh": 45}
"""Books of train authors whose tags the encoder learns; the fusion is fitted on those of the others."""
MOST_LABELS = 13
MOST_EVIDENCE = 4
MOST_MENTIONS = 16
UNKNOWN_SPEAKER = -2
"""First place of the mentions of a speaker who is not known; -1 for none."""


@dataclass
class Table:
    """The examples of one source."""

    stream: list[npt.NDArray[np.uint16]] = field(default_factory=list)
    length: int = 0
    places: list[tuple[int, ...]] = field(default_factory=list)
    target: list[list[float]] = field(default_factory=list)
    evidence: list[list[int]] = field(default_factory=list)
    mentions: list[list[int]] = field(default_factory=list)
    others: list[tuple[int, int, int, int]] = field(default_factory=list)
    voice: list[int] = field(default_factory=list)
    is_dev: list[bool] = field(default_factory=list)
    kind: list[int] = field(default_factory=list)
    number: list[int] = field(default_factory=list)

    def put(self, numbers: Sequence[int]) -> int:
        """Append pieces to the stream, and return their place."""
        start = self.length
        self.stream.append(np.array(numbers, dtype=np.uint16))
        self.length += len(numbers)
        return start

    def add(
        self,
        example: Example,
        places: Sequence[int],
        evidence: Sequence[tuple[int, int]] | None,
        *,
        mentions: Sequence[tuple[int, int]] | None = None,
        number: int = -1,
    ) -> None:
        """Append the labels of an example whose text is in the stream.

        Args:
            example: the example.
            places: places of its window, target and hidden part in the stream.
            evidence: what decides, in the stream.
            mentions: mentions of the speaker, in the stream, the nearest first; None if the speaker is not known.
            number: number of a line of the books.
        """
        labels = LABELS[example.source]
        shares = [example.target.get(name, 0.0) for name in labels]
        self.places.append(tuple(places))
        self.target.append(shares + [0.0] * (MOST_LABELS - len(shares)))
        self.evidence.append(_flat(evidence or (), MOST_EVIDENCE))
        own = _flat(mentions or (), MOST_MENTIONS)
        self.mentions.append(own if mentions is not None else [UNKNOWN_SPEAKER, *own[1:]])
        rhythm = RHYTHMS.index(example.rhythm) if example.rhythm else -1
        intonation = INTONATIONS.index(example.intonation) if example.intonation else -1
        self.others.append((example.intensity - 1, rhythm, intonation, int(evidence is not None)))
        bits = sum(1 << VOICES.index(name) for name in example.voice) if example.voice is not None else -1
        self.voice.append(bits)
        self.is_dev.append(example.split == "dev")
        self.kind.append(KINDS.index(example.kind) if example.kind else -1)
        self.number.append(number)

    def arrays(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays of the table, by name."""
        return {
            f"{name}.stream": np.concatenate([np.zeros(0, dtype=np.uint16), *self.stream]),
            f"{name}.places": np.array(self.places, dtype=np.int32),
            f"{name}.target": np.array(self.target, dtype=np.float16),
            f"{name}.evidence": np.array(self.evidence, dtype=np.int32),
            f"{name}.mentions": np.array(self.mentions, dtype=np.int32),
            f"{name}.others": np.array(self.others, dtype=np.int8),
            f"{name}.voice": np.array(self.voice, dtype=np.int64),
            f"{name}.dev": np.array(self.is_dev),
            f"{name}.kind": np.array(self.kind, dtype=np.int8),
            f"{name}.number": np.array(self.number, dtype=np.int32),
        }


def _flat(spans: Sequence[tuple[int, int]], most: int) -> list[int]:
    """Return the places of the first spans in a row, filled up with -1."""
    flat = [place for span in spans[:most] for place in span]
    return flat + [-1] * (2 * most - len(flat))


def table_of(examples: Iterable[Example], pieces: Pieces, language: Language) -> Table:
    """Return a table of examples that each have their own text."""
    table = Table()
    for example in examples:
        before = pieces.cut(example.text[: example.start])
        target = pieces.cut(example.text[example.start : example.end])
        after = pieces.cut(example.text[example.end :])[: LONGEST_AFTER + 4]
        before = before[max(0, len(before) - LONGEST) :]
        cut = [
            *before,
            *(Piece(one.number, one.start + example.start, one.end + example.start) for one in target),
            *(Piece(one.number, one.start + example.end, one.end + example.end) for one in after),
        ]
        first = table.put([piece.number for piece in cut])
        opened = first + len(before)
        evidence = None
        if example.evidence is not None:
            evidence = [span for one in example.evidence if (span := _pieces_in(cut, *one, first))]
        mentions = None
        if example.speakers is not None:
            spans = mention_spans(example.text, example.start, example.end, example.speakers, language)
            near = sorted(spans, key=lambda span: min(abs(span[0] - example.end), abs(example.start - span[1])))
            mentions = [span for one in near if (span := _pieces_in(cut, *one, first))]
        places = (first, opened, opened + len(target), first + len(cut), 0, 0)
        table.add(example, places, evidence, mentions=mentions)
    return table


def tag_table(
    lines: Iterable[TaggedLine], fiction: Fiction, pieces: Pieces, *, kept_from: Collection[str] = ()
) -> Table:
    """Return a table of tagged lines with visible tags; `cut_start` and `cut_end` hide them.

    Of a book the stream holds the paragraphs that stand in a line's window, each once.

    Args:
        lines: the lines.
        fiction: the books.
        pieces: tokenizer.
        kept_from: books whose speakers are not learned.
    """
    table = Table()
    by_book: dict[str, list[TaggedLine]] = {}
    for line in lines:
        by_book.setdefault(line.book, []).append(line)
    for book, own in by_book.items():
        _put_book(table, fiction.paragraphs(book), own, pieces, speakers=book not in kept_from)
    return table


def _put_book(
    table: Table, paragraphs: Sequence[str], lines: Sequence[TaggedLine], pieces: Pieces, *, speakers: bool
) -> None:
    @functools.cache
    def cut(number: int) -> list[Piece]:
        return pieces.cut(paragraphs[number]) if paragraphs[number].strip() else []

    spans = {line.number: _window_paragraphs(line.paragraph, len(paragraphs), cut) for line in lines}
    numbers: list[int] = []
    starts, ends = {}, {}
    for number in sorted({number for span in spans.values() for number in range(*span)}):
        starts[number] = table.length + len(numbers)
        numbers += [piece.number for piece in cut(number)]
        if cut(number):
            numbers.append(MARKS.index(BREAK))
        ends[number + 1] = table.length + len(numbers)
    table.put(numbers)
    for line in lines:
        first, last = spans[line.number]
        at = starts[line.paragraph]
        target = _pieces_in(cut(line.paragraph), line.start, line.end, at)
        tag = _pieces_in(cut(line.paragraph), line.tag_start, line.tag_end, at)
        if target is None or tag is None:
            continue
        shares = {line.emotion: 1.0} if line.emotion else {}
        example = Example("tags", line.split, "", 0, 0, target=shares, voice=voice_of(line))
        hidden = (tag[0], tag[1] - (line.language == "zh"))
        known = [tag] if line.emotion else None
        places = (starts[first], *target, ends[last], *hidden)
        mentions = None
        if speakers and (named := speaker_of(line)):
            mentions = []
            for number in sorted(range(first, last), key=lambda one: abs(one - line.paragraph)):
                own = (line.start, line.end) if number == line.paragraph else (0, 0)
                for span in (
                    mention_spans(paragraphs[number], *own, (named,), line.language) if number in starts else ()
                ):
                    if (pair := _pieces_in(cut(number), *span, starts[number])) is not None:
                        mentions.append(pair)
        table.add(example, places, known, mentions=mentions, number=line.number)


def speaker_of(line: TaggedLine) -> str:
    """Return who says a line by its tag; empty where the tag has a pronoun or nobody."""
    speaker = str(line.said.get("speaker") or "")
    return "" if speaker in PRONOUNS or speaker.startswith(("his ", "her ", "my ")) else speaker


def _window_paragraphs(place: int, count: int, cut: Callable[[int], list[Piece]]) -> tuple[int, int]:
    """Return the first and the end paragraph of a line's window."""
    first, room = place, LONGEST
    while first > max(0, place - BEFORE) and room > 0:
        first -= 1
        room -= len(cut(first)) + 1
    return first, min(count, place + 1 + AFTER)


def sampled(lines: Sequence[TaggedLine], books: int, *, seed: int) -> list[TaggedLine]:
    """Return the lines of all dev books and of a random sample of the others, weighted by sure tags per length."""
    chance = random.Random(seed)
    names = sorted({line.book for line in lines if line.split == "train"})
    kept = {line.book for line in lines if line.split == "dev"} | set(chance.sample(names, min(books, len(names))))
    return [line for line in lines if line.book in kept]


def _pieces_in(cut: Sequence[Piece], start: int, end: int, offset: int) -> tuple[int, int] | None:
    """Return the first and the end piece of a character range, in the stream."""
    first = bisect.bisect_left([piece.start for piece in cut], start)
    last = first
    while last < len(cut) and cut[last].end <= end:
        last += 1
    return (offset + first, offset + last) if last > first else None
