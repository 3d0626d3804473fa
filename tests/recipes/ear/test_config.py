import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

import itertools
from dataclasses import replace
from pathlib import Path

from aptone.errors import UsageError
from recipes.ear.config import RECIPES, Recipe, is_trained_on, recipe_named
from recipes.ear.data import EMOTION_SETS, SPEECH_SETS, Clip


def heard(name: str, of_set: str, split: str, *, speaker: str = "someone") -> bool:
    return is_trained_on(
        Clip(Path("a.wav"), of_set, speaker, "", "", "", "sad", "", split, ()), recipe_named(name, seed=1)
    )


def test_the_recipe_is_the_one_that_the_shipped_ear_was_trained_with() -> None:
    recipe = recipe_named("all", seed=1)
    assert recipe == Recipe()
    assert (recipe.steps, recipe.batch_size, recipe.lr, recipe.trunk_lr_ratio) == (2000, 64, 1e-3, 0.1)
    assert (recipe.mixup, recipe.contrast, recipe.network.dropout) == (0.3, 0.3, 0.4)
    assert recipe.sets == ("ravdess", "nemo", "emodb", "csemotions")
    assert recipe.plain == ("speechocean", "synthetic")
    assert recipe.sounds == ("esc50", "emogator")


def test_what_ships_never_hears_a_test_speaker() -> None:
    assert heard("all", "nemo", "dev")
    assert not heard("all", "nemo", "test")
    assert not heard("permissive", "emodb", "test")


def test_the_run_for_calibration_hears_no_dev_speaker() -> None:
    assert heard("train-only", "nemo", "train")
    assert not heard("train-only", "nemo", "dev")


def test_the_permissive_ear_hears_only_what_is_free() -> None:
    assert heard("permissive", "csemotions", "train")
    assert not heard("permissive", "ravdess", "train")
    assert not heard("permissive", "esc50", "train")
    assert heard("permissive", "emogator", "train")


def test_without_a_set_nothing_of_it_is_heard_and_all_of_the_others() -> None:
    assert not any(heard("without-emodb", "emodb", split) for split in ("train", "dev", "test"))
    assert heard("without-emodb", "nemo", "test")


def test_a_fold_leaves_its_speakers_out_and_nobody_else() -> None:
    assert not heard("emodb-fold1", "emodb", "train", speaker="emodb09")
    assert heard("emodb-fold1", "emodb", "test", speaker="emodb03")


def test_sounds_are_heard_from_their_train_split_only() -> None:
    assert heard("all", "esc50", "train")
    assert not heard("without-nemo", "esc50", "test")
    assert heard("all", "emogator", "train")
    assert not any(heard("all", "emogator", split) for split in ("dev", "test"))


def test_speech_without_emotions_is_heard_by_every_recipe_but_never_its_test_speakers() -> None:
    for name in ("all", "permissive", "train-only", "without-nemo"):
        assert heard(name, "speechocean", "train")
        assert heard(name, "synthetic", "dev")
        assert not heard(name, "speechocean", "test")
    assert not is_trained_on(
        Clip(Path("a.wav"), "synthetic", "kal", "", "", "en", "", "", "train", ()), replace(Recipe(), plain=())
    )


def test_sets_of_few_emotions_are_left_out_unless_they_are_asked_for() -> None:
    assert not any(heard(name, "korean", "train") for name in RECIPES)
    korean = Clip(Path("a.wav"), "korean", "kett", "", "", "ko", "sad", "", "train", ())
    assert is_trained_on(korean, replace(Recipe(), sets=EMOTION_SETS))


def test_there_are_three_plain_recipes_four_left_out_sets_and_the_folds() -> None:
    # folds: three of CSEMOTIONS, five of EmoDB, four for the judge, four for the style model, and those without a set
    assert len(RECIPES) == 3 + 4 + 3 + 5 + 4 + 4 + 4 * 4
    names = {recipe_named(name, seed=4).name for name in RECIPES}
    assert names == {f"{name}-seed4" for name in RECIPES}


def test_an_ear_for_the_judge_misses_a_fourth_of_those_it_may_be_taught_with_and_hears_no_test_speaker() -> None:
    folds = [recipe_named(f"judge-fold{number}", seed=1) for number in range(4)]
    left_out = [speaker for fold in folds for speaker in fold.held_out]
    actors = [f"ravdess{number:02d}" for number in range(1, 21)]
    assert sorted(left_out) == [f"csemotions00{number}" for number in range(1, 5)] + actors
    assert all(fold.splits == ("train", "dev") for fold in folds)


def test_an_ear_for_the_style_model_misses_a_fourth_of_all_that_it_may_be_taught_with() -> None:
    folds = [recipe_named(f"style-fold{number}", seed=1) for number in range(4)]
    left_out = sorted(speaker for fold in folds for speaker in fold.held_out)
    ravdess = [f"ravdess{number:02d}" for number in range(1, 21)]
    emodb = [f"emodb{number}" for number in ("03", "08", "09", "10", "11", "12", "13", "14")]
    nemo = [f"nemo{name}0" for name in ("EB", "IC", "KS", "MK", "MP", "TP", "WR")]
    assert left_out == [f"csemotions00{number}" for number in range(1, 5)] + emodb + nemo + ravdess
    assert all((fold.splits, fold.sets) == (("train", "dev"), SPEECH_SETS) for fold in folds)
    assert not heard("style-fold1", "nemo", "train", speaker="nemoTP0")
    assert heard("style-fold2", "nemo", "train", speaker="nemoTP0")


def test_without_a_set_the_same_speakers_of_the_others_are_missed() -> None:
    for number, name in itertools.product(range(4), SPEECH_SETS):
        recipe = recipe_named(f"style-fold{number}-without-{name}", seed=1)
        assert recipe.held_out == recipe_named(f"style-fold{number}", seed=1).held_out
        assert recipe.sets == tuple(other for other in SPEECH_SETS if other != name)
    assert not heard("style-fold0-without-nemo", "nemo", "train")
    assert heard("style-fold0-without-nemo", "emodb", "dev", speaker="emodb11")
    assert not heard("style-fold0-without-nemo", "emodb", "test")


def test_an_unknown_recipe_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="no recipe 'emodb-fold5'; choose one of all, permissive"):
        recipe_named("emodb-fold5", seed=1)
    for name in ("style-fold4", "style-fold0-without-esc50", "style-fold0-without-"):
        with pytest.raises(UsageError, match=f"no recipe '{name}'"):
            recipe_named(name, seed=1)
