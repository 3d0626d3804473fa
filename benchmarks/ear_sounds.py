"""Sounds besides words: vocal events, and music under speech.

Events are tested on ESC-50's fifth fold (eight clips a class, so the intervals are wide) and, as a foreign set, on the
vocalisations of the Deeply corpus. Of the latter, laughing, coughing and sneezing are classes that the ear knows. For
the others, such as sighing or adult crying, it has no training data; what it says about them is shown, not scored. On
clean speech every event counts as a false alarm, though actors do breathe and sometimes laugh: read it as an upper
bound.

Music is tested on speech with and without tracks that were not trained on, 0 to 20 dB below the speech; so that an ear
that merely hears "something under the speech" does not pass, the speech without music is also heard with the sounds of
ESC-50's test part under it. The tracks are those of Debian's package wesnoth-1.16-music named in `TEST_TRACKS`; all
others may be trained on.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aptone.audio import cut, mix_in, read
from aptone.ear.perceive import Ear
from aptone.errors import AudioError, UsageError
from aptone.types import Audio, Perception, Segment
from benchmarks.ear_conditions import RATE, SEED, SOUNDS, over_a_sound
from benchmarks.ear_data import Clip, Floats
from benchmarks.ear_scores import Measured, area_under_curve, measured

EVENTS = ("laughing", "breathing", "coughing", "sneezing", "crying_baby")
"""The classes of ESC-50 that an event of the ear can mean."""
FOREIGN = ("laughing", "coughing", "sneezing")
"""Those that Deeply has too."""
SPELLINGS = {
    "laugh": "laughing",
    "laughter": "laughing",
    "breath": "breathing",
    "cough": "coughing",
    "sneeze": "sneezing",
    "crying baby": "crying_baby",
    "baby crying": "crying_baby",
}
TEST_TRACKS = (
    "casualties_of_war",
    "elvish-theme",
    "into_the_shadows",
    "knolls",
    "love_theme",
    "northern_mountains",
    "nunc_dimittis",
    "siege_of_laurelmor",
    "the_deep_path",
    "traveling_minstrels",
    "underground",
    "victory2",
)
MUSIC_DB = (-20.0, 0.0)
LOUD_DB = -10.0
EXCERPT_SECONDS = 10.0


@dataclass(frozen=True)
class EventScores:
    """Detection scores of a set of sounds.

    Args:
        recall: of each scored class, the share of clips in which an event of that class is reported.
        reported: of each class that occurs, in how many clips each event is reported; ``"nothing"`` where none is.
        clips: of each class that occurs, how many clips there are.
    """

    recall: Mapping[str, Measured]
    reported: Mapping[str, Mapping[str, int]]
    clips: Mapping[str, int]


@dataclass(frozen=True)
class MusicScores:
    """Detection scores of music.

    Args:
        against_speech: area under the curve, speech with music against the same speech without.
        against_sounds: the same against the same speech with sounds under it.
        loud: as `against_speech`, music at most 10 dB below the speech.
        alone: share of excerpts of music alone that get a probability of 0.5 or more.
        alone_unjudged: share of excerpts of music alone for which music was not judged.
        excerpts: how many.
    """

    against_speech: Measured
    against_sounds: Measured
    loud: Measured
    alone: float
    alone_unjudged: float
    excerpts: int


def class_of(event: str) -> str:
    """The class of ESC-50 that the name of an event means; the name itself where it is not among them.

    >>> class_of("Laugh"), class_of("crying baby"), class_of("snoring")
    ('laughing', 'crying_baby', 'snoring')
    """
    name = event.casefold().strip()
    return SPELLINGS.get(name, name.replace(" ", "_"))


def event_scores(clips: Sequence[Clip], heard: Sequence[Perception], *, scored: Sequence[str]) -> EventScores:
    """Recall of the scored classes, and what was reported about all."""
    found = [{class_of(event.name) for event in perception.events} for perception in heard]
    classes = sorted({clip.emotion for clip in clips})
    reported: dict[str, dict[str, int]] = {}
    for name in classes:
        sets = [events for clip, events in zip(clips, found, strict=True) if clip.emotion == name]
        counts = Counter(event for events in sets for event in events)
        counts["nothing"] = sum(not events for events in sets)
        reported[name] = dict(counts.most_common())
    recall = {}
    for name in scored:
        rows = [row for row, clip in enumerate(clips) if clip.emotion == name]
        hits = np.array([float(name in found[row]) for row in rows])
        recall[name] = measured(lambda hit: float(np.mean(hit)), hits, speakers=[clips[row].speaker for row in rows])
    return EventScores(recall, reported, dict(Counter(clip.emotion for clip in clips)))


def false_alarms(heard: Sequence[Perception]) -> dict[str, float]:
    """Events a minute of clean speech, by class and in all."""
    minutes = sum(perception.seconds for perception in heard) / 60
    counts = Counter(class_of(event.name) for perception in heard for event in perception.events)
    return {"all": counts.total() / minutes} | {name: count / minutes for name, count in sorted(counts.items())}


def tracks_for_test(folder: Path) -> list[Audio]:
    """Music for the test, at the rate of the speech.

    Raises:
        UsageError: if one of the tracks is not in the folder or below it.
    """
    paths = {path.stem: path for path in sorted(folder.rglob("*.ogg"))}
    missing = [name for name in TEST_TRACKS if name not in paths]
    if missing:
        raise UsageError(
            f"{folder}: {missing[0]}.ogg and {len(missing) - 1} others are missing; --music names the folder "
            "core/music of Debian's package wesnoth-1.16-music."
        )
    return [read(paths[name], rate=RATE, channel="mix") for name in TEST_TRACKS]


def excerpt(track: Audio, *, seconds: float, generator: np.random.Generator) -> Audio:
    """A stretch of a track that is not silent."""
    for _ in range(100):
        begin = float(generator.uniform(0, max(0.0, track.seconds - seconds)))
        part = cut(track, Segment(begin, min(track.seconds, begin + seconds)))
        if np.sqrt(np.mean(np.square(part.samples))) > 1e-3:
            return part
    raise AudioError(f"{track.source}: nothing but silence; leave this track out.")


def music_scores(ear: Ear, clips: Sequence[Clip], sounds: Sequence[Clip], tracks: Sequence[Audio]) -> MusicScores:
    """Music under speech against none and against other sounds, and music alone."""
    generator = np.random.default_rng(SEED)
    under = [read(sound.path, rate=RATE) for sound in sounds if sound.emotion in SOUNDS]
    levels = generator.uniform(*MUSIC_DB, size=len(clips))
    with_music, with_sound, without = [], [], []
    for number, (clip, level) in enumerate(zip(clips, levels, strict=True)):
        speech = read(clip.path, rate=RATE)
        music = excerpt(tracks[number % len(tracks)], seconds=speech.seconds, generator=generator)
        sound = under[number % len(under)]
        without.append(ear.perceive(speech).music)
        with_music.append(ear.perceive(mix_in(speech, music, level_db=float(level))).music)
        noisy = over_a_sound(speech, sound, snr_db=-float(level), generator=generator)
        with_sound.append(ear.perceive(noisy).music)
    alone = np.array(
        [
            ear.perceive(excerpt(track, seconds=EXCERPT_SECONDS, generator=generator)).music
            for track in tracks
            for _ in range(3)
        ]
    )
    speakers = np.array([clip.speaker for clip in clips])
    positive, negative, other = np.array(with_music), np.array(without), np.array(with_sound)
    loud = levels >= LOUD_DB
    return MusicScores(
        against_speech=measured(_area, positive, negative, speakers=speakers.tolist()),
        against_sounds=measured(_area, positive, other, speakers=speakers.tolist()),
        loud=measured(_area, positive[loud], negative[loud], speakers=speakers[loud].tolist()),
        alone=float(np.mean(alone >= 0.5)),
        alone_unjudged=float(np.mean(np.isnan(alone))),
        excerpts=alone.size,
    )


def _area(positive: Floats, negative: Floats) -> float:
    scores = np.concatenate([positive, negative])
    return area_under_curve(scores, np.arange(scores.size) < positive.size)
