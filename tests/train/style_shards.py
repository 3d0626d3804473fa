"""Shards of tones with words for them, in wav, flac and Opus."""

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import soundfile

from aptone.run.sources.shards import Caption, ShardSample, write_shards
from tests.models.local_claps import RATE
from tests.train.clap_pairs import text, tone

FORMATS = (("wav", "WAV", "PCM_16"), ("flac", "FLAC", "PCM_16"), ("ogg", "OGG", "OPUS"))


def encoded(
    samples: np.ndarray[tuple[int, ...], np.dtype[np.float32]], *, rate: int, kind: int = 0
) -> tuple[str, bytes]:
    """The ending and the bytes of a file."""
    ending, container, coding = FORMATS[kind]
    held = io.BytesIO()
    soundfile.write(held, samples, rate, format=container, subtype=coding)
    return ending, held.getvalue()


def style_shards(folder: Path, count: int, *, seconds: Sequence[float] = (0.3, 0.5), per_shard: int = 5) -> Path:
    """So many tones, each with two descriptions."""
    samples = []
    for number in range(count):
        length = seconds[number % len(seconds)]
        ending, recording = encoded(tone(number, seconds=length).numpy(), rate=RATE, kind=number % 3)
        captions = (Caption(text(number), "en", "full"), Caption(f"音{number}", "zh", "basic"))
        samples.append(ShardSample(f"tone-{number}", recording, ending, seconds=length, captions=captions))
    write_shards(folder, samples, per_shard=per_shard)
    return folder
