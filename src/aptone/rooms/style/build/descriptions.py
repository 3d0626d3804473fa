"""New style descriptions from old ones: by a chat model, or composed from the grammar of `aptone.ear.describe`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from aptone.ear.describe import ATTRIBUTES, Style, contradictions, describe, flip, narrow, values_of
from aptone.errors import UnusableReplyError
from aptone.messages import message
from aptone.models import About, TextEmbedder
from aptone.models.asking.guard import guard
from aptone.models.asking.json_objects import list_schema, one_object
from aptone.models.asking.prompts import WritingPart
from aptone.models.asking.writers import Writing, writer_by_kind
from aptone.models.chat import Chat, Message
from aptone.models.parts import Part, Vectors
from aptone.rooms.style.build.captions import has_words, parse_description
from aptone.rooms.style.build.sampling import DescriptionPool
from aptone.rooms.style.embedding.vectors import TEXTS_AT_ONCE, unit_rows
from aptone.run import Call
from aptone.types import Entry, Item, Json, Language, Outcome, Score, State, language_of_text, signature, to_json

PROMPTS = Path(__file__).parents[1] / "prompts"
WRITERS = ("grammar", "api", "local")
WANTED = 10
"""Descriptions that are asked for in a round."""
ADDED = tuple(name for name in ATTRIBUTES if name not in ("emotion", "intensity", "sex", "music"))
"""Attributes that the grammar may add to a style."""
LONGEST = 400
"""Characters beyond which a text is no description of a style."""


class DescriptionWriter(Part, Protocol):
    """Writes new descriptions in the manner of examples."""

    async def write(self, examples: Sequence[str], *, language: Language, number: int, call: Call) -> tuple[str, ...]:
        """Candidates for the pool.

        Raises:
            UnusableReplyError: if no reply of a model can be used.
        """
        ...


def make_description_writer(kind: str, settings: dict[str, Json]) -> DescriptionWriter:
    """Make the writer of descriptions, by its kind.

    Raises:
        MissingExtraError: if it cannot run here.
        UsageError: if there is no such kind or option, or an option is not one.
    """
    return writer_by_kind(
        kind, settings, built_in={"grammar": GrammarWriter}, by_chat=ChatDescriptionWriter, what="descriptions"
    )


class GrammarWriter:
    """Recombines the attributes of examples, flips one, and words the result.

    It knows the attributes of our grammar only: its descriptions are plainer than people's or a chat model's.
    """

    @property
    def signature(self) -> str:
        """The grammar by its revision."""
        return signature("descriptions:grammar", {"revision": 1})

    @property
    def about(self) -> About:
        """Its requirements: none."""
        return About(notes=(message("style.note-descriptions"),))

    async def write(self, examples: Sequence[str], *, language: Language, number: int, call: Call) -> tuple[str, ...]:
        """See `DescriptionWriter.write`."""
        generator = np.random.default_rng([call.seed, number, *language.encode()])
        styles = [style for text in examples if (style := parse_description(text, language)) != Style()]
        return tuple(_composed(styles, generator, language) for _ in range(WANTED)) if styles else ()


def _composed(styles: Sequence[Style], generator: np.random.Generator, language: Language) -> str:
    """Half of the attributes of one style, the rest from another, some added, one of them flipped."""
    first, second = (styles[int(generator.integers(len(styles)))] for _ in range(2))
    values = {name: getattr(second, name) for name in ATTRIBUTES}
    kept = [name for name in ATTRIBUTES if getattr(first, name) and generator.random() < 0.5]
    values.update({name: getattr(first, name) for name in kept})
    try:
        mixed = Style(**values)
    except ValueError:  # an intensity without its emotion
        mixed = first
    mixed = _enriched(mixed, generator)
    named = [name for name in ATTRIBUTES if getattr(mixed, name) and name not in ("intensity", "events")]
    if named:
        mixed = flip(mixed, named[int(generator.integers(len(named)))], seed=int(generator.integers(2**31))).style
    some = [name for name in ATTRIBUTES if getattr(mixed, name) and generator.random() < 0.8]
    part = narrow(mixed, some) if some else mixed
    length = ("phrase", "sentence", "sentence", "caption")[int(generator.integers(4))]
    seed = int(generator.integers(2**31))
    return describe(part if part != Style() else mixed, language=language, length=length, seed=seed)  # type: ignore[arg-type]


def _enriched(style: Style, generator: np.random.Generator) -> Style:
    """The style with up to three attributes that it had not, of any value that contradicts nothing.

    Labels say little: without this, a corpus described by labels would give a pool of sex and emotion only.
    """
    absent = [name for name in ADDED if not getattr(style, name)]
    for place in generator.permutation(len(absent))[: int(generator.integers(4))]:
        name = absent[place]
        values = values_of(name)
        value = values[int(generator.integers(len(values)))]
        added: dict[str, Any] = {name: (value,) if name == "events" else value}
        richer = replace(style, **added)
        style = style if any(contradictions(richer, name)) else richer
    return style


class ChatDescriptionWriter(WritingPart[Chat]):
    """A chat model that continues a list of descriptions.

    Raises:
        UsageError: if nothing can be written like that.
    """

    def __init__(self, writing: Writing[Chat]) -> None:
        super().__init__("descriptions:chat", writing, {"describe_more": ("examples", "count")}, ours=PROMPTS)

    async def write(self, examples: Sequence[str], *, language: Language, number: int, call: Call) -> tuple[str, ...]:
        """See `DescriptionWriter.write`; what cannot be used is asked for again."""
        listed = "\n".join(f"{place}. {guard(text)}" for place, text in enumerate(examples, start=1))
        prompt = self._prompts.fill("describe_more", language, {"examples": listed, "count": str(WANTED)})
        return await self._answer(
            Message("user", prompt),
            read=lambda reply: read_descriptions(reply, language=language),
            call=call,
            json_schema=descriptions_schema(),
        )


def descriptions_schema() -> dict[str, Json]:
    """The JSON schema of a list of descriptions."""
    return list_schema("descriptions", {"type": "string"})


def read_descriptions(reply: str, *, language: Language) -> tuple[str, ...]:
    """The descriptions in a reply: those in the right language, of a sensible length, as plain words on one line.

    Raises:
        UnusableReplyError: if the reply holds no list, or nothing in it can be used.
    """
    found = one_object(
        reply, holds=lambda one: isinstance(one.get("descriptions"), list), what="a list of descriptions"
    )
    listed = found["descriptions"]
    texts = [guard(one) for one in listed if isinstance(one, str)]
    usable = [one for one in texts if 0 < len(one) <= LONGEST and has_words(one) and language_of_text(one) == language]
    if not usable:
        reason = message("style.no-usable-description", count=len(listed), language=repr(language))
        raise UnusableReplyError(reason, raw_reply=reply)
    return tuple(dict.fromkeys(usable))


IDLE = 20
"""Rounds in a row that may bring nothing new before a language is given up."""
GIVEN_UP = 3
"""Rounds in a row that may fail, because a server is away for instance."""


@dataclass(slots=True)
class Expansion:
    """Grows the pools of descriptions; the step of a run that works on one round at a time, in this process.

    Args:
        targets: number of descriptions that each pool is to hold, seeds included.
        known: rounds of earlier sessions, by id.
    """

    pools: Mapping[Language, DescriptionPool]
    targets: Mapping[Language, int]
    writer: DescriptionWriter
    embedder: TextEmbedder
    known: Mapping[str, Entry] = field(default_factory=dict)
    _idle: dict[Language, int] = field(default_factory=dict)
    _failures: int = 0
    _kept: dict[str, Vectors] = field(default_factory=dict)

    def rounds(self) -> Iterator[Item]:
        """Rounds until every pool is full, or nothing new comes any more; read while the run goes on."""
        number = 0
        while (language := self._neediest()) is not None and self._failures < GIVEN_UP:
            number += 1
            payload: dict[str, Json] = {"round": number, "language": language}
            item = Item.make(f"{number:05}-{language}", payload, position=number)
            entry = self.known.get(item.id)
            if entry is not None and entry.outcome.state is not State.FAILED:
                self._replay(entry.outcome, language)
                yield item
                continue
            self._failures += 1  # until it is done
            yield item

    async def __call__(self, item: Item, call: Call, /) -> Outcome:
        """One round."""
        language: Language = "zh" if item.payload["language"] == "zh" else "en"
        number = item.payload["round"]
        assert isinstance(number, int)
        pool = self.pools[language]
        examples = pool.examples(np.random.default_rng([call.seed, number]))
        candidates = await self.writer.write(examples, language=language, number=number, call=call)
        vectors = unit_rows(await self.embedder.embed(candidates)) if candidates else pool.vectors[:0]
        most = self.targets[language] - len(pool.texts)
        admitted, refused = pool.admit(candidates, vectors, most=most)
        self._count(language, len(admitted))
        self._failures = 0
        evidence: dict[str, Json] = {
            "examples": list(examples),
            "admitted": list(admitted),
            "refused": [to_json(one) for one in refused],
        }
        if not candidates:
            return Outcome.unscored(message("style.nothing-proposed"), evidence=evidence, signature=self.signature)
        share = Score(len(admitted) / len(candidates), range=(0.0, 1.0), signature=self.signature)
        return Outcome(State.DONE, {"admitted": share}, evidence=evidence, signature=self.signature)

    async def begin(self) -> None:
        """Embed what earlier sessions admitted, so that `rounds` can go through them without waiting."""
        texts = list(dict.fromkeys(text for entry in self.known.values() for text in _admitted(entry.outcome)))
        for begin in range(0, len(texts), TEXTS_AT_ONCE):
            some = texts[begin : begin + TEXTS_AT_ONCE]
            self._kept.update(zip(some, unit_rows(await self.embedder.embed(some)), strict=True))

    def _replay(self, outcome: Outcome, language: Language) -> None:
        texts = _admitted(outcome)
        pool = self.pools[language]
        vectors = np.stack([self._kept[text] for text in texts]) if texts else pool.vectors[:0]
        admitted, _ = pool.admit(texts, vectors, most=self.targets[language] - len(pool.texts))
        self._count(language, len(admitted))

    def _count(self, language: Language, admitted: int) -> None:
        self._idle[language] = 0 if admitted else self._idle.get(language, 0) + 1

    def _neediest(self) -> Language | None:
        """The language whose pool is least full; ``None`` if none needs more or can get it."""
        lacking = {
            language: len(pool.texts) / self.targets[language]
            for language, pool in self.pools.items()
            if len(pool.texts) < self.targets[language] and self._idle.get(language, 0) < IDLE
        }
        return min(lacking, key=lambda language: lacking[language], default=None)

    @property
    def signature(self) -> str:
        """Writer and embedder."""
        return f"{self.writer.signature} + {self.embedder.signature}"

    @property
    def about(self) -> About:
        """Requirements and licences, shown before it runs."""
        return self.writer.about + self.embedder.about


def _admitted(outcome: Outcome) -> Sequence[str]:
    texts = outcome.evidence.get("admitted")
    return [text for text in texts if isinstance(text, str)] if isinstance(texts, Sequence) else []
