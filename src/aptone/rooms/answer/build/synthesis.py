"""Stage 3: both styles of a sentence are spoken and checked; what is heard wrongly is said again, up to a limit.

Of several attempts the best one is kept: words first, then the speaking style. A pair falls if one of its two falls.
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aptone.audio import resample, write
from aptone.ear import ear_and_licence, load_ear
from aptone.ear.claims.feeling import AGAINST, CLEAR, RANKS, Check, Hearing, Verdict, check_feeling, hear_feeling
from aptone.ear.perceive import HEARING_RATE
from aptone.errors import UsageError
from aptone.files import file_hash, make_folder
from aptone.messages import message
from aptone.models import About, Transcriber
from aptone.models.text.units import spoken_words
from aptone.rooms.answer.build.casting import Cast, Utterance
from aptone.rooms.answer.build.records import Candidate, SpokenPrompt
from aptone.rooms.answer.data import Dimension
from aptone.run import Call
from aptone.stats.accuracy import error_rate
from aptone.types import Audio, Emotion, Item, Json, Outcome, Perception, Score, Sex, State, from_json, to_json

ERROR_LIMIT = 0.25
"""Word error rate (Mandarin: of characters) up to which the words count as heard."""
SURE = 0.8
"""Probability of a sex from which on the ear is sure of it."""
LEAD = 0.5
"""Seconds of silence on both sides of what a transcriber gets: small ones invent a word where speech begins at once."""
UNHEARD = {
    Dimension.SARCASM: "the ear cannot hear sarcasm",
    Dimension.AGE: "the ear cannot tell a child's voice from an adult's",
}
"""Styles that the ear was not trained on, and so never checks."""


@dataclass(frozen=True, slots=True)
class WordCheck:
    """Result of the check of the words; no error rate without a transcriber."""

    check: Check
    error_rate: float | None = None
    heard: str = ""


async def check_words(
    candidate: Candidate, audio: Audio, transcriber: Transcriber | None, *, limit: float
) -> WordCheck:
    """Check whether the words of a sentence are heard: an error rate up to the limit.

    Raises:
        TransientError: if the transcriber failed and another try may succeed.
        UsageError: if none will.
    """
    if transcriber is None:
        return WordCheck(Check(Verdict.UNVERIFIED, message("answer.no-transcriber")))
    heard = (await transcriber.transcribe(padded(audio, LEAD), language=candidate.language)).text
    wanted, words = (spoken_words(text, language=candidate.language) for text in (candidate.content, heard))
    rate = error_rate(wanted, words)
    if rate <= limit:
        return WordCheck(Check(Verdict.HEARD), rate, heard)
    reason = message("answer.words-misheard", heard=repr(heard[:80]), rate=rate, limit=limit)
    return WordCheck(Check(Verdict.CONTRADICTED, reason), rate, heard)


def check_style(candidate: Candidate, category: str, heard: Perception, plain: Hearing) -> Check:
    """Check whether the speaking style is heard; an emotion beside the same words, spoken neutrally."""
    if candidate.dimension in UNHEARD:
        return Check(Verdict.UNVERIFIED, UNHEARD[candidate.dimension])
    if candidate.dimension is Dimension.EMOTION:
        why = heard.unjudged.get("vad", "") or plain.why
        return check_feeling(Emotion.parse(category), heard.vad, plain.vad, why=why)
    share = heard.sex.get(Sex.parse(category), 0.0)
    if not heard.sex:
        return Check(Verdict.UNVERIFIED, heard.unjudged.get("sex", "") or message("ear.could-not-judge"))
    if share >= SURE:
        return Check(Verdict.HEARD)
    verdict = Verdict.CONTRADICTED if share <= 1.0 - SURE else Verdict.UNVERIFIED
    return Check(verdict, message("answer.heard-with", category=category, share=share))


def can_be_heard(dimension: Dimension) -> bool:
    """Return whether the ear can check a dimension at all."""
    return dimension not in UNHEARD


def perceive(audio: Audio, *, ear: str) -> Perception:
    """Return the ear's perception of a recording."""
    return load_ear(ear).perceive(resample(audio, rate=HEARING_RATE))


def padded(audio: Audio, seconds: float) -> Audio:
    """A recording with silence on both sides."""
    silence = np.zeros(round(seconds * audio.rate), dtype=np.float32)
    return Audio(np.concatenate([silence, audio.samples, silence]), rate=audio.rate, source=audio.source)


AUDIO = "audio"


@dataclass(frozen=True, slots=True)
class SpeechSettings:
    """Settings of synthesis and checks.

    Args:
        error_limit: word error rate up to which the words count as heard.
        strict: keep only pairs of which the ear heard both styles, where it can.

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
    said: Utterance
    words: WordCheck
    style: Check

    @property
    def rank(self) -> tuple[int, int, float]:
        rate = self.words.error_rate
        return RANKS[self.words.check.verdict], RANKS[self.style.verdict], -rate if rate is not None else 0.0


@dataclass(frozen=True, slots=True)
class SpeechStep:
    """Candidate → two recordings, checked; a step of a run."""

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
            said = await self.cast.say(candidate, category, attempt=tries)
            words = await check_words(candidate, said.audio, self.transcriber, limit=self.settings.error_limit)
            style = await asyncio.to_thread(self._checked, candidate, category, said.audio, plain)
            attempt = _Attempt(said, words, style)
            if best is None or attempt.rank > best.rank:
                best = attempt
            if self._is_done(best, candidate.dimension):
                break
        assert best is not None
        name = f"{AUDIO}/{candidate.question_id(category)}.wav"
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

    def _checked(self, candidate: Candidate, category: str, audio: Audio, plain: Hearing) -> Check:
        return check_style(candidate, category, perceive(audio, ear=self.settings.ear), plain)

    def _hear_plainly(self, audio: Audio) -> Hearing:
        return hear_feeling(audio, ear=self.settings.ear)

    def _is_done(self, best: _Attempt, dimension: Dimension) -> bool:
        """Return whether no further attempt can improve the recording."""
        has_words = best.words.check.verdict is Verdict.HEARD or self.transcriber is None
        return has_words and (best.style.verdict is Verdict.HEARD or not can_be_heard(dimension))

    @property
    def signature(self) -> str:
        """Voices, transcriber and ear."""
        transcriber = self.transcriber.signature if self.transcriber is not None else "no transcriber"
        return " + ".join((self.cast.signature, transcriber, load_ear(self.settings.ear).signature))

    @property
    def described(self) -> dict[str, Json]:
        """Settings of synthesis and checks, for the configuration of a run."""
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
        """Requirements and notices to show before a run."""
        own = About(notes=(message("answer.note-synthetic"),), licence=ear_and_licence(self.settings.ear))
        heard = self.transcriber.about if self.transcriber is not None else About()
        return self.cast.about + heard + own
