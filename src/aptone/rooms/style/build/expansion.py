"""Self-instruct: round after round, a writer is shown examples from the pool, and what is new enough joins it.

A round is an item of a run, so that replies are kept, counted and retried as everywhere, and a kill costs one round.
What a round is shown depends on the rounds before it; an item holds its number and language only, and the examples
stand in its outcome.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from aptone.messages import message
from aptone.models import About, TextEmbedder
from aptone.models.text_embedder import Vectors
from aptone.rooms.style.embedding.kept import TEXTS_AT_ONCE, unit_rows
from aptone.rooms.style.build.pool import DescriptionPool
from aptone.rooms.style.build.descriptions import DescriptionWriter
from aptone.run import Call
from aptone.types import Entry, Item, Json, Language, Outcome, Score, State, to_json

IDLE = 20
"""Rounds in a row that may bring nothing new before a language is given up."""
GIVEN_UP = 3
"""Rounds in a row that may fail, because a server is away for instance."""


@dataclass(slots=True)
class Expansion:
    """Grows the pools of descriptions; the step of a run that works on one round at a time, in this process.

    Args:
        pools: by language.
        targets: how many descriptions each pool is to hold, seeds included.
        writer: proposes descriptions.
        embedder: tells how near two descriptions are.
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
        """What a user must know before it runs."""
        return self.writer.about + self.embedder.about


def _admitted(outcome: Outcome) -> Sequence[str]:
    texts = outcome.evidence.get("admitted")
    return [text for text in texts if isinstance(text, str)] if isinstance(texts, Sequence) else []
