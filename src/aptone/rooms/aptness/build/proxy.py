"""A benchmark that can be made anywhere: lines of dialogues whose emotion people named, with clips of acted speech.

No recording of a story that people rated may be shipped, so this stands in for one. **It is a proxy: no listener ever
heard a clip in its context, and agreement with it is not agreement with people.** A line of a dialogue has the emotion
that people gave it when they saw the scene; a clip, of other words, has the emotion that its actor was asked for. How
well one fits the other is graded by the formula of `aptone.rooms.aptness.build.proxy_grade`.

The recording condition is normal, or what a sentence of narration before the line asks for ("Her voice came over the
telephone."); clips are degraded to have it, or are left without it. Everything that the sample depends on is in
`ProxySettings`; the same settings and the same data give the same benchmark.
"""

import math
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from aptone.audio import drop_outs, far_field, read, telephone_band, telephone_codec, write
from aptone.ear.labelled_clips import LabelledClip
from aptone.errors import RecordError, UsageError
from aptone.files import write_whole
from aptone.planner import LARGEST_WINDOW
from aptone.planner.labelled_dialogues import OURS, Dialogue
from aptone.rooms.aptness.build.proxy_grade import NARRATION, Fit, ProxySettings, fit_of, grade
from aptone.types import Audio, Emotion, Json, Language, Line, RecordingCondition, dumps

MANIFEST = "manifest.jsonl"
ABOUT = "proxy.json"
CLIPS = "clips"
RATE = 16_000


class Scene(NamedTuple):
    """A line that people named an emotion for, and the lines before it."""

    line: Line
    context: tuple[Line, ...]
    emotion: Emotion
    language: Language


class ProxyItem(NamedTuple):
    """One item: a scene, a clip, the conditions that are asked for and heard, and how well they fit."""

    scene: Scene
    clip: LabelledClip
    asked: RecordingCondition
    heard: RecordingCondition
    fit: Fit
    grade: float


class BuildResult(NamedTuple):
    """Result of a build."""

    manifest: Path
    items: int
    clips: int
    counts: Mapping[str, Mapping[str, int]]


def build_proxy(
    dialogues: Sequence[Dialogue], clips: Sequence[LabelledClip], *, out: Path, settings: ProxySettings
) -> BuildResult:
    """Sample the benchmark and write it: ``manifest.jsonl``, ``clips/``, and ``proxy.json`` with settings and counts.

    Args:
        clips: clips of acted speech, by speakers that no judge has heard.

    Raises:
        UsageError: if there is nothing to sample from, or the folder holds something.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out}: is there already; name a new folder.")
    items = sample_items(dialogues, clips, settings=settings)
    folder = out / CLIPS
    folder.mkdir(parents=True, exist_ok=True)
    names = {(item.clip.path, item.heard): _clip_name(item) for item in items}
    if len(set(names.values())) != len(names):
        raise RecordError("two clips of different folders have the same name; give one set of clips.")
    for (path, condition), name in names.items():
        _write_clip(path, folder / name, condition, seed=settings.seed)
    records = [
        item_record(number, item, names[item.clip.path, item.heard]) for number, item in enumerate(items, start=1)
    ]
    counts = _counts(items)
    about: dict[str, Json] = {
        "about": "A proxy: graded by a formula, heard by nobody. Agreement with it is not agreement with people.",
        "settings": settings.as_json(),
        "counts": {name: dict(count) for name, count in counts.items()},
        "speakers": sorted({item.clip.speaker for item in items}),
    }
    write_whole(out / ABOUT, dumps(about, indent=1) + "\n")
    write_whole(out / MANIFEST, "".join(dumps(record) + "\n" for record in records))
    return BuildResult(out / MANIFEST, len(items), len(names), counts)


def sample_items(
    dialogues: Sequence[Dialogue], clips: Sequence[LabelledClip], *, settings: ProxySettings
) -> tuple[ProxyItem, ...]:
    """The items of the benchmark, in sampled order.

    Raises:
        UsageError: if there is nothing to sample from.
    """
    generator = np.random.default_rng(settings.seed)
    usable = [clip for clip in clips if _emotion(clip) is not None]
    if not usable:
        raise UsageError("none of the clips has an emotion that is known here.")
    acted = {_emotion(clip) for clip in usable}
    scenes = [scene for scene in _scenes(dialogues) if scene.emotion in acted]
    if not scenes:
        raise UsageError("no line of the dialogues has an emotion that a clip has.")
    wanted = _quotas(settings.shares, settings.items)
    generator.shuffle(wanted)
    pairs = zip(_sample_scenes(scenes, settings, generator), wanted, strict=True)
    return tuple(_sample_clip(scene, Fit(fit), usable, settings, generator) for scene, fit in pairs)


def _emotion(clip: LabelledClip) -> Emotion | None:
    try:
        return Emotion.parse(clip.emotion)
    except RecordError:
        return None


def _scenes(dialogues: Sequence[Dialogue]) -> list[Scene]:
    scenes = []
    for dialogue in dialogues:
        lines = [labelled.line for labelled in dialogue.lines]
        for place, labelled in enumerate(dialogue.lines):
            label = max(labelled.labels, key=lambda name: labelled.labels[name], default="")
            if label in OURS:
                before = tuple(lines[max(0, place - LARGEST_WINDOW) : place])
                scenes.append(Scene(lines[place], before, OURS[label], dialogue.language))
    return scenes


def _sample_scenes(scenes: Sequence[Scene], settings: ProxySettings, generator: np.random.Generator) -> list[Scene]:
    """Sample as many scenes as there are items; none repeats before all of its kind were sampled."""
    if settings.emotions == "as they occur":
        return _in_turns(scenes, settings.items, generator)
    kinds = sorted({scene.emotion for scene in scenes})
    count = Counter(_quotas(dict.fromkeys(kinds, 1 / len(kinds)), settings.items))
    found = [
        scene
        for kind in kinds
        for scene in _in_turns([scene for scene in scenes if scene.emotion == kind], count[kind], generator)
    ]
    return [found[place] for place in generator.permutation(len(found))]


def _in_turns(scenes: Sequence[Scene], count: int, generator: np.random.Generator) -> list[Scene]:
    places: list[int] = []
    while len(places) < count:
        places += generator.permutation(len(scenes)).tolist()
    return [scenes[place] for place in places[:count]]


def _quotas(shares: Mapping[str, float], items: int) -> list[str]:
    """Each name as often as its share asks for; what rounding leaves goes to the largest remainders."""
    exact = {name: share * items for name, share in shares.items()}
    counts = {name: math.floor(value + 1e-9) for name, value in exact.items()}
    by_remainder = sorted(exact, key=lambda name: counts[name] - exact[name])
    for name in by_remainder[: items - sum(counts.values())]:
        counts[name] += 1
    return [name for name, count in counts.items() for _ in range(count)]


def _sample_clip(
    scene: Scene, fit: Fit, clips: Sequence[LabelledClip], settings: ProxySettings, generator: np.random.Generator
) -> ProxyItem:
    """A clip of the class for a scene. Where no clip is of the class, one of the class next to it is taken."""
    asked, heard = _sample_conditions(settings, generator)
    classes = {fit: [], **{other: [] for other in Fit}}  # type: dict[Fit, list[LabelledClip]]
    for clip in clips:
        emotion = _emotion(clip)
        assert emotion is not None
        found = fit_of(scene.emotion, emotion, intensity=clip.intensity, settings=settings)
        if found is not None:
            classes[found].append(clip)
    nearest = {Fit.FITS: (Fit.HALF,), Fit.HALF: (Fit.FITS, Fit.CONTRADICTS), Fit.CONTRADICTS: (Fit.HALF,)}
    kind = next(kind for kind in (fit, *nearest[fit], *Fit) if classes[kind])
    by_emotion: dict[str, list[LabelledClip]] = {}
    for clip in classes[kind]:
        by_emotion.setdefault(clip.emotion, []).append(clip)
    names = sorted(by_emotion)
    chosen = by_emotion[names[int(generator.integers(len(names)))]]
    clip = chosen[int(generator.integers(len(chosen)))]
    emotion = _emotion(clip)
    assert emotion is not None
    if kind is Fit.FITS and asked is not heard:
        kind = Fit.HALF
    value = grade(scene.emotion, emotion, intensity=clip.intensity, same_condition=asked is heard, settings=settings)
    return ProxyItem(scene, clip, asked, heard, kind, value)


def _sample_conditions(
    settings: ProxySettings, generator: np.random.Generator
) -> tuple[RecordingCondition, RecordingCondition]:
    """Sample the recording condition that is asked for, and the one that the clip has."""
    normal = RecordingCondition.NORMAL
    other = [RecordingCondition.parse(name) for name in settings.conditions]
    chosen = other[int(generator.integers(len(other)))] if other else normal
    is_asked, has_it, has_anyhow = generator.random(3) < (settings.asked, settings.answered, settings.unasked)
    if is_asked:
        return chosen, chosen if has_it else normal
    return normal, chosen if has_anyhow else normal


DEGRADED: Mapping[str, Callable[[Audio, np.random.Generator], Audio]] = {
    "phone": lambda audio, _: telephone_codec(telephone_band(audio), codec="mu-law"),
    "far-field": lambda audio, generator: far_field(audio, rt60=0.8, distance=4.0, seed=generator),
    "intermittent": lambda audio, generator: drop_outs(
        audio, share=0.3, seed=generator, packet_seconds=0.04, mean_burst_packets=4.0
    ),
}
"""Degradations that give a clip a recording condition."""


def _clip_name(item: ProxyItem) -> str:
    if item.heard is RecordingCondition.NORMAL:
        return item.clip.path.name
    return f"{item.clip.path.stem}_{item.heard.value}.flac"


def _write_clip(source: Path, target: Path, condition: RecordingCondition, *, seed: int) -> None:
    if condition is RecordingCondition.NORMAL:
        shutil.copyfile(source, target)
        return
    generator = np.random.default_rng([seed, *target.name.encode()])  # a clip's room does not depend on the others
    worse = DEGRADED[condition.value](read(source, rate=RATE, channel="mix"), generator)
    loudest = max(float(np.abs(worse.samples).max()), 1.0)  # a room adds up what is loud already
    write(target, replace(worse, samples=worse.samples / np.float32(loudest)))


def item_record(number: int, item: ProxyItem, name: str) -> dict[str, Json]:
    """An item as a line of the manifest, with the narration that asks for its recording condition."""
    scene, language = item.scene, item.scene.language
    context = [{"text": line.text, "role": line.role} for line in scene.context]
    if item.asked is not RecordingCondition.NORMAL:
        sentences = NARRATION[item.asked.value][language]
        context.append({"text": sentences[number % len(sentences)], "role": ""})
    return {
        "id": f"{number:05d}",
        "audio": f"{CLIPS}/{name}",
        "line": scene.line.text,
        "role": scene.line.role,
        "context": context,
        "language": language,
        "plan": {"emotion": scene.emotion.label(language), "recording_condition": item.asked.label(language)},
        "proxy_score": round(item.grade, 4),
        "ids": {
            "fit": item.fit.value,
            "emotion": scene.emotion.value,
            "acted": item.clip.emotion,
            "intensity": item.clip.intensity,
            "speaker": item.clip.speaker,
            "recording": item.clip.path.name,
            "asked": item.asked.value,
            "heard": item.heard.value,
        },
    }


def _counts(items: Sequence[ProxyItem]) -> dict[str, Mapping[str, int]]:
    columns: dict[str, list[str]] = {
        "fit": [item.fit.value for item in items],
        "emotion": [item.scene.emotion.value for item in items],
        "acted": [item.clip.emotion for item in items],
        "asked": [item.asked.value for item in items],
        "heard": [item.heard.value for item in items],
    }
    return {name: dict(sorted(Counter(values).items())) for name, values in columns.items()}
