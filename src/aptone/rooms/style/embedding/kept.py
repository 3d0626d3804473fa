"""Clips and texts to vectors that are kept: what was embedded before is not embedded again."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from aptone.audio import read_ref
from aptone.errors import AptoneError
from aptone.files import file_hash
from aptone.models import StyleEmbedder, TextEmbedder
from aptone.models.text_embedder import Vectors
from aptone.rooms.style.embedding.vectors import VectorFile, key_of
from aptone.rooms.style.step import LONGEST_CLIP
from aptone.run import Display, Silent, Tally
from aptone.run.event_loop import run_to_the_end
from aptone.types import Audio, AudioRef

AT_ONCE = 16
"""Clips that are embedded together, and then kept: what a kill can cost."""
TEXTS_AT_ONCE = 64


def clip_keys(clips: Sequence[AudioRef]) -> list[bytes]:
    """The key of each clip: the content of its file, and the part that is meant."""
    known: dict[str, str] = {}
    keys = []
    for clip in clips:
        if clip.path not in known:
            known[clip.path] = clip.sha256 or file_hash(Path(clip.path))
        # a file that cannot be read has no hash; its path keeps it apart from others of the kind
        content = known[clip.path] or clip.path
        keys.append(key_of(content) if not clip.start and clip.end is None else key_of(content, clip.start, clip.end))
    return keys


def embed_clips(
    file: VectorFile,
    clips: Mapping[bytes, AudioRef],
    embedder: StyleEmbedder,
    *,
    display: Display | None = None,
    longest: float = LONGEST_CLIP,
) -> dict[bytes, str]:
    """Embed the clips that have no vector yet, and keep their vectors.

    Args:
        clips: by the key of their vectors.
        longest: seconds beyond which a recording is not read.

    Returns:
        Why a clip has no vector, for those that cannot be read.
    """
    todo = [key for key in clips if key not in file]
    shown, tally = display or Silent(), Tally(total=len(clips), before=len(clips) - len(todo))
    problems: dict[bytes, str] = {}
    shown.start(tally)
    try:
        for begin in range(0, len(todo), AT_ONCE):
            keys = todo[begin : begin + AT_ONCE]
            read: dict[bytes, Audio] = {}
            for key in keys:
                try:
                    read[key] = read_ref(clips[key], rate=None, channel="mix", max_seconds=longest)
                except (AptoneError, OSError) as error:
                    problems[key] = str(error)
            if read:
                file.put(dict(zip(read, embedder.embed_audio(list(read.values())), strict=True)))
            tally.now += len(keys)
            tally.failed = len(problems)
            shown.update(tally)
    finally:
        shown.stop(tally)
    return problems


def embed_descriptions(file: VectorFile, texts: Sequence[str], embedder: StyleEmbedder) -> Vectors:
    """A row for each description, by a style embedder; those that have no vector yet are embedded and kept."""
    return _texts(file, texts, lambda chosen: embedder.embed_texts(chosen))


def embed_texts(file: VectorFile, texts: Sequence[str], embedder: TextEmbedder) -> Vectors:
    """A row of length 1 for each text, by a text embedder; likewise.

    Raises:
        TransientError: if the embedder cannot be reached now; what came is kept.
    """
    return _texts(file, texts, lambda chosen: unit_rows(run_to_the_end(_embedded(embedder, chosen))))


def text_vectors_size(embedder: TextEmbedder) -> int:
    """How many numbers a text embedder's vectors have; found out by embedding a word."""
    return int(run_to_the_end(_embedded(embedder, ["voice"])).shape[1])


def unit_rows(vectors: Vectors) -> Vectors:
    """Rows brought to length 1; a row of zeros, which has no direction, becomes NaN."""
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(vectors / lengths, dtype=np.float32)


async def _embedded(embedder: TextEmbedder, texts: Sequence[str]) -> Vectors:
    return await embedder.embed(texts)


def _texts(file: VectorFile, texts: Sequence[str], embed: Callable[[Sequence[str]], Vectors]) -> Vectors:
    keys = [key_of(text) for text in texts]
    todo = {key: text for key, text in zip(keys, texts, strict=True) if key not in file}
    waiting = list(todo.items())
    for begin in range(0, len(waiting), TEXTS_AT_ONCE):
        some = waiting[begin : begin + TEXTS_AT_ONCE]
        vectors = embed([text for _, text in some])
        file.put({key: vector for (key, _), vector in zip(some, vectors, strict=True)})
    return file.rows(keys)
