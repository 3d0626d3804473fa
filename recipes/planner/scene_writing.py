"""Draw specifications of scenes for writers, and add what they wrote to the labels.

    python -m recipes.planner.scene_writing draw en --out TASKS --count 1000
    python -m recipes.planner.scene_writing merge en --rows SCENES.txt …

A specification names a form, a place, who speaks, an event and what each person feels, all drawn at random, so that
writers do not fall back on the same few situations. The people of a scene feel different things. In what comes back
every spoken line has its label:

    ### 0012
    Ana put the letter down. “⟦*implicit sad/calm 2|They gave it to Rui.⟧”
    “⟦happy 2|But that's wonderful!⟧” said her mother.

emotion, others that fit as well, and intensity, and behind an ``@`` who speaks (``sad 2 @Ana|``); the line with ``*``
and a kind is the target of the scene. ``merge`` appends targets to ``labels/scenes.LANGUAGE.9.jsonl`` and the other
lines to ``labels/lines.LANGUAGE.jsonl``; ``--of pieces`` and ``--of trials`` write to the files of those.
"""

import argparse
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, get_args

from aptone.types import Language
from recipes.planner.arrays import KINDS
from recipes.planner.examples import EMOTIONS
from recipes.planner.labels import CLOSE, FOLDER, OPEN, rows

PAGE = 40
"""Specifications of a page."""
DEV = 6
"""One in so many scenes is held out."""
_FEELINGS = tuple(name for name in EMOTIONS if name != "unsaid")
_LINE = re.compile(
    r"⟦(?:\*(?P<kind>\w+) )?(?P<emotion>\w+)(?P<also>(?:/\w+)*) (?P<intensity>[0-3])(?P<more>(?:/\w+)*)"
    r"(?: @(?P<speaker>[^|⟦⟧]+))?\|(?P<words>[^⟦⟧]+)⟧"
)


class Written(NamedTuple):
    """A line of a written scene.

    Args:
        kind: kind of the scene if the line is its target, otherwise empty.
        speaker: name of who says it, where the writer gave one.
        start, end: place of the words in the plain text.
    """

    kind: str
    emotion: str
    also: tuple[str, ...]
    intensity: int
    speaker: str
    start: int
    end: int


def read_scene(marked: str) -> tuple[str, list[Written]]:
    """Return the plain text of a scene and its labelled lines.

    >>> text, (line,) = read_scene("“⟦*tag angry/disgust 3 @Tom|No!⟧” he spat.")
    >>> text, line.emotion, line.also, line.intensity, line.speaker
    ('“No!” he spat.', 'angry', ('disgust',), 3, 'Tom')

    Raises:
        ValueError: if a mark cannot be read, or if there is not one target.
    """
    lines, parts, place, length = [], [], 0, 0
    for match in _LINE.finditer(marked):
        parts += [marked[place : match.start()], match["words"].strip()]
        start = length + len(parts[-2])
        length = start + len(parts[-1])
        others = (match["also"] + match["more"]).split("/")
        also = tuple(one for one in others if one and one != match["emotion"])
        named = (match["emotion"], *also)
        if unknown := [one for one in named if one not in EMOTIONS]:
            raise ValueError(f"unknown emotion {unknown[0]!r}")
        who = (match["speaker"] or "").strip()
        lines.append(Written(match["kind"] or "", match["emotion"], also, int(match["intensity"]), who, start, length))
        place = match.end()
    text = "".join(parts) + marked[place:]
    kinds = [line.kind for line in lines if line.kind]
    if set(text) & {OPEN, CLOSE} or len(kinds) != 1 or kinds[0] not in KINDS:
        raise ValueError(f"a mark that cannot be read, or not one target: {kinds}")
    return text, lines


class Collection(NamedTuple):
    """Files of written texts and of their other lines, and the prefix of ids; `split` unless a sixth is dev."""

    scenes: str
    lines: str
    prefix: str
    split: str = ""


COLLECTIONS = {
    "scenes": Collection("scenes.{}.9", "lines.{}", "9"),
    "pieces": Collection("pieces.{}", "lines.{}", "p"),
    "trials": Collection("trials.{}", "trial_lines.{}", "t", split="test"),
}


def merge(language: Language, paths: Sequence[Path], collection: Collection, *, folder: Path = FOLDER) -> None:
    """Append written scenes to the labels."""
    scenes_name, lines_name = collection.scenes.format(language), collection.lines.format(language)
    earlier = rows(scenes_name, folder=folder)
    known = {row["story"].replace(OPEN, "").replace(CLOSE, "") for row in earlier}
    number = len(earlier)
    targets, others = [], []
    for name, marked in _blocks(paths):
        try:
            text, lines = read_scene(marked)
        except ValueError as error:
            print(f"left out: {name} ({error})")
            continue
        if text in known:
            continue
        known.add(text)
        scene = f"{language}{collection.prefix}-{number:04d}"
        split = collection.split or ("dev" if number % DEV == 0 else "train")
        number += 1
        for place, line in enumerate(lines, start=1):
            label = {"emotion": line.emotion, "also": list(line.also), "intensity": line.intensity}
            label |= {"speaker": line.speaker} if line.speaker else {}
            if line.kind:
                story = f"{text[: line.start]}{OPEN}{text[line.start : line.end]}{CLOSE}{text[line.end :]}"
                targets.append({"id": scene, "kind": line.kind, "split": split, **label, "story": story})
            else:
                span = {"start": line.start, "end": line.end, "split": split}
                others.append({"id": f"{scene}.{place}", "scene": scene, **span, **label})
    for path, found in ((scenes_name, targets), (lines_name, others)):
        with (folder / f"{path}.jsonl").open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in found)
    print(f"{len(targets)} scenes, {len(others)} other lines added")


def _blocks(paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    for path in paths:
        for block in re.split(r"^### *", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            head, _, marked = block.partition("\n")
            yield f"{path.name} {head.strip()}", marked.strip()


def specification(chance: random.Random, words: Mapping[str, Sequence[str]]) -> str:
    """Return one specification, as a row for the writer."""
    speakers = chance.choices((1, 2, 3), (1, 5, 2))[0]
    feelings = [chance.choice(_FEELINGS) for _ in range(speakers)]
    kind = chance.choices(KINDS, (1, 1, 2, 4, 3, 4))[0]
    form, length, place, relation, event, seed = (
        chance.choice(words[name]) for name in ("form", "length", "place", "relation", "event", "seed")
    )
    names = chance.sample(words["names"], speakers)
    cast = "; ".join(f"{name}: {feeling}" for name, feeling in zip(names, feelings, strict=True))
    return f"{kind} | {form} | {length} | {place} | {relation} | {event} | {cast} | use: {seed}"


_SHAPES = (
    "tag before the line",
    "tag after the line",
    "split line with the tag inside",
    "script with notes in brackets",
    "no tag, a gesture beside the line",
    "bare lines in turn",
    "one sentence",
    "first person",
    "chat or phone call",
    "narration first, then the line",
)
_TRICKS = (
    "negated feeling",
    "feeling of somebody else in the same sentence",
    "feeling that has passed",
    "irony",
    "feeling kept under",
    "feeling named inside the words",
    "comparison",
    "loud neighbour, quiet speaker",
    "tears or laughter for the other reason",
    "hard words, soft voice",
)
_PIECE_KINDS = {"tag": 1, "stage": 3, "narrated": 2, "implicit": 5, "tricky": 5, "far": 2}
_TWIN_EVERY = 5


def piece_specification(
    chance: random.Random, words: Mapping[str, Sequence[str]], number: int, kinds: Sequence[str] = ()
) -> str:
    """Return the specification of a short piece; now and then of one that shares its line with the one before."""
    counts = {kind: count for kind, count in _PIECE_KINDS.items() if not kinds or kind in kinds}
    kind = chance.choices(tuple(counts), tuple(counts.values()))[0]
    speakers = chance.choices((1, 2, 3), (3, 4, 1))[0]
    feelings = [chance.choice(_FEELINGS) for _ in range(speakers)]
    parts = [kind, chance.choice(_SHAPES), chance.choice(words["event"]), ", ".join(feelings)]
    if kind == "tricky":
        parts.append(chance.choice(_TRICKS))
    if number % _TWIN_EVERY == _TWIN_EVERY - 1:
        parts.append("TWIN: the target's words are those of the piece before, and sound different here")
    return " | ".join(parts)


def draw(
    language: Language, out: Path, *, count: int, seed: int, pieces: bool = False, kinds: Sequence[str] = ()
) -> None:
    """Write pages of specifications; `kinds` are those of short pieces, all of them by default."""
    words = json.loads((FOLDER / f"specifications.{language}.json").read_text(encoding="utf-8"))
    chance = random.Random(seed)
    for first in range(0, count, PAGE):
        page = (
            f"{number:04d} "
            f"{piece_specification(chance, words, number, kinds) if pieces else specification(chance, words)}\n"
            for number in range(first, first + PAGE)
        )
        (out / f"specs.{language}.{first // PAGE:03d}.txt").write_text("".join(page), encoding="utf-8")


def main() -> None:
    """Draw or merge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("draw", "merge"))
    parser.add_argument("language", choices=get_args(Language))
    parser.add_argument("--out", type=Path, help="Folder for the pages.")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--rows", type=Path, nargs="*", default=(), help="Files of written scenes.")
    parser.add_argument("--of", choices=tuple(COLLECTIONS), default="scenes", help="Where they belong.")
    parser.add_argument("--seed", type=int, default=1, help="Random seed of the specifications.")
    parser.add_argument("--kinds", choices=tuple(_PIECE_KINDS), nargs="*", default=(), help="Kinds of pieces to draw.")
    options = parser.parse_args()
    if options.step == "draw":
        pieces = options.of == "pieces"
        draw(options.language, options.out, count=options.count, seed=options.seed, pieces=pieces, kinds=options.kinds)
    else:
        merge(options.language, options.rows, COLLECTIONS[options.of])


if __name__ == "__main__":
    main()
