"""What a training run of the ear depends on besides the data, and the named runs behind what is shipped and published.

``all`` and ``permissive`` make the two ears that ship, ``train-only`` tells how sure they may be (`ear_calibrate`). The
others are for the figures: ``without-SET`` never hears a set, ``SET-foldN`` never hears some of its speakers. What
``judge-foldN`` says about the speakers that it never heard is what the built-in judge is fitted on (`judge_fit`), what
``style-foldN`` says is what the style model is taught with (`style_lessons`), and ``style-foldN-without-SET`` is for
its figures.
"""

from dataclasses import dataclass, field, replace

from aptone.errors import UsageError
from recipes.ear.data import (
    EVERYONE,
    FOLDS,
    JUDGE_FOLDS,
    PERMISSIVE_SETS,
    SOUND_SET,
    SPEECH_SETS,
    STYLE_FOLDS,
    Clip,
)
from recipes.ear.network import NetworkSettings

STEPS = 1200
BATCH = 64
TRUNK_RATE = 0.1
TAUGHT = ("train", "dev")


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that a training run depends on besides the data.

    Args:
        name: of the run.
        seed: of everything that is drawn.
        sets: sets of speech that are trained on.
        held_out: speakers that are not trained on, whatever their split.
        splits: which splits are trained on.
        sounds: whether the set of sounds (non-commercial) is used.
        steps: how many batches.
        rows: rows in a batch.
        rate: learning rate of the heads; the trunk's is ``trunk_rate`` times that.
        decay: of the weights.
        average: how much of the running average of the weights is kept in a step.
        smoothing: share of an emotion's target that is spread over the labels of its set.
        unmasked: share of the emotion loss that is taken over all labels, known to the set or not.
        frame: weight of the frames' losses relative to the clip's.
        mixup: share of rows that are mixed with another row.
        network: sizes of the network.
    """

    name: str = "all-seed1"
    seed: int = 1
    sets: tuple[str, ...] = SPEECH_SETS
    held_out: tuple[str, ...] = ()
    splits: tuple[str, ...] = TAUGHT
    sounds: bool = True
    steps: int = STEPS
    rows: int = BATCH
    rate: float = 1e-3
    trunk_rate: float = TRUNK_RATE
    decay: float = 0.05
    average: float = 0.997
    smoothing: float = 0.05
    unmasked: float = 0.1
    frame: float = 0.3
    mixup: float = 0.3
    network: NetworkSettings = field(default_factory=NetworkSettings)


RECIPES = (
    "all",
    "permissive",
    "train-only",
    *(f"without-{name}" for name in SPEECH_SETS),
    *(f"{name}-fold{number}" for name, folds in FOLDS.items() for number in range(len(folds))),
    *(f"judge-fold{number}" for number in range(len(JUDGE_FOLDS))),
    *(f"style-fold{number}" for number in range(len(STYLE_FOLDS))),
    *(f"style-fold{number}-without-{name}" for number in range(len(STYLE_FOLDS)) for name in SPEECH_SETS),
)


def recipe_named(
    name: str, *, seed: int, steps: int = STEPS, rows: int = BATCH, trunk_rate: float = TRUNK_RATE
) -> Recipe:
    """One of `RECIPES`.

    >>> recipe_named("without-nemo", seed=2).sets
    ('ravdess', 'emodb', 'csemotions')

    Raises:
        UsageError: if there is no such recipe.
    """
    if name not in RECIPES:
        raise UsageError(f"there is no recipe {name!r}; choose one of {', '.join(RECIPES)}.")
    plain = Recipe(name=f"{name}-seed{seed}", seed=seed, steps=steps, rows=rows, trunk_rate=trunk_rate)
    if name == "all":
        return plain
    if name == "train-only":
        return replace(plain, splits=("train",))
    if name == "permissive":
        return replace(plain, sets=PERMISSIVE_SETS, sounds=False)
    if name.startswith("without-"):
        heard = tuple(each for each in SPEECH_SETS if each != name.removeprefix("without-"))
        return replace(plain, sets=heard, splits=EVERYONE)
    of_set, _, number = name.partition("-fold")
    if of_set == "judge":
        return replace(plain, held_out=JUDGE_FOLDS[int(number)])
    if of_set == "style":
        number, _, without = number.partition("-without-")
        heard = tuple(each for each in SPEECH_SETS if each != without)
        return replace(plain, sets=heard, held_out=STYLE_FOLDS[int(number)])
    return replace(plain, held_out=FOLDS[of_set][int(number)], splits=EVERYONE)


def is_trained_on(clip: Clip, recipe: Recipe) -> bool:
    """Whether a clip belongs to the training clips of a recipe."""
    if clip.set == SOUND_SET:
        return recipe.sounds and clip.split == "train"
    return clip.set in recipe.sets and clip.split in recipe.splits and clip.speaker not in recipe.held_out
