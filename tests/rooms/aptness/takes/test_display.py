"""A ranking in a notebook: takes in order, with reasons, and players for those that are there."""

from pathlib import Path

import numpy as np
import soundfile

from aptone.rooms.aptness.takes.display import MOST_TAKES
from aptone.rooms.aptness.takes.rank import RankedLine
from aptone.rooms.aptness.takes.ranking import Take, rank_takes
from aptone.types import AudioRef, Line, Plan
from tests.report.displays.parsed_html import parse

LINE = Line("Get out! The water is over the wall!", "Mara")
PLAN = Plan("fear", emotions={"fear": 0.75, "calm": 0.25}, unsaid=0.2, source="built-in planner")


def test_a_ranking_has_rows_in_order_with_players_and_reasons(tmp_path: Path) -> None:
    for name, seconds in (("first", 1), ("long", 61)):
        soundfile.write(tmp_path / f"{name}.wav", 0.1 * np.sin(np.arange(seconds * 8000)), 8000)
    takes = [
        Take("second", (1.0, 1.4), asked=2, aspects={"emotion": 1.0, "rhythm": 1.5}, heard={"emotion": "very bored"}),
        Take("first", (3.2,), aspects={"emotion": 4.0, "rhythm": 2.0}, heard={"emotion": "probably fearful"}),
        Take("gone", (), reason="the clip is silent"),
        Take("long", (0.9,), aspects={"emotion": 0.5}),
    ]
    files = {name: AudioRef(str(tmp_path / f"{name}.wav")) for name in ("first", "long", "gone")}
    shown = parse(RankedLine(LINE, "en", PLAN, rank_takes(takes), "first is the best of 4 takes.", files))
    assert "Mara Get out! The water is over the wall!" in shown.words
    assert "Rank Take Aptness emotion rhythm 1 first probably fearful 3.20 4.00 2.00 =2 second" in shown.words
    assert (
        "=2 second very bored 1.20 [1.00, 1.40] 1.00 1.50 =2 long 0.90 0.50 – – gone the clip is silent" in shown.words
    )
    assert shown.count("audio") == 1  # neither the long one, nor those that are not there
    assert "first is the best of 4 takes. The plan built-in planner fear 60 %" in shown.words  # 0.75 · (1 - 0.2)


def test_a_ranking_of_many_takes_without_a_plan_shows_the_best_of_them() -> None:
    ranking = rank_takes([Take(f"take {number}", (number / 20,)) for number in range(100)])
    shown = parse(RankedLine(LINE, "en", None, ranking, "", {}))
    assert len(shown.having("mark")) == MOST_TAKES
    assert "take 99 4.95" in shown.words
    assert "88 more rows" in shown.words
    assert "The plan" not in shown.words
