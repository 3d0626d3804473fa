"""Naturalness head of the ear, 0 to 5: a ridge regression on a teacher's opinions of natural and degraded clips.

Make the clips (`recipes.ear.naturalness_clips`), predict listeners' mean opinion scores from 1 to 5 with a packaged
network (DistillMOS), and regress them on the ear's vector of a clip. The ear's network is not changed: the regression
is fitted on its output, on the CPU.

The folder of the clips gets a `teacher.json` (id to mean opinion score). Of the three parts ``train`` is fitted,
``dev`` chooses the strength of the ridge, ``test`` is reported. Limits:
    - The teacher was made for calls. It hears damage and ignores who speaks: alone, it rates a good machine as natural
      as an actor in a plain room, and it does not correlate with EmoDB's listeners. So half of a target is the share of
      listeners who would call the clip natural: known for EmoDB, assumed elsewhere.
    - The synthesisers are old ones (formants, diphones, clustered units, spectra without phase). None is as good as
      today's neural voices.
    - Listeners rated EmoDB only: German actors, and most of them found most clips natural (0.77 ± 0.13). Their ratings
      depend on the emotion more than on anything else.
"""

import importlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aptone.audio import read
from aptone.ear.network.inference import Network
from aptone.ear.perceive import Ear
from aptone.errors import RecordError, UsageError
from aptone.stats import pearson, spearman
from aptone.types import Audio, Estimate
from recipes.ear.data import PERMISSIVE_SETS, SPEECH_SETS
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
STRENGTHS = tuple(float(10**power) for power in np.arange(-3.0, 2.25, 0.25))
"""Ridge strengths, from hardly any shrinkage to almost complete."""
TAKEN_FOR_NATURAL = {HUMAN: 0.77, DEGRADED: 0.77, SYNTHESISED: 0.0}
"""Assumed share of listeners: for a person the average of EmoDB's actors, for a machine 0."""

Floats = npt.NDArray[np.float64]
Hear = Callable[[Audio], npt.NDArray[np.floating]]
Teacher = Callable[[Audio], float]


def load_teacher() -> Teacher:
    """Load DistillMOS (Stahl & Gamper 2025, MIT), a network that predicts the mean opinion score of a clip, 1 to 5.

    Raises:
        UsageError: if the package is not installed.
    """
    try:
        torch, package = importlib.import_module("torch"), importlib.import_module("distillmos")
    except ImportError as error:
        raise UsageError(f"the teacher of naturalness is missing ({error}); pip install distillmos.") from error
    network = package.ConvTransformerSQAModel().eval()

    def teacher(audio: Audio) -> float:
        with torch.no_grad():
            return float(network(torch.tensor(audio.samples)[None]).item())

    return teacher


def ask_teacher(folder: Path, items: Sequence[Item], teacher: Teacher) -> dict[str, float]:
    """Return the teacher's opinion of every clip, by id, and save it in `teacher.json`."""
    opinions = {item.id: round(teacher(read(folder / item.path, rate=RATE)), 4) for item in items}
    (folder / "teacher.json").write_text(json.dumps(opinions, indent=0) + "\n", encoding="utf-8")
    return opinions


def target(item: Item, opinion: float) -> float:
    """Return the target of a clip, 0 to 5.

    ``((opinion - 1) · 5/4 + 5 · share) / 2``: the teacher's opinion of 1 to 5, rescaled, and the share of listeners who
    call the clip natural, which is `TAKEN_FOR_NATURAL` for unrated clips.

    >>> target(Item("a", "a.ogg", "train", HUMAN, "as it is", "emodb", "a.ogg", listeners=0.8), 3.0)  # (2.5 + 4) / 2
    3.25
    >>> target(Item("b", "b.ogg", "train", SYNTHESISED, "kal16", "flite"), 3.0)  # (2.5 + 0) / 2
    1.25
    """
    stretched = (min(max(opinion, 1.0), 5.0) - 1.0) * HIGHEST / 4.0
    share = TAKEN_FOR_NATURAL[item.kind] if math.isnan(item.listeners) else item.listeners
    return (stretched + HIGHEST * share) / 2.0


@dataclass(frozen=True, eq=False, slots=True)
class NaturalnessHead:
    """Naturalness from the ear's vector of a clip: ``clip(weights · hidden + bias, 0, 5)``."""

    weights: Floats
    bias: float

    @property
    def numbers(self) -> tuple[float, ...]:
        """Weights and, last, the bias, as the ear's file stores them."""
        return (*(float(weight) for weight in self.weights), self.bias)

    def predict(self, hidden: npt.NDArray[np.floating]) -> Floats:
        """Return one value per row, 0 to 5; NaN for a row with one."""
        predicted: Floats = np.clip(hidden @ self.weights + self.bias, 0.0, HIGHEST)
        return predicted


def fit(hidden: npt.NDArray[np.floating], targets: Floats, *, strength: float) -> NaturalnessHead:
    """Fit a ridge regression: ``min Σ(w · z + b - y)² / n + strength · |w|²`` over features z of unit variance.

    The scaling is folded back into the weights. A constant feature gets the weight 0.

    Args:
        hidden: a row for each clip.
        targets: a target for each clip.
        strength: strength of the ridge, above 0.

    Raises:
        RecordError: if rows and targets differ in number, there are none, or one is not finite.
    """
    features = np.asarray(hidden, dtype=np.float64)
    if features.ndim != 2 or targets.shape != features.shape[:1] or not targets.size:
        raise RecordError(f"expected a row and a target for each clip, got {features.shape} and {targets.shape}.")
    if not (np.isfinite(features).all() and np.isfinite(targets).all()):
        raise RecordError("some of the numbers to fit are not finite; leave clips out that the ear cannot judge.")
    centre, deviation = features.mean(axis=0), features.std(axis=0)
    scale = np.where(deviation > 1e-9, deviation, np.inf)
    standard = (features - centre) / scale
    gram = standard.T @ standard / targets.size + strength * np.eye(centre.size)
    weights = np.linalg.solve(gram, standard.T @ (targets - targets.mean()) / targets.size) / scale
    return NaturalnessHead(weights, float(targets.mean() - weights @ centre))


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
    """The head, the strength that was best on ``dev``, and the results on each part."""

    head: NaturalnessHead
    strength: float
    reports: Mapping[str, Report]


def main(
    data: Path, folder: Path, hear: Hear, *, sets: Sequence[str] = SPEECH_SETS, strengths: Sequence[float] = STRENGTHS
) -> Fitted:
    """Make the clips and ask the teacher if needed, fit, and save `naturalness.json` in the folder.

    Args:
        data: the sets, as for `make_clips`.
        folder: folder for the clips and results.
        hear: returns the ear's vector of a clip.
        sets: sets to fit and choose on; synthesised clips are always used. The reports are on all sets.
        strengths: ridge strengths to choose from, by the squared error on ``dev``.
    """
    items = read_clips(folder) if (folder / "clips.jsonl").is_file() else make_clips(data, folder)
    kept = folder / "teacher.json"
    opinions: Mapping[str, float] = (
        json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else ask_teacher(folder, items, load_teacher())
    )
    lacking = [item.id for item in items if item.id not in opinions]
    if lacking:
        raise RecordError(f"{kept}: nothing about {lacking[0]}; remove the file, and the teacher is asked again.")
    of_part = {part: [item for item in items if item.part == part] for part in PARTS}
    targets = {part: np.array([target(item, opinions[item.id]) for item in of_part[part]]) for part in PARTS}
    hidden = {
        part: np.stack([hear(read(folder / item.path, rate=RATE)) for item in of_part[part]]).astype(np.float64)
        for part in PARTS
    }
    train, dev = (np.array([item.set in (*sets, *MACHINES) for item in of_part[part]]) for part in ("train", "dev"))
    heads = [fit(hidden["train"][train], targets["train"][train], strength=strength) for strength in strengths]
    errors = [float(np.mean((head.predict(hidden["dev"][dev]) - targets["dev"][dev]) ** 2)) for head in heads]
    best = int(np.argmin(errors))
    reports = {part: report(of_part[part], targets[part], heads[best].predict(hidden[part])) for part in PARTS}
    record = {"strength": strengths[best], "bias": heads[best].bias, "weights": heads[best].weights.tolist()}
    (folder / "naturalness.json").write_text(json.dumps(record) + "\n", encoding="utf-8")
    return Fitted(heads[best], strengths[best], reports)


def fit_ear(exported: Path, data: Path, folder: Path) -> Fitted:
    """Run `main` for an ear file, fitted on the sets that its licence allows.

    Args:
        exported: `NAME.onnx` with `stem.onnx` next to it.
        data: the sets, as for `make_clips`.
        folder: folder for the clips and results.
    """
    ear = Ear(Network(exported.parent, exported.stem))
    sets = PERMISSIVE_SETS if ear.name == "permissive" else SPEECH_SETS
    return main(data, folder, lambda audio: ear.listen(audio).hidden, sets=sets)


def read_head(path: Path) -> NaturalnessHead:
    """Read the head that `main` saved.

    Raises:
        RecordError: if the file holds no head.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return NaturalnessHead(np.array(record["weights"], dtype=np.float64), float(record["bias"]))
    except (KeyError, TypeError, ValueError) as error:
        raise RecordError(f"{path}: no head of naturalness ({error}); fit it again.") from error
