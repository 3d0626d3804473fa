"""``aptone style`` with the model that comes with Aptone: a fit, whose weights they are, and in which language."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

Aptone = Callable[..., Any]


def test_a_clip_gets_fits_from_0_to_5_and_the_licence_is_said(aptone: Aptone, clip: Path) -> None:
    shown = aptone("style", clip, "a man", "a woman", "--json")
    assert shown.code == 0
    first, second = shown.json["descriptions"]
    assert (first["description"], second["description"]) == ("a man", "a woman")
    fits = [one["outcome"]["scores"]["fit"]["value"] for one in (first, second)]
    assert 5.0 >= fits[0] > fits[1] >= 0.0
    assert shown.json["licence"] == "style model (CC-BY-NC-SA-4.0), ear: full (CC-BY-NC-SA-4.0)"
    assert shown.json["notes"] == []
    plain = aptone("style", clip, "a man")
    assert "Weights: style model (CC-BY-NC-SA-4.0), ear: full (CC-BY-NC-SA-4.0)" in plain.out


def test_mandarin_is_answered_in_mandarin_with_the_licence(aptone: Aptone, clip: Path) -> None:
    shown = aptone("style", clip, "一位男性")
    assert "权重：风格模型（CC-BY-NC-SA-4.0），听觉模型：full（CC-BY-NC-SA-4.0）" in shown.out


def test_the_report_of_a_run_names_the_licence(aptone: Aptone, clip: Path) -> None:
    assert aptone("style", clip, "a man", "-o", "run").code == 0
    assert "style model (CC-BY-NC-SA-4.0), ear: full (CC-BY-NC-SA-4.0)" in Path("run/report.html").read_text("utf-8")


def test_a_description_that_shows_nothing_is_refused(aptone: Aptone, clip: Path) -> None:
    shown = aptone("style", clip, "\u200b\x07")
    assert shown.code == 2
    assert "no letters or marks" in shown.err


def test_evidence_stands_beside_the_fit_and_unknown_words_are_named(aptone: Aptone, clip: Path) -> None:
    shown = aptone("style", clip, "a zorbly, nasal man who is not a woman")
    assert shown.code == 0
    assert "✓ holds" in shown.out
    assert "sex: not female" in shown.out
    assert "the ear does not judge this" in shown.out
    assert "Not understood: zorbly" in shown.out
    data = aptone("style", clip, "a zorbly, nasal man who is not a woman", "--json").json
    evidence = data["descriptions"][0]["outcome"]["evidence"]
    assert evidence["not_understood"] == ["zorbly"]
    assert [(one["words"], one["verdict"], one["denied"]) for one in evidence["properties"]] == [
        ("nasal", "undecided", False),
        ("man", "true", False),
        ("woman", "true", True),
    ]


def test_what_nobody_can_judge_has_no_fit_and_says_why(aptone: Aptone, clip: Path) -> None:
    shown = aptone("style", clip, "a nasal voice", "--json")
    (one,) = shown.json["descriptions"]
    assert one["outcome"]["scores"]["fit"]["value"] is None
    assert one["outcome"]["scores"]["fit"]["reason"] == "no word of the description names something that the ear judges"
    unknown = aptone("style", clip, "zorbly", "--json")
    assert unknown.code == 1
    assert unknown.json["descriptions"][0]["outcome"]["reason"].endswith("not understood: zorbly")


def test_the_report_of_a_run_marks_the_properties_of_a_description(aptone: Aptone, clip: Path) -> None:
    assert aptone("style", clip, "a zorbly man, not a woman", "-o", "run").code == 0
    page = Path("run/report.html").read_text("utf-8")
    assert '<span class="unit true"' in page
    assert "Properties of the description" in page
    assert "sex: not female" in page
    assert "1 of 1 descriptions have words that were not understood and do not count: zorbly" in page


def test_a_search_shows_evidence_in_table_page_and_json(aptone: Aptone, clip: Path) -> None:
    Path("clips").mkdir()
    Path("clips", clip.name).write_bytes(clip.read_bytes())
    shown = aptone("search", "clips", "a zorbly voice, not a woman's", "--report", "found.html")
    assert "✓ not woman" in shown.out
    assert "Not understood: zorbly" in shown.out
    page = Path("found.html").read_text("utf-8")
    assert '<span class="unit true" title="sex: not female">' in page
    assert "Not understood: zorbly" in page
    data = aptone("search", "clips", "a zorbly voice, not a woman's", "--json").json
    assert data["not_understood"] == ["zorbly"]
    (found,) = data["found"]
    assert [(one["words"], one["denied"], one["verdict"]) for one in found["evidence"]] == [("woman", True, "true")]
    assert found["fit"]["value"] > 4.0
    mandarin = aptone("search", "clips", "不是女人")
    assert "✓ 不是女人" in mandarin.out
