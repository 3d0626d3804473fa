"""Labels of careful readers: scenes that were written for it, and lines of books.

Files of this folder's ``labels/``, one JSON object a row:

- ``scenes.LANGUAGE.N.jsonl``: a scene with its text; the target stands between ⟦ and ⟧.
- ``pieces.LANGUAGE.jsonl``: the same, plainer, as people write who try out a tool; all of their lines are labelled.
- ``trials.LANGUAGE.jsonl``, ``trial_lines.LANGUAGE.jsonl``: such pieces by other writers, for reporting only.
- ``contrast.LANGUAGE.jsonl``: the same, in sets: one line in three or four situations that ask for different
  deliveries.
- ``talk.LANGUAGE.jsonl``: dialogues of named speakers without narration, every turn with a label.
- ``lines.LANGUAGE.jsonl``: labels of everything else that is spoken in scenes and contrast sets, by scene and
  characters; among them second readings of the targets. ``test_lines.LANGUAGE.jsonl``: the same of test scenes.
- ``books.LANGUAGE.jsonl``: labels of lines of public-domain novels. They point into the book (book, paragraph, first
  and last character of the line's first quotation); no text of a book is in them.
- ``passages.LANGUAGE.jsonl``: labels of everything that is spoken in passages of novels, tags in sight, with who says
  it.
- ``second.LANGUAGE.jsonl``: labels of some of both by a second reader, blind to the first.
- ``test.LANGUAGE.jsonl``: scenes of other writers that nothing was trained on or chosen by.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from aptone.planner.passage import passage_around
from aptone.types import Language, Line
from recipes.planner.examples import Example
from recipes.planner.fiction import AFTER, BEFORE, Fiction

FOLDER = Path(__file__).parent / "labels"
BOOK_SPEAKERS = Path(__file__).parents[2] / "benchmarks" / "book_speakers" / "labels.jsonl"
FIRST = 0.7
"""Share of the named emotion, if others are acceptable too; they split the rest."""
OPEN, CLOSE = "⟦", "⟧"
TURNS = 12
"""Turns of context before a turn of a dialogue."""


def rows(name: str, *, folder: Path = FOLDER) -> list[dict[str, Any]]:
    """Return the objects of all files whose name has a prefix, in order."""
    found = []
    for path in sorted(folder.glob(f"{name}*.jsonl")):
        found += [json.loads(row) for row in path.read_text(encoding="utf-8").splitlines()]
    return found


_SCENES_OF = {"lines": ("scenes", "contrast", "pieces"), "test_lines": ("test", "fresh"), "trial_lines": ("trials",)}


def soft(label: Mapping[str, Any]) -> dict[str, float]:
    """Return the shares of a label's emotions.

    >>> soft({"emotion": "sad", "also": ["calm"]})
    {'sad': 0.7, 'calm': 0.30000000000000004}
    """
    also = label.get("also") or []
    first = FIRST if also else 1.0
    return {label["emotion"]: first} | {name: (1.0 - first) / len(also) for name in also}


def blended(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, float]:
    """Return the mean of two readings' shares.

    >>> blended({"sad": 1.0}, {"sad": 0.5, "calm": 0.5})
    {'sad': 0.75, 'calm': 0.25}
    """
    return {name: (first.get(name, 0.0) + second.get(name, 0.0)) / 2 for name in {**first, **second}}


def scenes(language: Language, *, name: str = "scenes", folder: Path = FOLDER) -> Iterator[Example]:
    """Yield scenes as examples; those of the split dev are held out for choosing and fitting, test scenes have none.

    Training scenes whose target was read a second time have the mean of both readings.
    """
    again = {row["scene"]: row for row in rows(f"lines.{language}", folder=folder) if row.get("is_target")}
    for row in rows(f"{name}.{language}", folder=folder):
        text = row["story"]
        start = text.index(OPEN)
        end = text.index(CLOSE) - 1
        plain = text.replace(OPEN, "").replace(CLOSE, "")
        split = row.get("split", "test")
        answers = _answers(row)
        if split == "train" and row["id"] in again:
            answers["target"] = blended(answers["target"], soft(again[row["id"]]))
        yield Example(
            name,
            split,
            plain,
            start,
            end,
            **answers,
            evidence=tuple(place for words in row.get("words", ()) for place in _places(plain, words)) or None,
            kind=row["kind"],
            id=row["id"],
            near=tuple(row["near"] or ()) if "near" in row else None,
            speakers=_speakers(row),
        )


def scene_lines(language: Language, *, name: str = "lines", folder: Path = FOLDER) -> Iterator[Example]:
    """Yield the other spoken lines of scenes and contrast sets as examples; a scene's lines are in its split."""
    texts = {
        row["id"]: row["story"].replace(OPEN, "").replace(CLOSE, "")
        for scenes_name in _SCENES_OF[name]
        for row in rows(f"{scenes_name}.{language}", folder=folder)
    }
    for row in rows(f"{name}.{language}", folder=folder):
        if not row.get("is_target"):
            text = texts[row["scene"]]
            target, intensity = soft(row), int(row["intensity"])
            yield Example(
                "lines",
                row["split"],
                text,
                row["start"],
                row["end"],
                target=target,
                intensity=intensity,
                id=row["id"],
                speakers=_speakers(row),
            )


def is_of_piece(line: Example) -> bool:
    """Return whether a line is one of a short piece."""
    return line.id[2:].startswith("p-")


def talk(language: Language, *, folder: Path = FOLDER) -> Iterator[Example]:
    """Return every turn of the dialogues as an example, with the turns before it, in the planner's layout."""
    for row in rows(f"talk.{language}", folder=folder):
        lines = [Line(turn["text"], turn["role"]) for turn in row["turns"]]
        for place, turn in enumerate(row["turns"]):
            passage = passage_around(lines[max(0, place - TURNS) : place], lines[place], ())
            yield Example(
                "talk",
                row["split"],
                passage.text,
                passage.start,
                passage.end,
                target=soft(turn),
                id=f"{row['id']}.{place + 1}",
            )


def book_lines(language: Language, fiction: Fiction, *, folder: Path = FOLDER) -> Iterator[Example]:
    """Return lines of books as examples, without their own tags."""
    for row in rows(f"books.{language}", folder=folder):
        book = fiction.paragraphs(row["book"])
        place = row["paragraph"]
        first = max(0, place - BEFORE)
        parts, offsets, length = [], {}, 0
        for number in range(first, min(len(book), place + 1 + AFTER)):
            paragraph = book[number]
            if not paragraph.strip():
                continue
            if number == place:
                cut_start, cut_end = row["tag"]
                paragraph = paragraph[:cut_start] + paragraph[cut_end:]
            offsets[number] = length
            parts.append(paragraph)
            length += len(paragraph) + 1
        cut_start, cut_end = row["tag"]

        def moved(number: int, character: int, offsets: dict[int, int] = offsets) -> int:
            after_tag = number == place and character >= cut_end  # noqa: B023
            return offsets[number] + character - (cut_end - cut_start if after_tag else 0)  # noqa: B023

        yield Example(
            "books",
            row["split"],
            "\n".join(parts),
            moved(place, row["start"]),
            moved(place, row["end"]),
            **_answers(row),
            evidence=tuple(
                (moved(number, start), moved(number, end))
                for number, start, end in row["evidence"]
                if number in offsets
            )
            or None,
            id=row["id"],
        )


def passage_lines(
    language: Language, fiction: Fiction, *, kept_from: Collection[str] = (), folder: Path = FOLDER
) -> Iterator[Example]:
    """Return the spoken lines of passages of books as examples, in their books.

    Args:
        language: language of the books.
        fiction: the books.
        kept_from: books whose speakers are not learned.
        folder: folder of the labels.
    """
    for row in rows(f"passages.{language}", folder=folder):
        book, place = fiction.paragraphs(row["book"]), row["paragraph"]
        around = range(max(0, place - BEFORE), min(len(book), place + 1 + AFTER))
        head = "".join(f"{book[number]}\n" for number in around if number < place and book[number].strip())
        tail = "".join(f"\n{book[number]}" for number in around if number > place and book[number].strip())
        yield Example(
            "passages",
            row["split"],
            head + book[place] + tail,
            len(head) + row["start"],
            len(head) + row["end"],
            target=soft(row),
            intensity=int(row["intensity"]),
            id=row["id"],
            speakers=None if row["book"] in kept_from else tuple(row["speakers"]),
        )


def reported_books() -> frozenset[str]:
    """Return the books whose speakers are for reporting, and English ones by which the scorer of speakers is chosen."""
    labels = [json.loads(row) for row in BOOK_SPEAKERS.read_text(encoding="utf-8").splitlines()]
    return frozenset(
        row["book"] for row in labels if row["part"] == "test" or (row["part"] == "choose" and row["language"] == "en")
    )


def _speakers(row: Mapping[str, Any]) -> tuple[str, ...] | None:
    return (row["speaker"],) if row.get("speaker") else None


def _answers(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "target": soft(row),
        "intensity": int(row.get("intensity") or 0),
        "rhythm": row.get("rhythm") or "",
        "intonation": row.get("intonation") or "",
        "voice": tuple(row["voice"]) if "voice" in row else None,
    }


def _places(text: str, words: str) -> Iterator[tuple[int, int]]:
    start = text.find(words)
    if start >= 0:
        yield start, start + len(words)
