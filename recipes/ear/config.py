"""Settings of training runs of the ear, and the named runs behind everything shipped and published.

``all`` and ``permissive`` make the two ears that ship, ``train-only`` serves their calibration
(`recipes.ear.calibrate`). The others are for held-out figures: ``without-SET`` leaves out a set, ``SET-foldN`` some of
its speakers. The built-in judge is fitted to the held-out answers of ``judge-foldN`` (`recipes.judge.fit`), the style
model is trained on those of ``style-foldN`` (`recipes.style`), and ``style-foldN-without-SET`` is for its figures.
"""

from dataclasses import dataclass, field, replace

from aptone.errors import UsageError
from recipes.ear.data import (
    BURST_SET,
    EVERYONE,
    FOLDS,
    JUDGE_FOLDS,
    PERMISSIVE_SETS,
    PLAIN_SETS,
    SOUND_SETS,
    SPEECH_SETS,
    STYLE_FOLDS,
    Clip,
)
from recipes.ear.network import NetworkSettings

STEPS = 2000
BATCH = 64
TRUNK_LR_RATIO = 0.1
TRAIN_SPLITS = ("train", "dev")


@dataclass(frozen=True, slots=True)
class Recipe:
    """Settings of a training run besides the data.

    Args:
        name: name of the run.
        seed: random seed.
        sets: sets of speech with emotions to train on.
        plain: sets of speech without emotions.
        held_out: speakers that are held out, whatever their split.
        splits: splits to train on.
        sounds: sets of sounds, as events and as noise.
        steps: optimiser steps.
        batch_size: rows per batch.
        lr: learning rate of the heads.
        trunk_lr_ratio: learning rate of the trunk, relative to that of the heads.
        weight_decay: weight decay.
        ema_decay: decay of the running average of the weights.
        smoothing: label smoothing over the labels of a set.
        unmasked: share of the emotion loss over all labels, known to the set or not.
        frame: weight of the frames' losses relative to the clip's.
        mixup: share of rows that are mixed with another row.
        contrast: weight of the contrastive loss between sets.
        network: sizes of the network.
    """

    name: str = "all-seed1"
    seed: int = 1
    sets: tuple[str, ...] = SPEECH_SETS
    plain: tuple[str, ...] = PLAIN_SETS
    held_out: tuple[str, ...] = ()
    splits: tuple[str, ...] = TRAIN_SPLITS
    sounds: tuple[str, ...] = SOUND_SETS
    steps: int = STEPS
    batch_size: int = BATCH
    lr: float = 1e-3
    trunk_lr_ratio: float = TRUNK_LR_RATIO
    weight_decay: float = 0.05
    ema_decay: float = 0.997
    smoothing: float = 0.05
    unmasked: float = 0.1
    frame: float = 0.3
    mixup: float = 0.3
    contrast: float = 0.3
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
    name: str, *, seed: int, steps: int = STEPS, batch_size: int = BATCH, trunk_lr_ratio: float = TRUNK_LR_RATIO
) -> Recipe:
    """Return one of `RECIPES`.

    >>> recipe_named("without-nemo", seed=2).sets
    ('ravdess', 'emodb', 'csemotions')

    Raises:
        UsageError: if there is no such recipe.
    """
    if name not in RECIPES:
        raise UsageError(f"there is no recipe {name!r}; choose one of {', '.join(RECIPES)}.")
    plain = Recipe(
        name=f"{name}-seed{seed}", seed=seed, steps=steps, batch_size=batch_size, trunk_lr_ratio=trunk_lr_ratio
    )
    if name == "all":
        return plain
    if name == "train-only":
        return replace(plain, splits=("train",))
    if name == "permissive":
        return replace(plain, sets=PERMISSIVE_SETS, sounds=(BURST_SET,))
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
    """Return true for a training clip of a recipe."""
    if clip.set in SOUND_SETS:
        return clip.set in recipe.sounds and clip.split == "train"
    if clip.set in PLAIN_SETS:
        return clip.set in recipe.plain and clip.split in TRAIN_SPLITS
    return clip.set in recipe.sets and clip.split in recipe.splits and clip.speaker not in recipe.held_out
