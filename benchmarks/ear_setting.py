"""Paths of the ear's benchmark, and data that several of its sections need, made once."""

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from aptone.ear.perceive import Ear, load_ear
from aptone.types import Perception, RecordingCondition
from benchmarks.ear_conditions import base_clips, degraded
from benchmarks.ear_data import SPEECH_SETS, Answers, Clip, joined, load_answers, load_set
from benchmarks.ear_listening import answers_from, hear
from benchmarks.ear_rival import Material, features_of
from recipes.ear.data import STYLE_FOLDS


@dataclass(frozen=True, slots=True)
class HeardUnder:
    """Perception of a clip under a condition."""

    clip: Clip
    condition: RecordingCondition
    how: str
    perception: Perception


@dataclass(frozen=True)
class Setting:
    """Paths and parts of the benchmark; data that several sections need are made once.

    Args:
        data: folder with one folder a set.
        cache: folder for the rival's features, or None.
        music: folder with music, or None.
        predictions: folder with the answers of runs.
        ear: name of our ear, or None to leave it out.
        rival: whether the rival is measured.
    """

    data: Path
    cache: Path | None
    music: Path | None
    predictions: Path
    ear: str | None
    rival: bool

    @cached_property
    def clips(self) -> dict[str, list[Clip]]:
        """All clips of speech, by set."""
        return {name: load_set(self.data, name) for name in SPEECH_SETS}

    def test(self, name: str) -> list[Clip]:
        """The test part of a set."""
        return [clip for clip in self.clips[name] if clip.part == "test"]

    @cached_property
    def listener(self) -> Ear:
        """Our ear."""
        return load_ear(self.ear or "full")

    @cached_property
    def test_clips(self) -> list[Clip]:
        """The test parts of all sets."""
        return [clip for name in SPEECH_SETS for clip in self.test(name)]

    @cached_property
    def perceptions(self) -> list[Perception]:
        """Return our ear's perceptions of them."""
        return hear(self.listener, self.test_clips)

    @cached_property
    def answers(self) -> Answers:
        """The same as answers."""
        return answers_from(self.test_clips, self.perceptions)

    @cached_property
    def under_conditions(self) -> list[HeardUnder]:
        """Return our ear's perceptions of clips under all recording conditions."""
        bases = [clip for name in SPEECH_SETS for clip in base_clips(self.test(name))]
        sounds = load_set(self.data, "esc50", part="test")
        return [
            HeardUnder(one.clip, one.condition, one.how, self.listener.perceive(one.audio))
            for one in degraded(bases, sounds)
        ]

    @cached_property
    def materials(self) -> dict[str, Material]:
        """All clips with the rival's features."""
        return {
            name: Material(tuple(clips), features_of(clips, cache=self.cache)) for name, clips in self.clips.items()
        }

    @property
    def recipe(self) -> str:
        """Return the prefix of the runs that are of the same recipe as our ear."""
        return "all" if self.ear in {None, "full"} else str(self.ear)

    def runs(self, name: str) -> list[Answers]:
        """The answers of the runs of this name, one for each seed; none where the folder has none."""
        clips = [clip for clips in self.clips.values() for clip in clips]
        return [load_answers(path, clips) for path in sorted(self.predictions.glob(f"{name}-seed*.npz"))]

    def fold_runs(self, name: str) -> list[Answers]:
        """The answers about a whole set of the runs that left its speakers out, one for each seed with all folds.

        Nobody of the test part was heard by any fold; the first one answers about them.
        """
        found: dict[str, dict[int, Path]] = defaultdict(dict)
        for path in self.predictions.glob("style-fold*-seed*.npz"):
            match = re.fullmatch(r"style-fold(\d+)-seed(\d+)", path.stem)
            if match is not None:
                found[match[2]][int(match[1])] = path
        clips = self.clips[name]
        fold_of = {speaker: number for number, speakers in enumerate(STYLE_FOLDS) for speaker in speakers}
        by_fold = [[clip for clip in clips if fold_of.get(clip.speaker, 0) == n] for n in range(len(STYLE_FOLDS))]
        return [
            joined([load_answers(paths[number], clips).of(own) for number, own in enumerate(by_fold) if own])
            for _, paths in sorted(found.items())
            if set(paths) == set(range(len(STYLE_FOLDS)))
        ]
