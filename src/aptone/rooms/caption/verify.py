"""Verification of units against the recording, by the built-in ear or by a model that hears.

The model is asked as EmoSURA does: one unit a call, yes or no, in doubt no. A reply that is neither yes nor no is a
format failure: it is counted, and the unit is not verified. The reference caption is withheld unless asked for; the
paper shows it, which lets a model agree with a text instead of listening.
"""

import asyncio
import functools
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from aptone.ear import ear_and_licence, load_ear
from aptone.ear.claims.limits import SHIPPED
from aptone.ear.claims.verification import Verdict, check_all
from aptone.ear.measures.change_point import FINE_STEP
from aptone.ear.perceive import ear_name
from aptone.ear.reference import Clip, References
from aptone.ear.referenced import Referenced, voice_in
from aptone.errors import UnusableReplyError
from aptone.files import file_hash
from aptone.messages import message
from aptone.models import About
from aptone.models.asking.chat import BatchCollector, ask_audio_chat, ask_each
from aptone.models.asking.guard import guard
from aptone.models.asking.json_objects import behind_thoughts
from aptone.models.asking.prompts import ModelPart
from aptone.models.chat import AnyMessage, AudioChat, AudioMessage, BatchAudioChat, Message
from aptone.rooms.caption.data import CaptionSample, Unit
from aptone.rooms.caption.prompting import PROMPTS, REVISION, VERIFYING
from aptone.run import Ask, Call
from aptone.types import Audio, Json, Language, Perception, signature

BUILT_IN_REVISION = 3
"""Part of the signature: raise it when the same perception may give other verdicts."""

REMEMBERED = 32
"""Recordings whose perception is kept: one recording often has several captions, one after the other."""

VOICE_IDS = ("speaker", "voice")
"""Identifiers of a sample that say whose voice it is; its system is whose caption it is."""

UNMEASURED = {"en": "the ear has no measure for this", "zh": "耳朵无法衡量这一点"}


@dataclass(frozen=True, slots=True)
class VerifiedUnit:
    """Result of verifying a unit. Only a unit whose verdict is true counts as verified.

    Args:
        verdict: true, false or undecided.
        measured: measurement behind the verdict, in words; empty where nothing was measured.
        support: how strongly the measurement speaks for the unit, from -1 to 1; NaN where nothing was measured.
        is_format_failure: whether a model was asked and its answer was neither yes nor no.
        is_sure: whether a true verdict is more than the benefit of the doubt; see `aptone.ear.claims.rules`.
    """

    verdict: Verdict
    measured: str = ""
    support: float = math.nan
    is_format_failure: bool = False
    is_sure: bool = True

    @property
    def is_true(self) -> bool:
        """True if the unit counts as verified."""
        return self.verdict is Verdict.TRUE


class Verifier(Protocol):
    """Verifies units against a recording."""

    @property
    def about(self) -> About:
        """Requirements and licences, shown before it runs."""
        ...

    @property
    def signature(self) -> str:
        """Everything that its verdicts depend on besides the recording and the units."""
        ...

    async def verify(
        self, units: Sequence[Unit], audio: Audio, sample: CaptionSample, call: Call, *, language: Language
    ) -> list[VerifiedUnit]:
        """A verdict for each unit, in their order; what was measured is worded in the language.

        Raises:
            TransientError: if another try may succeed.
        """
        ...


class BuiltInVerifier(Referenced):
    """The built-in ear, by the rule of each attribute (`aptone.ear.claims.verification`); nothing to install.

    Args:
        ear: name of the ear; ``None`` for the one that ``APTONE_EAR`` names, or ``"full"``.

    Raises:
        UsageError: if there is no such ear.
    """

    def __init__(self, *, ear: str | None = None) -> None:
        self.ear = ear_name(ear)
        self.references: References | None = None

    @property
    def about(self) -> About:
        """The licence of the weights, and the references of voices."""
        return About(notes=self.reference_notes, licence=ear_and_licence(self.ear))

    @property
    def signature(self) -> str:
        """The ear, the rules, the limits that they were fitted, and references of voices."""
        parts: dict[str, Json] = {
            "revision": BUILT_IN_REVISION,
            "ear": load_ear(self.ear).signature,
            "limits": file_hash(SHIPPED)[:12],
            **self.reference_signature,
        }
        return signature("verifier:built-in", parts)

    async def verify(
        self, units: Sequence[Unit], audio: Audio, sample: CaptionSample, call: Call, *, language: Language
    ) -> list[VerifiedUnit]:
        """A verdict for each unit; the recording is heard once."""
        spoken = sample.spoken or None
        changes = any(unit.becomes for unit in units)
        heard = await asyncio.to_thread(_perceived, self.ear, audio, spoken, changes)
        perception = self.heard_against(heard, voice=voice_in(sample.ids, VOICE_IDS))
        claims = [unit.claim for unit in units]
        checked = iter(check_all([claim for claim in claims if claim is not None], perception, language=spoken))
        return [
            VerifiedUnit(Verdict.UNDECIDED, UNMEASURED[language])
            if claim is None
            else VerifiedUnit((one := next(checked)).verdict, one.evidence[language], one.support, is_sure=one.is_own)
            for claim in claims
        ]


def voice_clips(samples: Iterable[CaptionSample]) -> list[Clip]:
    """Samples as clips of a collection, with their voices where their identifiers say whose they are."""
    return [Clip(voice_in(sample.ids, VOICE_IDS), sample.id, sample.audio) for sample in samples]


@functools.lru_cache(maxsize=REMEMBERED)
def _perceived(ear: str, audio: Audio, spoken: str | None, over_time: bool) -> Perception:
    """What the ear hears; its course over time, too, where a caption claims a change."""
    step = FINE_STEP if over_time else None
    return load_ear(ear).perceive(audio, language=spoken, trajectory=step, tracks=over_time)


MAX_TOKENS = 512
"""Room for a model that thinks before it answers; one that does not ends after a word."""

NEITHER = {"en": "the answer was neither yes nor no", "zh": "回答既不是“是”也不是“否”"}
ANSWERED = {
    "en": {True: "the model hears that", False: "the model does not hear that"},
    "zh": {True: "模型听到了这一点", False: "模型没有听到这一点"},
}

_WORDS = {"yes": True, "no": False, "是": True, "否": False, "不是": False, "是的": True}
_ANSWER = re.compile(
    r"[\s\"'“”‘’*_`(]*(?P<word>yes|no|不是|是的|是|否)(?:[\s\"'“”‘’*_`)]*$|[\s\"'”’*_`)]*[,.;:!，。；：！—-](?P<rest>.*))",
    re.I | re.S,
)
_OPPOSITE = {True: re.compile(r"\bno(?:t)?\b|n['’]t\b|否|不", re.I), False: re.compile(r"\byes\b|是的", re.I)}


class ChatVerifier(ModelPart[AudioChat]):
    """A model that hears and chats, as a verifier; with `show_reference` it reads the reference caption, too.

    Raises:
        UsageError: if the prompts cannot be used.
    """

    def __init__(
        self, chat: AudioChat, *, show_reference: bool = False, prompts: str | None = None, max_tokens: int = MAX_TOKENS
    ) -> None:
        options: dict[str, Json] = {"show_reference": show_reference}
        super().__init__(
            "verifier:chat",
            chat,
            VERIFYING,
            ours=PROMPTS,
            prompts=prompts,
            revision=REVISION,
            max_tokens=max_tokens,
            options=options,
        )
        self._show_reference = show_reference

    async def verify(
        self, units: Sequence[Unit], audio: Audio, sample: CaptionSample, call: Call, *, language: Language
    ) -> list[VerifiedUnit]:
        """A verdict for each unit; see `Verifier.verify`."""
        facts = list(dict.fromkeys(guard(unit.fact) for unit in units))
        answers = dict(zip(facts, await self._answers(facts, audio, sample, call), strict=True))
        return [_verified(answers[guard(unit.fact)], language) for unit in units]

    async def _answers(
        self, facts: Sequence[str], audio: Audio, sample: CaptionSample, call: Call
    ) -> list[bool | None]:
        """One question for each fact; a model on this machine that takes several at once gets them in batches."""
        model = self._model
        if not isinstance(model, BatchAudioChat):
            found = await ask_each([self._ask(model, fact, audio, sample) for fact in facts], call)
            return [answer if isinstance(answer, bool) else None for answer in found]
        answers: list[bool | None] = []
        for start in range(0, len(facts), model.batch_size):
            together = BatchCollector(model)
            asks = [self._ask(together, fact, audio, sample) for fact in facts[start : start + model.batch_size]]
            answers += await together.all([_answer(ask, call) for ask in asks])
        return answers

    def _ask(self, chat: AudioChat, fact: str, audio: Audio, sample: CaptionSample) -> Ask[bool]:
        material = {"fact": fact}
        name = "verify_material"
        if self._show_reference and (reference := guard(sample.reference)):
            material["reference"] = reference
            name = "verify_with_reference"
        text = self._prompts.fill(name, sample.language, material)
        task = self._prompts.fill("verify_task", sample.language, {})
        messages: list[AnyMessage] = [Message("system", task), AudioMessage("user", (text, audio))]
        return ask_audio_chat(chat, messages, sampling=self._sampling, read=read_yes_or_no)


def read_yes_or_no(reply: str) -> bool:
    """Return True if a reply says yes; one that says anything else, or both, is no answer.

    A sentence may follow the word behind a mark ("No, the voice is soft."), but may not take it back.

    >>> read_yes_or_no("**Yes.**"), read_yes_or_no("No, the voice is soft.")
    (True, False)

    Raises:
        UnusableReplyError: if it is neither yes nor no.
    """
    found = _ANSWER.match(behind_thoughts(reply))
    if found is None:
        raise UnusableReplyError(message("caption.neither-yes-nor-no"), raw_reply=reply)
    answer = _WORDS[found["word"].casefold()]
    if _OPPOSITE[answer].search(found["rest"] or ""):
        raise UnusableReplyError(message("caption.both-yes-and-no"), raw_reply=reply)
    return answer


async def _answer(ask: Ask[bool], call: Call) -> bool | None:
    try:
        return await call.ask_one(ask)
    except UnusableReplyError:
        return None


def _verified(answer: bool | None, language: Language) -> VerifiedUnit:
    """The verdict of an answer; ``None`` stands for replies that were neither yes nor no."""
    if answer is None:
        return VerifiedUnit(Verdict.UNDECIDED, NEITHER[language], is_format_failure=True)
    return VerifiedUnit(Verdict.TRUE if answer else Verdict.FALSE, ANSWERED[language][answer])
