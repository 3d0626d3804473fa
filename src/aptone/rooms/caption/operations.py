"""Operation of the room: whether a caption of a recording is true and complete."""

from dataclasses import replace
from pathlib import Path

from aptone.ear.perceive import HEARING_RATE
from aptone.models import About
from aptone.rooms.caption.data import CaptionSample, make_items
from aptone.rooms.caption.parts import make_step
from aptone.rooms.caption.step import LONGEST_CLIP, judge_sample
from aptone.rooms.operation import (
    LANGUAGE_OF_REASONS,
    LANGUAGE_OF_TEXTS,
    Answer,
    ClipFile,
    Field,
    Operation,
    OperationSettings,
    Request,
    served_config,
)
from aptone.run import RunConfig
from aptone.types import Json, Outcome, language_of_text, to_json

ENGINE = "built-in"


def caption_reply(sample: CaptionSample, outcome: Outcome, about: About) -> dict[str, Json]:
    """The verdict on one caption as JSON."""
    return {"id": sample.id, "outcome": to_json(outcome), "notes": about.notes, "licence": about.licence}


class CaptionOperation:
    """Verdict on one caption, with decomposer, ear and matcher kept."""

    def __init__(self, settings: OperationSettings) -> None:
        ear: dict[str, Json] = {} if settings.ear is None else {"verifier.ear": settings.ear}
        self._step = make_step(ENGINE, settings=ear)

    @property
    def config(self) -> RunConfig:
        """Configuration of a run that keeps its answers."""
        return served_config("caption", engine=ENGINE, settings=self._step.settings(), about=self._step.about)

    def __call__(self, request: Request, /, *, figures: bool = False) -> Answer:
        """Answer a request."""
        clip: ClipFile = request["audio"]
        sample = CaptionSample(
            id=clip.name,
            audio=clip.ref,
            caption=request["caption"],
            reference=request["reference"] or "",
            language=request["language"] or language_of_text(request["caption"]),
            spoken=request["spoken"] or "",
        )
        audio = clip.read(rate=HEARING_RATE, max_seconds=LONGEST_CLIP)
        step = replace(self._step, language=request["lang"])
        entry = judge_sample(replace(sample, audio=audio), step)
        (item,) = make_items([sample], hashes={Path(clip.name): clip.sha256})
        return Answer(
            caption_reply(sample, entry.outcome, step.about),
            entries=(replace(entry, item=item),),
            audio_seconds=audio.seconds,
        )


OPERATIONS = (
    Operation(
        "caption",
        "Check whether a caption of emotional speech is true and complete.",
        (
            Field("audio", "clip", "Recording that the caption describes, at most 300 seconds.", required=True),
            Field("caption", "text", "The caption.", required=True),
            Field("reference", "text", "A caption of the recording that is known to be true and complete."),
            LANGUAGE_OF_TEXTS,
            Field(
                "spoken",
                "text",
                "Code of the spoken language, such as “de”: pitch and rate are compared with what is usual in it.",
                longest=20,
            ),
            LANGUAGE_OF_REASONS,
        ),
        prepare="aptone.rooms.caption.operations:CaptionOperation",
        example={"caption": "A woman speaks slowly in a low, sad voice."},
    ),
)
"""What can be asked of the room."""
