import base64
import dataclasses
import hashlib
import math
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import cast

import pytest

from aptone.errors import UsageError
from aptone.report.groups import MOST_PER_REASON
from aptone.report.run_report import render_html
from aptone.report.trust import trust_card
from aptone.types import (
    Entry,
    Estimate,
    Item,
    Json,
    Language,
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

HOSTILE = (
    "<script>alert(1)</script></script></style></title><img src=x onerror=alert(2)>\" onerror=alert(3) ' "
    "{{7*7}}{{12345*6789}}{% raw %}<!-- ]]> &lt; \u202eevil\u2066 \x00\x1b[2J \ud83d \udc00 http://evil.example/x.js "
)
LONG = HOSTILE + "x" * 100_000

VOID = {"meta", "link", "input", "br", "img"}


class Page(HTMLParser):
    """A page as a parser sees it: every tag with its attributes, the text inside chosen tags, and what is left open."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.texts: list[tuple[tuple[str, ...], str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.texts.append((tuple(self.open), data))

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def text(self) -> str:
        shown = [text for path, text in self.texts if "script" not in path and "style" not in path]
        return " ".join(" ".join(shown).split())


def _render(
    entries: list[Entry],
    *,
    card: TrustCard | None = None,
    language: Language = "en",
    embed: int = 5,
    max_embedded_bytes: int = 12_000_000,
) -> str:
    return render_html(
        entries,
        card or trust_card(entries, version="9.9", score="aptness"),
        {"engine": "test"},
        title="A run",
        language=language,
        embed=embed,
        max_embedded_bytes=max_embedded_bytes,
    )


@pytest.fixture(scope="module")
def page(run_entries: list[Entry]) -> str:
    return _render(run_entries, embed=3)


@pytest.mark.slow
def test_the_page_is_well_formed_and_points_nowhere(page: str) -> None:
    parsed = Page(page)
    assert parsed.open == []
    assert "http://" not in page
    assert "https://" not in page
    for _, attributes in parsed.tags:
        for name in ("src", "href"):
            assert attributes.get(name, "#").startswith(("#", "data:"))


def test_the_policy_allows_our_own_style_and_script_only(page: str) -> None:
    parsed = Page(page)
    (policy,) = [meta["content"] for meta in parsed.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; media-src data:;")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        (content,) = [text for path, text in parsed.texts if path[-1:] == (tag,)]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not any("style" in attributes for _, attributes in parsed.tags)
    assert not any(name.startswith("on") for _, attributes in parsed.tags for name in attributes)


def test_bars_hold_the_counts_of_the_run(page: str, run_entries: list[Entry]) -> None:
    counts = [int(bar["data-count"]) for bar in Page(page).all("rect") if "data-count" in bar][:11]
    values = [
        entry.outcome.scores["aptness"].value for entry in run_entries if entry.repeat == 0 and entry.outcome.scores
    ]
    assert counts == [sum(value == step / 2 for value in values) for step in range(11)]
    assert "6 undefined, not drawn" in Page(page).text


def test_worst_and_best_items_have_players(page: str) -> None:
    parsed = Page(page)
    assert len(parsed.all("article")) == 6
    assert len(parsed.all("audio")) == 6
    assert all(audio["src"].startswith("data:audio/ogg;base64,T2dn") for audio in parsed.all("audio"))  # "Ogg"


def test_a_card_tells_story_rationale_plan_and_perception(page: str) -> None:
    text = Page(page).text
    for told in (
        "2 earlier lines",
        "Earlier line 7.",
        "Rationale 0: the pause before the last word is missing.",
        "Planned and heard",
        "heavy 70 %, tense 30 %",
        "left open",
        "182 Hz",
        "too little speech",
        "votes",
    ):
        assert told in text


def test_every_item_has_a_row_and_the_unscored_are_explained(page: str) -> None:
    parsed = Page(page)
    states = [row["data-state"] for row in parsed.all("tr") if "data-state" in row]
    assert (len(states), states.count("done"), states.count("unscored"), states.count("failed")) == (60, 54, 3, 3)
    assert "timed out after … s" in parsed.text
    assert "It sounds fine to me." in parsed.text


def test_the_trust_card_the_config_and_the_version_are_in_it(page: str) -> None:
    text = Page(page).text
    assert "12 items" in text  # of the repeat probe
    assert "Run the same command with --batch-check." in text
    assert '"engine": "test"' in text
    assert "Made by Aptone 9.9" in text
    assert "finished 2026-03-01 10:59 UTC" in text


def test_mandarin_pages_speak_mandarin(run_entries: list[Entry]) -> None:
    page = _render(run_entries, language="zh", embed=1)
    assert '<html lang="zh-Hans">' in page
    text = Page(page).text
    assert "可信度卡片" in text
    assert "计划与听感" in text
    assert "Trust card" not in text


def test_notes_stand_at_the_top(make_entry: MakeEntry) -> None:
    entries = [make_entry("a", 3.0)]
    card = trust_card(entries, version="1", notes=["placeholder engine"], stopped="the budget is spent")
    text = Page(_render(entries, card=dataclasses.replace(card, signatures={"x": 1, "y": 1}))).text
    overview = text.index("Scored")
    assert text.index("placeholder engine") < overview
    assert text.index("The run ended early: the budget is spent") < overview
    assert text.index("2 different judges") < overview


def test_recordings_that_do_not_fit_or_cannot_be_read_are_named(run_entries: list[Entry], tmp_path: Path) -> None:
    text = Page(_render(run_entries, embed=1, max_embedded_bytes=0)).text
    assert text.count("Left out: the room for recordings in this file is used up.") == 2
    gone: dict[str, Json] = {"audio": {"schema": "aptone.AudioRef/1", "path": str(tmp_path / "gone.wav")}}
    entry = Entry(Item.make("a", gone), Outcome(State.DONE, {"aptness": Score(1.0)}))
    assert "Cannot be read" in Page(_render([entry])).text


def test_one_item_is_never_both_worst_and_best(make_entry: MakeEntry) -> None:
    entries = [make_entry(str(index), float(index), position=index) for index in range(3)]
    parsed = Page(_render(entries, embed=2))
    assert len(parsed.all("article")) == 3
    assert "Only 3 items have a number." in parsed.text
    assert "This item names no recording." in parsed.text


@for_each(("higher", "first", "heading"), [(True, "one", "Worst"), (False, "four", "Worst"), (None, "one", "Lowest")])
def test_ranking_follows_the_direction_of_the_score(higher: bool | None, first: str, heading: str) -> None:
    entries = [
        Entry(Item.make(name, {}), Outcome(State.DONE, {"aptness": Score(value, higher_is_better=higher, unit="Hz")}))
        for name, value in (("one", 1.0), ("four", 4.0))
    ]
    page = _render(entries, embed=1)
    assert re.findall(r"<h3><bdi>(\w+)</bdi>", page)[0] == first
    assert heading in Page(page).text


def test_an_empty_run_and_one_without_numbers_still_make_a_page(make_entry: MakeEntry) -> None:
    for entries in ([], [make_entry("a", failed="down")], [make_entry("a", None)]):
        parsed = Page(_render(entries, card=trust_card(entries, version="1")))
        assert parsed.open == []
        assert "No item has a number to rank by." in parsed.text


def test_undefined_agreement_shows_its_reason(make_entry: MakeEntry) -> None:
    card = TrustCard("aptness", 1, 1, agreement={"LCC": Estimate(math.nan, reason="one item is not enough")})
    assert "one item is not enough" in Page(_render([make_entry("a", 3.0)], card=card)).text


def test_many_items_with_one_reason_are_listed_up_to_a_limit(make_entry: MakeEntry) -> None:
    entries = [make_entry(f"{index}", failed=f"timed out after {index} s") for index in range(MOST_PER_REASON + 5)]
    text = Page(_render(entries)).text
    assert "and 5 more; the table above lists them." in text


def test_a_finishing_time_that_is_none_is_shown_as_it_came(make_entry: MakeEntry) -> None:
    entry = dataclasses.replace(make_entry("a", 3.0), finished="yesterday")
    assert "finished yesterday" in Page(_render([entry])).text


def test_wrong_options_are_refused(make_entry: MakeEntry) -> None:
    entries = [make_entry("a", 3.0)]
    with pytest.raises(UsageError, match="0 or more, got -1"):
        _render(entries, embed=-1)
    with pytest.raises(UsageError, match="speaks en and zh, got 'fr'"):
        render_html(entries, trust_card(entries, version="1"), {}, title="x", language=cast(Language, "fr"))


def _hostile(text: str) -> tuple[list[Entry], TrustCard, dict[str, Json]]:
    line: dict[str, Json] = {"schema": "aptone.Line/1", "text": text, "role": text}
    payload: dict[str, Json] = {
        "audio": {"schema": "aptone.AudioRef/1", "path": "/nowhere/" + text.replace("\x00", "")},
        text: {"schema": "aptone.AudioRef/1", "path": "", text: text},
        "target": line,
        "context": [line] * 8,
        "following": [line],
        "language": text,
        "human_score": 3,
        "ratings": {text: 3},
        "ids": {text: text},
    }
    free: dict[str, Json] = {"caption": text, text: text}
    plan: dict[str, Json] = {"emotion": text, "recording_condition": text}
    perception: dict[str, Json] = {
        "seconds": 1.0,
        "emotion": {text: 1.0},
        "phrase": {"en": text, "zh": text},
        "recording_condition": {text: 1.0},
        "measures": {text: to_json(Score(1.0, unit=text)), "m": to_json(Score(math.nan, reason=text))},
        "unjudged": {text: text},
    }
    aspects: dict[str, Json] = {
        text: {
            "score": to_json(Score(math.nan, reason=text, unit=text)),
            "planned": text,
            "heard": text,
            "measured": {text: 1.0},
        }
    }
    scores = {"aptness": Score(1.0, range=(0.0, 5.0), unit=text, signature=text), text: Score(math.nan, reason=text)}
    done = Outcome(
        State.DONE,
        scores,
        rationale=text,
        evidence={"plan": plan, "perception": perception, "aspects": aspects, text: text},
        raw_reply=text,
        signature=text,
    )
    outcomes = [done, done, Outcome.unscored(text, raw_reply=text), Outcome.failed(text)]
    entries = [
        Entry(
            Item(f"{index}{text}", free if index == 1 else payload, content_hash="", position=index),
            outcome,
            finished=text,
        )
        for index, outcome in enumerate(outcomes)
    ]
    probe = Probe(ProbeState.FAILED, 1.0, 1, text)
    card = TrustCard(
        "aptness",
        4,
        2,
        unscored={text: 1},
        failed={text: 1},
        repeat=probe,
        batch=probe,
        order=probe,
        signatures={text: 1, "b": 1},
        prompt_hashes={text: text},
        agreement={text: Estimate(math.nan, reason=text), "LCC": Estimate(math.nan, reason=text)},
        ceiling={text: Estimate(0.5, method=text)},
        notes=(text,),
        licence=text,
        version=text,
        stopped=text,
    )
    return entries, card, {text: text}


@for_each("language", ["en", "zh"])
@for_each("text", [HOSTILE, LONG], ids=["hostile", "long"])
def test_hostile_text_in_every_field_changes_nothing_but_text(text: str, language: Language) -> None:
    plain = Page(render_html(*_hostile("plain"), title="plain", language=language))
    page = render_html(*_hostile(text), title=text, language=language)
    page.encode("utf-8")  # no lone surrogate is left
    assert re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", page) is None
    assert str(12345 * 6789) not in page  # templates in the text were not computed
    assert "{{7*7}}" in page
    parsed = Page(page)
    assert parsed.open == []
    assert len(parsed.all("script")) == len(parsed.all("style")) == 1
    assert parsed.all("img") == []
    # The same elements in the same order, apart from folds that long text brings with it.
    folds = {"details", "summary", "bdi", "p"}
    assert [tag for tag, _ in parsed.tags if tag not in folds] == [tag for tag, _ in plain.tags if tag not in folds]
    known = {name for _, attributes in plain.tags for name in attributes}
    assert {name for _, attributes in parsed.tags for name in attributes} <= known
    assert len(page) < 3_000_000  # 100,000 characters in a hundred places, cut to what can be read
