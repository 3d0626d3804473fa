"""Where training starts, as files for the machine that trains: weights in eight bits.

python -m recipes.planner.make_starts --minilm FOLDER --out FOLDER
"""

import argparse
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from recipes.planner.labels import FOLDER
from recipes.planner.start import MiniLm
from recipes.planner.training import packed
from recipes.planner.vocabulary import vocabulary


def glosses() -> dict[str, str]:
    """English words for Mandarin pieces."""
    rows = (FOLDER / "glosses.zh.tsv").read_text(encoding="utf-8").splitlines()
    return dict(row.split("\t", 1) for row in rows)


def write(path: Path, weights: Mapping[str, Tensor]) -> None:
    """Weights in eight bits."""
    np.savez_compressed(path, allow_pickle=False, **packed(weights))
    print(f"{path}: {path.stat().st_size / 2**20:.1f} MiB")


def main() -> None:
    """Write the starts of both languages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minilm", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    minilm = MiniLm(options.minilm)
    body = {name: torch.from_numpy(values) for name, values in minilm.body().items()}
    for language, words in (
        ("en", minilm.english_words(vocabulary("en"))),
        ("zh", minilm.glossed(vocabulary("zh"), glosses())),
    ):
        write(options.out / f"start.{language}.npz", {"words.weight": torch.from_numpy(words)})
    write(options.out / "start.body.npz", body)


if __name__ == "__main__":
    main()
