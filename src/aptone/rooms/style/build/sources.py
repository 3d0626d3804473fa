"""Clips with descriptions of their style, from wherever a corpus lies: pairs, shards, or labelled recordings."""

from pathlib import Path

from aptone.ear.describe import describe, style_from
from aptone.ear.labelled_clips import TABLE, read_labels
from aptone.errors import AptoneError, RecordError, UsageError
from aptone.files import make_folder, write_bytes_whole
from aptone.rooms.style.data import StylePair, read_pairs
from aptone.run.sources.shards import read_shards, shard_files
from aptone.types import AudioRef, Language

LABELS = ("emotion", "intensity", "sex", "age")
"""Columns of a table of labels that a description is made of."""


def read_corpus(source: Path, *, unpack_to: Path, languages: tuple[Language, ...], split: str = "") -> list[StylePair]:
    """The clips of a corpus, each with one description for each language that there is one in.

    Shards (``aptone build style-corpus``) are unpacked; recordings with a table of labels are described by our grammar
    from what the table says, in the language that is spoken, or in each that is asked for where people speak another.

    Args:
        source: a set of pairs, a folder of shards, or a folder with ``labels.csv``.
        split: which clips of labelled recordings; empty for all.

    Raises:
        UsageError: if there is nothing in these languages.
        RecordError: if a record cannot be understood.
    """
    if source.is_dir() and (source / TABLE).is_file():
        found = _labelled(source, languages, split)
    elif source.is_dir() and shard_files(source):
        found = _shards(source, unpack_to)
    else:
        found = read_pairs(source)
    chosen = [pair for pair in found if pair.language in languages]
    if not chosen:
        raise UsageError(f"{source}: no description is in {' or '.join(languages)}; name others with --language.")
    return chosen


def _labelled(folder: Path, languages: tuple[Language, ...], split: str) -> list[StylePair]:
    pairs = []
    for place, row in enumerate(row for row in read_labels(folder) if not split or row.split == split):
        try:
            style = style_from({name: getattr(row, name) for name in LABELS if getattr(row, name)})
        except AptoneError:
            continue  # a label that our grammar has no word for
        spoken = [language for language in languages if language == row.language]
        for language in spoken or (languages if row.language not in ("en", "zh") else ()):
            text = describe(style, language=language, seed=place)
            ids = {"speaker": row.speaker, "clip": row.path.stem}
            audio = AudioRef(str(row.path.absolute()))
            pairs.append(StylePair(f"{row.path.stem}-{language}", audio, text, language, row.text, ids=ids))
    return pairs


def _shards(source: Path, unpack_to: Path) -> list[StylePair]:
    pairs = []
    make_folder(unpack_to)
    for sample in read_shards(source):
        path = unpack_to / f"{sample.key}.{sample.ending}"
        if not path.is_file():
            write_bytes_whole(path, sample.recording)
        seen: set[str] = set()
        for caption in sample.captions:
            if caption.language not in ("en", "zh") or caption.language in seen:
                continue
            seen.add(caption.language)
            language: Language = "zh" if caption.language == "zh" else "en"
            audio = AudioRef(str(path.absolute()))
            pairs.append(StylePair(f"{sample.key}-{language}", audio, caption.text, language))
    if not pairs:
        raise RecordError(f"{source}: no clip in the shards has a description in English or Mandarin.")
    return pairs
