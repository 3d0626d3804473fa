"""Training examples for the scorer of speakers from labels: passages of novels, and short pieces, all labelled.

Novels with hidden tags teach what their authors would have tagged; what nobody tags, turns without a tag and Mandarin
speech whose subject stands in an earlier clause, is in the labels only. Rows of the split "dev" are for choosing.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from aptone.planner.reading.attribution import StoryReading, read_story
from aptone.planner.reading.characters import plain_surface
from aptone.planner.reading.mentions import NARRATOR
from aptone.planner.reading.quotations import with_curly_quotes
from aptone.planner.reading.speaker_features import NOBODY
from aptone.types import Language, Line
from recipes.planner.fiction import Fiction
from recipes.planner.labels import BOOK_SPEAKERS, CLOSE, OPEN, reported_books, rows
from recipes.planner.speaker_examples import Examples, arrays, joined, labelled_answers

NEAR: Mapping[Language, int] = {"en": 120, "zh": 40}
"""Paragraphs of a book before and behind a passage that are read."""
LEAD = 6
"""Units before a passage that are learned from, too: its turns follow theirs."""
UNNAMED_EVERY = 3
"""Of so many pieces, one teaches that nobody known speaks: many of their lines are of people whom they do not name,
and a scorer that learned it of all knew the speakers of fewer lines of the scenes for choosing."""

Labelled = Mapping[tuple[int, int], Sequence[str]]
"""Names of who speaks, by paragraph and first character of the words; empty for nobody whom the text names."""


def labelled_examples(fiction: Path | None, language: Language) -> Examples:
    """Return the examples of all labelled passages and pieces of a language, as one long story.

    Its links are cut between stories, so that windows over several of them learn each apart.

    Args:
        fiction: folder of the books; without it, of the pieces only.
    """
    found = list(piece_examples(language))
    if fiction is not None:
        found += passage_examples(Fiction(fiction), language)
    whole = joined(found)
    return Examples(whole.features, whole.present, whole.allowed, whole.alike, whole.links, np.array([0]))


def passage_examples(fiction: Fiction, language: Language) -> Iterator[Examples]:
    """Yield the examples of passages of novels, but for books that are for reporting or choosing, and chosen lines."""
    kept = reported_books()
    chosen = {(row["book"], row["paragraph"]) for row in map(json.loads, BOOK_SPEAKERS.read_text("utf-8").splitlines())}
    passages: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows(f"passages.{language}"):
        if row["split"] == "train" and row["book"] not in kept and (row["book"], row["paragraph"]) not in chosen:
            passages[row["book"], row["id"].rpartition(".")[0]].append(row)
    for (book, _), own in passages.items():
        paragraphs = fiction.paragraphs(book)
        start = max(0, min(row["paragraph"] for row in own) - NEAR[language])
        end = max(row["paragraph"] for row in own) + NEAR[language]
        labels = {(row["paragraph"] - start, row["start"]): row["speakers"] for row in own}
        yield from story_examples(paragraphs[start:end], labels, language, lead=LEAD)


def piece_examples(language: Language) -> Iterator[Examples]:
    """Yield the examples of short pieces."""
    stories: dict[str, str] = {}
    labels: dict[str, dict[int, Sequence[str]]] = defaultdict(dict)
    for row in rows(f"pieces.{language}"):
        if row["split"] == "train":
            stories[row["id"]] = row["story"].replace(OPEN, "").replace(CLOSE, "")
            if row.get("speaker"):
                labels[row["id"]][row["story"].index(OPEN)] = [row["speaker"]]
    for row in rows(f"lines.{language}"):
        if row["scene"] in stories and row.get("speaker") and not row.get("is_target"):
            labels[row["scene"]][row["start"]] = [row["speaker"]]
    for count, (name, story) in enumerate(stories.items()):
        paragraphs = story.split("\n")
        starts = np.cumsum([0, *(len(text) + 1 for text in paragraphs)])
        placed = {}
        for place, speakers in labels[name].items():
            number = int(np.searchsorted(starts, place, side="right")) - 1
            placed[number, place - int(starts[number])] = speakers
        yield from story_examples(paragraphs, placed, language, unnamed=count % UNNAMED_EVERY == 0)


def story_examples(
    paragraphs: Sequence[str], labels: Labelled, language: Language, *, lead: int | None = None, unnamed: bool = True
) -> Iterator[Examples]:
    """Yield the examples of a story, if it has any.

    Args:
        unnamed: learn also that nobody known speaks, where a label names none of the candidates.
        lead: units before the first labelled one that are kept, and none behind the last; by default all.
    """
    story = read_story([Line(text) for text in with_curly_quotes(paragraphs)])
    if story.language != language or not story.events.units:
        return
    accepted = unit_speakers(story, labels)
    if not accepted:
        return
    if not unnamed:
        accepted = {number: names for number, names in accepted.items() if NOBODY not in names}
    found = arrays(story, labelled_answers(story, accepted))
    if lead is None:
        yield found
        return
    first, last = max(0, min(accepted) - lead), max(accepted) + 1
    cut = Examples(
        found.features[first:last],
        found.present[first:last],
        found.allowed[first:last],
        found.alike[:, first:last].copy(),
        found.links[:, first:last].copy(),
        np.array([0]),
    )
    for step in (1, 2):
        cut.alike[step - 1, :step] = False
        cut.links[step - 1, :step] = 0
    yield cut


def unit_speakers(story: StoryReading, labels: Labelled) -> dict[int, frozenset[str]]:
    """Return the candidates of units that a label accepts, by the number of the unit; nobody where none is."""
    found: dict[int, frozenset[str]] = {}
    for number, unit in enumerate(story.events.units):
        for part in unit.parts:
            places = [(unit.place, start) for start in (part.start, part.start + 1)]
            spoken = [labels[place] for place in places if place in labels]
            if not spoken:
                continue
            names = [name for name in story.candidates.names[number] if name != NOBODY]
            right = frozenset(name for name in names if any(is_same(name, one, story.language) for one in spoken[0]))
            found[number] = right or frozenset((NOBODY,))
            break
    return found


def is_same(role: str, name: str, language: Language) -> bool:
    """Return true if a role means the person of a label; "年轻警员" may be 警员, "the old keeper" the keeper.

    >>> is_same("Mr. Grey", "Grey", "en"), is_same("警员", "年轻警员", "zh"), is_same("Tom", "Ann", "en")
    (True, True, False)
    """
    if role == name:
        return True
    if language == "zh":
        short, long = sorted((role, name), key=len)
        return role != NARRATOR["zh"] and len(short) > 1 and long.endswith(short)
    one, two = (set(plain_surface(text).casefold().split()) - _TITLES for text in (role, name))
    return bool(one and two) and (one <= two or two <= one)


_TITLES = frozenset(("the", "a", "an", "mr", "mrs", "miss", "ms", "dr", "my", "his", "her", "their", "our"))
