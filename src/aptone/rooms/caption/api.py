"""``aptone.caption``: a recording and what is said about it in, how true and complete that is out."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from aptone.audio import AudioSource
from aptone.ear.perceive import audio_of
from aptone.ear.reference import References
from aptone.ear.referenced import with_reference
from aptone.rooms.caption.data import CaptionSample
from aptone.rooms.caption.parts import make_step
from aptone.rooms.caption.step import score_sample
from aptone.run.consent import ALLOW_REMOTE, ask_consent
from aptone.types import Json, Language, Outcome, language_of_text


def caption(
    audio: AudioSource,
    caption: str,
    reference: str | None = None,
    *,
    rate: int | None = None,
    language: Language | None = None,
    spoken: str | None = None,
    engine: str = "built-in",
    decomposer: str | None = None,
    verifier: str | None = None,
    matcher: str | None = None,
    settings: Mapping[str, Json] | None = None,
    show_reference: bool = False,
    voice_reference: References | str | Path | None = None,
    allow_remote: bool = False,
) -> Outcome:
    """Is a caption of a recording true and, where there is a reference, complete?

    Args:
        audio: a path, bytes, an `Audio`, an array of samples (then with `rate`) or what else `aptone.read_audio` takes.
            Several channels are averaged.
        caption: description of the recording.
        reference: a caption that is known to be true and complete.
        rate: samples per second of an array.
        language: language of the caption; by default that of its characters.
        spoken: code of the language that is spoken, such as ``"de"``: pitch and rate are compared with what is usual
            in it.
        engine: ``built-in``, ``api`` or ``local``: what takes the caption apart, verifies and matches.
        decomposer, verifier, matcher: another engine's.
        settings: options of models, such as ``{"verifier.model": "qwen-omni"}``.
        show_reference: whether a model that verifies reads the reference, too.
        voice_reference: what the voice usually sounds like (`aptone.reference`), or a folder of at least 8 clips of
            it; for the built-in verifier.
        allow_remote: whether recordings may be sent to another machine, where a part does that; else you are asked.

    Returns:
        The outcome. ``scores["s_p"]`` is the share of claims that the recording bears out; with a reference
        ``scores["F"]`` is EmoSURA's score. ``evidence["units"]`` has every claim with its verdict.

    Raises:
        AptoneError: if the recording or the engine cannot be used.
    """
    sample = CaptionSample(
        id="caption",
        audio=audio_of(audio, rate),
        caption=caption,
        reference=reference or "",
        language=language or language_of_text(caption),
        spoken=spoken or "",
    )
    step = make_step(
        engine,
        decomposer=decomposer,
        verifier=verifier,
        matcher=matcher,
        settings=settings,
        show_reference=show_reference,
    )
    ask_consent(step.about.sends_audio_to, clips=1, folder=None, agreed=allow_remote, option=ALLOW_REMOTE)
    return score_sample(sample, replace(step, verifier=with_reference(step.verifier, voice_reference)))
