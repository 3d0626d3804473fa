"""Accuracy of placing words of feeling that the studio's lexicon does not know, by the known words next to them.

Each known word is taken out and placed by the others, once with its synonyms (words at the very same place) among them
and once without these. Where no word is near, it has no place: how many have one stands beside the Pearson correlations
of the places found with the words' own. The settings of the neighbourhood were chosen with the same words, so that the
figures are somewhat too good.

    python benchmarks/feeling_places.py
"""

import json
from pathlib import Path

import numpy as np

from aptone.stats import pearson
from aptone.studio.agreement.feeling_places import DIMENSIONS, known_words, place_by_neighbours

RESULTS = Path(__file__).parent / "results" / "feeling_places.json"


def main() -> None:
    """Place every known word by the others, print the figures and write them."""
    vectors, places = known_words()
    whole = np.nan_to_num(places, nan=np.inf)  # what is undefined in both is the same
    same = (whole[:, None] == whole[None]).all(axis=2)
    only_itself = np.eye(len(places), dtype=bool)
    found = {
        "words": len(places),
        "with_synonyms": left_out(vectors, places, only_itself, of=same.sum(axis=1) > 1),
        "without_synonyms": left_out(vectors, places, same, of=np.ones(len(places), dtype=bool)),
    }
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


def left_out(
    vectors: np.ndarray, places: np.ndarray, out: np.ndarray, *, of: np.ndarray
) -> dict[str, float | dict[str, float]]:
    """Place words with each one left out in turn; return how many are placed, and how well."""
    own, given = [], []
    for word in np.flatnonzero(of):
        kept = ~out[word]
        place = place_by_neighbours(vectors[kept] @ vectors[word], places[kept])
        if place is not None:
            own.append(places[word])
            given.append([getattr(place, dimension) for dimension in DIMENSIONS])
    correlations = {}
    for column, dimension in enumerate(DIMENSIONS):
        pairs = np.array([[one[column], other[column]] for one, other in zip(own, given, strict=True)])
        pairs = pairs[~np.isnan(pairs).any(axis=1)]
        correlations[dimension] = round(pearson(*pairs.T).value, 3)
    return {"words": int(of.sum()), "placed": len(own), "correlations": correlations}


if __name__ == "__main__":
    main()
