"""Acted clips of several corpora as turns of dialogues: drawn evenly over speakers and emotions, heard once each."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aptone.audio import read
from aptone.rooms.dialogue.config import TABLE
from aptone.rooms.dialogue.hearing.turns import HEARING_RATE, EarListener, Heard
from benchmarks.ear_data import Clip, load_set

SETS = ("ravdess", "emodb", "csemotions", "nemo", "emospeech", "korean", "turev")
"""Corpora that have anger and a calm or neutral voice."""
UNHEARD = ("turev",)
"""Those whose licence forbids training: nothing is ever chosen on them."""
CALM = ("calm", "neutral")
EMOTIONS = (*CALM, "angry", "happy", "sad", "fear")
MOST_SPEAKERS, MOST_CLIPS = 24, 6
"""The most speakers of a part, and clips of one speaker and emotion."""


@dataclass(frozen=True, slots=True)
class HeardClip:
    """A clip, and what the built-in listener hears in it."""

    clip: Clip
    heard: Heard


def drawn(clips: Sequence[Clip], *, seed: int, speakers: int = MOST_SPEAKERS, each: int = MOST_CLIPS) -> list[Clip]:
    """Some clips, evenly over speakers and emotions, by a fixed seed."""
    generator = np.random.default_rng(seed)
    names = sorted({clip.speaker for clip in clips})
    kept = {names[place] for place in generator.permutation(len(names))[:speakers]}
    groups: dict[tuple[str, str], list[Clip]] = defaultdict(list)
    for clip in clips:
        if clip.speaker in kept and clip.emotion in EMOTIONS:
            groups[clip.speaker, clip.emotion].append(clip)
    return [
        found
        for group in groups.values()
        for found in (group[place] for place in sorted(generator.permutation(len(group))[:each]))
    ]


def heard_sets(
    data: Path, parts: Sequence[str], *, seed: int, each: int = MOST_CLIPS
) -> Iterator[tuple[str, list[HeardClip]]]:
    """Yield every corpus that has clips in these parts, with what is heard in them, where that is a trajectory."""
    listener = EarListener("full")
    for name in SETS:
        clips = [clip for part in parts for clip in drawn(load_set(data, name, part=part), seed=seed, each=each)]
        found = [
            HeardClip(clip, listener.hear(read(clip.path, rate=HEARING_RATE, channel="mix"), labels=tuple(TABLE)))
            for clip in clips
        ]
        if kept := [one for one in found if len(one.heard.points)]:
            yield name, kept


@dataclass(frozen=True, slots=True)
class Trial:
    """An angry user, and the same agent answering calmly and in anger."""

    user: HeardClip
    calm: HeardClip
    angry: HeardClip


def anger_trials(clips: Sequence[HeardClip], *, seed: int, count: int) -> list[Trial]:
    """Trials with so many draws for each pair of speakers; user and agent differ where a corpus has two or more."""
    generator = np.random.default_rng(seed)
    speakers = sorted({one.clip.speaker for one in clips})
    trials = []
    for user in speakers:
        for agent in speakers if len(speakers) == 1 else [other for other in speakers if other != user]:
            asked, angry, calm = (
                [one for one in clips if one.clip.speaker == who and one.clip.emotion in emotions]
                for who, emotions in ((user, ("angry",)), (agent, ("angry",)), (agent, CALM))
            )
            if not (asked and angry and calm):
                continue
            for _ in range(count):
                first = asked[generator.integers(len(asked))]
                others = [one for one in angry if one is not first]
                if others:
                    trials.append(
                        Trial(first, calm[generator.integers(len(calm))], others[generator.integers(len(others))])
                    )
    return trials
