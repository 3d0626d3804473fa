"""Perception of a clip by an ear.

Measures come first (pitch, loudness, tempo, voice), then the network, then the rules that name rhythm and intonation
relative to the sex that the network heard. Whatever has too little to go by is left open, with the reason.

`aptone.ear.hearing` is the way in. `ClipNumbers` makes one vector of a clip, for networks on top of the ear to which
time does not matter.
"""

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from aptone.audio import AudioSource, find_speech, read_audio, resample, speech_seconds
from aptone.audio.decode import check_samples
from aptone.ear import ear_and_licence
from aptone.ear.describe import emotion_phrase
from aptone.ear.measures.frames import RATE, loudness_track
from aptone.ear.measures.intonation import Contour, intonation, while_speaking
from aptone.ear.measures.pitch import track_pitch
from aptone.ear.measures.rhythm import rhythm
from aptone.ear.measures.voice import measure
from aptone.ear.network.filter_bank import FRAME_SECONDS
from aptone.ear.network.inference import (
    EARS,
    FRAME_NUMBERS,
    Floats,
    Listening,
    Meaning,
    Network,
    frame_flags,
    frame_times,
    load_network,
    sound_events,
    sound_peaks,
)
from aptone.errors import AudioError, UsageError
from aptone.messages import LANGUAGES, message
from aptone.stats.steps import step_means
from aptone.types import AgeBand, Audio, Perception, Score, Segment, Sex, Tracks, Trajectory, Vad, signature

SETTING = "APTONE_EAR"
"""Environment variable that chooses the ear where nobody says which."""
REVISION = 6
DETECTED_PEAK = 0.5
"""Largest sample that the detector of speech is given: it takes a quiet voice for silence."""
SHORTEST_SPEECH = 0.4
"""Seconds of speech without which a voice is not judged."""
SHORTEST_SOUND = 0.2
"""Seconds of sound without which nothing is judged."""
QUIETEST = 1e-4
"""Largest swing to one side below which a clip counts as silent: -80 dB."""
OFFSET = 1e-3
"""Mean of the samples from which on it is taken out: nobody hears it, but it would count as loudness."""
HIGHEST_NATURALNESS = 5.0
CLEAR_VOICE = 0.5
"""Probability of an adult voice below which age is not judged."""

ABOUT_SPEECH = ("emotion", "vad", "intensity", "rhythm", "intonation", "sex", "age", "naturalness")


@dataclass(frozen=True, slots=True)
class Ear:
    """An ear that is ready to listen."""

    network: Network

    @property
    def meaning(self) -> Meaning:
        """Metadata of its outputs."""
        return self.network.meaning

    @property
    def name(self) -> str:
        """Its name."""
        return self.meaning.name

    @property
    def licence(self) -> str:
        """Licence of its weights."""
        return self.meaning.licence

    @property
    def prosody(self) -> Mapping[str, tuple[float, ...]]:
        """Weights of the prosody for references of voices; empty where it has none."""
        return self.meaning.prosody

    @property
    def signature(self) -> str:
        """Signature of the ear within the signature of a score."""
        return signature(f"ear:{self.name}", {"revision": REVISION, "weights": self.meaning.revision})

    def listen(self, audio: Audio) -> Listening:
        """Return the output of the network alone for a clip."""
        return self.network.listen(*_heard_and_spoken(audio))

    def frames(self, audio: Audio) -> Floats:
        """Return the network's features for each 20 ms of a clip, [frames, `FRAME_NUMBERS`]; see `Network.frames`."""
        return self.network.frames(*_heard_and_spoken(audio))

    def perceive(
        self, audio: Audio, *, language: str | None = None, trajectory: float | None = None, tracks: bool = False
    ) -> Perception:
        """Everything that the ear says about a clip.

        Args:
            language: spoken language, so that tempo and pitch are compared with the right speakers; None for any.
            trajectory: seconds between two points of valence, arousal and dominance over time; None for none.

        Raises:
            UsageError: if the step of the trajectory is shorter than 0.02 s, or no number.
            AudioError: if samples are beyond 10^12 times full scale.
        """
        if trajectory is not None and not (math.isfinite(trajectory) and trajectory >= FRAME_SECONDS):
            raise UsageError(f"the step of a trajectory is at least {FRAME_SECONDS} s, got {trajectory}.")
        check_samples(audio.samples, name=audio.source)
        audio = _without_offset(resample(audio, rate=RATE))
        samples = audio.samples
        if samples.size < SHORTEST_SOUND * RATE or float(np.ptp(samples)) < 2.0 * QUIETEST:
            return self._nothing(audio)
        speech = speech_at_any_level(audio)
        spoken = speech_seconds(speech)
        contour = track_pitch(samples)
        measures = measure(samples, contour, speech)
        flags = frame_flags(samples.size, [(span.start, span.end) for span in speech])
        heard = self.network.listen(samples, flags)
        found: dict[str, str] = {}
        if not self.meaning.events:
            found["events"] = message("ear.sounds-not-trained")
        if spoken >= SHORTEST_SPEECH:
            if math.isnan(heard.naturalness):
                found["naturalness"] = message("ear.naturalness-not-trained")
            if math.isnan(heard.intensity):
                found["intensity"] = message("ear.intensity-not-trained")
        anyhow = Perception(
            seconds=audio.seconds,
            speech_seconds=spoken,
            measures=measures,
            recording_condition=_distribution(self.meaning.conditions, heard.condition),
            music=heard.music,
            events=sound_events(heard.frame_events, self.meaning.events),
            sounds=sound_peaks(heard.frame_events, self.meaning.events),
            tracks=_tracks(contour, samples) if tracks else None,
            signature=self.signature,
            licence=self.licence,
        )
        if spoken < SHORTEST_SPEECH:
            reason = (
                message("ear.no-speech")
                if not spoken
                else message("ear.speech-too-short", count=spoken, needed=SHORTEST_SPEECH)
            )
            return replace(anyhow, unjudged={**found, **dict.fromkeys(ABOUT_SPEECH, reason)})
        emotion = _distribution(self.meaning.emotions, heard.emotion)
        female = 0.5 + (heard.female - 0.5) * heard.adult  # children's voices do not tell
        sex = {Sex.FEMALE: female, Sex.MALE: 1.0 - female}
        melody = intonation(
            contour.step, while_speaking(contour.step, contour.hz, speech), strength=contour.strength, language=language
        )
        beat = rhythm(measures, sex=sex, language=language)
        for topic, judgement in (("intonation", melody), ("rhythm", beat)):
            if not judgement.distribution:
                found[topic] = judgement.reason
        age, why = _age(heard.adult)
        if why:
            found["age"] = why
        return replace(
            anyhow,
            emotion=emotion,
            phrase={one: emotion_phrase(emotion, intensity=heard.intensity, language=one) for one in LANGUAGES},
            vad=Vad(*(float(value) for value in heard.vad)),
            intensity=heard.intensity,
            rhythm=beat.distribution,
            intonation=melody.distribution,
            naturalness=naturalness(heard.naturalness, measures, self.meaning.natural_measures),
            sex=sex,
            age=age,
            trajectory=_trajectory(heard, flags, audio.seconds, trajectory) if trajectory is not None else None,
            unjudged=found,
        )

    def _nothing(self, audio: Audio) -> Perception:
        short = audio.samples.size < SHORTEST_SOUND * RATE
        reason = (
            message("ear.sound-too-short", count=audio.seconds, needed=SHORTEST_SOUND)
            if short
            else message("ear.clip-silent")
        )
        topics = (*ABOUT_SPEECH, "recording_condition", "music", "events", "measures")
        return Perception(
            seconds=audio.seconds,
            speech_seconds=0.0,
            unjudged=dict.fromkeys(topics, reason),
            signature=self.signature,
            licence=self.licence,
        )


def load_ear(name: str | None = None) -> Ear:
    """An ear by name: ``full``, ``permissive``, whose weights anyone may use for anything, or a registered one.

    Without a name the environment variable APTONE_EAR decides, and without that it is ``full``. Those that other models
    hear with are registered (`aptone.ear.other`): ``emotion2vec``, ``transformers:MODEL``, ``wav2vec2-dim``, plugins.

    Raises:
        MissingExtraError: if a registered one cannot run here.
        UsageError: if there is no ear of that name, or it has no such option.
    """
    wanted = ear_name(name)
    if wanted in EARS:
        return Ear(load_network(wanted))
    from aptone.ear.other import load_other

    return load_other(wanted)


def ear_name(name: str | None = None) -> str:
    """The name of the ear that `load_ear` would load, with its options, without loading it.

    Raises:
        UsageError: if there is no ear of that name.
    """
    wanted = name or os.environ.get(SETTING) or EARS[0]
    if wanted in EARS:
        return wanted
    from aptone.ear.other import is_registered, other_names, parse_typed

    if not is_registered(wanted):
        where = "" if name else f" (from the environment variable {SETTING})"
        raise UsageError(f"there is no ear {wanted!r}{where}; choose one of {', '.join((*EARS, *other_names()))}.")
    parse_typed(wanted)
    return wanted


def speech_at_any_level(audio: Audio) -> tuple[Segment, ...]:
    """Detect speech, whatever the level of the recording."""
    peak = max(float(audio.samples.max()), -float(audio.samples.min()))
    if not peak:
        return ()
    return find_speech(Audio(audio.samples * np.float32(DETECTED_PEAK / peak), rate=audio.rate, source=audio.source))


def naturalness(by_network: float, measures: Mapping[str, Score], weights: Mapping[str, tuple[float, float]]) -> float:
    """Return naturalness, 0 to 5: what the network says, and how pauses, tempo and melody depart from the usual.

    Args:
        by_network: value of `Listening`; NaN stays NaN.
        measures: measures of the clip; one that is undefined counts as usual.
        weights: mean and weight by measure.
    """
    value = by_network + math.fsum(
        weight * (measures[name].value - mean)
        for name, (mean, weight) in weights.items()
        if name in measures and not math.isnan(measures[name].value)
    )
    return value if math.isnan(value) else min(max(value, 0.0), HIGHEST_NATURALNESS)


def _heard_and_spoken(audio: Audio) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Samples at the ear's rate, and which of the network's frames are speech."""
    audio = resample(audio, rate=RATE)
    spans = [(span.start, span.end) for span in speech_at_any_level(audio)]
    return audio.samples, frame_flags(audio.samples.size, spans)


def _without_offset(audio: Audio) -> Audio:
    offset = float(audio.samples.mean(dtype=np.float64))
    if abs(offset) < OFFSET:
        return audio
    return Audio(audio.samples - np.float32(offset), rate=audio.rate, source=audio.source)


def _distribution(names: Sequence[str], probabilities: npt.NDArray[np.floating]) -> dict[str, float]:
    return {name: float(value) for name, value in zip(names, probabilities, strict=True)}


def _age(adult: float) -> tuple[dict[AgeBand, float], str]:
    """The ear knows adult voices, most of them of 20 to 35, and when a voice is unlike them, such as a child's."""
    distribution = {AgeBand.YOUNG_ADULT: adult, AgeBand.UNCLEAR: 1.0 - adult}
    if adult >= CLEAR_VOICE:
        return distribution, ""
    return distribution, message("ear.voice-unlike-training")


def _tracks(contour: Contour, samples: npt.NDArray[np.float32]) -> Tracks:
    loudness = loudness_track(samples)
    return Tracks(contour.step, tuple(contour.hz.tolist()), tuple(loudness.tolist()))


def _trajectory(heard: Listening, spoken: npt.NDArray[np.bool_], seconds: float, step: float) -> Trajectory:
    """Means of the frames that are speech in each step; NaN where a step holds none."""
    times = frame_times(spoken.size)
    means = step_means(heard.frame_vad[spoken], times[spoken], seconds=seconds, step=step)
    return Trajectory(step, *(tuple(column) for column in means.T.tolist()))


HEARING_RATE = 16_000
"""Samples per second at which files are read for an ear; above 8 kHz it hears nothing."""


def audio_of(source: AudioSource, rate: int | None = None) -> Audio:
    """A source as a recording; arguments and errors as those of `aptone.hear`.

    Files are brought to the rate of the ear while they are decoded; what is decoded already keeps its own.
    """
    decoded = rate is not None or isinstance(source, Audio)
    return read_audio(source, rate=None if decoded else HEARING_RATE, sample_rate=rate, channel="mix")


@dataclass(frozen=True, slots=True)
class ClipNumbers:
    """Mean and spread of the ear's frames over a clip: twice `FRAME_NUMBERS`.

    Args:
        ear: its name; what is trained on top of ``full`` may be used as that ear may.

    Raises:
        UsageError: if there is no such ear.
    """

    ear: str = "full"

    def __post_init__(self) -> None:
        ear_name(self.ear)

    @property
    def size(self) -> int:
        """Dimension of the vector."""
        return 2 * FRAME_NUMBERS

    @property
    def licence(self) -> str:
        """Licence of the ear's weights."""
        return ear_and_licence(self.ear)

    @property
    def signature(self) -> str:
        """Signature of the ear and its features."""
        return signature("ear-clip-numbers", {"ear": load_ear(self.ear).signature})

    def __call__(self, clip: Audio) -> Floats:
        """The numbers of a clip; raises `AudioError` if it is too short."""
        if clip.seconds < SHORTEST_SOUND:
            raise AudioError(message("ear.clip-too-short", name=clip.source, count=clip.seconds, needed=SHORTEST_SOUND))
        frames = load_ear(self.ear).frames(clip)
        return np.concatenate([frames.mean(axis=0), frames.std(axis=0)]).astype(np.float32)
