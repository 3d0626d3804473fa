"""Clips of a corpus as a style model places them that never met that corpus; for `benchmarks.style`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aptone.audio import read
from aptone.ear import load_ear
from aptone.ear.describe import Style
from aptone.ear.labelled_clips import read_labels
from aptone.models.parts import Vectors
from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.rooms.style.embedding.built_in import CONDITIONS, EVENTS, NAMES, numbers_of
from recipes.style.examples import Rows, read_answers, with_answers
from recipes.style.network import StyleNetwork, StyleRecipe
from recipes.style.run import load_style
from recipes.style.train import embed_rows, embed_units

RATE = 16_000
PREDICTIONS = Path(__file__).parent / "results" / "ear_predictions"
SCENE = (
    "log odds of adult",
    "log odds of music",
    *(f"log odds of {name}" for name in CONDITIONS),
    *(f"confidence in {name}" for name in EVENTS),
)
"""Features that only the shipped ear provides, which was trained on the corpus."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A corpus, as such a model places it.

    Args:
        network: the model.
        known: units that it knows, and their places.
        voices: [clips, 128].
        styles: what the labels say of each clip.
        is_test: which clips are by test speakers.
    """

    network: StyleNetwork
    known: dict[int, int]
    voices: Vectors
    styles: tuple[Style, ...]
    is_test: npt.NDArray[np.bool_]

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """Vectors of descriptions."""
        vectors, rows = load_static_vectors(), []
        for text in texts:
            units = vectors.units(text)
            rows.append((vectors.unit_vectors(units), np.array([self.known.get(unit, 0) for unit in units])))
        return embed_units(self.network, rows)


def left_out_model(data: Path, name: str, weights: Path) -> LeftOut:
    """Hear a corpus with ears that never heard it, and place its clips.

    Measures are taken by rules and may come from the shipped ear; feeling and sex are said by the others.
    """
    from benchmarks.style import labelled_style

    network, known = load_style(weights, StyleRecipe())
    ear = load_ear("full")
    clips = read_labels(data / name)
    heard = [ear.perceive(read(clip.path, rate=RATE)) for clip in clips]
    usable = [place for place, perception in enumerate(heard) if perception.emotion]
    rows = Rows(
        name=np.array([f"{name}/{clips[place].path.name}" for place in usable]),
        split=np.array([clips[place].split for place in usable]),
        speaker=np.array([clips[place].speaker for place in usable]),
        variant=np.array(["plain"] * len(usable)),
        numbers=np.stack([numbers_of(heard[place]) for place in usable]),
        style=np.zeros((len(usable), 1), dtype=np.int16),
    )
    rows = with_answers(rows, read_answers(sorted(PREDICTIONS.glob(f"without-{name}-seed*.npz"))), move=False)
    numbers = rows.numbers.copy()
    scene = [NAMES.index(column) for column in SCENE]
    numbers[:, scene] = network.audio.centre.numpy()[scene]
    rows = replace(rows, numbers=numbers)
    by_name = {f"{name}/{clip.path.name}": clip for clip in clips}
    return LeftOut(
        network,
        {unit: place for place, unit in enumerate(known, start=1)},
        embed_rows(network, rows.numbers),
        tuple(labelled_style(by_name[clip]) for clip in rows.name.tolist()),
        rows.split == "test",
    )
