"""Make a clean recording worse in a known way: telephone, low-pass, room, network, noise, overdrive.

Pure functions from `Audio` to `Audio`, of the same rate and length and aligned with the input. What is random takes a
seed.
"""

from aptone.audio.degrade.codec import Codec, telephone_band, telephone_codec
from aptone.audio.degrade.filtering import low_pass
from aptone.audio.degrade.noise import NoiseKind, add_noise, clip, drop_outs, mix_in
from aptone.audio.degrade.room import far_field, room_response

__all__ = [
    "Codec",
    "NoiseKind",
    "add_noise",
    "clip",
    "drop_outs",
    "far_field",
    "low_pass",
    "mix_in",
    "room_response",
    "telephone_band",
    "telephone_codec",
]
