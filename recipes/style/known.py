"""Clips whose pitch, pitch variation, rate or volume was put there, as the ear measures them; for the calibration."""

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aptone.ear import load_ear
from aptone.ear.claims.rules import MEASURES
from aptone.ear.describe import Attribute, values_of
from aptone.ear.labelled_clips import read_labels
from aptone.ear.measures.norms import spreads_from_norm
from aptone.files import write_whole
from aptone.types import ClosedSet, dumps
from recipes.claims.clips import PLACES, know_speakers, known_clips, spread_over
from recipes.claims.vocoder import load_world
from recipes.ear.data import SPEECH_SETS
from recipes.style.heard import ear_mark

SEED = 24
CLIPS = 30
"""Clips of each set that are changed."""
EACH = 2
"""Values of each scale per clip."""
Floats = npt.NDArray[np.float64]
Distances = dict[Attribute, dict[ClosedSet, list[Floats]]]
"""Spreads from the norm by attribute and value, an array for each set."""


def known_distances(data: Path, *, cache: Path, count: int = CLIPS) -> Distances:
    """Return how far clips with known values lie from ordinary speech; kept in the cache, by ear, once measured.

    Distances are those that the style room uses: from the norm of all languages together, for the sex that is heard.
    Only clips of the train and dev parts are changed.
    """
    path = cache / f"known-{ear_mark()}-{SEED}-{count}.json"
    if path.is_file():
        return read_distances(path)
    found = _measure(data, count)
    cache.mkdir(parents=True, exist_ok=True)
    write_distances(path, found)
    return found


def write_distances(path: Path, distances: Distances) -> None:
    """Write distances as JSON, a list for each set."""
    write_whole(
        path,
        dumps(
            {
                attribute: {str(value): [one.tolist() for one in each] for value, each in values.items()}
                for attribute, values in distances.items()
            }
        ),
    )


def read_distances(path: Path) -> Distances:
    """Read what `write_distances` wrote, attributes and values in their order."""
    kept: Mapping[Attribute, Mapping[str, list[list[float]]]] = json.loads(path.read_text(encoding="utf-8"))
    return {
        attribute: {
            value: [np.array(one, dtype=float) for one in kept[attribute][str(value)]]
            for value in values_of(attribute)
            if str(value) in kept[attribute]
        }
        for attribute in PLACES
        if attribute in kept
    }


def _measure(data: Path, count: int) -> Distances:
    world, ear = load_world(), load_ear("full")
    dice = np.random.default_rng(SEED)
    found: Distances = {name: defaultdict(list) for name in PLACES}
    for name in SPEECH_SETS:
        clips = read_labels(data / name)
        speakers = know_speakers(world, clips)
        away: dict[tuple[Attribute, ClosedSet], list[float]] = defaultdict(list)
        for clip in spread_over([clip for clip in clips if clip.split != "test"], count=count, seed=SEED):
            wanted = [
                (attribute, list(places)[place])
                for attribute, places in PLACES.items()
                for place in sorted(dice.permutation(len(places))[:EACH])
            ]
            for known in known_clips(world, clip, speakers, wanted):
                heard = ear.perceive(known.audio)
                score = heard.measures.get(MEASURES[known.attribute])
                if score is not None and score.is_defined:
                    away[known.attribute, known.value].append(
                        spreads_from_norm(MEASURES[known.attribute], score.value, sex=heard.sex, language=None)
                    )
        for (attribute, value), distances in away.items():
            found[attribute][value].append(np.array(distances))
    return {attribute: dict(values) for attribute, values in found.items()}
