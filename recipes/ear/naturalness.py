"""Naturalness head of the ear, 0 to 5: a ridge regression on opinions of people, and on clips made worse on purpose.

Two kinds of clips, which weigh the same: read speech whose prosody experts scored (speechocean: four or five of them, 0
to 10, halved here), and people, damaged recordings and synthesisers (`recipes.ear.naturalness_clips`), whose target is
the share of listeners who would call them natural. Regressors are the ear's vector of a clip and measures of its tempo,
pauses and melody. The ear's network is not changed: the regression is fitted on its output, on the CPU.

Of the three parts ``train`` is fitted, ``dev`` chooses the strength of the ridge, ``test`` is reported. Limits:
    - The experts scored learners who read English aloud: how fluent and well stressed, not how well acted.
    - Listeners rated EmoDB only: German actors, and most of them found most clips natural (0.77 ± 0.13). For other
      people, for damage and for machines the share is assumed (`TAKEN_FOR_NATURAL`).
    - The synthesisers are old ones (formants, diphones, clustered units, spectra without phase). None is as good as
      today's neural voices.
"""

import csv
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from aptone.audio import read
from aptone.ear.labelled_clips import TABLE
from aptone.ear.measures.pitch import track_pitch
from aptone.ear.measures.voice import measure
from aptone.ear.network.inference import Network
from aptone.ear.perceive import Ear, speech_at_any_level
from aptone.errors import RecordError, UsageError
from aptone.stats import pearson, spearman
from aptone.types import Audio, Estimate
from recipes.ear.data import PERMISSIVE_SETS, READ_SET, SPEECH_SETS
from recipes.ear.naturalness_clips import (
    DEGRADED,
    HUMAN,
    KINDS,
    MACHINES,
    PARTS,
    RATE,
    SYNTHESISED,
    Item,
    make_clips,
    read_clips,
)

HIGHEST = 5.0
MEASURES = (
    "pause share",
    "longest pause",
    "speech rate",
    "articulation rate",
    "pitch range",
    "loudness range",
    "voiced share",
    "HNR",
    "jitter",
)
"""Measures that count for naturalness."""
STRENGTHS = tuple(float(10**power) for power in np.arange(-3.0, 2.25, 0.25))
"""Ridge strengths, from hardly any shrinkage to almost complete."""
TAKEN_FOR_NATURAL = {HUMAN: 0.77, DEGRADED: 0.5, SYNTHESISED: 0.2}
"""Assumed share of listeners: for a person the average of EmoDB's actors, for damage and machines a guess."""

Floats = npt.NDArray[np.float64]
Hear = Callable[[Audio], npt.NDArray[np.floating]]
"""The ear's vector of a clip: its hidden layers, and behind them `MEASURES`, NaN where one is not defined."""


class Rated(NamedTuple):
    """A clip of read speech, and what experts think of its prosody, 0 to 5."""

    path: Path
    part: str
    score: float


def expert_scores(data: Path) -> list[Rated]:
    """Return the clips of the set of read speech with the mean of the experts' scores of prosody, halved.

    Raises:
        UsageError: if the set is not there.
    """
    table = data / READ_SET / TABLE
    if not table.is_file():
        raise UsageError(f"{table}: no such file; the experts' scores of {READ_SET} are needed.")
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        Rated(table.parent / row["file"], row["split"], float(np.mean(json.loads(row["prosodic"]))) / 2.0)
        for row in rows
    ]


def target(item: Item) -> float:
    """Return the target of a clip, 0 to 5: five times the share of listeners who call it natural, known or assumed.

    >>> target(Item("a", "a.ogg", "train", HUMAN, "as it is", "emodb", "a.ogg", listeners=0.8))
    4.0
    >>> target(Item("b", "b.ogg", "train", SYNTHESISED, "kal16", "flite"))
    1.0
    """
    return HIGHEST * (TAKEN_FOR_NATURAL[item.kind] if math.isnan(item.listeners) else item.listeners)


@dataclass(frozen=True, eq=False, slots=True)
class NaturalnessHead:
    """Naturalness from the ear's vector of a clip: ``clip(weights · (vector - means) + bias, 0, 5)``.

    Args:
        weights: one for each number of the vector.
        means: of the training clips, for the measures; 0 for the hidden layers.
        bias: added.
    """

    weights: Floats
    means: Floats
    bias: float

    @property
    def numbers(self) -> tuple[float, ...]:
        """Weights of the hidden layers and, last, the bias, as the ear's file stores them."""
        return (*(float(weight) for weight in self.weights[: -len(MEASURES)]), self.bias)

    @property
    def measures(self) -> dict[str, tuple[float, float]]:
        """Mean and weight by measure, as the ear's file stores them."""
        behind = zip(self.means[-len(MEASURES) :].tolist(), self.weights[-len(MEASURES) :].tolist(), strict=True)
        return dict(zip(MEASURES, behind, strict=True))

    def predict(self, vectors: npt.NDArray[np.floating]) -> Floats:
        """Return one value per row, 0 to 5; a measure that is NaN counts as usual, a hidden number makes it NaN."""
        off = vectors - self.means
        off[:, -len(MEASURES) :] = np.nan_to_num(off[:, -len(MEASURES) :])
        predicted: Floats = np.clip(off @ self.weights + self.bias, 0.0, HIGHEST)
        return predicted


def fit(
    vectors: npt.NDArray[np.floating], targets: Floats, *, strength: float, weights: Floats | None = None
) -> NaturalnessHead:
    """Fit a ridge regression: ``min Σ v (w · z + b - y)² + strength · |w|²`` over features z of unit variance.

    The scaling is folded back into the weights. A constant feature gets the weight 0.

    Args:
        vectors: a row for each clip; measures may be NaN.
        targets: a target for each clip.
        strength: strength of the ridge, above 0.
        weights: weight v of each clip; None for equal ones. They are brought to a sum of 1.

    Raises:
        RecordError: if rows and targets differ in number, there are none, or one is not finite.
    """
    features = np.array(vectors, dtype=np.float64)
    if features.ndim != 2 or targets.shape != features.shape[:1] or not targets.size:
        raise RecordError(f"expected a row and a target for each clip, got {features.shape} and {targets.shape}.")
    behind = features[:, -len(MEASURES) :]
    means = np.zeros(features.shape[1])
    defined = ~np.isnan(behind)
    means[-len(MEASURES) :] = np.where(defined, behind, 0.0).sum(axis=0) / np.maximum(defined.sum(axis=0), 1)
    behind -= means[-len(MEASURES) :]
    behind[np.isnan(behind)] = 0.0
    if not (np.isfinite(features).all() and np.isfinite(targets).all()):
        raise RecordError("some of the numbers to fit are not finite; leave clips out that the ear cannot judge.")
    share = np.ones(targets.size) if weights is None else weights
    share = share / share.sum()
    centre, middle = share @ features, float(share @ targets)
    deviation = np.sqrt(share @ (features - centre) ** 2)
    scale = np.where(deviation > 1e-9, deviation, np.inf)
    standard = (features - centre) / scale
    gram = standard.T @ (share[:, None] * standard) + strength * np.eye(centre.size)
    found = np.linalg.solve(gram, standard.T @ (share * (targets - middle))) / scale
    return NaturalnessHead(found, means, float(middle - found @ centre))


@dataclass(frozen=True, slots=True)
class Report:
    """Results of an ear on a part.

    Args:
        clips: number of clips.
        unjudged: number of clips without an answer; left out of all but `area`, where they count half.
        pearson, spearman: correlations with the targets.
        error: mean absolute difference from the targets.
        means, target_means: mean answers and mean targets, by kind.
        area: share of pairs of an original and a synthesised clip in which the person sounds more natural.
        target_area: the same of the targets, an upper bound.
        listeners: Pearson's correlation with the share of EmoDB's listeners who found a clip natural.
    """

    clips: int
    unjudged: int
    pearson: Estimate
    spearman: Estimate
    error: float
    means: Mapping[str, float]
    target_means: Mapping[str, float]
    area: float
    target_area: float
    listeners: Estimate


def report(items: Sequence[Item], targets: Floats, predicted: Floats) -> Report:
    """Compare answers of the ear with targets; NaN for no answer."""
    of_kind = {kind: np.array([item.kind == kind for item in items], dtype=np.bool_) for kind in KINDS}
    asked = np.array([not math.isnan(item.listeners) for item in items], dtype=np.bool_)
    shares = np.array([item.listeners for item in items])
    off = np.abs(predicted - targets)

    def area(values: Floats) -> float:
        pairs = np.sign(values[of_kind[HUMAN], None] - values[of_kind[SYNTHESISED]])
        return 0.5 + 0.5 * float(np.nan_to_num(pairs).mean()) if pairs.size else math.nan

    def means(values: Floats) -> dict[str, float]:
        judged = {kind: values[which & ~np.isnan(values)] for kind, which in of_kind.items()}
        return {kind: float(found.mean()) for kind, found in judged.items() if found.size}

    return Report(
        clips=len(items),
        unjudged=int(np.isnan(predicted).sum()),
        pearson=pearson(predicted, targets),
        spearman=spearman(predicted, targets),
        error=float(off[~np.isnan(off)].mean()) if not np.isnan(off).all() else math.nan,
        means=means(predicted),
        target_means=means(targets),
        area=area(predicted),
        target_area=area(targets),
        listeners=pearson(predicted[asked], shares[asked]),
    )


@dataclass(frozen=True, slots=True)
class Fitted:
    """The head, the strength that was best on ``dev``, the results on each part, and the correlation with experts."""

    head: NaturalnessHead
    strength: float
    reports: Mapping[str, Report]
    experts: Mapping[str, Estimate]


def main(
    data: Path, folder: Path, hear: Hear, *, sets: Sequence[str] = SPEECH_SETS, strengths: Sequence[float] = STRENGTHS
) -> Fitted:
    """Make the clips if needed, fit, and save `naturalness.json` in the folder.

    Args:
        data: the sets, as for `make_clips`.
        folder: folder for the clips and results.
        hear: returns the ear's vector of a clip.
        sets: sets to fit and choose on; synthesised clips are always used. The reports are on all sets.
        strengths: ridge strengths to choose from, by the squared error on ``dev``.
    """
    items = read_clips(folder) if (folder / "clips.jsonl").is_file() else make_clips(data, folder)
    of_part = {part: [item for item in items if item.part == part] for part in PARTS}
    targets = {part: np.array([target(item) for item in of_part[part]]) for part in PARTS}
    vectors = {part: _heard(hear, [folder / item.path for item in of_part[part]]) for part in PARTS}
    rated = expert_scores(data)
    scores = {part: np.array([one.score for one in rated if one.part == part]) for part in PARTS}
    read_aloud = {part: _heard(hear, [one.path for one in rated if one.part == part]) for part in PARTS}

    def both(part: str) -> tuple[Floats, Floats, Floats]:
        """Return vectors, targets and weights of the clips that may be used; both kinds weigh the same."""
        used = np.array([item.set in (*sets, *MACHINES) for item in of_part[part]])
        weights = [np.full(count, 1 / count) for count in (int(used.sum()), len(scores[part]))]
        rows = np.concatenate([vectors[part][used], read_aloud[part]])
        return rows, np.concatenate([targets[part][used], scores[part]]), np.concatenate(weights)

    train, wanted, weights = both("train")
    heads = [fit(train, wanted, strength=strength, weights=weights) for strength in strengths]
    dev, wanted, weights = both("dev")
    errors = [float(weights @ (head.predict(dev) - wanted) ** 2) for head in heads]
    best = int(np.argmin(errors))
    head = heads[best]
    reports = {part: report(of_part[part], targets[part], head.predict(vectors[part])) for part in PARTS}
    experts = {part: pearson(head.predict(read_aloud[part]), scores[part]) for part in PARTS}
    record = {
        "strength": strengths[best],
        "bias": head.bias,
        "means": head.means.tolist(),
        "weights": head.weights.tolist(),
        "experts": {part: found.value for part, found in experts.items()},
    }
    (folder / "naturalness.json").write_text(json.dumps(record) + "\n", encoding="utf-8")
    return Fitted(head, strengths[best], reports, experts)


def _heard(hear: Hear, paths: Sequence[Path]) -> Floats:
    return np.stack([hear(read(path, rate=RATE)) for path in paths]).astype(np.float64)


def vector_of(ear: Ear, audio: Audio) -> Floats:
    """Return the hidden layers of an ear over a whole clip, and behind them its `MEASURES`."""
    measures = measure(audio.samples, track_pitch(audio.samples), speech_at_any_level(audio))
    behind = [measures[name].value if name in measures else math.nan for name in MEASURES]
    vector: Floats = np.concatenate([ear.listen(audio).hidden.astype(np.float64), behind])
    return vector


def fit_ear(exported: Path, data: Path, folder: Path) -> Fitted:
    """Run `main` for an ear file, fitted on the sets that its licence allows.

    Args:
        exported: `NAME.onnx` with `stem.onnx` next to it.
        data: the sets, as for `make_clips`.
        folder: folder for the clips and results.
    """
    ear = Ear(Network(exported.parent, exported.stem))
    sets = PERMISSIVE_SETS if ear.name == "permissive" else SPEECH_SETS
    return main(data, folder, partial(vector_of, ear), sets=sets)


def read_head(path: Path) -> NaturalnessHead:
    """Read the head that `main` saved.

    Raises:
        RecordError: if the file holds no head.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        weights, means = (np.array(record[name], dtype=np.float64) for name in ("weights", "means"))
        return NaturalnessHead(weights, means, float(record["bias"]))
    except (KeyError, TypeError, ValueError) as error:
        raise RecordError(f"{path}: no head of naturalness ({error}); fit it again.") from error
