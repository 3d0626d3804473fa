"""SURABench from a corpus that people rated: pick recordings evenly over the plane of feelings, and caption each.

Picking is `aptone.rooms.caption.build.selection`, the words are `aptone.rooms.caption.build.captions`. Recordings stay
where they are: the manifest names them. Captions are written one by one in a run that can be killed and resumed.

The page draws where its recordings lie in valence and arousal, and how they came to be picked.
"""

import math
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path

from aptone.audio import probe
from aptone.ear import ear_and_licence, load_ear
from aptone.ear.hearing import hear
from aptone.errors import AudioError, RecordError, UnusableReplyError, UsageError
from aptone.files import file_hash, make_folder
from aptone.messages import words
from aptone.models import About
from aptone.report.plots.points import PlanePoint, plane_figure
from aptone.report.result_table import Column, ResultTable, Section, TableCell, bench_page
from aptone.rooms.caption.build.captions import Captioner, Example, evidence_of
from aptone.rooms.caption.build.selection import (
    HIGHEST,
    LOWEST,
    RatedClip,
    Rating,
    Reject,
    Selection,
    SelectionSettings,
)
from aptone.rooms.caption.data import CaptionSample, write_manifest
from aptone.run import Call, Run, display_for, write_whole
from aptone.run.progress import progress
from aptone.types import AudioRef, Item, Json, Language, Outcome, Score, State, dumps, from_json, to_json

MANIFEST, REJECTS, ABOUT, AUDIO = "manifest.jsonl", "rejects.jsonl", "build.json", "audio"


@dataclass(frozen=True, slots=True)
class Picked:
    """A recording with its mean ratings (dominance may be NaN) on its way to a caption: the payload of an item."""

    id: str
    path: str
    sha256: str
    valence: float
    arousal: float
    dominance: float
    raters: int
    emotion: str = ""
    sex: str = ""
    age: str = ""
    spoken: str = ""
    text: str = ""

    @classmethod
    def of(cls, clip: RatedClip) -> "Picked":
        """The record of a rated recording."""
        means = (clip.mean("valence"), clip.mean("arousal"), clip.mean("dominance"))
        labels = (clip.emotion, clip.sex, clip.age, clip.spoken, clip.text)
        path = clip.path.absolute()
        return cls(clip.id, str(path), file_hash(path), *means, len(clip.ratings), *labels)

    def clip(self) -> RatedClip:
        """The recording with its mean rating, as far as captions need it."""
        rating = Rating(self.valence, self.arousal, self.dominance)
        labels = (self.emotion, self.sex, self.age, self.spoken, self.text)
        return RatedClip(self.id, Path(self.path), (rating,), *labels)


@dataclass(frozen=True, slots=True)
class SurabenchStep:
    """Recording → measures and labels → caption; a step of a run."""

    captioner: Captioner
    language: Language
    ear: str

    async def __call__(self, item: Item, call: Call, /) -> Outcome:
        """The outcome of one item whose payload is a `Picked`."""
        picked = from_json(Picked, item.payload)
        try:
            evidence = evidence_of(picked.clip(), hear(Path(picked.path), ear=self.ear), language=self.language)
            caption = await self.captioner.write(evidence, name=picked.id, language=self.language, call=call)
        except UnusableReplyError as error:
            return Outcome.unscored(error.reason, raw_reply=error.raw_reply, signature=self.signature)
        except (AudioError, RecordError) as error:
            return Outcome.unscored(str(error), signature=self.signature)
        found: dict[str, Json] = {"caption": caption, "evidence": evidence.text}
        length = Score(float(len(caption)), unit="characters", higher_is_better=None)
        return Outcome(State.DONE, {"caption length": length}, evidence=found, signature=self.signature)

    @property
    def signature(self) -> str:
        """Captioner, ear and language."""
        return f"{self.captioner.signature} + {load_ear(self.ear).signature} + {self.language}"

    @property
    def about(self) -> About:
        """Requirements and licences, shown before it runs."""
        return self.captioner.about + About(licence=ear_and_licence(self.ear))


@dataclass(frozen=True, slots=True)
class BuildResult:
    """Result of a build.

    Args:
        unfinished: recordings that no caption was tried for yet, or that failed; the same command goes on.
    """

    manifest: Path
    clips: tuple[Picked, ...]
    rejects: int
    yields: Mapping[str, Mapping[str, int]]
    unfinished: int


def durations(clips: Sequence[RatedClip]) -> dict[str, float | str]:
    """Seconds of every recording, or why it cannot be read."""
    found: dict[str, float | str] = {}
    with progress(display_for(label="lengths"), total=len(clips)) as advance:
        for clip in clips:
            try:
                found[clip.id] = probe(clip.path).seconds
            except AudioError as error:
                found[clip.id] = str(error)
            advance()
    return found


def make_items(selection: Selection) -> list[Item]:
    """Return the selected recordings as items of a run."""
    items = []
    for place, clip in enumerate(selection.clips):
        picked = Picked.of(clip)
        hashed = to_json(replace(picked, path="-"))  # its bytes count, not where they lie
        items.append(Item.make(clip.id, to_json(picked), position=place, hashed=hashed))
    return items


def measured_examples(
    examples: Iterable[Example], clips: Sequence[RatedClip], *, language: Language, ear: str
) -> list[Example]:
    """Examples with their evidence: those that name a recording of the corpus are measured.

    Raises:
        UsageError: if the corpus has no such recording.
    """
    by_name = {clip.id: clip for clip in clips}
    found = []
    for example in examples:
        if not example.evidence:
            if example.file not in by_name:
                raise UsageError(
                    f"--examples: the corpus has no recording {example.file!r}; give its evidence instead."
                )
            clip = by_name[example.file]
            evidence = evidence_of(clip, hear(clip.path, ear=ear), language=language)
            example = Example(example.caption, evidence.text, example.file)
        found.append(example)
    return found


def collect(
    run: Run, selection: Selection, step: SurabenchStep, *, folder: Path, settings: SelectionSettings, copy_audio: bool
) -> BuildResult:
    """Write what a run has made so far: manifest, rejects with reasons, yields per step and, if asked, the recordings.

    Raises:
        RunError: if a file cannot be written.
    """
    rejects = list(selection.rejects)
    kept: list[Picked] = []
    samples: list[CaptionSample] = []
    failed = 0
    wanted = {clip.id for clip in selection.clips}  # the run may hold others, picked by other settings
    entries = [entry for entry in run.entries if entry.item.id in wanted]
    for entry in entries:
        picked = from_json(Picked, entry.item.payload)
        if entry.outcome.state is State.DONE:
            kept.append(picked)
            samples.append(_sample(picked, str(entry.outcome.evidence["caption"]), step.language, folder, copy_audio))
        elif entry.outcome.state is State.UNSCORED:
            rejects.append(Reject(picked.id, "caption", entry.outcome.reason))
        else:
            failed += 1
    unfinished = len(selection.clips) - len(entries) + failed
    yields = {name: dict(counts) for name, counts in selection.yields.items()}
    yields["caption"] = {"in": len(selection.clips) - unfinished, "out": len(kept)}
    write_manifest(folder / MANIFEST, samples)
    write_whole(folder / REJECTS, "".join(f"{dumps(asdict(one))}\n" for one in rejects))
    about: dict[str, Json] = {
        "about": "Recordings picked evenly over valence and arousal, with reference captions from measures and labels.",
        "selection": asdict(settings),
        "captions": step.signature,
        "yields": {name: dict(counts) for name, counts in yields.items()},
        "unfinished": unfinished,
    }
    write_whole(folder / ABOUT, dumps(about, indent=1) + "\n")
    return BuildResult(folder / MANIFEST, tuple(kept), len(rejects), yields, unfinished)


def _sample(picked: Picked, caption: str, language: Language, folder: Path, copy_audio: bool) -> CaptionSample:
    path = Path(picked.path)
    if copy_audio:
        path = folder / AUDIO / f"{picked.sha256[:16]}{path.suffix}"
        if not path.is_file():
            make_folder(path.parent)
            shutil.copyfile(picked.path, path)
    means = {"valence": picked.valence, "arousal": picked.arousal, "dominance": picked.dominance}
    labels = {"emotion": picked.emotion, "sex": picked.sex, "age": picked.age}
    ids = {name: f"{mean:.3f}" for name, mean in means.items() if not math.isnan(mean)}
    ids |= {name: label for name, label in labels.items() if label} | {"raters": str(picked.raters)}
    return CaptionSample(
        id=picked.id,
        audio=AudioRef(str(path.absolute()), sha256=picked.sha256),
        caption=caption,
        reference=caption,
        language=language,
        spoken=picked.spoken,
        ids=ids,
    )


PAGE = "distribution.html"


def distribution_page(built: BuildResult, settings: SelectionSettings, *, language: Language = "en") -> str:
    """The page of a benchmark: the plane, the yields, and how many recordings each quadrant has."""
    word = words(language, "caption.build")
    plane = plane_figure(
        word("plane"),
        [PlanePoint(clip.valence, clip.arousal, clip.dominance, clip.id) for clip in built.clips],
        scale=(LOWEST, HIGHEST),
        cells=settings.grid,
        x_label=word("valence"),
        y_label=word("arousal"),
        shade_label=word("dominance"),
        note=word("plane_note", grid=settings.grid, most=settings.most_in_cell),
    )
    limits = {"shortest": settings.shortest, "longest": settings.longest, "largest": settings.largest_deviation}
    rows = tuple(
        (TableCell(word(step, **limits)), TableCell(str(counts["in"])), TableCell(str(counts["out"])))
        for step, counts in built.yields.items()
    )
    columns = (Column(word("step"), number=False), Column(word("in")), Column(word("out")))
    return bench_page(
        word("title"),
        byline=word("byline", count=len(built.clips), given=next(iter(built.yields.values()))["in"]),
        notes=(),
        sections=[
            Section("plane", word("plane"), figures=(plane,) if plane else (), wide=True),
            Section("yields", word("yields"), tables=(ResultTable(word("yields"), columns, rows),)),
            Section("quadrants", word("quadrants"), tables=(_quadrants(built.clips, language),)),
        ],
        version=version("aptone"),
        language=language,
    )


def _quadrants(clips: Sequence[Picked], language: Language) -> ResultTable:
    word = words(language, "caption.build")
    middle = (LOWEST + HIGHEST) / 2
    rows = []
    for valence in (False, True):
        for arousal in (False, True):
            named = [
                word("high" if high else "low", name=word(name))
                for name, high in (("valence", valence), ("arousal", arousal))
            ]
            count = sum((clip.valence >= middle, clip.arousal >= middle) == (valence, arousal) for clip in clips)
            rows.append((TableCell(("，" if language == "zh" else ", ").join(named)), TableCell(str(count))))
    columns = (Column(word("quadrant"), number=False), Column(word("count")))
    return ResultTable(word("quadrants"), columns, tuple(rows))
