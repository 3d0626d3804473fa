"""Synthetic dialogues with planned feelings: words → speech → a check by the ear → a manifest for ``aptone dialogue``.

Some changes of feeling are rare in recorded talk, so EMO-Reasoning makes them: anger that meets calm, joy that meets
joy. Each planned dialogue is written once and spoken at every strength that is asked for (subtle, normal, exaggerated),
with answers that fit the user's feeling and, if wanted, with the same words said against it; so one can see whether a
score tells them apart, and whether that depends on how clearly feelings are shown.

A turn whose feeling is not heard is spoken again, otherwise (`resynthesis`), up to a limit, and the best attempt is
kept. What the ear still hears the other way round is rejected with the reason; what it cannot tell is kept as
*unverified*. Yields are reported by feeling, and a feeling that is heard in less than half of its turns is named.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import TypeVar

from aptone.audio import write
from aptone.ear import ear_and_licence, load_ear
from aptone.ear.claims.feeling import AGAINST, CLEAR, DIRECTIONS, Hearing, Verdict, hear_feeling
from aptone.errors import UsageError
from aptone.files import file_hash, make_folder
from aptone.messages import known_name, message
from aptone.models import About
from aptone.models.speakers.delivery import (
    DELIVERIES,
    INSTRUCTED_SPEAKERS,
    SCALES,
    Delivery,
    Strength,
    instruction,
    sampled_delivery,
)
from aptone.models.speakers.voices import Voices
from aptone.rooms.dialogue.build.resynthesis import (
    BOXES,
    Attempt,
    Voicing,
    brightened,
    checked,
    heard_share,
    is_named,
    margin,
    voicing,
)
from aptone.rooms.dialogue.build.text import ARCS, FEELINGS, Answers, PlannedDialogue, SpokenTurn, Variant, Writer
from aptone.rooms.dialogue.data import write_manifest
from aptone.rooms.dialogue.records import Dialogue, Role, Turn
from aptone.run import Call, Run, write_whole
from aptone.types import AudioRef, Emotion, Item, Json, Language, Outcome, Score, State, dumps, from_json, to_json

USUAL_VOICES: Mapping[str, Mapping[Language, Mapping[str, str]]] = {
    "espeak-ng": {"en": {Role.USER: "en-us", Role.AGENT: "en-gb-x-rp"}, "zh": {Role.USER: "cmn", Role.AGENT: "cmn+f3"}},
    "flite": {"en": {Role.USER: "kal16", Role.AGENT: "slt"}},
}
"""Whose voices user and agent have where nobody says, so that they can be told apart. The ear hears no feelings in
espeak-ng's English variants of women's voices, so its agent has another accent."""


def dialogue_voices(speaker: str, settings: Mapping[str, Json], voices: Mapping[Role, str]) -> Voices:
    """Assign voices to user and agent; arguments and errors as those of `aptone.models.speakers.voices.Voices`."""
    return Voices(speaker, settings, {role.value: voice for role, voice in voices.items()}, USUAL_VOICES)


AUDIO = "audio"

MOST_ATTEMPTS = 12
"""Attempts at a turn by a program on this machine."""
FEW_ATTEMPTS = 3
"""The same by a server, where each one costs something."""


def usual_attempts(speaker: str) -> int:
    """Return the largest number of attempts where nobody says.

    >>> usual_attempts("espeak-ng"), usual_attempts("api")
    (12, 3)
    """
    return FEW_ATTEMPTS if speaker in INSTRUCTED_SPEAKERS else MOST_ATTEMPTS


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """Settings of a build.

    Args:
        strengths: strengths of expressed feelings; every dialogue is made at each.
        strict: keep only dialogues in which every feeling was heard; neutral turns need not be.

    Raises:
        UsageError: if nothing would be built.
    """

    arcs: tuple[str, ...] = tuple(ARCS)
    turns: int = 3
    number: int = 4
    language: Language = "en"
    strengths: tuple[Strength, ...] = (Strength.NORMAL,)
    answers: tuple[Answers, ...] = (Answers.FITTING,)
    tries: int = MOST_ATTEMPTS
    strict: bool = False

    def __post_init__(self) -> None:
        if not (self.arcs and self.strengths and self.answers) or self.number < 1 or self.tries < 1:
            raise UsageError("a benchmark has an arc, a strength, answers, a dialogue and a try or more.")

    def items(self) -> list[Item]:
        """The planned dialogues as items of a run."""
        kinds = product(self.arcs, range(1, self.number + 1))
        planned = [PlannedDialogue(arc, number, self.turns, self.language) for arc, number in kinds]
        return [Item.make(one.id, to_json(one), position=place) for place, one in enumerate(planned)]


Key = tuple[int, Emotion, Strength]
"""Key of a synthesized turn: its place, its feeling and how strong that is."""


@dataclass(frozen=True, slots=True)
class DialogueBuild:
    """Planned dialogue → words → speech → check by an ear; a step of a run."""

    settings: BuildSettings
    writer: Writer
    voices: Voices
    ear: str
    folder: Path

    async def __call__(self, item: Item, call: Call, /) -> Outcome:
        """The outcome of one item whose payload is a `PlannedDialogue`."""
        planned = from_json(PlannedDialogue, item.payload)
        texts = await self.writer.write(planned, call)
        spoken: dict[Key, SpokenTurn] = {}
        plain: dict[int, Hearing] = {}
        make_folder(self.folder / AUDIO / planned.id)
        variants = []
        for strength in self.settings.strengths:
            for answers in self.settings.answers:
                keys = [(place, one, strength) for place, one in enumerate(planned.feelings(answers))]
                for key in keys:
                    if key not in spoken:
                        spoken[key] = await self._turn(planned, texts[key[0]], key, plain)
                order = list(spoken)
                turns = tuple(order.index(key) for key in keys)
                rejected = _rejected([spoken[key] for key in keys], strict=self.settings.strict)
                name = f"{planned.id}-{strength.value}-{answers.value}"
                variants.append(Variant(name, strength, answers, turns, rejected))
        return self._outcome(variants, list(spoken.values()))

    async def _turn(self, planned: PlannedDialogue, text: str, key: Key, plain: dict[int, Hearing]) -> SpokenTurn:
        """Speak a turn until its feeling is heard, or the tries are used up; the best of them is kept."""
        place, emotion, strength = key
        role, language = tuple(Role)[place % 2], planned.language
        name = f"{AUDIO}/{planned.id}/{place + 1}-{role.value}-{emotion.value}-{strength.value}.wav"
        has_feeling = bool(DIRECTIONS[emotion])
        if has_feeling and place not in plain:
            without = await self.voices.speak(text, who=role, language=language, delivery=Delivery())
            plain[place] = await asyncio.to_thread(hear_feeling, without, ear=self.ear)
        words = instruction(emotion, strength, language=language)
        best: tuple[Attempt, SpokenTurn] | None = None
        for attempt in range(1, self.settings.tries + 1):
            said = self._voicing(emotion, strength, attempt, name, best[0] if best else None)
            spoken = await self.voices.speak(
                text, who=role, language=language, delivery=said.delivery, instruction=words
            )
            audio = brightened(spoken, said.brightness)
            heard = await asyncio.to_thread(hear_feeling, audio, ear=self.ear) if has_feeling else Hearing()
            reading = plain.get(place, Hearing())
            check = checked(emotion, heard, reading)
            named, share = has_feeling and is_named(emotion, heard), heard_share(emotion, heard)
            found = Attempt(said, check, margin(emotion, heard, reading), named, share)
            if best is None or found.rank > best[0].rank:
                path = self.folder / name
                write(path, audio)
                saved = (name, file_hash(path), check, attempt, said.delivery, heard.vad, reading.vad)
                best = found, SpokenTurn(role, text, emotion, *saved, said.brightness, found.named)
            best = best[0], replace(best[1], tries=attempt)
            enough = found.named or not heard.emotions or 2 * attempt >= self.settings.tries
            if not has_feeling or (best[1].is_heard and enough):
                break
        assert best is not None
        return best[1]

    def _voicing(self, emotion: Emotion, strength: Strength, attempt: int, name: str, best: Attempt | None) -> Voicing:
        """The delivery of an attempt; engines that take words are only varied a little, never searched."""
        if self.voices.speaker in INSTRUCTED_SPEAKERS:
            return Voicing(sampled_delivery(emotion, strength, attempt=attempt, name=name))
        return voicing(emotion, strength, attempt=attempt, name=name, best=best)

    def _outcome(self, variants: Sequence[Variant], spoken: Sequence[SpokenTurn]) -> Outcome:
        evidence: dict[str, Json] = {"variants": [*map(to_json, variants)], "turns": [*map(to_json, spoken)]}
        if all(one.rejected for one in variants):
            return Outcome.unscored(variants[0].rejected, evidence=evidence, signature=self.signature)
        checked = [one for one in spoken if one.has_feeling]
        share = sum(one.is_heard for one in checked) / len(checked) if checked else math.nan
        reason = "" if checked else message("dialogue.no-feeling")
        score = Score(share, range=(0.0, 1.0), reason=reason, signature=self.signature)
        return Outcome(State.DONE, {"heard": score}, evidence=evidence, signature=self.signature)

    @property
    def signature(self) -> str:
        """Words, voices and ear."""
        return " + ".join((self.writer.signature, self.voices.signature, load_ear(self.ear).signature))

    def described(self) -> dict[str, Json]:
        """Everything that the benchmark depends on, for the configuration of a run."""
        return {
            **asdict(self.settings),
            "arcs": list(self.settings.arcs),
            "strengths": [one.value for one in self.settings.strengths],
            "answers": [one.value for one in self.settings.answers],
            "deliveries": {one.value: asdict(DELIVERIES[one]) for one in FEELINGS},
            "scales": {one.value: scale for one, scale in SCALES.items()},
            "boxes": {one.value: asdict(box) for one, box in BOXES.items()},
            "clear": CLEAR,
            "against": dict(AGAINST),
            "writer": self.writer.signature,
            "voices": self.voices.signature,
            "ear": load_ear(self.ear).signature,
            "dials": list(self.voices.dials(Role.USER, language=self.settings.language)),
        }

    @property
    def about(self) -> About:
        """Requirements and licences, shown before it runs."""
        note = message("dialogue.note-synthetic")
        return self.writer.about + self.voices.about + About(notes=(note,), licence=ear_and_licence(self.ear))


def _rejected(turns: Sequence[SpokenTurn], *, strict: bool) -> str:
    for place, turn in enumerate(turns, start=1):
        if turn.check.verdict is Verdict.CONTRADICTED or (strict and turn.has_feeling and not turn.is_heard):
            why = message(
                "dialogue.feeling-rejected",
                emotion=known_name(turn.emotion.value),
                verdict=message(f"dialogue.{turn.check.verdict}"),
                why=turn.check.reason,
            )
            return message(f"dialogue.turn-{turn.role.value}", number=place, why=why)
    return ""


Record = TypeVar("Record")

MANIFEST, REJECTS, ABOUT = "manifest.jsonl", "rejects.jsonl", "build.json"
UNFINISHED = "unfinished"
"""Step of dialogues that a program or a server kept from being made; the same command tries them again."""


@dataclass(frozen=True, slots=True)
class BuildResult:
    """Result of a build, with the counts in and out by step (`yields`)."""

    manifest: Path
    dialogues: int
    rejected: int
    yields: Mapping[str, Mapping[str, int]]


def collect(run: Run, build: DialogueBuild) -> BuildResult:
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
    steps = [str(one["step"]) for one in rejects]
    yields = _yields(len(run.entries), build.settings.strengths, spoken, kept, steps)
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
    return BuildResult(build.folder / MANIFEST, len(kept), len(rejects), yields)


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
    dialogues: int,
    strengths: Sequence[Strength],
    spoken: Sequence[SpokenTurn],
    kept: Sequence[Dialogue],
    steps: list[str],
) -> dict[str, dict[str, int]]:
    """Count what went into each step and came out of it; turns that were spoken once count once."""
    lost = Counter(steps)
    begun = dialogues - lost[UNFINISHED]
    verdicts = Counter(one.check.verdict for one in spoken if one.has_feeling)
    return {
        UNFINISHED: {"dialogues": lost[UNFINISHED]},
        "text": {"dialogues in": begun, "dialogues out": begun - lost["text"]},
        "speech": {"turns": len(spoken), "tries": sum(one.tries for one in spoken)},
        "check": {
            "turns with a feeling": verdicts.total(),
            **{verdict.value: verdicts[verdict] for verdict in Verdict},
            "named": sum(one.named for one in spoken),
            "dialogues in": len(kept) + lost["check"],
            "dialogues out": len(kept),
        },
        "feelings": _by_feeling(spoken, heard=False),
        "feelings heard": _by_feeling(spoken, heard=True),
        "kept by strength": {
            strength.value: sum(one.ids["strength"] == strength for one in kept) for strength in strengths
        },
    }


def _by_feeling(spoken: Sequence[SpokenTurn], *, heard: bool) -> dict[str, int]:
    """The number of turns by feeling; of those in which it is heard where that is asked."""
    feelings = dict.fromkeys(one.emotion.value for one in spoken if one.has_feeling)
    turns = [one for one in spoken if one.has_feeling and (one.is_heard or not heard)]
    return {name: sum(one.emotion == name for one in turns) for name in feelings}


FEWEST_HEARD = 0.5
"""Share of turns in which a feeling must be heard; below it, the build says that this voice cannot express it."""


def hardly_heard(made: BuildResult) -> dict[str, tuple[int, int]]:
    """Feelings that are heard in less than half of their turns, with how many of how many."""
    heard = made.yields["feelings heard"]
    feelings = made.yields["feelings"].items()
    return {name: (heard[name], count) for name, count in feelings if heard[name] < FEWEST_HEARD * count}
