"""Made-up entries of a book, for tests of production reports."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from aptone.run import Run, RunConfig
from aptone.types import (
    AudioRef,
    Entry,
    Evidence,
    Intonation,
    Item,
    Json,
    Line,
    Outcome,
    Plan,
    Rhythm,
    Sample,
    Score,
    State,
    to_json,
)

SURE = Plan(
    "angry",
    Rhythm.HEAVY,
    Intonation.FALLING,
    emotions={"angry": 1.0},
    unsaid=0.0,
    evidence=(Evidence("<she> hissed", "angry", 1, 0, 12, "tag"),),
)
UNSURE = Plan("", emotions={"angry": 0.5, "sad": 0.5}, unsaid=0.3)
UNSAID = Plan("", emotions={"angry": 0.5, "sad": 0.5}, unsaid=0.8)


def entry(
    number: int,
    score: float | None,
    *,
    text: str = "Go.",
    role: str = "Tom",
    speech: bool = True,
    chapter: str = "Chapter 1",
    recording: str = "one.wav",
    plan: Plan | None = SURE,
    spread: float = 0.0,
    placed: float = 1.0,
    measures: Mapping[str, float] | None = None,
    emotion: Mapping[str, float] | None = None,
    repeat: int = 0,
) -> Entry:
    """Return the entry of a line that lasts from 10 times its number on, for 2 s."""
    ids = {"chapter": chapter, "role": role or "(narration)"}
    sample = Sample(f"{number:06d}", AudioRef("gone.flac"), Line(text, role, speech=speech), ids=ids)
    place: dict[str, Json] = {"recording": recording, "start": 10.0 * number, "end": 10.0 * number + 2.0}
    item = Item.make(sample.id, {**to_json(sample), "alignment": {**place, "confidence": placed}}, position=number)
    if score is None:
        return Entry(item, Outcome.unscored("not found in the recording: nobody seems to read it"), repeat=repeat)
    heard: dict[str, Json] = {
        "rhythm": {"brisk": 0.9, "heavy": 0.1},
        "emotion": dict(emotion or {}),
        "phrase": {"en": "bored", "zh": "厌倦"},
        "measures": {name: to_json(Score(value)) for name, value in (measures or {}).items()},
    }
    aspects: dict[str, Json] = {
        name: {"score": to_json(Score(score, range=(0.0, 5.0))), "planned": "", "heard": ""}
        for name in ("emotion", "rhythm")
    }
    evidence: dict[str, Json] = {"perception": heard, "aspects": aspects}
    if plan is not None:
        evidence["plan"] = to_json(plan)
    scores = {"aptness": Score(score, range=(0.0, 5.0), spread=spread)}
    return Entry(item, Outcome(State.DONE, scores=scores, evidence=evidence), repeat=repeat)


def book_run(folder: Path, entries: Sequence[Entry], *, inputs: Sequence[str] = ()) -> Run:
    """Return a run over a book."""
    return Run(folder, RunConfig("score", "built-in", inputs=tuple(inputs)), tuple(entries))
