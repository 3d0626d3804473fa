"""``aptone.style`` and ``aptone.search``: voices against descriptions."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aptone.audio import MAX_SECONDS, AudioSource, read_audio
from aptone.ear.reference import References
from aptone.ear.referenced import with_reference
from aptone.errors import UsageError
from aptone.messages import message
from aptone.models import StyleEmbedder, load_style_embedder
from aptone.rooms.style.search import Found, StyleIndex
from aptone.rooms.style.step import LONGEST_CLIP, StyleStep, style_step
from aptone.run.consent import ALLOW_REMOTE, ask_consent
from aptone.types import Audio, Json, Outcome


def style(
    audio: AudioSource,
    description: str,
    *,
    rate: int | None = None,
    model: str | StyleEmbedder = "built-in",
    reference: References | str | Path | None = None,
    allow_remote: bool = False,
    **options: Json,
) -> Outcome:
    """Score how well a voice fits a description of its style.

    Args:
        audio: a path, bytes, an `Audio`, an array of samples (then with `rate`) or what else `aptone.read_audio` takes.
            Several channels are averaged.
        description: text in English or Mandarin: ``"a slow, gravelly whisper"``.
        rate: samples per second of an array.
        model: name of a style embedder, or one that was made.
        reference: what the voice usually sounds like (`aptone.reference`), or a folder of at least 8 clips of it; for
            the built-in model.
        allow_remote: whether recordings may be sent to another machine, where a part does that; else you are asked.
        options: options of a named one.

    Returns:
        The outcome. ``scores["fit"]``, from 0 to 5, where the embedder was calibrated; ``scores["cosine"]`` always.

    Raises:
        AptoneError: if the clip or the embedder cannot be used.
    """
    described = style_all(
        audio, [description], rate=rate, model=model, reference=reference, allow_remote=allow_remote, **options
    )
    return described[0].outcome


@dataclass(frozen=True, slots=True)
class Described:
    """A description, and how well a clip fits it."""

    description: str
    outcome: Outcome


def style_all(
    audio: AudioSource,
    descriptions: Sequence[str],
    *,
    rate: int | None = None,
    model: str | StyleEmbedder = "built-in",
    reference: References | str | Path | None = None,
    allow_remote: bool = False,
    **options: Json,
) -> list[Described]:
    """Score how well a voice fits each of several descriptions, in their order; arguments and errors as `style`.

    Raises:
        UsageError: besides, if there is no description, or one is empty.
    """
    step = style_step(with_reference(_embedder(model, options), reference))
    ask_consent(step.about.sends_audio_to, clips=1, folder=None, agreed=allow_remote, option=ALLOW_REMOTE)
    return judge_all(step, audio, descriptions, rate=rate)


def judge_all(
    step: StyleStep, audio: AudioSource, descriptions: Sequence[str], *, rate: int | None = None
) -> list[Described]:
    """The same with a step that is made."""
    if not descriptions or any(not text.strip() for text in descriptions):
        raise UsageError(message("style.no-description"))
    longest = MAX_SECONDS if rate is not None or isinstance(audio, Audio) else LONGEST_CLIP
    clip = read_audio(audio, rate=None, sample_rate=rate, channel="mix", max_seconds=longest)
    outcomes = step.judge([clip], descriptions)
    return [Described(text, outcome) for text, outcome in zip(descriptions, outcomes, strict=True)]


def search(
    folder: str | Path,
    description: str,
    *,
    top: int = 10,
    model: str | StyleEmbedder = "built-in",
    reference: References | str | Path | None = None,
    allow_remote: bool = False,
    **options: Json,
) -> list[Found]:
    """The clips of a folder that fit a description best, the best first.

    The folder is indexed first: new and changed clips are embedded, and the vectors kept in ``.aptone`` inside it.

    Args:
        folder: folder of recordings, folders in it included.
        model: name of a style embedder, or one that was made.
        reference: what the voice usually sounds like (`aptone.reference`), or a folder of at least 8 clips of it, or
            ``"self"`` for the clips that are searched; for the built-in model.
        allow_remote: whether recordings may be sent to another machine, where a part does that; else you are asked.
        options: options of a named one.

    Raises:
        AptoneError: if the folder or the embedder cannot be used.
    """
    index = StyleIndex(Path(folder), _embedder(model, options))
    if machines := index.about.sends_audio_to:
        ask_consent(machines, clips=index.count_files(), folder=None, agreed=allow_remote, option=ALLOW_REMOTE)
    index.understand(description)  # before the clips, which take long
    if reference is not None:
        index = index.against(reference)
    index.update()
    return index.search(description, top=top)


def _embedder(model: str | StyleEmbedder, options: dict[str, Json]) -> StyleEmbedder:
    if isinstance(model, str):
        return load_style_embedder(model, **options)
    if options:
        raise UsageError(
            f"options belong to the name of an embedder; this one is made already, got {next(iter(options))}."
        )
    return model
