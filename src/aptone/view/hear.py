"""Operation ``hear``, which belongs to no room: what a recording sounds like."""

import math
import time
from dataclasses import replace

from aptone.audio import find_speech
from aptone.ear import ear_and_licence, load_ear
from aptone.ear.perceive import HEARING_RATE, HIGHEST_NATURALNESS
from aptone.messages import message
from aptone.models import About
from aptone.report.hearing.findings import Heard, hearing_json
from aptone.report.hearing.plot import drawn_step, hearing_figure
from aptone.report.room_report import Figure
from aptone.rooms.operation import (
    LANGUAGE_OF_REASONS,
    Answer,
    ClipFile,
    Field,
    Operation,
    OperationSettings,
    Request,
    served_config,
)
from aptone.run import RunConfig
from aptone.run.step import now
from aptone.types import Entry, Item, Json, Outcome, Perception, Score, State, to_json

LONGEST_CLIP = 300.0
"""Seconds of a recording; a longer one is heard by the command line."""


class HearOperation:
    """Perception of one clip, with the ear kept."""

    def __init__(self, settings: OperationSettings) -> None:
        self._ear = load_ear(settings.ear)

    @property
    def config(self) -> RunConfig:
        """Configuration of a run that keeps its answers."""
        about = About(licence=ear_and_licence(self._ear.name))
        return served_config("hear", engine=self._ear.name, settings={"ear": self._ear.signature}, about=about)

    def __call__(self, request: Request, /, *, figures: bool = False) -> Answer:
        """Answer a request."""
        clip: ClipFile = request["audio"]
        audio = clip.read(rate=HEARING_RATE, max_seconds=LONGEST_CLIP)
        language, begun = request["language"], time.perf_counter()
        step = drawn_step(audio.seconds) if figures else None
        drawn = self._ear.perceive(audio, language=language, trajectory=step, tracks=figures)
        perception = replace(drawn, trajectory=None, tracks=None)
        entry = _entry(clip, perception, language=language, seconds=time.perf_counter() - begun)
        shown: tuple[Figure, ...] = ()
        if figures:
            speech = find_speech(audio)
            shown = (hearing_figure(drawn, audio, clip=clip.ref, speech=speech, language=request["lang"] or "en"),)
        return Answer(
            hearing_json(Heard(clip.ref, perception)), entries=(entry,), figures=shown, audio_seconds=audio.seconds
        )


def _entry(clip: ClipFile, perception: Perception, *, language: str | None, seconds: float) -> Entry:
    """A perception as the outcome of an item; its score is how natural the clip sounds, where that was judged."""
    value, reason = perception.naturalness, ""
    if math.isnan(value):
        reason = perception.unjudged.get("naturalness") or message("ear.naturalness-not-trained")
    natural = Score(value, range=(0.0, HIGHEST_NATURALNESS), reason=reason, signature=perception.signature)
    outcome = Outcome(
        State.DONE,
        {"naturalness": natural},
        evidence={"perception": to_json(perception)},
        signature=perception.signature,
    )
    payload: dict[str, Json] = {"audio": to_json(clip.ref), "language": language or "", "ids": {}}
    item = Item.make(clip.name, payload, hashed={"sha256": clip.sha256, "language": language or ""})
    return Entry(item, outcome, seconds=seconds, finished=now())


HEAR = Operation(
    "hear",
    "Describe what a recording sounds like: emotion, delivery, pitch, tempo, loudness, voice, sounds, recording.",
    (
        Field("audio", "clip", "Recording, at most 300 seconds.", required=True),
        Field(
            "language",
            "text",
            "Code of the spoken language, such as “en”: pitch and tempo are compared with what is usual in it.",
            longest=20,
        ),
        replace(LANGUAGE_OF_REASONS, description="Language of figures; by default English."),
    ),
    prepare="aptone.view.hear:HearOperation",
)
"""Hearing as an operation."""
