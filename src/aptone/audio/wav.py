"""Recordings as other programs want them: wav files in memory."""

import io
import wave

import numpy as np

from aptone.types import Audio


def wav_bytes(audio: Audio) -> bytes:
    """A wav file with 16 bits a sample.

    A peak beyond full scale, as resampling can make it, is scaled down to full scale with everything else: clipping
    would be heard.
    """
    peak = max(1.0, float(np.abs(audio.samples).max()))
    whole = np.clip(np.rint(audio.samples.astype(np.float64) / peak * 32768.0), -32768, 32767).astype("<i2")
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(audio.rate)
        file.writeframes(whole.tobytes())
    return buffer.getvalue()
