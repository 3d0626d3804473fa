"""From a run that built dialogues to the files of a benchmark: manifests, rejects with reasons, yields per step."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from aptone.ear.claims.feeling import Verdict
from aptone.rooms.dialogue.build.records import PlannedDialogue, SpokenTurn, Variant
from aptone.rooms.dialogue.build.run import BuildSettings, DialogueBuild
from aptone.rooms.dialogue.records import Dialogue, Turn
from aptone.rooms.dialogue.sources.manifest import write_manifest
from aptone.run import Run, write_whole
from aptone.types import AudioRef, Json, State, dumps, from_json

Record = TypeVar("Record")

MANIFEST = "manifest.jsonl"
REJECTS = "rejects.jsonl"
ABOUT = "build.json"
UNFINISHED = "unfinished"
"""Step of dialogues that a program or a server kept from being made; the same command tries them again."""


@dataclass(frozen=True, slots=True)
class Collected:
    """What a build has made.

    Args:
        manifest: of the dialogues that are kept.
        dialogues: that are kept.
        rejected: that are not.
        yields: by step, how many went in and came out.
    """

    manifest: Path
    dialogues: int
    rejected: int
    yields: Mapping[str, Mapping[str, int]]


def collect(run: Run, build: DialogueBuild) -> Collected:
    """Write what a run has made so far: manifests, rejects with their reasons, and yields per step.

    ``manifest.jsonl`` holds all dialogues that are kept, ``manifest-<strength>.jsonl`` those of one strength.

    Raises:
        RunError: if a file cannot be written.
    """
    kept: list[Dialogue] = []
    rejects: list[dict[str, Json]] = []
    spoken: list[SpokenTurn] = []
    for entry in run.entries:
        planned, outcome = from_json(PlannedDialogue, entry.item.payload), entry.outcome
        if "variants" not in outcome.evidence:
            step = "text" if outcome.state is State.UNSCORED else UNFINISHED
            rejects.append({"id": planned.id, "step": step, "reason": outcome.reason})
            continue
        turns = _records(SpokenTurn, outcome.evidence["turns"])
        spoken += turns
        for variant in _records(Variant, outcome.evidence["variants"]):
            if variant.rejected:
                rejects.append({"id": variant.id, "step": "check", "reason": variant.rejected})
            else:
                kept.append(_dialogue(planned, variant, [turns[place] for place in variant.turns], build.folder))
    yields = _yields(run, build.settings, spoken, kept, rejects)
    write_manifest(build.folder / MANIFEST, kept)
    for strength in build.settings.strengths:
        chosen = [one for one in kept if one.ids["strength"] == strength]
        write_manifest(build.folder / f"manifest-{strength.value}.jsonl", chosen)
    write_whole(build.folder / REJECTS, "".join(f"{dumps(one)}\n" for one in rejects))
    about: dict[str, Json] = {
        "about": "Synthetic dialogues with planned feelings. Unverified means that the ear could not tell.",
        "settings": build.described(),
        "yields": {name: dict(counts) for name, counts in yields.items()},
    }
    write_whole(build.folder / ABOUT, dumps(about, indent=1) + "\n")
    return Collected(build.folder / MANIFEST, len(kept), len(rejects), yields)


def _records(kind: type[Record], data: Json) -> list[Record]:
    assert isinstance(data, Sequence)
    return [from_json(kind, one) for one in data]


def _dialogue(planned: PlannedDialogue, variant: Variant, turns: Sequence[SpokenTurn], folder: Path) -> Dialogue:
    unheard = sum(not turn.is_heard for turn in turns if turn.has_feeling)
    return Dialogue(
        id=variant.id,
        turns=tuple(
            Turn(
                turn.role,
                audio=AudioRef(str((folder / turn.audio).absolute()), sha256=turn.sha256),
                emotion=turn.emotion.value if turn.is_heard else "",
                text=turn.text,
            )
            for turn in turns
        ),
        language=planned.language,
        ids={
            "system": variant.answers.value,
            "arc": planned.arc,
            "strength": variant.strength.value,
            "planned": ", ".join(turn.emotion.value for turn in turns),
            "unverified": str(unheard),
        },
    )


def _yields(
    run: Run,
    settings: BuildSettings,
    spoken: Sequence[SpokenTurn],
    kept: Sequence[Dialogue],
    rejects: Sequence[Mapping[str, Json]],
) -> dict[str, dict[str, int]]:
    """How many went into each step and came out of it; turns that were spoken once count once."""
    lost = Counter(str(one["step"]) for one in rejects)
    begun = len(run.entries) - lost[UNFINISHED]
    verdicts = Counter(one.check.verdict for one in spoken if one.has_feeling)
    return {
        UNFINISHED: {"dialogues": lost[UNFINISHED]},
        "text": {"dialogues in": begun, "dialogues out": begun - lost["text"]},
        "speech": {"turns": len(spoken), "tries": sum(one.tries for one in spoken)},
        "check": {
            "turns with a feeling": verdicts.total(),
            **{verdict.value: verdicts[verdict] for verdict in Verdict},
            "dialogues in": len(kept) + lost["check"],
            "dialogues out": len(kept),
        },
        "kept by strength": {
            strength.value: sum(one.ids["strength"] == strength for one in kept) for strength in settings.strengths
        },
    }
