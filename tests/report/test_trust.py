import dataclasses
import math
from collections.abc import Callable

import pytest

from aptone.errors import RecordError, UsageError
from aptone.messages import message, words
from aptone.report.repeat_spread import RepeatSpread, repeat_probe
from aptone.report.trust import agreement_rows, main_score_name, repeat_spread, trust_card, trust_rows
from aptone.types import (
    Entry,
    Estimate,
    Item,
    Language,
    Outcome,
    Probe,
    ProbeState,
    Score,
    State,
    TrustCard,
    from_json,
    to_json,
)

MakeEntry = Callable[..., Entry]


def test_counts_add_up_and_reasons_are_grouped(make_entry: MakeEntry) -> None:
    entries = [make_entry(f"t{index}", failed=f"timed out after {index} s") for index in range(3)]
    entries += [make_entry("u", unscored="no score in the reply"), make_entry("a", 3.0), make_entry("n", None)]
    card = trust_card(entries, version="1")
    assert (card.items, card.done) == (6, 1)
    assert card.failed == {"timed out after … s": 3}
    assert card.unscored == {"no score in the reply": 1, "too short": 1}  # an undefined score is unscored, not done
    assert card.items == card.done + sum(card.unscored.values()) + sum(card.failed.values())


def test_a_score_that_is_not_needed_is_done(make_entry: MakeEntry) -> None:
    entry = make_entry("a", 3.0)
    score = Score(math.nan, reason="nothing to balance", needed=False)
    entry = dataclasses.replace(entry, outcome=Outcome(State.DONE, {"aptness": score}))
    assert trust_card([entry], version="1").done == 1


def test_repeats_cost_but_do_not_count_as_items(make_entry: MakeEntry) -> None:
    entries = [
        make_entry("a", 3.0, cost=0.25, seconds=1.5, parse_failures=1),
        make_entry("a", 3.0, repeat=1, cost=0.25, seconds=2.0, parse_failures=2),
    ]
    card = trust_card(entries, version="1")
    assert (card.items, card.cost, card.seconds, card.parse_failures) == (1, 0.5, 3.5, 3)
    assert card.repeat.state is ProbeState.PASSED


def test_signatures_are_counted_and_missing_ones_named(make_entry: MakeEntry) -> None:
    plain = Outcome(State.DONE, {"aptness": Score(1.0)})
    own = Outcome(State.DONE, {"aptness": Score(1.0, signature="the score's own")})
    entries = [make_entry("a", 3.0), make_entry("b", 3.0), make_entry("f", failed="down")]
    entries += [dataclasses.replace(make_entry("c", 1.0), outcome=plain)]
    entries += [dataclasses.replace(make_entry("d", 1.0), outcome=own)]
    found = trust_card(entries, version="1").signatures
    assert found == {"judge|model:test|version:1": 2, "the score's own": 1, "unsigned": 1}
    assert next(iter(found)) == "judge|model:test|version:1"


def test_human_scores_of_the_caller_replace_those_of_the_items(make_entry: MakeEntry) -> None:
    entries = [make_entry(name, value, payload={"human_score": 0.0}) for name, value in (("a", 1.0), ("b", 2.0))]
    card = trust_card(entries, version="1", human={"a": 1.0, "b": 2.0})
    assert math.isclose(card.agreement["LCC"].value, 1.0)
    assert trust_card(entries, version="1").agreement["LCC"].reason  # the items' own have no variance
    assert trust_card(entries, version="1", human={}).agreement == {}


def test_ratings_give_the_ceiling(make_entry: MakeEntry) -> None:
    entries = [make_entry(f"{index}", 1.0, payload={"ratings": {"x": index, "y": index + 0.5}}) for index in range(6)]
    assert trust_card(entries, version="1").ceiling["ACC"].value == 1.0


def test_what_the_caller_knows_is_kept(make_entry: MakeEntry) -> None:
    card = trust_card(
        [make_entry("a", 3.0)],
        version="1.2",
        batch=Probe(ProbeState.PASSED, 0.0, 4),
        order=Probe(ProbeState.NOT_APPLICABLE),
        prompt_hashes={"judge": "ab"},
        notes=["placeholder engine"],
        licence="MIT",
        stopped="budget",
    )
    assert (card.batch.items, card.order.state) == (4, ProbeState.NOT_APPLICABLE)
    assert (card.notes, card.licence, card.version, card.stopped) == (("placeholder engine",), "MIT", "1.2", "budget")
    assert card.prompt_hashes == {"judge": "ab"}
    assert from_json(TrustCard, to_json(card)).signatures == card.signatures


def test_an_empty_run_has_a_card() -> None:
    card = trust_card([], version="1")
    assert (card.items, card.done, card.score, card.agreement, card.ceiling) == (0, 0, "", {}, {})


def test_the_first_score_of_the_first_item_is_the_main_one(make_entry: MakeEntry) -> None:
    later = dataclasses.replace(make_entry("b", 1.0, position=2), outcome=Outcome(State.DONE, {"other": Score(1.0)}))
    assert main_score_name([later, make_entry("a", failed="down"), make_entry("c", 2.0, position=1)]) == "aptness"


def test_items_without_the_score_that_was_asked_for_are_unscored(make_entry: MakeEntry) -> None:
    other = Entry(Item.make("o", {}), Outcome(State.DONE, {"other": Score(1.0)}))
    card = trust_card([make_entry("a", 3.0), other], version="1", score="aptness")
    assert card.unscored == {"no score named aptness among other": 1}


def test_a_score_that_no_item_has_is_refused_with_the_known_names(make_entry: MakeEntry) -> None:
    with pytest.raises(UsageError, match="no item has a score named 'aptnes'; expected one of aptness"):
        trust_card([make_entry("a", 3.0)], version="1", score="aptnes")
    assert trust_card([make_entry("a", failed="down")], version="1", score="aptness").score == "aptness"


def test_the_same_repeat_twice_is_refused(make_entry: MakeEntry) -> None:
    with pytest.raises(RecordError, match="item 'a', repeat 0: expected one entry, got two"):
        trust_card([make_entry("a", 3.0), make_entry("a", 4.0)], version="1")


def test_the_realistic_run_has_the_numbers_it_was_made_with(run_entries: list[Entry]) -> None:
    card = trust_card(run_entries, version="1", score="aptness")
    assert (card.items, card.done) == (60, 54)
    assert card.failed == {"timed out after … s": 3}
    assert (card.cost, card.seconds) == (0.5 * 72, 2.0 * 72)
    # 30 odd items have labels; 7, 27 and 47 are unscored: 27 pairs
    assert {estimate.count for estimate in card.agreement.values()} == {27}


def _titles(card: TrustCard, language: Language = "en") -> dict[str, tuple[str, str, str]]:
    return {row.title: (row.value, row.tone, row.badge) for row in trust_rows(card, language=language)}


def test_a_clean_run_is_fine_throughout() -> None:
    card = TrustCard("aptness", 4, 4, signatures={"judge": 4}, repeat=Probe(ProbeState.PASSED, 0.0, 4, "4 items"))
    rows = _titles(card)
    assert rows["Scored"] == ("4 / 4 (100 %)", "good", "fine")
    assert rows["Unscored"] == ("0", "good", "fine")
    assert rows["Judge and settings"] == ("one signature", "good", "fine")
    assert rows["Same score when asked again?"] == ("0 · 4 items", "good", "passed")
    assert rows["Cost and time"][0] == "no cost · 0.0 s"
    assert "Licence of the weights" not in rows


def test_trouble_asks_for_attention_and_shows_its_reasons_the_most_frequent_first() -> None:
    card = TrustCard(
        "aptness",
        10,
        3,
        unscored={"a": 1, "b": 3},
        failed={"c": 3},
        parse_failures=2,
        signatures={"x": 1, "y": 2},
        cost=1.5,
        licence="MIT",
    )
    rows = {row.title: row for row in trust_rows(card, language="en")}
    assert rows["Unscored"].value == "4"
    assert list(rows["Unscored"].reasons or {}) == ["b", "a"]
    assert all(rows[title].tone == "bad" for title in ("Scored", "Unscored", "Failed", "Judge and settings"))
    assert rows["Judge and settings"].value == "2 signatures"
    assert rows["Cost and time"].value.startswith("1.5 ·")
    assert rows["Licence of the weights"].value == "MIT"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_probe_that_was_not_run_says_how_to_run_it(language: Language) -> None:
    rows = trust_rows(TrustCard("aptness", 1, 1), language=language)
    hints = [row.hint for row in rows if row.hint]
    assert hints == [words(language, "report")(key) for key in ("how_repeat", "how_batch", "how_order")]
    assert "--repeat 3" in hints[0]
    assert "--batch-check" in hints[1]


def test_a_probe_without_a_number_or_detail_shows_its_state() -> None:
    rows = _titles(TrustCard("aptness", 1, 1, order=Probe(ProbeState.NOT_APPLICABLE)))
    assert rows["Same choice when the order is swapped?"] == ("does not apply", "neutral", "does not apply")


@pytest.mark.parametrize(
    ("language", "title", "value", "badge"),
    [
        ("en", "Same choice when the order is swapped?", "the judge hears one clip at a time", "does not apply"),
        ("zh", "交换顺序后，选择相同吗？", "评审一次只听一段录音", "不适用"),
    ],
)
def test_the_order_of_two_clips_is_no_question_for_a_judge_that_hears_one(
    language: Language, title: str, value: str, badge: str
) -> None:
    one_clip = Probe(ProbeState.NOT_APPLICABLE, detail=message("aptness.one-clip-at-a-time"))
    (row,) = [
        row for row in trust_rows(TrustCard("aptness", 1, 1, order=one_clip), language=language) if row.title == title
    ]
    assert (row.value, row.badge, row.tone, row.hint) == (value, badge, "neutral", "")


def test_reasons_and_details_of_ours_are_told_in_mandarin_and_others_as_they_are() -> None:
    repeated = repeat_probe(RepeatSpread(items=2, compared=0, changed=0, mixed=0, most_repeats=3)).detail
    ceiling = message("report.leave-one-out", count=2, low=0.85, high=0.95)
    card = TrustCard(
        "aptness",
        4,
        0,
        unscored={message("judge.plan-leaves-open"): 2, "a stranger's reason": 1},
        failed={message("run.interrupted"): 1},
        batch=Probe(ProbeState.PASSED, 0.0, 8, message("run.alone-and-in-batches", size=8)),
        repeat=Probe(ProbeState.NOT_APPLICABLE, detail=repeated),
        agreement={"LCC": Estimate(math.nan, reason=message("stats.no-variance-reference"))},
        ceiling={"LCC": Estimate(0.9, method=ceiling, reason="no interval")},
    )
    rows = {row.title: row for row in trust_rows(card, language="zh")}
    assert rows["未评分"].reasons == {"计划未作要求": 2, "a stranger's reason": 1}
    assert rows["失败"].reasons == {"被中断": 1}
    assert rows["换一种批大小，分数相同吗？"].value == "0 · 每个条目单独评分，再以 8 个一批按两种顺序评分"
    assert rows["再问一次，分数相同吗？"].value == "2 个条目，最多各评 3 次；没有条目得到两个可比较的分数。"
    (agreement,) = agreement_rows(card, language="zh")
    assert (agreement.judge, agreement.how) == ("– (人工评分没有差异)", "留一法，2 位评分者的平均，0.85 至 0.95")


def test_an_empty_run_is_no_reason_to_trust() -> None:
    rows = _titles(TrustCard("", 0, 0))
    assert rows["Scored"] == ("0 / 0 (–)", "bad", "look here")
    assert rows["Judge and settings"] == ("nothing was scored", "neutral", "")


def test_repeats_are_told_in_the_language_of_the_report() -> None:
    card = TrustCard("aptness", 4, 4, repeat=Probe(ProbeState.FAILED, 0.25, 4, "4 items judged up to 3 times."))
    spread = RepeatSpread(items=4, compared=4, changed=1, mixed=1, most_repeats=3, deviation=0.25)
    row = next(row for row in trust_rows(card, language="zh", spread=spread) if "再问" in row.title)
    assert row.value == "标准差 0.25；4 个条目中 1 个有变化；1 个仅在部分重复中得分"
    assert row.tone == "bad"


def test_agreement_stands_beside_its_ceiling_in_a_fixed_order() -> None:
    card = TrustCard(
        "aptness",
        9,
        9,
        agreement={
            "Spearman": Estimate(0.6, 0.5, 0.7, 9),
            "ACC": Estimate(math.nan, reason="no items"),
            "LCC": Estimate(0.7, 0.6, 0.8, 9),
        },
        ceiling={
            "LCC": Estimate(0.9, method="leave-one-out", reason="no interval"),
            "ICC(2,1)": Estimate(0.8, 0.7, 0.9),
        },
    )
    rows = agreement_rows(card)
    assert [row.name for row in rows] == ["LCC", "ACC", "Spearman", "ICC(2,1)"]
    assert (rows[0].judge, rows[0].interval, rows[0].count) == ("0.70", "[0.60, 0.80]", "9")
    assert (rows[0].people, rows[0].how) == ("0.90", "leave-one-out")
    assert rows[1].judge == "– (no items)"
    assert (rows[3].judge, rows[3].people) == ("–", "0.80 [0.70, 0.90]")


def test_without_repeats_the_probe_was_not_run(make_entry: MakeEntry) -> None:
    spread = repeat_spread([make_entry("a", 3.0), make_entry("b", 4.0)], score="aptness")
    assert repeat_probe(spread).state is ProbeState.NOT_RUN
    assert math.isnan(repeat_probe(spread).value)


def test_equal_scores_pass_with_a_deviation_of_zero(make_entry: MakeEntry) -> None:
    entries = [make_entry("a", 3.0, repeat=repeat) for repeat in range(3)]
    probe = repeat_probe(repeat_spread(entries, score="aptness"))
    assert (probe.state, probe.value, probe.items) == (ProbeState.PASSED, 0.0, 1)


def test_the_deviation_is_the_mean_of_the_sample_deviations_within_items(make_entry: MakeEntry) -> None:
    # a: 3 and 4, mean 3.5, sd = sqrt((0.25 + 0.25) / 1) = 0.7071; b: 2, 2, 2, sd = 0; mean 0.3536
    entries = [make_entry("a", 3.0), make_entry("a", 4.0, repeat=1)]
    entries += [make_entry("b", 2.0, repeat=repeat) for repeat in range(3)]
    spread = repeat_spread(entries, score="aptness")
    assert math.isclose(spread.deviation, math.sqrt(0.5) / 2)
    assert (spread.compared, spread.changed, spread.most_repeats) == (2, 1, 3)
    probe = repeat_probe(spread)
    assert probe.state is ProbeState.FAILED
    assert probe.detail == "2 items judged up to 3 times; 1 of 2 changed their score (50%)."


def test_an_item_scored_in_one_repeat_only_fails_the_probe(make_entry: MakeEntry) -> None:
    entries = [make_entry("a", 3.0), make_entry("a", unscored="no score", repeat=1)]
    entries += [make_entry("b", 2.0), make_entry("b", 2.0, repeat=1)]
    probe = repeat_probe(repeat_spread(entries, score="aptness"))
    assert probe.state is ProbeState.FAILED
    assert probe.value == 0.0
    assert "1 scored in one repeat and not in another" in probe.detail


def test_items_that_never_got_a_score_tell_nothing_about_repeats(make_entry: MakeEntry) -> None:
    entries = [make_entry("a", failed="down"), make_entry("a", failed="down", repeat=1)]
    probe = repeat_probe(repeat_spread(entries, score="aptness"))
    assert probe.state is ProbeState.NOT_APPLICABLE
    assert math.isnan(probe.value)
    assert "none got two scores" in probe.detail
