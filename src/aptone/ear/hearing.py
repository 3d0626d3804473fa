"""``aptone.hear``: a recording, or samples, in, what it sounds like out."""

from pathlib import Path

from aptone.audio import AudioSource
from aptone.ear.perceive import Ear, audio_of, load_ear
from aptone.ear.reference import References
from aptone.ear.reference import reference as make_reference_of
from aptone.errors import UsageError
from aptone.messages import message
from aptone.types import Perception


def hear(
    source: AudioSource,
    rate: int | None = None,
    *,
    ear: Ear | str | None = None,
    language: str | None = None,
    trajectory: float | None = None,
    tracks: bool = False,
    reference: References | str | Path | None = None,
    voice: str = "",
) -> Perception:
    """Return what a recording sounds like: emotion, delivery, voice, sounds, recording, and what could not be judged.

    Several channels are averaged; to hear one of them, or a part of a file, read it first with `aptone.read_audio`.

    Args:
        source: path of a recording, its bytes, an open file, an `Audio`, a row of a dataset, a decoder, or samples: a
            vector, or frames × channels; see `aptone.read_audio`.
        rate: samples per second, for samples only; there it has to be given, because a rate cannot be guessed.
        ear: an ear, or the name of one: ``"full"``, ``"permissive"`` or a registered one such as ``"emotion2vec"``;
            ``None`` for the one that the environment variable ``APTONE_EAR`` names, or else ``"full"``.
        language: spoken language, such as ``"en"`` or ``"zh"``: pitch and tempo are compared with what is usual in it.
        trajectory: seconds between two points of valence, arousal and dominance over time; ``None`` for none.
        tracks: whether to give pitch and loudness over time as well.
        reference: what the voice usually sounds like (`aptone.reference`), or a folder of at least 8 clips of it.
        voice: whose voice it is, where the reference knows several.

    Raises:
        AudioError: if the recording cannot be used.
        UsageError: if a rate is missing or given for a file, there is no such ear, a voice comes without a reference,
            or the reference has too few recordings or was made by another ear.
    """
    chosen = load_ear(ear) if ear is None or isinstance(ear, str) else ear
    if voice and reference is None:
        raise UsageError(message("ear.voice-without-reference", voice=voice))
    made = make_reference_of(reference, ear=chosen.name) if isinstance(reference, str | Path) else reference
    heard = chosen.perceive(audio_of(source, rate), language=language, trajectory=trajectory, tracks=tracks)
    return heard if made is None else made.applied(heard, voice=voice)
