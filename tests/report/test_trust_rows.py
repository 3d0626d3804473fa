import math

import pytest

from aptone.messages import message, words
from aptone.report.trust import RepeatSpread, repeat_probe
from aptone.report.trust_rows import agreement_rows, trust_rows
from aptone.types import Estimate, Language, Probe, ProbeState, TrustCard


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
