"""Parts of the page that only some runs have: many scores, huge ones, many recordings, groups, pictures."""

import math
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup

from aptone.messages import known_name, message
from aptone.report.clips import MOST_CLIPS, MOST_CLIPS_AN_ITEM
from aptone.report.groups import MOST_KEYS
from aptone.report.room_report import Figure
from aptone.report.run_report import MOST_OPEN_PLOTS, MOST_SCORE_COLUMNS, render_html
from aptone.report.trust import trust_card
from aptone.types import Entry, Item, Json, Language, Outcome, Probe, ProbeState, Score, State
from tests.tables import for_each

MakeEntry = Callable[..., Entry]


def _page(entries: list[Entry], *, language: Language = "en", figures: Sequence[Figure] = ()) -> str:
    card = trust_card(entries, version="1")
    return render_html(entries, card, {}, title="A run", language=language, figures=figures)


def _text(page: str) -> str:
    body = page[page.index("<body>") :]
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


def _with_scores(count: int) -> list[Entry]:
    scores = {f"score {index}": Score(float(index % 5), range=(0.0, 5.0)) for index in range(count)}
    outcome = Outcome(State.DONE, scores, main_score=f"score {count - 1}")
    return [Entry(Item.make(name, {}), outcome) for name in "ab"]


def test_eight_scores_have_a_column_and_a_plot_each_the_main_one_first() -> None:
    page = _page(_with_scores(8))
    heads = re.findall(r'data-sort="score\d*">([^<]+)<', page)
    assert heads == ["score 7", *(f"score {index}" for index in range(7))]
    plots = re.findall(r'class="histogram"[^>]*data-score="([^"]+)"', page)
    assert plots == heads
    folded = page[page.index('<details class="more-plots">') :]
    assert "2 more scores" in folded
    assert re.findall(r'class="histogram"[^>]*data-score="([^"]+)"', folded) == heads[MOST_OPEN_PLOTS:]
    assert "further scores" not in page
    assert "On paper" not in page


def test_scores_beyond_the_columns_are_counted_and_named() -> None:
    page = _page(_with_scores(MOST_SCORE_COLUMNS + 3))
    assert len(re.findall(r'data-sort="score\d*"', page)) == MOST_SCORE_COLUMNS
    assert "3 further scores have no column and no plot; the journal holds them: score 23, score 24, score 25." in page
    assert "On paper, the table has the first 8 of 24 scores." in page
    assert "另有 3 个评分项没有列和图，见日志" in _page(_with_scores(MOST_SCORE_COLUMNS + 3), language="zh")


def test_six_scores_are_not_folded() -> None:
    assert '<details class="more-plots">' not in _page(_with_scores(6))


@settings(max_examples=30, derandomize=True, deadline=None)
@given(
    st.lists(
        st.tuples(*[st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.just(1e308))] * 3),
        min_size=1,
        max_size=4,
    ),
    st.booleans(),
)
def test_any_finite_scores_make_a_card_and_a_page(rows: list[tuple[float, float, float]], bounded: bool) -> None:
    scale = (min(row[0] for row in rows), max(row[0] for row in rows)) if bounded else None
    entries = [
        Entry(
            Item(f"{index}", {"human_score": human, "ratings": {"a": human, "b": other}, "ids": {"k": "v"}}, ""),
            Outcome(State.DONE, {"s": Score(value, range=scale)}),
            repeat=repeat,
        )
        for index, (value, human, other) in enumerate(rows)
        for repeat in (0, 1)
    ]
    entries[-1] = Entry(entries[-1].item, Outcome(State.DONE, {"s": Score(rows[0][0], range=scale)}), repeat=1)
    page = render_html(entries, trust_card(entries, version="1"), {}, title="x", groups=["k"])
    assert 'class="histogram"' in page
    assert 'class="scatter"' in page
    assert max(map(len, _text(page).split())) < 400  # no number with three hundred digits, but for JSON


@for_each("values", [(1e200,), (1e308, -1e308), (5e-324, 0.0), (1e308, 1e308)])
def test_huge_and_tiny_scores_are_written_short(values: tuple[float, ...]) -> None:
    entries = [Entry(Item.make(f"{i}", {}), Outcome(State.DONE, {"s": Score(v)})) for i, v in enumerate(values)]
    page = _page(entries)
    assert 'class="histogram"' in page
    assert "inf" not in _text(page).split()
    assert "nan" not in _text(page).split()


@pytest.mark.slow
def test_three_thousand_recordings_of_one_item_are_capped_quickly(tmp_path: Path) -> None:
    path = tmp_path / "clip.wav"
    soundfile.write(path, 0.1 * np.ones(800), 8000)
    turns: list[Json] = [{"audio": {"schema": "aptone.AudioRef/1", "path": str(path)}} for _ in range(3000)]
    entries = [
        Entry(Item.make(f"{index}", {"turns": turns}), Outcome(State.DONE, {"s": Score(float(index))}))
        for index in range(10)
    ]
    begun = time.process_time()
    page = _page(entries)
    assert time.process_time() - begun < 30  # two seconds; without the cap, minutes
    assert page.count("<audio ") == MOST_CLIPS
    left_out = 3000 - MOST_CLIPS_AN_ITEM
    assert f"{left_out} more recordings of this item are not shown: at most 12 an item, 80 in the page." in page
    assert "3000 more recordings of this item" in page  # of the last items: the page is full


def test_recordings_that_last_too_long_are_named(tmp_path: Path) -> None:
    path = tmp_path / "long.wav"
    soundfile.write(path, np.zeros(601 * 8000, dtype=np.int16), 8000, subtype="PCM_U8")
    payload: dict[str, Json] = {"audio": {"schema": "aptone.AudioRef/1", "path": str(path)}}
    entries = [Entry(Item.make("a", payload), Outcome(State.DONE, {"s": Score(1.0)}))]
    assert "Left out: 10 min 1 s is too long to be put in here." in _page(entries)


def _grouped(make_entry: MakeEntry) -> list[Entry]:
    values = {"apt": (4.0, 5.0), "flat": (1.0, 2.0), "wrong": (0.0, None)}
    return [
        make_entry(f"{name}-{index}", value, payload={"ids": {"story": "lighthouse", "reading": name}})
        for name, pair in values.items()
        for index, value in enumerate(pair)
    ]


@pytest.mark.parametrize(("language", "heading", "link"), [("en", "By group", "Overview"), ("zh", "分组", "概览")])
def test_groups_have_a_table_of_means_the_best_first(
    make_entry: MakeEntry, language: Language, heading: str, link: str
) -> None:
    page = _page(_grouped(make_entry), language=language)
    assert f"<h2>{heading}</h2>" in page
    assert '<a href="#groups">' in page
    assert re.findall(r'<table class="group" data-key="([^"]+)"', page) == ["reading"]  # the story is one
    table = page[page.index('<table class="group"') :]
    table = table[: table.index("</table>")]
    rows = [
        [
            " ".join(re.sub(r"<[^>]+>", " ", cell).split())
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)
        ]
        for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)[1:]
    ]
    assert rows == [
        ["apt", "4.5", "[4, 5]", "2 / 2", ""],
        ["flat", "1.5", "[1, 2]", "2 / 2", ""],
        ["wrong", "0", "–", "1 / 2", ""],
    ]
    # On a scale from 0 to 5 that is drawn from 4 to 196, the mean 4.5 lies at 4 + 192 * 0.9.
    assert re.findall(r'<line class="mean" x1="([\d.]+)"', table)[0] == "176.8"


def test_items_without_the_key_and_keys_beyond_the_limit_are_told(make_entry: MakeEntry) -> None:
    entries = [*_grouped(make_entry), make_entry("stray", 3.0)]
    assert "1 items name no reading." in _page(entries)
    many = [
        make_entry(
            f"{index}", 1.0, payload={"ids": {f"key{number}": str(index % 2) for number in range(MOST_KEYS + 2)}}
        )
        for index in range(4)
    ]
    page = _page(many)
    assert page.count('<table class="group"') == MOST_KEYS
    assert "Not shown: key6, key7." in page


def test_a_run_of_one_group_or_with_none_asked_for_has_no_such_table(make_entry: MakeEntry) -> None:
    entries = _grouped(make_entry)
    assert 'id="groups"' not in _page(entries[:2])
    assert 'id="groups"' not in render_html(entries, trust_card(entries, version="1"), {}, title="x", groups=[])


def test_hostile_group_names_stay_text(make_entry: MakeEntry) -> None:
    evil = "</td><script>alert(1)</script>\u202e"
    entries = [make_entry(f"{index}", 1.0, payload={"ids": {evil: evil + str(index % 2)}}) for index in range(4)]
    page = _page(entries)
    assert page.count("<script>") == 1
    assert "\u202e" not in page


@pytest.mark.parametrize(("language", "heading"), [("en", "Pictures"), ("zh", "图示")])
def test_a_room_adds_its_pictures_above_the_items(make_entry: MakeEntry, language: Language, heading: str) -> None:
    drawn = Markup('<svg class="trajectory" viewBox="0 0 10 10"><title>{}</title></svg>').format("<b>")
    figures = [Figure("Mood <i>", drawn, "from & to")]
    page = _page([make_entry("a", 3.0)], language=language, figures=figures)
    assert f"<h2>{heading}</h2>" in page
    assert '<svg class="trajectory" viewBox="0 0 10 10"><title>&lt;b&gt;</title></svg>' in page
    assert "Mood &lt;i&gt;" in page
    assert "from &amp; to" in page
    assert page.index("trajectory") < page.index('id="worst"') < page.index('id="items"')
    assert 'id="pictures"' not in _page([make_entry("a", 3.0)])


@pytest.mark.parametrize(("language", "heading"), [("en", "Result"), ("zh", "结果")])
def test_the_result_stands_above_the_plots_and_other_pictures_below(
    make_entry: MakeEntry, language: Language, heading: str
) -> None:
    figures = [Figure("Mood", Markup("<p>mood</p>")), Figure("Ranks", Markup("<p>ranks</p>"), is_result=True)]
    page = _page([make_entry("a", 3.0)], language=language, figures=figures)
    assert f"<h2>{heading}</h2>" in page
    places = [page.index(part) for part in ("<p>ranks</p>", 'id="overview"', 'class="histogram"', "<p>mood</p>")]
    assert places == sorted(places)
    assert 'id="result"' not in _page([make_entry("a", 3.0)], figures=figures[:1])
    assert 'id="pictures"' not in _page([make_entry("a", 3.0)], figures=figures[1:])


def test_a_score_that_no_item_has_is_named_instead_of_drawn() -> None:
    undefined = Score(float("nan"), reason="neither plan nor line asks for a sound")
    outcome = Outcome(State.DONE, {"aptness": Score(3.0), "paralinguistics": undefined}, main_score="aptness")
    entries = [Entry(Item.make("a", {}), outcome)]
    page = _page(entries)
    assert re.findall(r'class="histogram"[^>]*data-score="([^"]+)"', page) == ["aptness"]
    assert "Distribution of “paralinguistics”" not in page
    assert "No item has a number for paralinguistics; the items say why." in page
    assert "没有条目得到 非语言声音 的数值" in _page(entries, language="zh")


def test_scores_of_ours_have_mandarin_names_on_a_mandarin_page() -> None:
    names = {"aptness": "得当程度", "recording_condition": "录音状态", "naturalness": "自然度", "my_own": "my_own"}
    outcome = Outcome(State.DONE, {name: Score(3.0) for name in names}, main_score="aptness")
    page = _page([Entry(Item.make("a", {}), outcome)], language="zh")
    for said in names.values():
        assert f"<figcaption>“{said}”的分布</figcaption>" in page
    assert "评分项：得当程度" in page


def test_sentences_of_ours_are_mandarin_on_a_mandarin_page(make_entry: MakeEntry) -> None:
    few = message("ear.too-few-voiced-frames", count=3, needed=20)
    why = message("ear.measure-undefined", measure=known_name("pitch level"), why=few)
    entries = [make_entry("a", 3.0), make_entry("b", unscored=why)]
    card = trust_card(
        entries,
        version="1",
        order=Probe(ProbeState.NOT_APPLICABLE, detail=message("aptness.one-clip-at-a-time")),
        batch=Probe(ProbeState.NOT_APPLICABLE, detail=message("run.one-item-at-a-time")),
        notes=["a stranger's note"],
        stopped=message("run.max-items-reached", limit=2),
    )
    text = _text(render_html(entries, card, {}, title="x", language="zh"))
    for said in (
        "评审一次只听一段录音",
        "引擎一次只处理一个条目",
        "已达到 --max-items 2",
        "a stranger's note".replace("'", "&#39;"),
    ):
        assert said in text
    assert (
        text.count("音高水平：只有 3 个浊音帧，至少需要 20 个") == 4
    )  # in the table, as a reason, at the item below it, and on the card
    assert "at a time" not in text
    assert math.isnan(card.order.value)
