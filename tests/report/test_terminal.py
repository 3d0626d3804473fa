import dataclasses
import io
import math
from collections.abc import Callable

from rich.cells import cell_len
from rich.console import Console, RenderableType

from aptone.report.terminal import (
    DoctorRow,
    comparison_table,
    doctor_table,
    trust_panel,
    verdict_table,
)
from aptone.report.trust import trust_card
from aptone.run.compare import Change
from aptone.types import (
    Entry,
    Estimate,
    Item,
    Json,
    Language,
    Line,
    Outcome,
    Probe,
    ProbeState,
    Score,
    State,
    TrustCard,
    to_json,
)
from tests.tables import for_each

MakeEntry = Callable[..., Entry]
NOT_RUN = Probe(ProbeState.NOT_RUN)

ROWS = [Change("a", 1.0, 3.0, "你好吗"), Change("b", 2.0, math.nan), Change("c", 2.0, 2.0)]
ROWS += [Change("d", 3.0, 2.5)]


def _printed(renderable: RenderableType, *, width: int = 120, colour: bool = False) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=colour, color_system="standard" if colour else None)
    console.print(renderable)
    return file.getvalue()


def test_verdicts_say_in_words_what_they_say_in_colour(make_entry: MakeEntry) -> None:
    entries = [
        make_entry("good", 5.0, position=0),
        make_entry("bad", 1.0, position=1),
        make_entry("mute", unscored="no score in the reply", position=2),
        make_entry("lost", failed="timed out", position=3),
        make_entry("good", 5.0, position=0, repeat=1),
    ]
    lines = [line for line in _printed(verdict_table(entries)).splitlines() if line.strip()]
    assert "5 / 5 high" in lines[2]
    assert "1 / 5 low" in lines[3]
    assert "unscored" in lines[4]
    assert "no score in the reply" in lines[4]
    assert "failed" in lines[5]
    assert len(lines) == 6  # head, rule, four items: repeats are left out
    assert "\x1b[32m" in _printed(verdict_table(entries), colour=True)  # green
    assert "\x1b" not in _printed(verdict_table(entries))


def test_the_worst_aspect_is_told_and_where_every_aspect_fits_that(
    run_entries: list[Entry], make_entry: MakeEntry
) -> None:
    entry = run_entries[2]
    assert "Emotion: heard sadness, asked for joy" in _printed(verdict_table([entry], score="aptness"), width=200)

    def heard_as(value: float) -> Entry:
        fits: Json = {
            "emotion": {"planned": "angry", "heard": "very angry", "score": to_json(Score(value, range=(0.0, 5.0)))}
        }
        outcome = dataclasses.replace(entry.outcome, rationale="all is well", evidence={"aspects": fits})
        return dataclasses.replace(entry, outcome=outcome)

    fine = heard_as(3.4)  # above 5 * 2/3 = 3.33, the upper third of the scale
    assert "as planned" in _printed(verdict_table([fine], score="aptness"), width=200)
    middling = _printed(verdict_table([heard_as(3.3)], score="aptness"), width=200)
    assert "Emotion: heard very angry, asked for angry" in middling
    bare = dataclasses.replace(fine, outcome=dataclasses.replace(fine.outcome, evidence={}))
    assert "all is well" in _printed(verdict_table([bare], score="aptness"), width=200)
    aspects: Json = {"warmth": {"score": {"value": 0.5}}}
    own = make_entry("a", 1.0)
    own = dataclasses.replace(own, outcome=dataclasses.replace(own.outcome, evidence={"aspects": aspects}))
    assert "warmth: heard –, asked for –" in _printed(verdict_table([own]), width=200)


def test_rows_beyond_the_limit_are_counted(make_entry: MakeEntry) -> None:
    entries = [make_entry(str(index), 1.0, position=index) for index in range(5)]
    assert "3 more rows" in _printed(verdict_table(entries, limit=2))
    assert "more rows" not in _printed(verdict_table(entries, limit=5))


@for_each("width", [30, 44, 80, 200])
@for_each("language", ["en", "zh"])
def test_nothing_is_wider_than_the_window(run_entries: list[Entry], width: int, language: Language) -> None:
    card = trust_card(run_entries, version="1", score="aptness", notes=["x" * 300], licence="很长" * 40)
    shown = [
        verdict_table(run_entries, language=language),
        trust_panel(card, language=language),
        comparison_table(ROWS, difference=Estimate(0.5, 0.1, 0.9, 2), p_value=0.03, language=language),
        doctor_table([DoctorRow("a", "attention", "很长" * 60, "do " * 60)], language=language),
    ]
    for renderable in shown:
        assert all(cell_len(line) <= width for line in _printed(renderable, width=width).splitlines())


def test_hostile_text_neither_moves_the_cursor_nor_becomes_markup(make_entry: MakeEntry) -> None:
    payload = {"target": to_json(Line("[bold red]x[/] \x1b[2J \u202e evil \ud800"))}
    printed = _printed(verdict_table([make_entry("[link=x]", 1.0, payload=payload)]), width=200)
    assert "[bold red]x[/] ␛[2J ⟨U+202E⟩ evil" in printed
    assert "[link=x]" in printed
    printed.encode()


def test_the_trust_panel_puts_notes_first_and_shows_reasons_hints_and_the_ceiling() -> None:
    card = TrustCard(
        "aptness",
        10,
        8,
        unscored={"no score in the reply": 2},
        batch=Probe(ProbeState.FAILED, 0.5, 3, "sizes 1 and 8"),
        signatures={"x": 4, "y": 4},
        agreement={"LCC": Estimate(0.7, 0.6, 0.8, 8)},
        ceiling={"LCC": Estimate(0.85)},
        notes=("placeholder engine",),
        stopped="the budget is spent",
    )
    printed = _printed(trust_panel(card))
    lines = printed.splitlines()
    assert "placeholder engine" in lines[1]
    assert "The run ended early: the budget is spent" in lines[2]
    assert "2 different judges" in lines[3]
    assert "2 no score in the reply" in printed
    assert "failed 0.5 · sizes 1 and 8" in printed
    assert "--repeat 3" in printed
    (agreement,) = [line for line in lines if "LCC" in line]
    assert agreement.split()[1:-1] == ["LCC", "0.70", "[0.60,", "0.80]", "8", "0.85"]


def test_without_labels_the_panel_says_so() -> None:
    assert "没有可比较的人工评分" in _printed(trust_panel(TrustCard("aptness", 1, 1), language="zh"))


def test_the_items_that_changed_most_come_first_and_undefined_ones_last() -> None:
    difference = Estimate(0.5, -0.1, 1.1, 3)
    lines = _printed(comparison_table(ROWS, difference=difference, p_value=0.03, names=("old", "new"))).splitlines()
    assert lines[0] == "Difference (new – old): 0.5 [-0.10, 1.10], p = 0.03, 3 items"
    assert lines[1] == "No sure change: the 95 % interval holds 0."
    rows = [line.split() for line in lines[5:] if line.strip()]
    assert [row[0] for row in rows] == ["a", "d", "c", "b"]
    assert rows[0][-2:] == ["+2", "better"]
    assert rows[1][-2:] == ["-0.5", "worse"]
    assert rows[2][-2:] == ["0", "same"]
    assert rows[3][-1] == "–"


@for_each(
    ("difference", "higher", "said"),
    [
        (Estimate(0.5, 0.1, 0.9, 3), True, "new is better"),
        (Estimate(-0.5, -0.9, -0.1, 3), True, "new is worse"),
        (Estimate(0.5, 0.1, 0.9, 3), False, "new is worse"),
        (Estimate(0.5, 0.1, 0.9, 3), None, "new differs"),
        (Estimate(0.5, 0.0, 0.9, 3), True, "No sure change"),
    ],
)
def test_a_comparison_says_in_words_what_its_interval_allows(
    difference: Estimate, higher: bool | None, said: str
) -> None:
    table = comparison_table(ROWS, difference=difference, p_value=0.03, names=("old", "new"), higher_is_better=higher)
    assert _printed(table).splitlines()[1].startswith(said)


def test_an_interval_without_zero_is_not_called_sure_where_the_test_is_not() -> None:
    difference = Estimate(0.5, 0.1, 0.9, 3)
    for p_value, said in ((0.06, "No sure change: swapping"), (0.05, "B is better"), (math.nan, "B is better")):
        assert _printed(comparison_table(ROWS, difference=difference, p_value=p_value)).splitlines()[1].startswith(said)


def test_a_table_of_items_without_lines_has_no_column_for_them() -> None:
    entry = Entry(Item.make("talk", {}), Outcome(State.DONE, scores={"ERS": Score(0.5)}))
    assert "Line" not in _printed(verdict_table([entry]))


def test_a_comparison_knows_the_direction_of_its_score() -> None:
    def printed(higher: bool | None) -> str:
        table = comparison_table(ROWS[:1], difference=Estimate(2.0, count=1), p_value=math.nan, higher_is_better=higher)
        return _printed(table)

    assert "+2 worse" in printed(False)
    assert "better" not in printed(None)
    assert "p =" not in printed(True)


def test_an_undefined_difference_says_why_and_further_rows_are_counted() -> None:
    difference = Estimate(math.nan, reason="no item in both runs")
    printed = _printed(comparison_table(ROWS, difference=difference, p_value=math.nan, limit=1))
    assert "– – (no item in both runs)" in printed
    assert "3 more rows" in printed


def test_the_doctor_says_what_to_do() -> None:
    printed = _printed(doctor_table([DoctorRow("av", "attention", "not installed", 'pip install "aptone[formats]"')]))
    assert "look here" in printed
    assert 'pip install "aptone[formats]"' in printed


def test_the_doctor_breaks_no_command_and_calls_optional_what_nobody_needs() -> None:
    step = "Say --set text_embedder.base_url=http://localhost:8000/v1 --set text_embedder.model=NAME."
    printed = _printed(doctor_table([DoctorRow("text embedder: api", "optional", "a model", step)]))
    assert "--set text_embedder.base_url=http://localhost:8000/v1 " in printed
    assert "optional" in printed
    assert "look here" not in printed


def test_the_sign_of_a_note_stands_beside_its_first_words_in_mandarin_too() -> None:
    card = TrustCard(score="", items=0, done=0, batch=NOT_RUN, order=NOT_RUN, notes=("没有空格的句子" * 20,))
    first = next(line for line in _printed(trust_panel(card, language="zh"), width=80).splitlines() if "!" in line)
    assert "! 没有空格的句子" in first


def test_a_long_table_counts_the_rows_that_it_leaves_out_and_shows_every_entry_to_another(
    make_entry: MakeEntry,
) -> None:
    entries = [make_entry(f"item{number}", 5.0, position=number) for number in range(5)]
    entries += [make_entry("item0", 5.0, position=0, repeat=1), make_entry("lost", failed="timed out", position=9)]
    seen: list[Entry] = []
    text = _printed(verdict_table(entries, limit=2, also=seen.append))
    assert "item1" in text
    assert "item2" not in text
    assert "4 more rows" in text
    assert "State" in text  # since one that is not shown failed
    assert len(seen) == 7
