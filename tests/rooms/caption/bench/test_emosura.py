"""Caption metrics against ratings, by hand."""

import math
from pathlib import Path

import pytest

from aptone.errors import UsageError
from aptone.rooms.caption.bench.emosura import compare_metrics, comparison_json, ordered_pairs, ratings_of
from aptone.rooms.caption.bench.four_captions import Kind
from aptone.rooms.caption.bench.page import agreement_table, emosura_page, kinds_table, result_notes
from aptone.rooms.caption.bench.rivals import MetricScores
from aptone.rooms.caption.data import CaptionSample
from aptone.types import AudioRef

KINDS = (Kind.TRUE, Kind.SABOTAGED, Kind.LONG, Kind.CONCISE)


def sample(clip: str, kind: Kind | None = None, *, human: float = math.nan, caption: str = "A voice.") -> CaptionSample:
    name = f"{clip}-{kind or human}"
    ids = {} if kind is None else {"kind": kind.value}
    return CaptionSample(name, AudioRef(f"/{clip}.wav"), caption, "A voice.", human_score=human, ids=ids)


FOUR = [sample(clip, kind) for clip in "ab" for kind in KINDS]


def metric(*values: float, name: str = "mine", reason: str = "") -> MetricScores:
    return MetricScores(name, values, reason)


def test_a_metric_that_ties_what_is_equally_right_reaches_1_and_one_that_does_not_cannot() -> None:
    ties = metric(0.9, 0.1, 0.9, 0.9, 0.8, 0.7, 0.8, 0.8)
    apart = metric(0.9, 0.1, 0.8, 0.7, 0.9, 0.1, 0.8, 0.7)
    first, second = compare_metrics(FOUR, [ties, apart], seed=0, resamples=50).results
    assert first.samplewise.value == pytest.approx(1.0)
    # 3 pairs in order, none against; 6 pairs, of which 3 are tied in the truth: 3 / √(6 · 3)
    assert second.samplewise.value == pytest.approx(3 / math.sqrt(18))
    assert first.pairs.value == second.pairs.value == 1.0
    # over all captions: 6 · 2 pairs with a sabotaged one, all right; 6 of 28 pairs are tied by the metric, 16 in truth
    assert first.kendall.value == pytest.approx(12 / math.sqrt((28 - 6) * 12))
    assert first.means == pytest.approx({"true": 0.85, "sabotaged": 0.4, "long": 0.85, "concise": 0.85})
    assert first.apart.value == 0.0
    assert second.apart.value == pytest.approx(0.1)
    assert (first.near.value, second.near.value) == (1.0, 0.0)


def test_peoples_ratings_go_before_kinds() -> None:
    rated = [sample("a", human=human) for human in (1.0, 2.0, 3.0)] + [sample("b", human=human) for human in (1.0, 5.0)]
    good, bad = metric(0.1, 0.2, 0.3, 0.2, 0.4), metric(0.3, 0.2, 0.1, 0.4, 0.2, name="bad")
    compared = compare_metrics(rated, [good, bad], seed=0, resamples=50)
    assert compared.by_people
    assert compared.clips == 2
    assert [result.samplewise.value for result in compared.results] == pytest.approx([1.0, -1.0])
    assert kinds_table(compared) is None
    assert "Against people" in emosura_page(compared)
    assert comparison_json(compared)["ratings"] == "people"


def test_ties_of_a_metric_count_half_and_equal_ratings_not_at_all() -> None:
    # of the pairs (1, 0) and (1, 0) one is tied and one is wrong; the pair (1, 1) has no order
    assert ordered_pairs([0.5, 0.5, 0.2], [1.0, 0.0, 1.0]) == (0.5, 2)
    assert ordered_pairs([0.5, math.nan], [1.0, 0.0]) == (0.0, 0)


def test_a_metric_that_could_not_run_has_no_numbers_and_is_explained() -> None:
    broken = metric(*[math.nan] * 8, name="SPICE", reason="there is no java")
    compared = compare_metrics(FOUR, [broken], seed=0, resamples=50)
    (result,) = compared.results
    assert result.scored == 0
    assert result.kendall.reason == "there is no java"
    assert [cell.text for cell in agreement_table(compared).rows[0][1:6]] == ["–"] * 5
    assert "SPICE could not run: there is no java" in result_notes(compared)
    page = emosura_page(compared, notes=["<b>"], language="zh")
    assert "SPICE 无法运行" in page
    assert "&lt;b&gt;" in page


def test_cider_is_brought_to_the_scale_of_the_others_before_distances_are_taken() -> None:
    compared = compare_metrics(FOUR, [metric(9, 1, 8, 6, 9, 1, 8, 6, name="CIDEr")], seed=0, resamples=50)
    assert compared.results[0].apart.value == pytest.approx(0.2)  # |8 - 6| / 10


def test_length_is_looked_at_among_captions_that_are_equally_right() -> None:
    texts = ["A voice, sad.", "x" * 90, "A voice, sad and very slow.", "Sad."]
    samples = [sample("a", kind, caption=text) for kind, text in zip(KINDS, texts, strict=True)]
    compared = compare_metrics(samples, [metric(0.5, 0.0, 0.6, 0.4)], seed=0, resamples=50)
    assert compared.results[0].length.value == pytest.approx(1.0)


def test_captions_of_no_known_place_are_refused() -> None:
    with pytest.raises(UsageError, match="has no human_score"):
        ratings_of([*FOUR, sample("c")])
    with pytest.raises(UsageError, match="has no reference"):
        ratings_of([CaptionSample("x", AudioRef("x.wav"), "A voice.")])


def test_captions_of_one_file_at_different_times_are_different_recordings(tmp_path: Path) -> None:
    parts = [
        CaptionSample(f"{start}{kind}", AudioRef("x.wav", start, start + 1.0), "A.", "A.", ids={"kind": kind.value})
        for start in (0.0, 1.0)
        for kind in KINDS
    ]
    assert compare_metrics(parts, [metric(*range(8))], seed=0, resamples=50).clips == 2
