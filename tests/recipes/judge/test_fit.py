"""Fitting the built-in judge to proxy benchmarks."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from aptone.errors import UsageError
from aptone.judge.parameters import load_parameters, on_curve
from aptone.types import TYPICAL_VAD, AudioRef, Emotion, Line, Perception, Plan, Sample
from recipes.judge.fit import (
    SEARCHED,
    Judged,
    correlation,
    figures,
    fit,
    fit_curve,
    read_answers,
    scores,
    with_number,
    write_parameters,
)
from tests.tables import for_each

ASKED = (Emotion.HAPPY, Emotion.SAD, Emotion.ANGRY, Emotion.NEUTRAL, Emotion.FEAR)


def perceived(emotion: Emotion) -> Perception:
    """A clip in which one emotion is heard clearly."""
    shares = {other.value: 0.02 for other in Emotion} | {emotion.value: 0.82}
    return Perception(
        seconds=2.0, speech_seconds=1.8, emotion=shares, vad=TYPICAL_VAD[emotion], intensity=0.5, naturalness=4.0
    )


def benchmark(pairs: Sequence[tuple[Emotion, Emotion]], grades: Sequence[float]) -> Judged:
    samples = tuple(
        Sample(str(number), AudioRef("clip.wav"), Line("Well."), proxy_score=grade)
        for number, grade in enumerate(grades)
    )
    plans = tuple(Plan(asked.value) for asked, _ in pairs)
    return Judged("made", samples, tuple(perceived(heard) for _, heard in pairs), {"true": plans, "context": plans})


def all_pairs() -> list[tuple[Emotion, Emotion]]:
    return [(asked, heard) for asked in ASKED for heard in ASKED]


def graded() -> Judged:
    """Every emotion against every other: 5 where they agree, else less with the distance of their places."""

    def grade(asked: Emotion, heard: Emotion) -> float:
        one, other = TYPICAL_VAD[asked], TYPICAL_VAD[heard]
        return max(0.0, 5.0 - 3.0 * math.dist((one.valence, one.arousal), (other.valence, other.arousal)))

    return benchmark(all_pairs(), [grade(asked, heard) for asked, heard in all_pairs()])


@pytest.mark.slow
def test_a_fit_never_correlates_worse_than_what_it_began_with_and_errs_less() -> None:
    start = replace(load_parameters(), feeling={**load_parameters().feeling, "reach": 3.0, "categories": 0.2})
    told: list[str] = []
    fitted = fit([graded()], start=start, log=told.append)
    assert fitted.after["made, true plan, LCC"] > fitted.before["made, true plan, LCC"]
    assert fitted.after["made, true plan, MAE"] < fitted.before["made, true plan, MAE"]
    assert told[0].startswith("start: ")


def test_the_fitted_curve_never_falls_and_runs_up_to_the_highest_score() -> None:
    curve = fit_curve([graded()], load_parameters())
    assert curve[0] == (0.0, 0.0)
    assert curve[-1][0] == pytest.approx(max(scores(graded(), "true", load_parameters())), abs=0.006)
    heights = [height for _, height in curve]
    assert heights == sorted(heights)
    assert heights[-1] <= 5.0


def test_a_curve_through_grades_that_are_twice_the_scores_doubles_them() -> None:
    # Where every grade is 2 · score (and no score above 2.5), the least-squares curve is the line of slope 2 there.
    plain = replace(load_parameters(), curves={**load_parameters().curves, "aptness": ((0.0, 0.0), (5.0, 5.0))})
    low = [pair for pair in all_pairs() if scores(benchmark([pair], [0.0]), "true", plain)[0] < 2.5]
    given = scores(benchmark(low, [0.0] * len(low)), "true", plain)
    curve = fit_curve([benchmark(low, (2 * given).tolist())], plain)
    assert [on_curve(curve, value) for value in given] == pytest.approx((2 * given).tolist(), abs=0.1)


def test_an_item_without_a_score_is_left_out() -> None:
    silent = replace(perceived(Emotion.SAD), emotion={}, vad=None, unjudged={"emotion": "no speech found"})
    whole = graded()
    holed = replace(whole, heard=(silent, *whole.heard[1:]))
    assert math.isnan(scores(holed, "true", load_parameters())[0])
    assert not math.isnan(correlation(holed, "true", load_parameters()))
    assert not any(math.isnan(value) for value in figures([holed], load_parameters()).values())


@for_each("name", list(SEARCHED))
def test_every_number_that_is_searched_changes_the_parameters(name: str) -> None:
    start = load_parameters()
    assert len({str(with_number(start, name, number)) for number in SEARCHED[name]}) == len(SEARCHED[name])


def test_what_is_written_can_be_read_and_keeps_what_was_not_fitted(tmp_path: Path) -> None:
    start = load_parameters()
    changed = with_number(start, "reach", 1.1)
    write_parameters(changed, tmp_path / "judge.json")
    read = load_parameters(tmp_path / "judge.json")
    assert read.feeling["reach"] == 1.1
    assert read.kinship == start.kinship
    assert "Nothing here was fitted to listeners" in json.loads((tmp_path / "judge.json").read_text())["about"]


def write_answers(folder: Path, name: str, clips: Sequence[str], *, happy: float) -> Path:
    logits = np.zeros((len(clips), len(Emotion)), dtype=np.float16)
    logits[:, list(Emotion).index(Emotion.HAPPY)] = happy
    column = np.full(len(clips), 0.5, dtype=np.float16)
    np.savez(
        folder / name, name=np.array(clips), emotion_logits=logits, valence=column, arousal=column, intensity=column
    )
    return folder / name


def test_only_speakers_that_an_ear_never_heard_are_answered_for_and_seeds_are_averaged(tmp_path: Path) -> None:
    # Fold 0 leaves out RAVDESS's actors 1 to 5 and CSEMOTIONS' first speaker; actor 24 is nobody's.
    clips = [
        "ravdess/03-01-03-01-01-01-02.ogg",
        "ravdess/03-01-03-01-01-01-24.ogg",
        "csemotions/Speaker001_Happy_0.ogg",
        "nemo/01.ogg",
    ]
    paths = [write_answers(tmp_path, f"judge-fold0-seed{seed}.npz", clips, happy=seed) for seed in (1, 3)]
    answers = read_answers(paths)
    assert set(answers) == {"03-01-03-01-01-01-02", "Speaker001_Happy_0"}
    single = read_answers([write_answers(tmp_path, "judge-fold0-seed2.npz", clips, happy=2)])
    assert answers["Speaker001_Happy_0"].emotion == pytest.approx(single["Speaker001_Happy_0"].emotion)


def test_answers_of_another_recipe_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"expected judge-foldN-seedM\.npz"):
        read_answers([write_answers(tmp_path, "all-seed1.npz", ["ravdess/01.ogg"], happy=1)])
