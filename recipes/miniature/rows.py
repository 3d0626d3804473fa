"""From folders of acted speech and of dialogues to what the miniature is made of: `recipes.miniature.material`."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from aptone.files import make_folder
from aptone.planner.labelled_dialogues import read_meld
from recipes.miniature.clips import read_miniature_clips, write_miniature_clips
from recipes.miniature.material import CLIPS, Material, finish_material, pairs_file
from recipes.miniature.pairs import make_pairs, write_pairs
from recipes.miniature.planner import fit_line_classifier

PAIRS: Mapping[str, int] = {"train": 20_000, "dev": 600, "test": 2_000}
SEED = 1


class MadeRows(NamedTuple):
    """What was written."""

    clips: int
    pairs: Mapping[str, int]


def make_miniature_rows(
    data: Path, texts: Path, out: Path, *, pairs: Mapping[str, int] = PAIRS, clips: int | None = None, workers: int
) -> MadeRows:
    """Hear all clips, draw all pairs, write reasons, teach the tokenizer; clips that are there already are kept.

    Args:
        data: a folder for each set of acted speech, with labels.csv.
        texts: holds ``meld/``.
        out: folder for the files.
        pairs: how many of each split.
        clips: most of each part of a set; None for all that are of use.
        workers: processes that listen.

    Raises:
        UsageError: if a set or a table is missing.
        RecordError: if a table is damaged.
    """
    make_folder(out)
    write_miniature_clips(data, out / CLIPS, workers=workers, most=clips)
    heard = read_miniature_clips(out / CLIPS)
    other = fit_line_classifier(read_meld(texts, parts=("train",)))
    made = {}
    for split, count in pairs.items():
        dialogues = read_meld(texts, parts=(split,))
        made[split] = list(make_pairs(dialogues, heard, split=split, count=count, seed=SEED, other=other))
        write_pairs(pairs_file(out, split), made[split])
    finish_material(out, Material({clip.key: clip for clip in heard}, made), workers=workers)
    return MadeRows(len(heard), dict(pairs))
