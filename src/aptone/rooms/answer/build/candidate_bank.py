"""Sentences of our own for contrast pairs, with places to fill: the bank inside the package.

``templates/<language>.txt`` holds the sentences, ``templates/answers.<language>.json`` what a good listener would
answer to each way of asking.
"""

import functools
import hashlib
import itertools
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from aptone.models import About
from aptone.rooms.answer.build.records import Candidate, Wanted
from aptone.rooms.answer.records import CATEGORIES, TOPICS, Dimension
from aptone.run import Call
from aptone.types import Language, dumps, signature

TEMPLATES = Path(str(files("aptone.rooms.answer"))) / "templates"

_SLOT = re.compile(r"\{([^{}]*)\}")
_HEADING = re.compile(r"\[(\w+) (\w+)\]")


class Sentence(NamedTuple):
    """A sentence of the bank, and the two ways in which it is said."""

    text: str
    ways: tuple[str, str]


class TemplateWriter:
    """The bank inside the package: sentences of our own with places to fill, in English and Mandarin."""

    @property
    def signature(self) -> str:
        """The bank by its content."""
        return signature("templates", {"en": _bank_hash("en"), "zh": _bank_hash("zh")})

    @property
    def about(self) -> About:
        """It needs nothing."""
        return About()

    async def write(self, wanted: Wanted, call: Call, /) -> tuple[Candidate, ...]:
        """See `CandidateWriter.write`; no sentence comes twice."""
        bank = load_bank(wanted.language)[wanted.dimension, wanted.topic]
        seed = [call.seed, *f"{wanted.dimension.value} {wanted.topic}".encode()]
        order = np.random.default_rng(seed).permutation(len(bank))
        first = wanted.number * wanted.count
        made = []
        for place, index in enumerate(order[first : first + wanted.count].tolist()):
            sentence = bank[index]
            made.append(
                Candidate(
                    wanted.candidate_id(place),
                    sentence.text,
                    wanted.dimension,
                    sentence.ways,
                    wanted.topic,
                    ideal_answers(wanted.dimension, wanted.topic, sentence.ways, language=wanted.language),
                    wanted.language,
                )
            )
        return tuple(made)


def bank_size(dimension: Dimension, language: Language) -> int:
    """How many sentences of a dimension the bank has."""
    return sum(len(load_bank(language)[dimension, topic]) for topic in TOPICS)


@functools.cache
def load_bank(language: Language) -> Mapping[tuple[Dimension, str], tuple[Sentence, ...]]:
    """The bank: sentences by dimension and topic."""
    found: dict[tuple[Dimension, str], list[Sentence]] = {}
    used: Counter[str] = Counter()
    kind = (Dimension.EMOTION, TOPICS[0])
    for line in (TEMPLATES / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if heading := _HEADING.fullmatch(line):
            kind = (Dimension(heading[1]), heading[2])
            found[kind] = []
            continue
        named, _, template = line.partition(": ") if kind[0] is Dimension.EMOTION else ("", "", line)
        for text in filled(template):
            ways = _rarest_pair(named.split() or CATEGORIES[kind[0]], used)
            used.update(ways)
            found[kind].append(Sentence(text, ways))
    return {kind: tuple(sentences) for kind, sentences in found.items()}


def _rarest_pair(ways: Sequence[str], used: Mapping[str, int]) -> tuple[str, str]:
    """The two ways that were asked for least so far, so that rare feelings are not lost among the common ones."""
    return min(itertools.combinations(ways, 2), key=lambda pair: (used[pair[0]] + used[pair[1]], pair))


def filled(template: str) -> list[str]:
    """The sentences of a template: choice by choice, the same in every slot.

    >>> filled("My {sister|boss} called from {home|work}.")
    ['My sister called from home.', 'My boss called from work.']

    Raises:
        ValueError: if the slots have different numbers of choices.
    """
    slots = [slot.split("|") for slot in _SLOT.findall(template)]
    if not slots:
        return [template]
    sentences = []
    for chosen in zip(*slots, strict=True):
        choices = iter(chosen)
        sentences.append(_SLOT.sub(lambda _, choices=choices: next(choices), template))  # type: ignore[misc]
    return sentences


def ideal_answers(dimension: Dimension, topic: str, ways: Sequence[str], *, language: Language) -> dict[str, str]:
    """What a good listener would answer to a sentence of the bank, for each way of asking."""
    table = _answers(language)[dimension.value]
    by_way = table.get(topic, table)
    return {way: by_way[way] for way in ways}


@functools.cache
def _answers(language: Language) -> Mapping[str, Any]:
    table: Mapping[str, Any] = json.loads((TEMPLATES / f"answers.{language}.json").read_bytes())
    return table


def _bank_hash(language: Language) -> str:
    digest = hashlib.sha256((TEMPLATES / f"{language}.txt").read_bytes())
    digest.update(dumps(_answers(language)).encode())
    return digest.hexdigest()[:16]
