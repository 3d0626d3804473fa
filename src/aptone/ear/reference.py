"""Reference of a voice: what a collection of its clips usually sounds like, and a clip heard against that.

An ear trained on other corpora hears a new voice or channel with an offset: everything a little angrier, or flatter,
than it is meant. A collection of clips of the voice shows the offset. With the log-probabilities ``x`` of the emotions
of a clip, their mean ``m`` and standard deviation ``s`` over the collection, and the mean probabilities ``q``::

    x' = (1 - w) x + w (SHARPNESS (x - m) / (s + DEVIATION) + RARITY log(q + 0.001) + PROSODY log p)

``p`` is what the prosody says: a softmax regression over the measures of the clip (pitch, loudness, rate, pauses, voice
quality), each relative to the habits of the voice, ``z = (value - mean) / (deviation + 0.1 scale)``, at most ±3. What
"loud" or "high" means is known only for a voice whose habits are known; an ear that hears one clip cannot use them so.
Its weights come with the ear (`aptone.ear.network.inference.Meaning`), trained on voices whose clips were compared in
the same way.

``w`` says how much the collection counts. It grows from 0 to 1 with the diversity of the collection: the
Jensen–Shannon divergence of what is heard in its clips, in nats, from `DIVERSITY[0]` to `DIVERSITY[1]`. A collection in
which all clips are of one emotion sounds alike and changes little; its mean would be that emotion, not an offset.
`SHRINKAGE` lowers ``w`` for small collections. Valence, arousal and dominance move with the emotions, and over time by
the same amount as in the whole clip.

The constants were chosen on corpora that the networks had not been trained on (`benchmarks/ear_reference.py`).
"""

import contextlib
import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from aptone.audio import RECORDINGS, Channel, read_ref
from aptone.ear.describe import emotion_phrase
from aptone.ear.measures.frames import RATE
from aptone.ear.perceive import Ear, load_ear
from aptone.errors import AudioError, UsageError
from aptone.messages import LANGUAGES, joined, message
from aptone.types import Audio, AudioRef, Emotion, Perception, Score, Trajectory, Vad, dumps, to_json
from aptone.types.story import TYPICAL_VAD

SELF = "self"
"""Name of the collection that consists of the clips themselves."""
FEWEST = 8
"""Clips below which a collection is no reference."""
LEAST_SPEECH = 1.0
"""Seconds of speech without which a clip does not count: single words sound diverse even in one emotion."""
MOST = 200
"""Clips of one voice that are heard for its reference; of more, as many are chosen by their names."""
FLOOR = 1e-4
"""Lowest probability that counts."""
DIVERSITY = (0.15, 0.25)
DEVIATION = 1.0
SHRINKAGE = 2.0
SHARPNESS = 2.5
RARITY = 0.1
PROSODY = 0.5
LEAST_DEVIATION = 0.1
"""Share of a measure's usual scale that is added to a voice's own deviation."""
LARGEST_DEPARTURE = 3.0
BIAS = "bias"
"""Name of the bias among the weights of the prosody."""

SHOWN = 5
"""Voices that a note names."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Emotions heard in the clips of one voice, summarised.

    Args:
        clips: number of clips that count.
        mean, deviation: of the log-probability, by emotion.
        share: mean probability, by emotion.
        diversity: Jensen–Shannon divergence of the clips' distributions in nats; 0 where all sound alike.
        habits: by measure of the voice, mean and deviation over the clips in which it is defined.
    """

    clips: int
    mean: Mapping[str, float]
    deviation: Mapping[str, float]
    share: Mapping[str, float]
    diversity: float
    habits: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def weight(self) -> float:
        """Weight of the reference, 0 to 1."""
        low, high = DIVERSITY
        diverse = min(1.0, max(0.0, (self.diversity - low) / (high - low)))
        return diverse * self.clips / (self.clips + SHRINKAGE)


@dataclass(frozen=True, slots=True)
class References:
    """References of the voices of a collection.

    Args:
        ear: signature of the ear that heard them.
        whole: all clips together; ``None`` for fewer than `FEWEST`.
        voices: by voice, those with at least `FEWEST` clips.
        few: number of clips of every voice with fewer; it is heard against the whole.
        prosody: weights of the ear, by measure; empty where it has none.
    """

    ear: str
    whole: Reference | None = None
    voices: Mapping[str, Reference] = field(default_factory=dict)
    few: Mapping[str, int] = field(default_factory=dict)
    prosody: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def signature(self) -> str:
        """Hash of everything that it changes scores by."""
        return hashlib.sha256(dumps(to_json(self)).encode()).hexdigest()[:12]

    @property
    def note(self) -> str:
        """Note for people: number of clips and weight, voice by voice."""
        if self.whole is None:
            return message("ear.reference-none", needed=FEWEST)
        parts = [message("ear.reference-whole", count=self.whole.clips, weight=self.whole.weight)]
        parts += [
            message("ear.reference-voice", voice=voice, count=one.clips, weight=one.weight)
            for voice, one in sorted(self.voices.items())[:SHOWN]
        ]
        if len(self.voices) > SHOWN:
            parts.append(message("ear.reference-more", count=len(self.voices) - SHOWN))
        if self.few:
            parts.append(message("ear.reference-few", count=len(self.few), needed=FEWEST))
        return joined(parts, "text.space")

    def of(self, voice: str) -> Reference | None:
        """Return the reference of a voice: its own, or that of the whole collection."""
        return self.voices.get(voice, self.whole)

    def applied(self, perception: Perception, *, voice: str = "") -> Perception:
        """Return what is heard against the reference of a voice; unchanged where there is nothing to compare.

        Raises:
            UsageError: if another ear heard the collection.
        """
        if not perception.signature.startswith(self.ear):
            raise UsageError(message("ear.reference-of-another-ear", made=self.ear, given=perception.signature))
        reference = self.of(voice)
        if reference is None or not perception.emotion or not reference.weight:
            return perception
        departures = departures_from(reference.habits, perception.measures, self.prosody)
        emotion = against(perception.emotion, reference, by_prosody(departures, self.prosody))
        vad = None if perception.vad is None else _moved(perception.vad, perception.emotion, emotion)
        return replace(
            perception,
            emotion=emotion,
            phrase={one: emotion_phrase(emotion, intensity=perception.intensity, language=one) for one in LANGUAGES},
            vad=vad,
            trajectory=_moved_along(perception.trajectory, perception.vad, vad),
            signature=f"{perception.signature}|reference:{self.signature}",
        )


def departures_from(
    habits: Mapping[str, tuple[float, float]], measures: Mapping[str, Score], prosody: Mapping[str, tuple[float, ...]]
) -> dict[str, float]:
    """Return how far each measure departs from the habits of the voice, in deviations; only those that are known."""
    departures = {}
    for name, (scale, *_) in prosody.items():
        value = measures[name].value if name in measures else math.nan
        if name == BIAS or name not in habits or math.isnan(value):
            continue
        mean, deviation = habits[name]
        spread = deviation + LEAST_DEVIATION * scale
        if not spread:  # a measure that never changes says nothing
            continue
        distance = (value - mean) / spread
        departures[name] = min(max(distance, -LARGEST_DEPARTURE), LARGEST_DEPARTURE)
    return departures


def by_prosody(departures: Mapping[str, float], prosody: Mapping[str, tuple[float, ...]]) -> dict[str, float]:
    """Return the log-probability of each emotion by the prosody; empty where there is nothing to go by."""
    if not departures:
        return {}
    logits = []
    for place in range(len(Emotion)):
        terms = [departures[name] * prosody[name][place + 1] for name in departures]
        logits.append(math.fsum([prosody[BIAS][place + 1], *terms]))
    top = max(logits)
    total = top + math.log(math.fsum(math.exp(value - top) for value in logits))
    return {emotion.value: value - total for emotion, value in zip(Emotion, logits, strict=True)}


def against(
    emotion: Mapping[str, float], reference: Reference, prosody: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return the distribution over emotions against a reference; formula in the docstring of the module.

    Args:
        emotion: probabilities of a clip alone.
        reference: the voice's own.
        prosody: log-probabilities of `by_prosody`; empty for none.
    """
    weight = reference.weight
    own = prosody or {}
    logits = {}
    for name, probability in emotion.items():
        plain = math.log(max(probability, FLOOR))
        standard = (plain - reference.mean[name]) / (reference.deviation[name] + DEVIATION)
        shifted = SHARPNESS * standard + RARITY * math.log(reference.share[name] + 1e-3) + PROSODY * own.get(name, 0.0)
        logits[name] = (1.0 - weight) * plain + weight * shifted
    top = max(logits.values())
    powers = {name: math.exp(value - top) for name, value in logits.items()}
    total = math.fsum(powers.values())
    return {name: value / total for name, value in powers.items()}


def make_reference(heard: Sequence[Mapping[str, float]], measures: Sequence[Mapping[str, Score]] = ()) -> Reference:
    """Make a reference of the emotions of clips; the same in whatever order they come.

    Args:
        heard: emotions of each clip.
        measures: measures of each clip.

    Raises:
        UsageError: if there are fewer than `FEWEST`.
    """
    if len(heard) < FEWEST:
        raise UsageError(message("ear.reference-too-few", count=len(heard), needed=FEWEST))
    mean, deviation, share = {}, {}, {}
    for name in heard[0]:
        logs = [math.log(max(one[name], FLOOR)) for one in heard]
        mean[name] = math.fsum(logs) / len(logs)
        deviation[name] = math.sqrt(math.fsum((value - mean[name]) ** 2 for value in logs) / len(logs))
        share[name] = math.fsum(one[name] for one in heard) / len(heard)
    alone = math.fsum(_entropy(one) for one in heard) / len(heard)
    return Reference(len(heard), mean, deviation, share, max(0.0, _entropy(share) - alone), habits_of(measures))


def habits_of(measures: Sequence[Mapping[str, Score]]) -> dict[str, tuple[float, float]]:
    """Return mean and deviation of each measure over the clips in which it is defined; at least two are needed."""
    habits = {}
    for name in dict.fromkeys(name for one in measures for name in one):
        values = [one[name].value for one in measures if name in one and math.isfinite(one[name].value)]
        if len(values) > 1:
            mean = math.fsum(values) / len(values)
            habits[name] = (mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values)))
    return dict(sorted(habits.items()))


def make_references(
    heard: Iterable[tuple[str, Perception]], *, ear: str, prosody: Mapping[str, tuple[float, ...]] | None = None
) -> References:
    """Make the references of a collection from clips with their voices; those with too little speech do not count.

    Args:
        heard: voice of each clip (empty where unknown), and what the ear heard in it.
        ear: signature of the ear.
        prosody: weights of the ear; None where it has none.
    """
    by_voice: dict[str, list[Perception]] = {}
    for voice, perception in heard:
        if perception.emotion and perception.speech_seconds >= LEAST_SPEECH:
            by_voice.setdefault(voice, []).append(perception)
    everything = [one for each in by_voice.values() for one in each]
    named = {voice: each for voice, each in by_voice.items() if voice}
    return References(
        ear,
        _reference_of(everything) if len(everything) >= FEWEST else None,
        {voice: _reference_of(each) for voice, each in named.items() if len(each) >= FEWEST},
        {voice: len(each) for voice, each in named.items() if len(each) < FEWEST},
        prosody or {},
    )


def _reference_of(heard: Sequence[Perception]) -> Reference:
    return make_reference([one.emotion for one in heard], [one.measures for one in heard])


class Clip(NamedTuple):
    """A clip of a collection.

    Args:
        voice: speaker, or the system that made it; empty where unknown.
        name: what it is chosen by where there are many; unique in the collection.
        source: recording, or a path or reference to one.
        channel: of a file, from 0 on; by default the mean of all.
    """

    voice: str
    name: str
    source: AudioRef | Audio
    channel: Channel = "mix"


def hear_references(clips: Sequence[Clip], *, ear: Ear, heard: Callable[[], None] = lambda: None) -> References:
    """Hear a collection (`chosen_clips`), and make its references.

    Clips that cannot be read, or in which too little is said, do not count.

    Args:
        heard: called after every clip.
    """
    found = []
    for clip in chosen_clips(clips):
        with contextlib.suppress(AudioError, OSError):
            source = clip.source
            audio = source if isinstance(source, Audio) else read_ref(source, rate=RATE, channel=clip.channel)
            found.append((clip.voice, ear.perceive(audio)))
        heard()
    return make_references(found, ear=ear.signature, prosody=ear.prosody)


def hear_enough(clips: Sequence[Clip], *, ear: Ear, heard: Callable[[], None] = lambda: None) -> References:
    """Hear a collection that somebody asked for, as `hear_references`.

    Raises:
        UsageError: if there are fewer than `FEWEST` clips, or fewer that count.
    """
    count = len(chosen_clips(clips))
    if count < FEWEST:
        raise UsageError(message("ear.reference-too-few", count=count, needed=FEWEST))
    made = hear_references(clips, ear=ear, heard=heard)
    if made.whole is None:
        raise UsageError(message("ear.reference-too-few-speak", count=count, needed=FEWEST))
    return made


def chosen_clips(clips: Iterable[Clip]) -> list[Clip]:
    """Return the clips that are heard for references: each recording of a voice once, at most `MOST` of a voice."""
    by_voice: dict[str, dict[tuple[AudioRef | Audio, Channel], Clip]] = {}
    for clip in clips:
        by_voice.setdefault(clip.voice, {}).setdefault((clip.source, clip.channel), clip)
    distinct = [list(each.values()) for each in by_voice.values()]
    return [each[place] for each in distinct for place in chosen([clip.name for clip in each])]


def folder_clips(folder: Path) -> list[Clip]:
    """List the recordings of a folder; a folder inside it is a voice.

    Raises:
        UsageError: if there are fewer than `FEWEST`.
    """
    if not folder.is_dir():
        raise UsageError(message("ear.reference-no-folder", path=str(folder)))
    paths = sorted(path for path in folder.rglob("*") if path.name.lower().endswith(RECORDINGS) and path.is_file())
    if len(paths) < FEWEST:
        raise UsageError(message("ear.reference-too-few", count=len(paths), needed=FEWEST))
    names = [path.relative_to(folder) for path in paths]
    return [
        Clip(name.parts[0] if len(name.parts) > 1 else "", name.as_posix(), AudioRef(str(path)))
        for name, path in zip(names, paths, strict=True)
    ]


def reference(
    sources: str | Path | Sequence[str | Path | Audio], *, voices: Sequence[str] | None = None, ear: str | None = None
) -> References:
    """Make a reference of recordings: what their voices usually sound like to the ear.

    Args:
        sources: a folder (a folder inside it is a voice), or recordings.
        voices: voice of each recording; by default they are of one.
        ear: name of the ear.

    Raises:
        UsageError: if there are fewer than eight recordings with speech, or another number of voices.
    """
    if isinstance(sources, str | Path):
        clips = folder_clips(Path(sources))
    else:
        if voices is not None and len(voices) != len(sources):
            raise UsageError(f"{len(voices)} voices for {len(sources)} recordings; give one for each.")
        clips = [
            Clip(
                voices[place] if voices else "",
                str(place),
                source if isinstance(source, Audio) else AudioRef(str(source)),
            )
            for place, source in enumerate(sources)
        ]
    return hear_enough(clips, ear=load_ear(ear))


def chosen(names: Sequence[str]) -> list[int]:
    """Return the places of at most `MOST` clips of one voice, chosen by a hash of their names, in their order.

    >>> chosen(["b", "a"])
    [0, 1]
    """
    if len(names) <= MOST:
        return list(range(len(names)))
    hashed = sorted(range(len(names)), key=lambda place: hashlib.sha256(names[place].encode()).digest())
    return sorted(hashed[:MOST])


def _entropy(distribution: Mapping[str, float]) -> float:
    return -math.fsum(value * math.log(value) for value in distribution.values() if value > 0)


def _moved(vad: Vad, before: Mapping[str, float], after: Mapping[str, float]) -> Vad:
    """Move valence, arousal and dominance by as much as the expected place of the emotion has moved."""
    values = []
    for place, value in enumerate(astuple(vad)):
        typical = {name: astuple(TYPICAL_VAD[Emotion.parse(name)])[place] for name in before}
        shift = math.fsum(typical[name] * (after[name] - before[name]) for name in before)
        values.append(min(1.0, max(-1.0, value + shift)))
    return Vad(*values)


def _moved_along(trajectory: Trajectory | None, before: Vad | None, after: Vad | None) -> Trajectory | None:
    """Move every point of a trajectory by as much as the clip as a whole has moved; NaN stays NaN."""
    if trajectory is None or before is None or after is None:
        return trajectory
    columns = []
    for name in ("valence", "arousal", "dominance"):
        shift = getattr(after, name) - getattr(before, name)
        values = getattr(trajectory, name)
        columns.append(tuple(one if math.isnan(one) else min(1.0, max(-1.0, one + shift)) for one in values))
    return Trajectory(trajectory.step, *columns)
