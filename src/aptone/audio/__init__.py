"""Files to arrays at a stated rate: decode, resample, find speech, degrade."""

from aptone.audio.degrade.codec import Codec, telephone_band, telephone_codec
from aptone.audio.degrade.noise import NoiseKind, add_noise, clip, drop_outs, mix_in
from aptone.audio.degrade.room import far_field, room_response
from aptone.audio.pieces import SpeechPiece, cut, cut_many, read_blocks, speech_pieces, split
from aptone.audio.read import (
    MAX_SAMPLES,
    MAX_SECONDS,
    RECORDINGS,
    AudioInfo,
    Channel,
    OpenRecording,
    from_array,
    open_recording,
    probe,
    read,
    read_bytes,
    read_channels,
    read_ref,
)
from aptone.audio.resample import Quality, resample
from aptone.audio.sources import AudioSource, read_audio
from aptone.audio.speech import find_speech, speech_probabilities, speech_seconds
from aptone.audio.write import Bits, encode_lossless, encode_opus, encode_vorbis, write, write_lossless

__all__ = [
    "MAX_SAMPLES",
    "MAX_SECONDS",
    "RECORDINGS",
    "AudioInfo",
    "AudioSource",
    "Bits",
    "Channel",
    "Codec",
    "NoiseKind",
    "OpenRecording",
    "Quality",
    "SpeechPiece",
    "add_noise",
    "clip",
    "cut",
    "cut_many",
    "drop_outs",
    "encode_lossless",
    "encode_opus",
    "encode_vorbis",
    "far_field",
    "find_speech",
    "from_array",
    "mix_in",
    "open_recording",
    "probe",
    "read",
    "read_audio",
    "read_blocks",
    "read_bytes",
    "read_channels",
    "read_ref",
    "resample",
    "room_response",
    "speech_pieces",
    "speech_probabilities",
    "speech_seconds",
    "split",
    "telephone_band",
    "telephone_codec",
    "write",
    "write_lossless",
]
