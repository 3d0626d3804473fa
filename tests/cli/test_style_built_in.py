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
