"""The band of a telephone."""

import numpy as np

from aptone.audio.degrade.filtering import band_pass, convolve_centred
from aptone.errors import AudioError
from aptone.messages import message
from aptone.types import Audio

LOW_HERTZ = 300.0
HIGH_HERTZ = 3_400.0
_TRANSITION_HERTZ = 100.0


def telephone_band(audio: Audio) -> Audio:
    """The clip as a telephone line passes it: 300 to 3,400 Hz, without delay, at the same rate and length.

    A linear-phase filter, -6 dB at the two edges, -60 dB from 50 Hz beyond them on.

    Raises:
        AudioError: if the clip's rate is too low to hold the band.
    """
    if audio.rate < 2 * (HIGH_HERTZ + _TRANSITION_HERTZ):
        raise AudioError(message("audio.no-telephone-band", name=audio.source, rate=audio.rate, high=HIGH_HERTZ))
    taps = band_pass(low=LOW_HERTZ, high=HIGH_HERTZ, transition=_TRANSITION_HERTZ, rate=audio.rate)
    return Audio(convolve_centred(audio.samples, taps).astype(np.float32), rate=audio.rate, source=audio.source)
