"""Teach the ear naturalness, 0 to 5: ask a teacher about clips from natural to not at all, fit a ridge regression.

Top to bottom: make the clips (`ear_naturalness_clips`), ask a packaged network what listeners would say (DistillMOS,
mean opinion score 1 to 5), and regress that on the vector that the ear makes of a clip. Nothing here touches the ear's
network: the regression is fitted behind it, on the CPU.

The folder of the clips gets a `teacher.json` (id to mean opinion score). Of its three parts ``train`` is fitted on,
``dev`` chooses the strength of the ridge, ``test`` is reported. What limits it:
    - The teacher was made for calls. It hears damage and does not care who speaks: alone, it finds a good machine as
      natural as an actor in a plain room, and it knows nothing of what EmoDB's listeners said. So half of a target is
      the share of listeners who would call the clip natural: asked where they were, assumed where not.
    - The machines are old ones (formants, diphones, clustered units, spectra without phase). Nothing here is as good as
      the neural voices of today.
    - People were asked about EmoDB only: about German actors, and most of them found most clips natural (0.77 ± 0.13).
      What they said goes by the emotion more than by anything else.
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
"""From hardly any shrinkage to almost nothing left."""
TAKEN_FOR_NATURAL = {HUMAN: 0.77, DEGRADED: 0.77, SYNTHESISED: 0.0}
"""Share of listeners where nobody was asked: for a person that of EmoDB's actors on average, for a machine 0."""

Floats = npt.NDArray[np.float64]
Hear = Callable[[Audio], npt.NDArray[np.floating]]
Teacher = Callable[[Audio], float]


def load_teacher() -> Teacher:
    """DistillMOS (Stahl & Gamper 2025, MIT), a network that guesses the mean opinion score of a clip, 1 to 5.

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
    """The teacher's opinion of every clip, by id; kept in `teacher.json`."""
    opinions = {item.id: round(teacher(read(folder / item.path, rate=RATE)), 4) for item in items}
    (folder / "teacher.json").write_text(json.dumps(opinions, indent=0) + "\n", encoding="utf-8")
    return opinions


def target(item: Item, opinion: float) -> float:
    """What the ear is to say about a clip, 0 to 5.

    ``((opinion - 1) · 5/4 + 5 · share) / 2``: the teacher's opinion of 1 to 5, stretched, and the share of listeners
    who call the clip natural, which is `TAKEN_FOR_NATURAL` where nobody was asked.

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
    """Naturalness from the vector that the ear makes of a clip: ``clip(weights · hidden + bias, 0, 5)``."""

    weights: Floats
    bias: float

    @property
    def numbers(self) -> tuple[float, ...]:
        """The weights and, last, what is added: as the ear's own file keeps them."""
        return (*(float(weight) for weight in self.weights), self.bias)

    def predict(self, hidden: npt.NDArray[np.floating]) -> Floats:
        """One number a row, 0 to 5; NaN where a row holds one."""
        predicted: Floats = np.clip(hidden @ self.weights + self.bias, 0.0, HIGHEST)
        return predicted


def fit(hidden: npt.NDArray[np.floating], targets: Floats, *, strength: float) -> NaturalnessHead:
    """Ridge regression: ``min Σ(w · z + b - y)² / n + strength · |w|²`` over features z of unit variance.

    The scaling is folded back into the weights. A feature that never changes gets the weight 0.

    Args:
        hidden: a row for each clip.
        targets: a number for each clip.
        strength: above 0; the higher, the flatter.

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
    """How an ear does on a part.

    Args:
        clips: how many.
        unjudged: for how many of them the ear says nothing; they are left out of all but `area`, where they are a toss.
        pearson, spearman: with the targets.
        error: mean absolute difference from the targets.
        means, target_means: of what the ear says and of the targets, by kind.
        area: share of pairs of a clip as it is and a synthesised one in which the person sounds more natural.
        target_area: the same of the targets, which is as much as can be learned.
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
    """What the ear says about clips beside what it was to say; NaN where it says nothing."""
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
    """The head, the strength that did best on ``dev``, and how it does on each part."""

    head: NaturalnessHead
    strength: float
    reports: Mapping[str, Report]


def main(
    data: Path, folder: Path, hear: Hear, *, sets: Sequence[str] = SPEECH_SETS, strengths: Sequence[float] = STRENGTHS
) -> Fitted:
    """Make the clips and ask the teacher where that has not been done, fit, and keep `naturalness.json` in the folder.

    Args:
        data: the sets, as for `make_clips`.
        folder: for what is made.
        hear: a clip to the vector that the ear makes of it.
        sets: which sets may be fitted and chosen on; what the machines say always may. The reports are on all sets.
        strengths: to choose from, by the squared error on ``dev``.
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
    """`main` for an ear by its file, fitted on the sets that its licence lets it hear.

    Args:
        exported: `NAME.onnx` with `stem.onnx` beside it.
        data: the sets, as for `make_clips`.
        folder: for what is made.
    """
    ear = Ear(Network(exported.parent, exported.stem))
    sets = PERMISSIVE_SETS if ear.name == "permissive" else SPEECH_SETS
    return main(data, folder, lambda audio: ear.listen(audio).hidden, sets=sets)


def read_head(path: Path) -> NaturalnessHead:
    """The head that `main` has kept.

    Raises:
        RecordError: if the file holds no head.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return NaturalnessHead(np.array(record["weights"], dtype=np.float64), float(record["bias"]))
    except (KeyError, TypeError, ValueError) as error:
        raise RecordError(f"{path}: no head of naturalness ({error}); fit it again.") from error
