"""Draw the spoken lines of our own scenes for careful readers, and add their answers to the labels.

    python -m recipes.planner.scene_readings draw en --out TASKS [--of test]
    python -m recipes.planner.scene_readings merge en --rows ANSWERS.txt … [--of test]

A scene was written around one target; the other people in it speak, too. ``draw`` numbers every spoken line of every
scene and contrast set, the target among them, so that the reader does not know which it is. ``merge`` writes rows of
the form

    scene number|emotion|also,also|intensity

to ``labels/lines.LANGUAGE.jsonl``, or those of test scenes to ``labels/test_lines.LANGUAGE.jsonl``. What a reader says
of a target is kept, as a second reading of it. A row that cannot be read is named and left out.
"""

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from aptone.planner.reading.attribution import speech_spans
from aptone.planner.reading.speech_tags import script_label
from aptone.types import Language
from recipes.planner.examples import EMOTIONS
from recipes.planner.labels import CLOSE, FOLDER, OPEN, rows

SCENES = 60
"""Scenes of a page."""
MOST = 9
"""Most spoken lines of a scene, those nearest to its target."""


class Collection(NamedTuple):
    """Files of scenes, and that of their lines."""

    scenes: tuple[str, ...]
    lines: str


COLLECTIONS = {
    "training": Collection(("scenes", "contrast"), "lines"),
    "test": Collection(("test", "fresh"), "test_lines"),
}


def spoken(story: str) -> tuple[str, list[tuple[int, int, bool]]]:
    """Return a scene without its marks, and the spans of what is spoken in it; true for the target.

    >>> spoken("“Sit,” said Ann. “⟦No!⟧”")
    ('“Sit,” said Ann. “No!”', [(1, 5, False), (18, 21, True)])
    """
    start, end = story.index(OPEN), story.index(CLOSE) - 1
    plain = story.replace(OPEN, "").replace(CLOSE, "")
    spans = [(start, end, True)]
    spans += [(*span, False) for span in _speech(plain) if span[1] <= start or span[0] >= end]
    nearest = sorted(spans, key=lambda span: min(abs(span[0] - end), abs(start - span[1])) if not span[2] else -1)
    return plain, sorted(nearest[:MOST])


def _speech(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of words in quotation marks, behind dashes, and behind the names of a script."""
    paragraphs = text.split("\n")
    offset = 0
    for paragraph, quotations in zip(paragraphs, speech_spans(paragraphs), strict=True):
        if quotations:
            for one in quotations:
                inside = paragraph[one.start + 1 : one.end - one.is_closed]
                first = one.start + 1 + len(inside) - len(inside.lstrip())
                yield offset + first, offset + first + len(inside.strip())
        elif (label := script_label(paragraph)) is not None and label.said.strip():
            yield offset + len(paragraph) - len(label.said), offset + len(paragraph)
        offset += len(paragraph) + 1


def draw(language: Language, collection: Collection, out: Path, *, seed: int) -> None:
    """Write pages of scenes in which somebody else speaks, too, in random order."""
    labelled = {row["scene"] for row in rows(f"{collection.lines}.{language}")}
    scenes = [row for name in collection.scenes for row in rows(f"{name}.{language}") if row["id"] not in labelled]
    random.Random(seed).shuffle(scenes)
    found = [(row["id"], *spoken(row["story"])) for row in scenes]
    found = [one for one in found if len(one[2]) > 1]
    for first in range(0, len(found), SCENES):
        page = (f"### {name}\n{_numbered(text, spans)}\n" for name, text, spans in found[first : first + SCENES])
        (out / f"scenes.{language}.{first // SCENES:03d}.txt").write_text("\n".join(page), encoding="utf-8")
    print(f"{len(found)} scenes, {sum(len(spans) for _, _, spans in found)} lines")


def _numbered(text: str, spans: Sequence[tuple[int, int, bool]]) -> str:
    for number in range(len(spans), 0, -1):
        start, end, _ = spans[number - 1]
        text = f"{text[:start]}⟦{number} {text[start:end]}⟧{text[end:]}"
    return text


def label_of(row: str, scenes: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return a reader's row as a label.

    Raises:
        ValueError: if a field has an unknown value.
    """
    place, emotion, also, intensity = ("" if field.strip() == "-" else field.strip() for field in row.split("|"))
    scene, _, number = place.partition(" ")
    others = [one.strip() for one in also.split(",") if one.strip()]
    if unknown := [one for one in (emotion, *others) if one not in EMOTIONS]:
        raise ValueError(f"unknown emotion {unknown[0]!r}")
    if scene not in scenes or intensity not in ("0", "1", "2", "3"):
        raise ValueError(f"unknown scene {scene!r} or intensity {intensity!r}")
    _, spans = spoken(scenes[scene]["story"])
    if not number.isdigit() or not 1 <= int(number) <= len(spans):
        raise ValueError(f"scene {scene} has {len(spans)} spoken lines, none has the number {number!r}")
    start, end, is_target = spans[int(number) - 1]
    label = {
        "id": f"{scene}.{number}",
        "scene": scene,
        "start": start,
        "end": end,
        "split": scenes[scene].get("split", "test"),
    }
    label |= {"emotion": emotion, "also": [one for one in others if one != emotion], "intensity": int(intensity)}
    return label | ({"is_target": True} if is_target else {})


def merge(language: Language, collection: Collection, answers: Sequence[Path], *, folder: Path = FOLDER) -> None:
    """Append the answers of readers to the labels."""
    scenes = {row["id"]: row for name in collection.scenes for row in rows(f"{name}.{language}", folder=folder)}
    target = folder / f"{collection.lines}.{language}.jsonl"
    known = {row["id"] for row in rows(f"{collection.lines}.{language}", folder=folder)}
    added = []
    for row in (row for path in answers for row in path.read_text(encoding="utf-8").splitlines() if row.strip()):
        try:
            label = label_of(row, scenes)
        except ValueError as error:
            print(f"left out: {row} ({error})")
            continue
        if label["id"] not in known:
            known.add(label["id"])
            added.append(label)
    with target.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in added)
    print(f"{target}: {len(added)} labels added")


def main() -> None:
    """Draw or merge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("draw", "merge"))
    parser.add_argument("language", choices=get_args(Language))
    parser.add_argument("--of", choices=tuple(COLLECTIONS), default="training", help="Which scenes.")
    parser.add_argument("--out", type=Path, help="Folder for the pages.")
    parser.add_argument("--rows", type=Path, nargs="*", default=(), help="Files of readers' rows.")
    parser.add_argument("--seed", type=int, default=1, help="Random seed of the order of scenes.")
    options = parser.parse_args()
    if options.step == "draw":
        draw(options.language, COLLECTIONS[options.of], options.out, seed=options.seed)
    else:
        merge(options.language, COLLECTIONS[options.of], options.rows)


if __name__ == "__main__":
    main()
