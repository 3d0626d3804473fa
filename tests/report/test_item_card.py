"""One item in full, and its line in the table: what is said once, in the language of the page."""

import math
import re
from dataclasses import replace

import pytest

from aptone.messages import message
from aptone.report.run_report import render_html
from aptone.report.trust import trust_card
from aptone.types import Entry, Item, Json, Language, Outcome, Perception, Plan, Rhythm, Score, State, to_json

RATIONALE = "The emotion should be joy; the voice sounds sad. The rhythm that suits the line is brisk, and so it is."


def _entry(name: str = "a", *, heard_rhythm: str = "heavy", **scores: Score) -> Entry:
    aspects: dict[str, Json] = {
        "emotion": {"planned": "joy", "heard": "sad, a little angry", "score": to_json(Score(1.0, range=(0.0, 5.0)))},
        "rhythm": {"planned": "brisk", "heard": heard_rhythm, "score": to_json(Score(0.5, range=(0.0, 5.0)))},
        "naturalness": {"measured": {"breath": -0.001}, "score": to_json(Score(3.0, range=(0.0, 5.0)))},
    }
    perception = Perception(
        1.0,
        rhythm={Rhythm.TENSE: 0.9},
        measures={"articulation rate": Score(3.5, unit="syllables/s", higher_is_better=None)},
        unjudged={"events": message("ear.sounds-not-trained")},
    )
    evidence: dict[str, Json] = {
        "aspects": aspects,
        "plan": to_json(Plan("joy", rhythm=Rhythm.BRISK)),
        "perception": to_json(perception),
    }
    given = {"aptness": Score(2.0, range=(0.0, 5.0)), "emotion": Score(1.0, range=(0.0, 5.0)), **scores}
    outcome = Outcome(State.DONE, given, main_score="aptness", rationale=RATIONALE, evidence=evidence)
    return Entry(Item.make(name, {}), outcome)


def _page(*entries: Entry, language: Language = "en") -> str:
    return render_html(entries, trust_card(entries, version="1"), {}, title="A run", language=language)


def _shown(page: str, pattern: str) -> list[str]:
    found = re.findall(pattern, page, flags=re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", one).split()) for one in found]


def test_a_score_that_the_table_of_aspects_shows_is_not_told_twice() -> None:
    assert _shown(_page(_entry()), r'<ul class="scores">(.*?)</ul>') == [""]
    others = _entry(rhythm=Score(4.0, range=(0.0, 5.0)), energy=Score(1.5, unit="semitones"))
    assert _shown(_page(others), r'<ul class="scores">(.*?)</ul>') == ["rhythm 4 / 5 energy 1.5 semitones"]
    undefined = replace(others, outcome=replace(others.outcome, scores={"aptness": others.outcome.scores["aptness"]}))
    assert _shown(_page(undefined), r'<ul class="scores">(.*?)</ul>') == [""]


def test_a_score_that_is_undefined_in_both_places_is_told_once() -> None:
    entry = _entry(paralinguistics=Score(math.nan, reason="nothing asks for a sound"))
    aspects = {**entry.outcome.evidence["aspects"]}  # type: ignore[dict-item]
    aspects["paralinguistics"] = {"score": to_json(Score(math.nan, reason="nothing asks for a sound"))}
    evidence = {**entry.outcome.evidence, "aspects": aspects}
    page = _page(replace(entry, outcome=replace(entry.outcome, evidence=evidence)))
    card = page[page.index('<article class="item">') : page.index("</article>")]
    assert card.split('<div class="folds">')[0].count("nothing asks for a sound") == 1


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ["articulation rate 3.5 syllables/s", "events this ear was not taught any sounds"]),
        ("zh", ["发音速率 3.5 音节/秒", "非语言声音 此听觉模型没有学过非语言声音"]),
    ],
)
def test_measures_and_what_was_not_judged_are_named_in_the_language_of_the_page(
    language: Language, said: list[str]
) -> None:
    assert _shown(_page(_entry(), language=language), r'<dl class="measures">(.*?)</dl>') == said


def test_known_words_of_plan_and_perception_are_in_the_language_of_the_page() -> None:
    cells = _shown(_page(_entry(), language="zh"), r'<td data-label="(?:计划|听到)"[^>]*>(.*?)</td>')
    assert cells[2:4] == ["轻快型", "凝重型"]
    assert cells[1] == "sad, a little angry"


def test_the_ears_phrase_is_in_the_language_of_the_page() -> None:
    entry = _entry()
    phrase = {"en": "sad, a little angry", "zh": "悲伤，略带愤怒"}
    perception = to_json(Perception(1.0, phrase=phrase))
    evidence = {**entry.outcome.evidence, "perception": perception}
    page = _page(replace(entry, outcome=replace(entry.outcome, evidence=evidence)), language="zh")
    cells = _shown(page, r'<td data-label="(?:计划|听到)"[^>]*>(.*?)</td>')
    assert cells[1] == "悲伤，略带愤怒"


def test_no_figure_is_minus_nothing() -> None:
    page = _page(_entry())
    assert "breath 0</span>" in page
    assert "-0<" not in page


def test_a_phone_has_no_line_for_what_is_neither_planned_nor_heard() -> None:
    page = _page(_entry())
    (row,) = re.findall(r'<th scope="row">naturalness</th>(.*?)</tr>', page, flags=re.DOTALL)
    assert '<td data-label="Planned" class="none"><bdi>–</bdi></td>' in row
    assert '<td data-label="Heard"><bdi></bdi><small class="measured">' in row
    assert ".aspects td.none { display: none; }" in page


def test_the_table_says_what_fits_worst_and_keeps_the_rationale_folded() -> None:
    (why,) = re.findall(r'<td class="text why">(.*?)</td>', _page(_entry()), flags=re.DOTALL)
    assert why.startswith("<details><summary><bdi>Rhythm: heard heavy, asked for brisk</bdi></summary>")
    assert RATIONALE in why


def test_what_was_heard_comes_from_the_perception_where_the_judge_does_not_say_it() -> None:
    (why,) = re.findall(r'<td class="text why">(.*?)</td>', _page(_entry(heard_rhythm="")), flags=re.DOTALL)
    assert why.startswith("<details><summary><bdi>Rhythm: heard tense 90 %, asked for brisk</bdi></summary>")


def test_a_rationale_without_aspects_is_cut_and_unfolds() -> None:
    plain = replace(_entry(), outcome=replace(_entry().outcome, evidence={}))
    (why,) = re.findall(r'<td class="text why">(.*?)</td>', _page(plain), flags=re.DOTALL)
    assert why.startswith('<details class="cut"><summary><bdi>The emotion should be joy')
    assert why.count("and so it is.") == 1
