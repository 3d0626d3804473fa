"""Examples as the planner reads them: through the same path as ``aptone plan``, which finds lines and who says them."""

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from aptone.planner.passage import Passage, passage_of
from aptone.rooms.aptness.api import line_to_plan
from aptone.rooms.aptness.story import Story, make_story
from aptone.types import Language, Sample
from recipes.planner.examples import Example

_MARKS_AND_SPACE = re.compile(r"[\s“”\"「」『』‘’'＂]")


def sample_at(text: str, start: int, end: int, language: Language) -> Sample:
    """Return the words between two places of a text as a sample."""
    wanted = text[start:end].strip()
    holding = [wanted in paragraph for paragraph in text.split("\n")]
    occurrence = sum(holding[: text[:start].count("\n") + 1]) if sum(holding) > 1 else None
    return line_to_plan(_story(text, language), line=wanted, occurrence=occurrence, language=language)


def passage_at(example: Example, language: Language) -> Passage:
    """Return the passage around the target of an example."""
    return passage_of(sample_at(example.text, example.start, example.end, language))


def as_read(example: Example, language: Language) -> Example:
    """Return an example with the text that the planner reads; who says it is not asked where its label names them."""
    passage = passage_at(example, language)
    evidence = None
    if example.evidence is not None:
        found = (_moved(example, passage, start, end) for start, end in example.evidence)
        evidence = tuple(span for span in found if span is not None)
    return replace(
        example, text=passage.text, start=passage.start, end=passage.end, evidence=evidence, speakers=None
    )  # fmt: skip


def in_both_texts(examples: Iterable[Example], language: Language) -> Iterator[Example]:
    """Yield training examples as they are written, and as they are read where that differs; held-out ones as read."""
    for example in examples:
        read = as_read(example, language)
        differs = _plain(read.text) != _plain(example.text)
        if example.split != "dev" or not differs:
            yield example
        if differs:
            yield read


@functools.lru_cache(maxsize=4)
def _story(text: str, language: Language) -> Story:
    return make_story(text.split("\n"), language=language)


def _moved(example: Example, passage: Passage, start: int, end: int) -> tuple[int, int] | None:
    """Return where some words of an example stand in its passage: the place nearest to where they stood."""
    words = example.text[start:end]
    shift = passage.start - example.start if start < example.end else passage.end - example.end
    places = []
    place = passage.text.find(words)
    while place >= 0 and words:
        places.append(place)
        place = passage.text.find(words, place + 1)
    near = min(places, key=lambda one: abs(one - start - shift), default=None)
    return None if near is None else (near, near + len(words))


def _plain(text: str) -> str:
    return _MARKS_AND_SPACE.sub("", text)
