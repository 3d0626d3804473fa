"""The test of recording conditions: clean clips of unseen speakers, and four ways in which they come to us damaged.

Nothing here may be met in training: neither the speakers, nor the codecs (GSM 06.10, AMR narrow-band, Opus at
8 kbit/s), nor the rooms and places in them, nor the sounds of ESC-50's test part. Every clip is heard under every
condition, so that who speaks says nothing about the condition:

- normal: as it is.
- phone: one of the three codecs in turn; every other clip passes the telephone band first.
- far-field: one of eight rooms, reverberation time 0.4 to 1.2 s, 2 to 5 m away. A second version of it, reported beside
  the test, is made by another method (decaying noise behind the direct sound), to see whether the ear knows rooms or
  merely our image sources.
- intermittent: 5 to 30 % of the packets between the first and the last speech are lost; a loss in the silence before a
  line could not be heard. Packets of 10 to 40 ms, bursts of 1.5 to 5 packets in the mean.
- noisy: 0 to 15 dB signal-to-noise ratio, every other clip with a sound of ESC-50's test part, else white, pink or
  babble.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle

import numpy as np
import numpy.typing as npt
import soxr

from aptone.audio import add_noise, drop_outs, far_field, find_speech, read, telephone_band, telephone_codec
from aptone.audio.decode import load_av
from aptone.errors import AudioError, UsageError
from aptone.types import Audio, RecordingCondition
from benchmarks.ear_data import Clip

RATE = 16_000
SEED = 9_000_000
CLIPS_PER_SET = 50
CONDITIONS = (
    RecordingCondition.NORMAL,
    RecordingCondition.PHONE,
    RecordingCondition.FAR_FIELD,
    RecordingCondition.INTERMITTENT,
    RecordingCondition.NOISY,
)
CODECS = ("gsm", "amr", "opus-8k")
ROOMS = (
    (5.2, 4.1, 2.6),
    (6.7, 3.9, 2.8),
    (7.4, 5.6, 2.9),
    (8.3, 6.2, 3.1),
    (9.1, 5.3, 3.4),
    (4.7, 4.4, 2.5),
    (10.2, 7.1, 3.3),
    (6.1, 5.9, 2.7),
)
RT60 = (0.4, 1.2)
METRES = (2.0, 5.0)
LOST = (0.05, 0.30)
PACKET_SECONDS = (0.01, 0.02, 0.03, 0.04)
BURST_PACKETS = (1.5, 5.0)
SNR_DB = (0.0, 15.0)
MADE_NOISES = ("white", "pink", "babble")
SOUNDS = ("footsteps", "clapping", "brushing_teeth", "snoring", "drinking_sipping")
"""The classes of ESC-50 that stand for surroundings; its test part holds no rain, wind or engines."""
OPUS_BITS_PER_SECOND = 8_000


@dataclass(frozen=True, slots=True)
class Degraded:
    """A clip as it comes to us: the condition, how it was made, and which clean clip it was."""

    clip: Clip
    condition: RecordingCondition
    how: str
    audio: Audio


def base_clips(clips: Sequence[Clip], *, count: int = CLIPS_PER_SET, seed: int = SEED) -> list[Clip]:
    """Clips of one set, spread over its speakers and emotions: one of each in turn, until there are enough."""
    generator = np.random.default_rng(seed)
    groups: dict[tuple[str, str], list[Clip]] = {}
    for place in generator.permutation(len(clips)):
        clip = clips[place]
        groups.setdefault((clip.emotion, clip.speaker), []).append(clip)
    chosen: list[Clip] = []
    while len(chosen) < min(count, len(clips)):
        for key in sorted(groups):
            if groups[key] and len(chosen) < count:
                chosen.append(groups[key].pop())
    return chosen


def degraded(clips: Sequence[Clip], sounds: Sequence[Clip], *, seed: int = SEED) -> Iterator[Degraded]:
    """Every clip under every condition, and once more far away by the other method.

    Args:
        clips: clean speech.
        sounds: of the classes `SOUNDS`, of the test part.
        seed: of everything that is drawn.
    """
    recordings = cycle([read(sound.path, rate=RATE) for sound in sounds if sound.emotion in SOUNDS])
    for number, clip in enumerate(clips):
        generator = np.random.default_rng([seed, number])
        audio = read(clip.path, rate=RATE)
        yield Degraded(clip, RecordingCondition.NORMAL, "as it is", audio)
        codec = CODECS[number % len(CODECS)]
        banded = bool(number // len(CODECS) % 2)
        how = f"{codec}{' behind the telephone band' if banded else ''}"
        yield Degraded(clip, RecordingCondition.PHONE, how, phone(audio, codec=codec, banded=banded))
        yield Degraded(clip, RecordingCondition.FAR_FIELD, "image sources", across_a_room(audio, generator=generator))
        yield Degraded(
            clip, RecordingCondition.FAR_FIELD, "decaying noise", across_another_room(audio, generator=generator)
        )
        yield Degraded(clip, RecordingCondition.INTERMITTENT, "drop-outs", with_losses(audio, generator=generator))
        kind = "esc50" if number % 2 else MADE_NOISES[number // 2 % len(MADE_NOISES)]
        under = next(recordings) if kind == "esc50" else None
        yield Degraded(clip, RecordingCondition.NOISY, kind, with_noise(audio, under, kind, generator=generator))


def phone(audio: Audio, *, codec: str, banded: bool) -> Audio:
    """The clip after a call, with or without the band of a telephone before the codec."""
    sent = telephone_band(audio) if banded else audio
    return opus_8k(sent) if codec == "opus-8k" else telephone_codec(sent, codec=codec)


def opus_8k(audio: Audio) -> Audio:
    """The clip after Opus at 8 kbit/s in its voice mode, which leaves about 4 kHz of it.

    Aptone's own ``opus`` codec goes by libsndfile, which does not go below some 13 kbit/s: there Opus keeps the whole
    band.

    Raises:
        MissingExtraError: if the extra ``formats`` is not installed.
    """
    av = load_av("The codec opus at 8 kbit/s")
    encoder = av.CodecContext.create("libopus", "w")
    encoder.sample_rate, encoder.layout, encoder.format = RATE, "mono", "s16"
    encoder.bit_rate, encoder.options = OPUS_BITS_PER_SECOND, {"application": "voip"}
    encoder.open()
    decoder = av.CodecContext.create("libopus", "r")
    decoder.sample_rate, decoder.layout = 48_000, "mono"
    sent = soxr.resample(np.append(audio.samples, np.zeros(audio.rate // 4, np.float32)), audio.rate, RATE)
    integers = np.rint(np.clip(sent, -1, 1) * 32_767).astype(np.int16)
    frame = av.AudioFrame.from_ndarray(integers[np.newaxis], format="s16", layout="mono")
    frame.sample_rate = RATE
    to_encoder = av.AudioResampler(format="s16", layout="mono", rate=RATE, frame_size=encoder.frame_size)
    from_decoder = av.AudioResampler(format="fltp", layout="mono", rate=48_000)
    received: list[npt.NDArray[np.float32]] = [
        converted.to_ndarray()[0]
        for given in [*to_encoder.resample(frame), *to_encoder.resample(None), None]
        for packet in encoder.encode(given)
        for decoded in decoder.decode(packet)
        for converted in from_decoder.resample(decoded)
    ]
    samples = soxr.resample(np.concatenate(received), 48_000, audio.rate)[: audio.samples.size]
    return Audio(np.ascontiguousarray(samples), rate=audio.rate, source=audio.source)


def across_a_room(audio: Audio, *, generator: np.random.Generator) -> Audio:
    """The clip 2 to 5 m away in one of the rooms of the test; drawn again where the distance does not fit."""
    for _ in range(100):
        room = ROOMS[int(generator.integers(len(ROOMS)))]
        rt60, distance = float(generator.uniform(*RT60)), float(generator.uniform(*METRES))
        try:
            return far_field(audio, rt60=rt60, distance=distance, seed=generator, room=room)
        except UsageError:
            continue
    raise UsageError(f"no room of the test holds {METRES} m at {RT60} s.")


def across_another_room(audio: Audio, *, generator: np.random.Generator) -> Audio:
    """The clip behind a room response of another kind: direct sound, 2 to 15 ms of gap, exponentially decaying noise.

    Polack's (1988) model of a diffuse room. The tail lies 6 to 14 dB above the direct sound, as at twice to five times
    the critical distance, which is about a metre in a living room.
    """
    rt60 = float(generator.uniform(*RT60))
    length = round(rt60 * audio.rate)
    times = np.arange(length) / audio.rate
    tail = generator.standard_normal(length) * np.exp(-3 * math.log(10) * times / rt60)
    tail[: round(generator.uniform(0.002, 0.015) * audio.rate)] = 0
    tail *= 10 ** (generator.uniform(6, 14) / 20) / math.sqrt(float(np.sum(tail**2)))
    response = np.concatenate([[1.0], tail])
    size = 1 << (audio.samples.size + response.size).bit_length()
    heard = np.fft.irfft(np.fft.rfft(audio.samples, size) * np.fft.rfft(response, size), size)[: audio.samples.size]
    level = math.sqrt(float(np.mean(np.square(audio.samples, dtype=np.float64)) / np.mean(heard**2)))
    return Audio((heard * level).astype(np.float32), rate=audio.rate, source=audio.source)


def with_losses(audio: Audio, *, generator: np.random.Generator) -> Audio:
    """The clip with packets lost between its first and its last speech."""
    speech = find_speech(audio)
    begin, end = (speech[0].start, speech[-1].end) if speech else (0.0, audio.seconds)
    first, last = round(begin * audio.rate), round(end * audio.rate)
    lossy = drop_outs(
        Audio(audio.samples[first:last], rate=audio.rate, source=audio.source),
        share=float(generator.uniform(*LOST)),
        seed=generator,
        packet_seconds=float(generator.choice(PACKET_SECONDS)),
        mean_burst_packets=float(generator.uniform(*BURST_PACKETS)),
    )
    samples = np.concatenate([audio.samples[:first], lossy.samples, audio.samples[last:]])
    return Audio(samples, rate=audio.rate, source=audio.source)


def with_noise(audio: Audio, under: Audio | None, kind: str, *, generator: np.random.Generator) -> Audio:
    """The clip with a recorded sound under it, or with noise of one of the kinds that are made."""
    snr_db = float(generator.uniform(*SNR_DB))
    if under is not None:
        return over_a_sound(audio, under, snr_db=snr_db, generator=generator)
    match kind:
        case "white" | "pink" | "babble":
            return add_noise(audio, snr_db=snr_db, seed=generator, kind=kind)
        case _:
            raise UsageError(f"unknown kind of noise {kind!r}; expected one of {', '.join(MADE_NOISES)}.")


def over_a_sound(audio: Audio, under: Audio, *, snr_db: float, generator: np.random.Generator) -> Audio:
    """The clip with a recorded sound under it, beginning where the sound is not silent."""
    for _ in range(100):
        try:
            return add_noise(audio, snr_db=snr_db, seed=generator, noise=under)
        except AudioError:  # a stretch of silence; begin elsewhere
            continue
    raise AudioError(f"{under.source}: nothing but silence over the length of the clip; leave this sound out.")
