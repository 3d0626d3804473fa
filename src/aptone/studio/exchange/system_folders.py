"""Listening tests from folders of systems: clips of the same names, reference and anchors, stories."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aptone.audio import read, write_lossless
from aptone.audio.degrade import add_noise, low_pass, telephone_band
from aptone.errors import UsageError
from aptone.files import make_folder
from aptone.messages import message
from aptone.ratings.listening_tests import LOW_ANCHOR, MID_ANCHOR, Clips, MushraExtras, Take, build_test, shared_texts
from aptone.rooms.aptness.data import read_manifest as read_lines
from aptone.studio.decoded_clips import BrokenClip, DecodedClips
from aptone.studio.exchange.imports import folder_clips, is_run, scored_samples, words_beside
from aptone.studio.folder import CACHE, ClipStorage
from aptone.types import Audio, AudioRef, Json, RatingTask, Sample

NOISE_DB = 10.0
ANCHORS: Mapping[str, tuple[str, Callable[[Audio], Audio]]] = {
    "low": (LOW_ANCHOR, lambda audio: low_pass(audio, cutoff=3500.0)),
    "mid": (MID_ANCHOR, lambda audio: low_pass(audio, cutoff=7000.0)),
    "telephone": ("anchor telephone", telephone_band),
    "noise": ("anchor noise", lambda audio: add_noise(audio, snr_db=NOISE_DB, kind="pink", seed=0)),
}
"""Option to the name of the condition and what makes it of the reference."""
USUAL_ANCHORS = ("low", "mid")
MADE = "anchors"


@dataclass(frozen=True, slots=True)
class SystemTest:
    """Test made of folders, and the texts that not every system has."""

    task: RatingTask
    left_out: tuple[str, ...]


def system_takes(source: Path) -> dict[str, Take]:
    """Read the takes of one system: a folder of clips, a run folder of ``aptone score``, or a manifest of lines.

    Words come from the text files beside the clips, or from the lines; a run gives scores of its judge, too.
    """
    if source.is_dir() and not is_run(source):
        return {name: Take(AudioRef(str(path.absolute())), words_beside(path)) for name, path in folder_clips(source)}
    return {
        sample.id: Take(sample.audio, sample.target.text, story_field(sample), None if math.isnan(score) else score)
        for sample, score in scored_samples(source)
        if isinstance(sample.audio, AudioRef)
    }


def story_field(sample: Sample) -> Json:
    """Story of a line as a task shows it, with the line as its target."""
    lines = [*sample.context, sample.target, *sample.following]
    return {
        "lines": [{"text": line.text, "role": line.role, "clip": ""} for line in lines],
        "target": len(sample.context),
    }


def import_systems(
    test: str,
    sources: Sequence[Path],
    *,
    folder: Path,
    names: Sequence[str] = (),
    reference: Path | None = None,
    anchors: Sequence[str] = USUAL_ANCHORS,
    stories: Path | None = None,
    name: str = "",
    raters: int | None = None,
    quota: int = 0,
    calibration: int = 0,
    trials: int = 1,
    seed: int = 0,
    link: bool = False,
    decoded: DecodedClips | None = None,
    broken: list[BrokenClip] | None = None,
) -> SystemTest:
    """Build a ready test from what systems made, and copy its clips into a project folder.

    Args:
        test: one of `aptone.ratings.listening_tests.TESTS`.
        sources: one a system: a folder of clips (the same names in each), a run, or a manifest.
        names: names of the systems; by default those of the sources.
        reference: folder of reference clips, for ``mushra``.
        anchors: keys of `ANCHORS`, made of the reference.
        stories: manifest of lines by clip name, for ``aptness`` with folders of clips.
        decoded, broken: as in `aptone.studio.exchange.imports.import_task`.

    Raises:
        UsageError: if the sources do not make this test.
        AudioError: if clips cannot be played, or an anchor would not differ from the reference.
    """
    called = list(names or (source.stem if source.is_file() else source.resolve().name for source in sources))
    if len(called) != len(sources):
        raise UsageError(message("studio.as-many-names-as-systems", names=len(called), systems=len(sources)))
    if len(set(called)) < len(called):
        raise UsageError(message("studio.systems-need-own-names", names=", ".join(called)))
    systems: dict[str, Mapping[str, Take]] = {
        one: system_takes(source) for one, source in zip(called, sources, strict=True)
    }
    if empty := [one for one, takes in systems.items() if not takes]:
        raise UsageError(message("studio.no-clips-of-system", name=empty[0]))
    if stories is not None:
        systems = _with_stories(systems, stories)
    extras = _extras(reference, anchors, systems, folder) if test == "mushra" else None
    task = build_test(
        test,
        systems,
        extras=extras,
        name=name,
        raters=raters,
        quota=quota,
        calibration=calibration,
        trials=trials,
        seed=seed,
    )
    storage = ClipStorage(folder, base=Path.cwd(), link=link, decoded=decoded)
    whole = replace(task, items=tuple(storage.add_all(task.items, broken=broken)))
    used = set(systems[called[0]]) if test == "mos" else set(shared_texts(systems))
    every = dict.fromkeys(text for takes in systems.values() for text in takes)
    return SystemTest(whole, () if test == "mos" else tuple(text for text in every if text not in used))


def _with_stories(systems: Clips, path: Path) -> dict[str, Mapping[str, Take]]:
    stories = {sample.id: sample for sample in read_lines(path)}
    return {
        system: {
            text: replace(take, story=story_field(stories[text]), words=take.words or stories[text].target.text)
            if text in stories
            else take
            for text, take in takes.items()
        }
        for system, takes in systems.items()
    }


def _extras(reference: Path | None, anchors: Sequence[str], systems: Clips, folder: Path) -> MushraExtras:
    if reference is None:
        raise UsageError(message("run.mushra-needs-reference"))
    given = {text: take.clip for text, take in system_takes(reference).items()}
    texts = [text for text in shared_texts(systems) if text in given]
    made: dict[str, dict[str, AudioRef]] = {}
    place = folder / CACHE / MADE
    make_folder(place)
    for anchor in dict.fromkeys(anchors):
        condition, change = ANCHORS[anchor]
        made[condition] = {}
        for number, text in enumerate(texts):
            clip = given[text]
            audio = read(clip.path, rate=None, channel="mix", start=clip.start, end=clip.end)
            made[condition][text] = AudioRef(
                str(write_lossless(place / f"{anchor}-{number}", change(audio)).absolute())
            )
    return MushraExtras(given, made)
