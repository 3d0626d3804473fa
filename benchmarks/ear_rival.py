"""The rival: what people would pick instead of our ear, openSMILE's eGeMAPS features and a support vector machine.

Features: the 88 functionals of eGeMAPSv02 (Eyben et al. 2016) of the whole clip, standardised. The machine is
scikit-learn's SVC. It is trained on the same parts (train and dev) as the ear and heard on the same clips. Two
recipes: *plain*, the one whose figures our goals were set beside, and *tuned*, kernel and cost chosen on the dev
parts, which is what a careful user would get.

Both packages are imported when the rival is asked for: ``pip install opensmile scikit-learn``.
"""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile

from aptone.errors import UsageError
from benchmarks.ear_data import (
    EMOTIONS,
    HIGH_AROUSAL,
    LOW_AROUSAL,
    SHARED,
    Answers,
    Clip,
    Floats,
    joined,
    labels_of,
    no_answers,
)
from benchmarks.ear_scores import unweighted_recall

PIP = "pip install opensmile scikit-learn"
Labels = npt.NDArray[np.str_]


@dataclass(frozen=True, slots=True)
class Recipe:
    """Settings of the machine: the kernel, the cost of an error, and whether rare classes weigh more."""

    kernel: str
    cost: float
    balanced: bool = True


PLAIN = Recipe("rbf", 5.0)
PLAIN_BINARY = Recipe("rbf", 1.0, balanced=False)
CANDIDATES = (
    *(Recipe("rbf", cost) for cost in (0.5, 1.0, 2.0, 5.0, 10.0)),
    *(Recipe("linear", cost) for cost in (0.003, 0.01, 0.03, 0.1, 0.3)),
)


def rival_module(name: str) -> ModuleType:
    """A module that only the rival needs.

    Raises:
        UsageError: if its package is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UsageError(f"the rival needs {name.split('.')[0]}; {PIP}, or leave it out: --without-rival.") from error


def extractor() -> Callable[[Path], Floats]:
    """The eGeMAPS functionals of a file, by openSMILE, read as its users read it: by soundfile, as it is."""
    opensmile = rival_module("opensmile")
    smile = opensmile.Smile(
        feature_set=opensmile.FeatureSet.eGeMAPSv02, feature_level=opensmile.FeatureLevel.Functionals
    )

    def extract(path: Path) -> Floats:
        samples, rate = soundfile.read(path, dtype="float32")
        found: Floats = smile.process_signal(samples, rate).to_numpy(dtype=np.float64)[0]
        return found

    return extract


def features_of(clips: Sequence[Clip], *, cache: Path | None) -> Floats:
    """The features of clips of one set, [clips, 88]; kept in a file of the cache once they are made."""
    names = np.array([clip.name for clip in clips])
    path = cache / f"egemaps-{clips[0].set}.npz" if cache is not None else None
    if path is not None and path.is_file():
        with np.load(path, allow_pickle=False) as archive:
            if np.array_equal(archive["name"], names):
                kept: Floats = archive["features"]
                return kept
    extract = extractor()
    made = np.array([extract(clip.path) for clip in clips])
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, name=names, features=made)
    return made


@dataclass(frozen=True)
class Material:
    """Clips with their features."""

    clips: tuple[Clip, ...]
    features: Floats

    def where(self, wanted: Callable[[Clip], bool]) -> "Material":
        """Those clips only."""
        rows = [row for row, clip in enumerate(self.clips) if wanted(clip)]
        return Material(tuple(self.clips[row] for row in rows), self.features[rows])

    def parts(self, *parts: str) -> "Material":
        """The clips of these parts only."""
        return self.where(lambda clip: clip.part in parts)

    def by(self, speakers: Sequence[str]) -> "Material":
        """The clips of these speakers only."""
        return self.where(lambda clip: clip.speaker in speakers)

    def without(self, speakers: Sequence[str]) -> "Material":
        """The clips of all other speakers."""
        return self.where(lambda clip: clip.speaker not in speakers)

    @property
    def emotions(self) -> Labels:
        """Return the acted emotion of each clip."""
        return np.array([clip.emotion for clip in self.clips])


def pooled(materials: Sequence[Material]) -> Material:
    """Several sets as one."""
    return Material(
        tuple(clip for material in materials for clip in material.clips),
        np.concatenate([material.features for material in materials]),
    )


def fitted(recipe: Recipe, features: Floats, labels: npt.NDArray[np.generic]) -> Any:
    """A machine trained on these, behind its scaler."""
    svm, pipeline = rival_module("sklearn.svm"), rival_module("sklearn.pipeline")
    scaler = rival_module("sklearn.preprocessing").StandardScaler()
    weight = "balanced" if recipe.balanced else None
    machine = svm.SVC(kernel=recipe.kernel, C=recipe.cost, class_weight=weight)
    return pipeline.make_pipeline(scaler, machine).fit(features, labels)


def emotions_by(recipe: Recipe, train: Material, test: Material) -> Answers:
    """The emotion of each test clip, by a machine trained on others; the decided one scores 0, the others below.

    The machine decides by votes of pairs of classes, which its scores do not always follow, so that only the decision
    is kept in first place.
    """
    machine = fitted(recipe, train.features, train.emotions)
    scores: Floats = machine.decision_function(test.features)
    decided = machine.predict(test.features)
    classes = [str(name) for name in machine.classes_]
    answers = no_answers(test.clips)
    for row in range(len(test.clips)):
        highest = scores[row].max()
        for name, score in zip(classes, scores[row], strict=True):
            answers.emotion[row, EMOTIONS.index(name)] = 0.0 if name == decided[row] else score - highest - 1e-9
    return answers


def recall_by(recipe: Recipe, train: Material, test: Material) -> float:
    """Unweighted recall of the emotions of test clips, for choosing a recipe."""
    machine = fitted(recipe, train.features, train.emotions)
    names = list(labels_of(test.clips))
    truth = np.array([names.index(name) for name in test.emotions])
    decided = [names.index(name) if name in names else -1 for name in machine.predict(test.features)]
    return unweighted_recall(truth, np.array(decided))


def chosen_recipe(trials: Sequence[tuple[Material, Material]]) -> Recipe:
    """The candidate with the highest mean recall over pairs of training and development material."""
    return max(CANDIDATES, key=lambda recipe: float(np.mean([recall_by(recipe, train, dev) for train, dev in trials])))


def trials_of(material: Material) -> list[tuple[Material, Material]]:
    """Return the folds for choosing a recipe: the dev part or, where there is none, each training speaker in turn."""
    train, dev = material.parts("train"), material.parts("dev")
    if dev.clips:
        return [(train, dev)]
    speakers = sorted({clip.speaker for clip in train.clips})
    return [(train.without([speaker]), train.by([speaker])) for speaker in speakers]


def own_set(material: Material, *, tuned: bool) -> tuple[Answers, Recipe]:
    """Emotions of a set's test part by a machine trained on its own train and dev parts."""
    recipe = chosen_recipe(trials_of(material)) if tuned else PLAIN
    return emotions_by(recipe, material.parts("train", "dev"), material.parts("test")), recipe


def left_out(materials: Sequence[Material], name: str, *, tuned: bool) -> tuple[Answers, Recipe]:
    """The shared emotions of a whole set, by a machine trained on the shared emotions of the others.

    The plain one is trained on all parts of the others; the tuned one, as our runs, on their train and dev parts.
    """
    shared = [material.where(lambda clip: clip.emotion in SHARED) for material in materials]
    others = [material for material in shared if material.clips[0].set != name]
    (test,) = (material for material in shared if material.clips[0].set == name)
    if not tuned:
        return emotions_by(PLAIN, pooled(others), test), PLAIN
    train = pooled([material.parts("train") for material in others])
    recipe = chosen_recipe([(train, other.parts("dev")) for other in others if other.parts("dev").clips])
    return emotions_by(recipe, pooled([material.parts("train", "dev") for material in others]), test), recipe


def leave_speakers_out(material: Material, folds: Sequence[Sequence[str]]) -> Answers:
    """Emotions of a whole set, every fold of speakers by a machine trained on all other speakers."""
    return joined([emotions_by(PLAIN, material.without(fold), material.by(fold)) for fold in folds])


def other_heads(ravdess: Material) -> Answers:
    """Sex, arousal and intensity of the test part, each the score of a machine that tells two classes apart."""
    train, test = ravdess.parts("train", "dev"), ravdess.parts("test")

    def scores(known: Material, positive: Callable[[Clip], bool]) -> Floats:
        labels = np.array([positive(clip) for clip in known.clips])
        found: Floats = fitted(PLAIN_BINARY, known.features, labels).decision_function(test.features)
        return found

    clear = train.where(lambda clip: clip.emotion in (*HIGH_AROUSAL, *LOW_AROUSAL))
    return replace(
        no_answers(test.clips),
        female=scores(train, lambda clip: clip.sex == "female"),
        arousal=scores(clear, lambda clip: clip.emotion in HIGH_AROUSAL),
        intensity=scores(train, lambda clip: clip.intensity == "strong"),
    )
