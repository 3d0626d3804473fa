"""Fitting the style model: from a table of turns to a file."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from aptone.errors import RecordError, UsageError
from aptone.rooms.answer.judge.style_model import STYLES
from aptone.rooms.answer.judge.terms import Manner, Sound
from recipes.answer_style import fit as answer_style
from recipes.answer_style.__main__ import answer_style as recipe
from recipes.answer_style.fit import fit_style_model, meant, preferred, read_styletalk

COLUMNS = [
    *("diag_id", "curr_text", "res_text"),
    *("curr_emotion", "curr_speed", "curr_volume", "res_emotion", "res_speed", "res_volume"),
]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_style, "TEXT_PENALTIES", (3.0, 30.0))
    monkeypatch.setattr(answer_style, "TAKEN_BACK", (0.0, 0.5))
    monkeypatch.setattr(answer_style, "FOLDS", 2)
    monkeypatch.setattr(answer_style, "STEPS", 40)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Dialogues in which a quiet sadness is answered so, and everything else loudly and fast."""
    (tmp_path / "styletalk").mkdir()
    with (tmp_path / "styletalk" / "train.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(COLUMNS)
        for number in range(20):
            sad = ("sad", "slow", "quiet")
            glad = ("excited", "fast", "loud")
            asked = sad if number % 2 else ("cheerful", "fast", "loud")
            words = f"  The garden looks {'poor' if number % 2 else 'fine'} today, number {number}."
            rows.writerow(
                [f"d{number}", f"B: What about the garden {number}?", words, *asked, *(sad if number % 2 else glad)]
            )
    return tmp_path


def test_turns_are_read_without_the_name_in_front(data: Path) -> None:
    turn = read_styletalk(data, part="train")[0]
    assert turn.question == "What about the garden 0?"
    assert turn.answer.startswith("The garden")
    assert meant(turn.answered) == ("cheerful", "fast", "loud")


def test_a_model_learns_what_the_dialogues_do_and_the_same_turns_give_the_same_bytes(data: Path) -> None:
    turns, said = read_styletalk(data, part="train"), list[str]()
    made = fit_style_model(turns, log=said.append)
    assert made.data == fit_style_model(turns, log=said.append).data
    assert len(said) == 2 * 2 * 2 * 2  # penalties, shares taken back, models, fits
    # Two styles occur, and the way of asking tells which: the other one is never preferred.
    assert made.uniform == made.frequent == {"without_words": 1.0, "with_words": 1.0}
    quiet, loud = Sound({"sad": 1.0}, "slow", "quiet"), Sound({"happy": 1.0}, "fast", "loud")
    for manner, fits, other in (
        (Manner("sad", "slow", "quiet"), quiet, loud),
        (Manner("cheerful", "fast", "loud"), loud, quiet),
    ):
        assert made.model.fit(manner, fits, "What?") > made.model.fit(manner, other, "What?")


def test_preferences_count_ties_half_and_leave_the_own_style_out() -> None:
    scores = np.zeros((1, len(STYLES)))
    scores[0, :3] = [2.0, 1.0, 3.0]
    weights = np.zeros(len(STYLES))
    weights[:4] = [5.0, 1.0, 2.0, 1.0]
    # own is the first: above the second (1) and the fourth (1), below the third (2): 2 of 4
    assert preferred(scores, np.array([0]), weights).tolist() == [0.5]
    # own is the fourth, 0: tied with none of the drawn ones, below all
    assert preferred(scores, np.array([3]), weights).tolist() == [0.0]
    # own is a fifth style with the same score as the fourth: half of its share, 0.5 of 9
    assert preferred(scores, np.array([4]), weights).tolist() == [pytest.approx(0.5 / 9)]


def test_a_style_that_is_not_known_names_its_row(data: Path) -> None:
    path = data / "styletalk" / "train.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("excited,fast", "purple,fast", 1), encoding="utf-8")
    with pytest.raises(RecordError, match=r"row 1: .*purple"):
        read_styletalk(data, part="train")


def test_a_folder_without_styletalk_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"train\.csv"):
        read_styletalk(tmp_path, part="train")


def test_the_verb_writes_a_model_and_says_how_good_it_is(data: Path, tmp_path: Path) -> None:
    command = ["--data", str(data), "--out", str(tmp_path / "made")]
    done = CliRunner().invoke(recipe, command)
    assert done.exit_code == 0
    assert "without words: the recorded style is preferred to another one in 100.0%" in done.stdout
    assert (tmp_path / "made" / "style.npz").stat().st_size < 100_000
    told = json.loads(CliRunner().invoke(recipe, [*command, "--json"]).stdout)
    assert told["preferred_to_another_drawn_uniformly"] == {"without_words": 1.0, "with_words": 1.0}
