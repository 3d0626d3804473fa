"""Weak labels of a line, before people hear it: what the built-in ear hears, and a caption by the ear or a model.

As in the paper, where a captioner describes the whole corpus. Nothing here is a judgement: no score is given, and what
the ear cannot judge stays open.
"""

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from aptone.ear import ear_and_licence, load_ear
from aptone.ear.describe import Style, VocalEvent, describe, style_of
from aptone.errors import AudioError, RecordError, UnusableReplyError
from aptone.messages import message
from aptone.models import About
from aptone.report.notation import named
from aptone.rooms.aptness.step import judged_audio
from aptone.run import Call
from aptone.types import (
    Annotation,
    Audio,
    Item,
    Json,
    Language,
    Outcome,
    Perception,
    Sample,
    Score,
    State,
    from_json,
    signature,
    to_json,
)

NOTHING: Mapping[Language, str] = {"en": "none", "zh": "无"}
"""Answer of an annotator who heard no sound besides words."""

HAS_MUSIC = 0.5
"""Probability from which on there is background music."""

SAMPLE = ("schema", "id", "audio", "target", "context", "following", "language", "ids")
"""Fields of a sample in an item, before any label."""

HEARD, CAPTION, NO_CAPTION = "heard", "caption", "no_caption"
"""Names in the evidence of an outcome: the annotation, the caption, and why there is none."""


class Caption(Protocol):
    """Caption by a captioner."""

    @property
    def text(self) -> str:
        """The caption."""
        ...


class ClipCaptioner(Protocol):
    """A model that says how a clip sounds; `aptone.rooms.style.build.captions` makes some."""

    @property
    def signature(self) -> str:
        """Everything that a caption depends on besides the clip and the seed."""
        ...

    @property
    def about(self) -> About:
        """Requirements, and where audio is sent."""
        ...

    async def caption(self, audio: Audio, *, language: Language, call: Call) -> Caption:
        """The caption of a clip.

        Raises:
            UnusableReplyError: if no reply of the model can be used.
        """
        ...


@dataclass(frozen=True, slots=True)
class WeakStep:
    """A line's clip → what the ear hears in it and how it sounds, by a captioner or (``None``) the built-in grammar."""

    ear: str
    captioner: ClipCaptioner | None = None

    async def __call__(self, item: Item, call: Call, /) -> Outcome:
        """The outcome of a line; its evidence is the annotation, the caption and what the ear heard, as shares."""
        sample = from_json(Sample, {name: item.payload[name] for name in SAMPLE})
        try:
            audio = await asyncio.to_thread(judged_audio, sample)
            heard = await asyncio.to_thread(load_ear(self.ear).perceive, audio, language=sample.language)
        except (AudioError, RecordError) as error:
            return Outcome.unscored(str(error), signature=self.signature)
        evidence: dict[str, Json] = {
            HEARD: to_json(annotation_of(heard, language=sample.language)),
            "perception": to_json(replace(heard, measures={}, sounds={})),  # the bulk, which `aptone hear` gives again
        }
        try:
            evidence[CAPTION] = await self._caption(audio, heard, sample.language, call)
        except UnusableReplyError as error:
            evidence |= {CAPTION: "", NO_CAPTION: error.reason}
        seconds = Score(audio.seconds, unit="s", higher_is_better=None)
        return Outcome(State.DONE, {"seconds": seconds}, evidence=evidence, signature=self.signature)

    async def _caption(self, audio: Audio, heard: Perception, language: Language, call: Call) -> str:
        if self.captioner is not None:
            return (await self.captioner.caption(audio, language=language, call=call)).text
        style = style_of(heard, language=language)
        if style == Style():
            raise UnusableReplyError(message("ear.nothing-sure"), raw_reply="")
        return describe(style, language=language, length="caption", seed=int(audio.hash[:8], 16))

    @property
    def captioned_by(self) -> str:
        """Signature of what writes the captions."""
        if self.captioner is not None:
            return self.captioner.signature
        return signature("captions:ear", {"revision": 1, "ear": load_ear(self.ear).signature})

    @property
    def heard_by(self) -> str:
        """Signature of the ear."""
        return load_ear(self.ear).signature

    @property
    def signature(self) -> str:
        """Ear and captioner."""
        return f"{self.heard_by} + {self.captioned_by}"

    @property
    def about(self) -> About:
        """Requirements and notices to show before a run."""
        ours = About(licence=ear_and_licence(self.ear))
        return ours if self.captioner is None else self.captioner.about + ours


def annotation_of(heard: Perception, *, language: Language) -> Annotation:
    """The dimensions of CEAEval-D that an ear can fill in, with its likeliest answers; the others stay open."""
    voices, others = [], []
    for event in heard.events:
        try:
            voices.append(VocalEvent.parse(event.name).label(language))
        except RecordError:
            others.append(named(event.name, language))
    condition = _likeliest(heard.recording_condition)
    return Annotation(
        intonation=_likeliest(heard.intonation),
        rhythm=_likeliest(heard.rhythm),
        emotion=heard.phrase.get(language, ""),
        vocalisations=_listed(voices, language) if heard.sounds else "",
        age=_likeliest(heard.age),
        gender=_likeliest(heard.sex),
        recording_condition="" if condition is None else named(condition, language),
        background_music=None if math.isnan(heard.music) else heard.music >= HAS_MUSIC,
        sound_events=_listed(others, language) if heard.sounds else "",
    )


Answer = TypeVar("Answer", bound=str)


def _likeliest(shares: Mapping[Answer, float]) -> Answer | None:
    """The name with the largest share, the first of equals; ``None`` where nothing was judged."""
    known = {name: share for name, share in shares.items() if not math.isnan(share)}
    return max(known, key=lambda name: known[name], default=None)


def _listed(names: Sequence[str], language: Language) -> str:
    """Sounds in the order in which they are heard, each once; a word for nothing where there is none."""
    return ("、" if language == "zh" else ", ").join(dict.fromkeys(names)) or NOTHING[language]
