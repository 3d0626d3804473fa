"""Stage 3: both ways of a sentence are spoken and checked; what is heard wrongly is said again, up to a limit.

Of several attempts the best one is kept: words first, then the way of asking. A pair falls if one of its two falls.
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from aptone.audio import write
from aptone.ear import load_ear
from aptone.ear.claims.feeling import AGAINST, CLEAR, RANKS, Check, Hearing, Verdict, hear_feeling
from aptone.ear.licences import ear_and_licence
from aptone.errors import UsageError
from aptone.files import file_hash, make_folder
from aptone.messages import message
from aptone.models import About, Transcriber
from aptone.rooms.answer.build.casting import Cast, Said
from aptone.rooms.answer.build.checks import (
    ERROR_LIMIT,
    LEAD,
    SURE,
    WordCheck,
    can_be_heard,
    check_style,
    check_words,
    perceive,
)
from aptone.rooms.answer.build.records import Candidate, SpokenPrompt
from aptone.rooms.answer.records import Dimension
from aptone.run import Call
from aptone.types import Audio, Item, Json, Outcome, Score, State, from_json, to_json

AUDIO = "audio"


@dataclass(frozen=True, slots=True)
class SpeechSettings:
    """How questions are spoken and checked.

    Args:
        tries: how often one is spoken before it is given up.
        error_limit: word error rate up to which the words count as heard.
        ear: name of the ear that checks.
        strict: keep only pairs of which the ear heard both ways, where it can.

    Raises:
        UsageError: if nothing would be spoken, or the limit is negative.
    """

    tries: int = 3
    error_limit: float = ERROR_LIMIT
    ear: str = "full"
    strict: bool = False

    def __post_init__(self) -> None:
        if self.tries < 1 or not self.error_limit >= 0:
            raise UsageError("a question is spoken at least once, and an error rate is not negative.")


@dataclass(frozen=True, slots=True)
class _Attempt:
    said: Said
    words: WordCheck
    style: Check

    @property
    def rank(self) -> tuple[int, int, float]:
        rate = self.words.error_rate
        return RANKS[self.words.check.verdict], RANKS[self.style.verdict], -rate if rate is not None else 0.0


@dataclass(frozen=True, slots=True)
class SpeechStep:
    """Candidate → two recordings, checked; a step of a run.

    Args:
        settings: how it is spoken and checked.
        cast: who speaks.
        transcriber: checks the words; ``None`` for nobody.
        folder: of the benchmark.
    """

    settings: SpeechSettings
    cast: Cast
    transcriber: Transcriber | None
    folder: Path

    async def __call__(self, item: Item, call: Call, /) -> Outcome:
        """The outcome of one item whose payload is a `Candidate`."""
        candidate = from_json(Candidate, item.payload)
        make_folder(self.folder / AUDIO)
        plain = Hearing()
        if candidate.dimension is Dimension.EMOTION:
            reading = await self.cast.say_plainly(candidate)
            plain = await asyncio.to_thread(self._hear_plainly, reading.audio)
        spoken = [await self._spoken(candidate, way, plain) for way in candidate.categories]
        evidence: dict[str, Json] = {"prompts": [to_json(one) for one in spoken]}
        strict = self.settings.strict and can_be_heard(candidate.dimension)
        if rejected := next(filter(None, (one.rejected(strict=strict) for one in spoken)), ""):
            return Outcome.unscored(rejected, evidence=evidence, signature=self.signature)
        checks = [check.verdict is Verdict.HEARD for one in spoken for check in (one.words, one.style)]
        score = Score(sum(checks) / len(checks), range=(0.0, 1.0), signature=self.signature)
        return Outcome(State.DONE, {"verified": score}, evidence=evidence, signature=self.signature)

    async def _spoken(self, candidate: Candidate, category: str, plain: Hearing) -> SpokenPrompt:
        best: _Attempt | None = None
        tries = 0
        for tries in range(1, self.settings.tries + 1):
            attempt = await self._attempt(candidate, category, plain, number=tries)
            if best is None or attempt.rank > best.rank:
                best = attempt
            if self._is_done(best, candidate.dimension):
                break
        assert best is not None
        name = f"{AUDIO}/{candidate.id}-{category}.wav"
        path = self.folder / name
        await asyncio.to_thread(write, path, best.said.audio)
        return SpokenPrompt(
            category,
            name,
            file_hash(path),
            best.said.speaker,
            best.words.check,
            best.style,
            tries,
            best.words.error_rate,
            best.words.heard,
            best.said.reference,
        )

    async def _attempt(self, candidate: Candidate, category: str, plain: Hearing, *, number: int) -> _Attempt:
        said = await self.cast.say(candidate, category, attempt=number)
        words = await check_words(candidate, said.audio, self.transcriber, limit=self.settings.error_limit)
        style = await asyncio.to_thread(self._checked, candidate, category, said.audio, plain)
        return _Attempt(said, words, style)

    def _checked(self, candidate: Candidate, category: str, audio: Audio, plain: Hearing) -> Check:
        return check_style(candidate, category, perceive(audio, ear=self.settings.ear), plain)

    def _hear_plainly(self, audio: Audio) -> Hearing:
        return hear_feeling(audio, ear=self.settings.ear)

    def _is_done(self, best: _Attempt, dimension: Dimension) -> bool:
        """Whether another attempt could make nothing better."""
        has_words = best.words.check.verdict is Verdict.HEARD or self.transcriber is None
        return has_words and (best.style.verdict is Verdict.HEARD or not can_be_heard(dimension))

    @property
    def signature(self) -> str:
        """Voices, transcriber and ear."""
        transcriber = self.transcriber.signature if self.transcriber is not None else "no transcriber"
        return " + ".join((self.cast.signature, transcriber, load_ear(self.settings.ear).signature))

    @property
    def described(self) -> dict[str, Json]:
        """How questions are spoken and checked, for the configuration of a run."""
        return {
            "tries": self.settings.tries,
            "error_limit": self.settings.error_limit,
            "strict": self.settings.strict,
            "sure": SURE,
            "lead": LEAD,
            "clear": CLEAR,
            "against": dict(AGAINST),
        }

    @property
    def about(self) -> About:
        """What a user must know before it runs."""
        note = message("answer.note-synthetic")
        own = About(notes=(note,), licence=ear_and_licence(self.settings.ear))
        heard = self.transcriber.about if self.transcriber is not None else About()
        return self.cast.about + heard + own
