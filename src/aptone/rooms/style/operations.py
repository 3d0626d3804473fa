"""Operation of the room: how well a voice fits descriptions of its style."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from aptone.models import About, load_style_embedder
from aptone.report.result_table import result_figure
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
from aptone.rooms.style.api import Described, judge_all
from aptone.rooms.style.data import StylePair, make_items
from aptone.rooms.style.report import described_table, ranked
from aptone.rooms.style.step import LONGEST_CLIP, style_step
from aptone.run import RunConfig
from aptone.run.step import now
from aptone.types import AudioRef, Entry, Json, language_of_text, to_json

MODEL = "built-in"


def style_reply(id: str, judged: Sequence[Described], about: About) -> dict[str, Json]:
    """How well a clip fits descriptions, the best first, as JSON."""
    return {
        "id": id,
        "descriptions": [{"description": one.description, "outcome": to_json(one.outcome)} for one in ranked(judged)],
        "notes": about.notes,
        "licence": about.licence,
    }


def clip_pairs(name: str, audio: AudioRef, descriptions: Sequence[str]) -> list[StylePair]:
    """A clip with each of some descriptions."""
    return [
        StylePair(name if len(descriptions) == 1 else f"{name} {place}", audio, text, language_of_text(text))
        for place, text in enumerate(descriptions, start=1)
    ]


class StyleOperation:
    """Fit of one clip to descriptions, with the embedder kept."""

    def __init__(self, settings: OperationSettings) -> None:
        self._step = style_step(load_style_embedder(MODEL))

    @property
    def config(self) -> RunConfig:
        """Configuration of a run that keeps its answers."""
        return served_config("style", engine=MODEL, settings=self._step.settings(), about=self._step.about)

    def __call__(self, request: Request, /, *, figures: bool = False) -> Answer:
        """Answer a request."""
        clip: ClipFile = request["audio"]
        descriptions: Sequence[str] = request["descriptions"]
        audio = clip.read(rate=None, max_seconds=LONGEST_CLIP)
        judged = judge_all(self._step, audio, descriptions)
        pairs = clip_pairs(clip.name, clip.ref, descriptions)
        items = make_items(pairs, hashes={Path(clip.name): clip.sha256})
        language = request["lang"] or pairs[0].language
        return Answer(
            style_reply(clip.name, judged, self._step.about),
            entries=tuple(Entry(item, one.outcome, finished=now()) for item, one in zip(items, judged, strict=True)),
            figures=(result_figure(described_table(judged, language=language)),) if figures else (),
            audio_seconds=audio.seconds,
        )


OPERATIONS = (
    Operation(
        "style",
        "Score how well a voice fits descriptions of its style.",
        (
            Field("audio", "clip", "Recording of the voice, at most 120 seconds.", required=True),
            Field(
                "descriptions",
                "texts",
                "Descriptions of a style in English or Mandarin, such as “a slow, gravelly whisper”.",
                required=True,
                longest=2_000,
            ),
            replace(LANGUAGE_OF_REASONS, description="Language of figures; by default that of the first description."),
        ),
        prepare="aptone.rooms.style.operations:StyleOperation",
        example={"descriptions": ["a slow, gravelly whisper", "an angry man"]},
    ),
)
"""What can be asked of the room."""
