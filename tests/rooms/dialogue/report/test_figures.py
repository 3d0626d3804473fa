"""The pictures of dialogues: what is drawn stands where the numbers say, and nothing hostile gets through."""

import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from aptone.messages import known_name, message
from aptone.report.room_report import Figure
from aptone.rooms.dialogue.report.drawing import MOST_TURNS, draw_dialogue, exchanges_of, panel_axis, zone_of
from aptone.rooms.dialogue.report.figures import (
    MOST_DRAWN,
    compare_systems,
    dialogue_figures,
    gap_notes,
    systems_table,
    validation_tables,
)
from aptone.rooms.dialogue.verdict import Course, TurnVerdict
from aptone.run import Run, RunConfig
from aptone.types import Entry, Estimate, Item, Json, Language, Outcome, Score, State, Trajectory, Vad, to_json

Point = tuple[float, float, float]
ANGRY, CALM = (-0.4, 0.5, 0.3), (0.2, 0.1, 0.4)
EXTREME, SHIFT = Vad(-0.07, 0.345, 0.21), Vad(0.211, -0.105, 0.098)


def figures_of(entries: Sequence[Entry], *, score: str, language: Language) -> tuple[Figure, ...]:
    run = Run(Path("run"), RunConfig("dialogue", "ear"), tuple(entries))
    return dialogue_figures(run, score=score, language=language)


def side(points: Sequence[Point], emotion: str = "angry") -> dict[str, Json]:
    columns = [tuple(point[k] for point in points) for k in range(3)]
    heard = to_json(Trajectory(1.0, *columns)) if points else None
    return {"trajectory": heard, "no_trajectory": "", "emotion": emotion, "no_emotion": ""}


def exchange(user: Sequence[Point], agent: Sequence[Point], *, ebs: float = 0.5, extreme: bool = True) -> Json:
    balancing = Score(ebs) if extreme else Score(math.nan, reason="not needed", needed=False)
    return {
        "user": side(user),
        "agent": side(agent, ""),
        "extreme": ["valence", "arousal"] if extreme else [],
        "scores": {name: to_json(score) for name, score in (("EBS", balancing), ("ECS", Score(0.25)))},
    }


def entry(name: str, *exchanges: Json, ers: float = 0.5, ebs: float = 0.5, system: str = "") -> Entry:
    evidence: dict[str, Json] = {"exchanges": exchanges, "extreme": to_json(EXTREME), "shift": to_json(SHIFT)}
    scores = {"ERS": Score(ers), "EBS": Score(ebs)}
    return Entry(
        Item.make(name, {"ids": {"system": system} if system else {}}), Outcome(State.DONE, scores, evidence=evidence)
    )


def test_evidence_that_is_no_dialogue_or_damaged_is_not_drawn() -> None:
    plain = Entry(Item.make("a", {}), Outcome(State.DONE, {"x": Score(1.0)}))
    assert exchanges_of(plain) == ()
    damaged: list[Json] = [{"user": 5}, "text", {"user": side([CALM]), "agent": side([CALM]), "extreme": 5}]
    for broken in damaged:
        assert exchanges_of(entry("a", broken)) == ()
    assert exchanges_of(entry("a", {"user": {"trajectory": {"step": -1}}, "agent": side([CALM])})) == ()
    assert zone_of(plain, "extreme") is None
    assert figures_of([plain], score="x", language="en") == ()


def test_points_beyond_the_scale_and_gaps_are_left_out() -> None:
    (one,) = exchanges_of(entry("a", exchange([CALM, (5.0, 0.0, 0.0), (math.nan,) * 3, CALM], [CALM])))
    assert one.user.times.tolist() == [0.5, 3.5]


def test_curves_zones_and_links_stand_where_the_numbers_say() -> None:
    heard = exchanges_of(entry("a", exchange([ANGRY, ANGRY], [CALM])))
    drawing = draw_dialogue(heard, extreme=EXTREME, shift=SHIFT, language="en")
    valence, arousal, dominance = drawing.rows[0].cells
    assert valence.zone is not None
    assert valence.zone.reached
    # valence counts as extreme below -0.07: from there down to the axis
    # -0.4 … 0.2 with a tenth of that as margin, in steps of 0.1: the axis goes from -0.5 to 0.3
    assert valence.zone.y == valence.frame.up((-0.07 + 0.5) / 0.8)
    assert valence.zone.y + valence.zone.height == pytest.approx(valence.frame.base)
    assert arousal.zone is not None
    assert arousal.zone.y == arousal.frame.top
    assert dominance.zone is not None
    assert not dominance.zone.reached
    # two points of the user are compared with the one of the agent; dominance is compared only where it is extreme
    assert valence.links.count("M") == 2
    assert dominance.links == ""
    assert [line.kind for line in valence.lines] == ["target", "user", "agent"]
    assert [line.kind for line in dominance.lines] == ["user", "agent"]
    agent = next(dot for dot in valence.dots if dot.kind == "agent")
    assert agent.y == valence.frame.up((0.2 + 0.5) / 0.8)
    assert drawing.rows[0].title == "turn 1 · angry → – · ECS 0.25 · EBS 0.5"


def test_the_verdict_on_a_turn_stands_above_its_panels() -> None:
    verdict = TurnVerdict(Score(0.4), Course.FOLLOWS, in_kind=True, lifts=True)
    given = exchange([ANGRY], [ANGRY])
    assert isinstance(given, dict)
    heard = exchanges_of(entry("a", {**given, "verdict": to_json(verdict)}))
    english, mandarin = (draw_dialogue(heard, extreme=None, shift=None, language=one).rows[0] for one in ("en", "zh"))
    assert "reaction 0.4 does not fit · anger in kind" in english.title
    assert "反应 0.4 不得当 · 以怒对怒" in mandarin.title


def test_panels_are_as_high_as_what_they_show_and_alike_in_all_turns() -> None:
    quiet, lively = (0.1, 0.24, 0.3), (0.1, 0.36, 0.3)
    heard = exchanges_of(entry("a", exchange([quiet, lively], [quiet], extreme=False), exchange([quiet], [quiet])))
    first, second = draw_dialogue(heard, extreme=EXTREME, shift=None, language="en").rows
    arousal = first.cells[1]
    ends = [dot.y for dot in arousal.dots if dot.kind == "user"]
    assert abs(ends[0] - ends[1]) > 0.25 * (arousal.frame.base - arousal.frame.top)  # 0.12 of 2 would be a sixteenth
    assert [tick.label for tick in arousal.y_ticks] == [tick.label for tick in second.cells[1].y_ticks]
    assert len(arousal.y_ticks) >= 3
    assert panel_axis(np.array([-1.0, 1.0]), 0.345).low == -1.0
    assert panel_axis(np.array([0.3]), None).high - panel_axis(np.array([0.3]), None).low >= 0.2


def test_a_turn_without_points_is_drawn_empty() -> None:
    heard = exchanges_of(entry("a", exchange([], [], extreme=False)))
    drawing = draw_dialogue(heard, extreme=EXTREME, shift=None, language="zh")
    assert all(not line.path for cell in drawing.rows[0].cells for line in cell.lines)
    assert "不需要" in drawing.rows[0].title


def test_long_dialogues_and_long_turns_stay_small() -> None:
    generator = np.random.default_rng(1)
    points = [tuple(point) for point in generator.uniform(-1, 1, (3000, 3)).tolist()]
    long = exchange(points, points[:1500])
    heard = exchanges_of(entry("a", *([exchange([CALM], [CALM])] * 30), long))
    assert draw_dialogue(heard, extreme=None, shift=None, language="en").left_out == 31 - MOST_TURNS
    (cell, *_) = draw_dialogue(heard[-1:], extreme=None, shift=None, language="en").rows[0].cells
    assert cell.links.count("M") <= 401
    assert cell.dots == ()
    assert cell.zone is None


def test_the_worst_and_the_best_are_drawn_behind_the_table_of_systems() -> None:
    entries = [entry(f"d{n:02d}", exchange([ANGRY], [CALM]), ers=n / 20) for n in range(20)]
    figures = figures_of(entries, score="ERS", language="en")
    assert len(figures) == 1 + MOST_DRAWN
    assert figures[0].title == "Systems compared"
    assert [re.search(r"d\d\d", figure.title)[0] for figure in figures[1:]] == [  # type: ignore[index]
        "d00", "d01", "d02", "d03", "d16", "d17", "d18", "d19"
    ]  # fmt: skip


def test_names_cannot_leave_their_place() -> None:
    hostile = "<script>alert(1)</script>\u202e"
    figures = figures_of([entry(hostile, exchange([ANGRY], [CALM]), system=hostile)], score="ERS", language="en")
    for figure in figures:
        assert "<script" not in figure.markup
        assert "\u202e" not in figure.markup


def test_balancing_is_averaged_over_the_turns_that_needed_it() -> None:
    calm = exchange([CALM], [CALM], extreme=False)
    entries = [
        entry("a", exchange([ANGRY], [CALM], ebs=0.1), exchange([ANGRY], [CALM], ebs=0.3), ebs=0.2, system="x"),
        entry("b", exchange([ANGRY], [CALM], ebs=0.8), calm, ebs=0.8, system="x"),
        entry("c", exchange([ANGRY], [CALM], ebs=0.4), ebs=0.4, system="y", ers=0.9),
    ]
    first, second = compare_systems(entries)
    assert (first.name, first.dialogues, second.name) == ("x", 2, "y")
    assert first.means["EBS"].value == pytest.approx((0.1 + 0.3 + 0.8) / 3)
    assert first.means["ERS"].value == 0.5
    assert first.means["EBS"].low <= first.means["EBS"].value <= first.means["EBS"].high
    assert second.means["ERS"].value == 0.9


def test_a_system_without_numbers_says_so() -> None:
    undefined = Outcome(State.DONE, {"ERS": Score(math.nan, reason="silence")})
    (row,) = compare_systems([Entry(Item.make("a", {}), undefined)])
    assert row.means["ERS"].reason == "no dialogue has a number"


def test_terminal_and_report_count_the_same_dialogues_and_say_which_have_no_score() -> None:
    failed = Entry(Item.make("b/2", {"ids": {"system": "b"}}), Outcome(State.FAILED, reason="no answer 2.wav"))
    entries = [entry("b/1", exchange([ANGRY], [CALM]), system="b", ers=0.7), failed]
    (row,) = compare_systems(entries)
    assert (row.dialogues, row.scored, row.means["ERS"].value, row.means["ERS"].count) == (2, 1, 0.7, 1)
    shown = " ".join(text_of(systems_table([row])).split())
    page = figures_of(entries, score="ERS", language="en")[0].markup
    for said in (shown, page):
        assert "1 of 2 scored" in said
        assert "b: 1 without a score, left out of the means: no answer 2.wav" in said
    assert "2 段中 1 段有评分" in figures_of(entries, score="ERS", language="zh")[0].markup


def test_a_score_without_a_number_says_why_and_one_that_is_not_needed_does_not() -> None:
    unknown = message("dialogue.unknown-emotion", emotion=known_name("fear"), share=70)
    why = message("dialogue.turn-agent", number=1, why=unknown)
    assert why == "turn 1, agent: the ear hears fear (70 %), which the table does not know"
    scores = {
        "EBS": Score(math.nan, reason="balancing not needed: the user is not extreme", needed=False),
        "categorical": Score(math.nan, reason=why),
    }
    rows = compare_systems([Entry(Item.make(name, {}), Outcome(State.DONE, scores)) for name in "ab"])
    assert gap_notes(rows) == (f"all, categorical: no number in 2 of the scored dialogues: {why}",)
    assert "听到的是 恐惧（70%），表中没有这种情感" in gap_notes(rows, language="zh")[0]
    assert "which the table does not know" in " ".join(text_of(systems_table(rows)).split())
    silent = Outcome(State.DONE, {"categorical": Score(math.nan, reason="turn 1, user: no speech")})
    various = compare_systems(
        [Entry(Item.make("a", {}), Outcome(State.DONE, scores)), Entry(Item.make("b", {}), silent)]
    )
    assert gap_notes(various) == (f"all, categorical: no number in 2 of the scored dialogues, for instance: {why}",)


def text_of(*things: object) -> str:
    console = Console(width=120, no_color=True, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    console.print(*things)
    console.file.close()
    return console.export_text()


def test_tables_for_the_terminal_speak_both_languages() -> None:
    rows = compare_systems([entry("a", exchange([ANGRY], [CALM]), system="mine")])
    assert "mine" in text_of(systems_table(rows))
    assert "系统" in text_of(systems_table(rows, language="zh"))
    one = Estimate(0.5, 0.25, 0.75, 9)
    tables = validation_tables([("", "ERS", one, one)], [("mine", "ERS", one)], [], language="en")
    shown = text_of(tables)
    assert "Against people" in shown
    assert "0.5 [0.25, 0.75]" in shown
    assert "automatic – people" in shown
    assert "one turn" not in shown
