"""Is a question asked as it is to be asked? The words by a transcriber, the way by the ear, as far as it can tell.

Nothing is taken for checked that was not: without a transcriber the words are *unverified*, and so is a way of asking
that the ear was never taught (sarcasm, a child's voice).
"""

from dataclasses import dataclass

import numpy as np

from aptone.audio import resample
from aptone.ear import load_ear
from aptone.ear.claims.feeling import Check, Hearing, Verdict, check_feeling
from aptone.ear.hear import HEARING_RATE
from aptone.messages import message
from aptone.models import Transcriber
from aptone.models.text.spoken_words import spoken_words
from aptone.rooms.answer.build.records import Candidate
from aptone.rooms.answer.records import Dimension
from aptone.stats.error_rate import error_rate
from aptone.types import Audio, Emotion, Perception, Sex

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
"""Ways of asking that the ear was not taught, and so never checks."""


@dataclass(frozen=True, slots=True)
class WordCheck:
    """What came of the check of the words.

    Args:
        check: whether they are heard.
        error_rate: of the transcript; ``None`` where nobody transcribed.
        heard: the transcript.
    """

    check: Check
    error_rate: float | None = None
    heard: str = ""


async def check_words(
    candidate: Candidate, audio: Audio, transcriber: Transcriber | None, *, limit: float
) -> WordCheck:
    """Whether the words of a sentence are heard.

    Args:
        candidate: whose words.
        audio: how they were said.
        transcriber: ``None`` where there is none.
        limit: error rate up to which they are.

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
    """Whether the way of asking is heard.

    Args:
        candidate: that was asked.
        category: in which way.
        heard: what the ear says of it.
        plain: what it says of the same words in the same voice without any feeling; for feelings only.
    """
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
    """Whether the ear can check a dimension at all."""
    return dimension not in UNHEARD


def perceive(audio: Audio, *, ear: str) -> Perception:
    """What the ear of that name says of a recording."""
    return load_ear(ear).perceive(resample(audio, rate=HEARING_RATE))


def padded(audio: Audio, seconds: float) -> Audio:
    """A recording with silence on both sides."""
    silence = np.zeros(round(seconds * audio.rate), dtype=np.float32)
    return Audio(np.concatenate([silence, audio.samples, silence]), rate=audio.rate, source=audio.source)
