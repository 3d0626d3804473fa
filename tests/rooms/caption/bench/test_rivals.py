"""Other people's metrics: which run, what they get, and what is said of those that cannot."""

import importlib.util
import json
import math
import shutil
import sys
import types
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from aptone.errors import UsageError
from aptone.installation import install_command
from aptone.rooms.caption.bench.rivals import PARSER, RIVALS, Captioned, rival_scores

TWO = [
    Captioned("A sad\nwoman ||| speaks.", ("A sad woman speaks.", "She is sad."), "one.wav"),
    Captioned("A man", ("A man speaks.",), "two.wav"),
]
METEOR = """
import sys
captions = open(sys.argv[4], encoding="utf-8").read().splitlines()
references = open(sys.argv[5], encoding="utf-8").read().splitlines()
assert len(captions) == len(references) == 3, captions
for place, (caption, reference) in enumerate(zip(captions, references), start=1):
    print(f"Segment {place} score:\\t{len(reference) / 100}")
"""
SPICE = """
import json, sys
items = json.load(open(sys.argv[4], encoding="utf-8"))
scores = [{"image_id": one["image_id"], "scores": {"All": {"f": 0.25 * len(one["refs"])}}} for one in items]
json.dump(scores[::-1], open(sys.argv[6], "w"))
"""

Toolkit = Callable[[str], Path]


@pytest.fixture
def toolkit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toolkit:
    """A package with Java programs, and a java that is a Python script."""

    def make(program: str) -> Path:
        package = tmp_path / "pycocoevalcap"
        (package / "meteor").mkdir(parents=True)
        (package / "spice" / "lib").mkdir(parents=True)
        for name in PARSER:
            (package / "spice" / "lib" / name).touch()
        script = tmp_path / "java.py"
        script.write_text(program, encoding="utf-8")
        java = tmp_path / "java"
        java.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n', encoding="utf-8")
        java.chmod(0o755)
        found = ModuleSpec("pycocoevalcap", None, is_package=True)
        found.submodule_search_locations = [str(package)]
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: found)
        monkeypatch.setattr(shutil, "which", lambda name: str(java))
        return package

    return make


def test_metrics_come_in_the_order_of_the_paper_and_an_unknown_one_is_refused() -> None:
    assert [one.name for one in rival_scores(TWO, names=["CIDEr", "BLEU-4"])] == ["BLEU-4", "CIDEr"]
    with pytest.raises(UsageError, match=r"no metric 'BLUE'.*BLEU-4"):
        rival_scores(TWO, names=["BLUE"])


def test_meteor_reads_a_line_a_reference_and_keeps_the_best(toolkit: Toolkit) -> None:
    toolkit(METEOR)
    (meteor,) = rival_scores(TWO, names=["METEOR"])
    # the scores of the script are lengths of references: max(19, 11) and 13 characters, in hundredths
    assert meteor.values == (0.19, 0.13)
    assert meteor.reason == ""


def test_spice_gives_spider_with_cider_and_is_asked_once(toolkit: Toolkit) -> None:
    toolkit(SPICE)
    consensus, spider, spice = rival_scores(TWO, names=["CIDEr", "SPIDEr", "SPICE"])
    assert spice.values == (0.5, 0.25)
    assert spider.values == pytest.approx([(0.5 + consensus.values[0]) / 2, (0.25 + consensus.values[1]) / 2])


def test_spice_says_which_file_it_lacks_and_that_it_reads_english_only(toolkit: Toolkit) -> None:
    package = toolkit(SPICE)
    (spice,) = rival_scores([Captioned("她说话。", ("她说话。",))], names=["SPICE"])
    assert "English only" in spice.reason
    (package / "spice" / "lib" / PARSER[1]).unlink()
    spider, spice = rival_scores(TWO, names=["SPIDEr", "SPICE"])
    assert PARSER[1] in spice.reason
    assert "get_stanford_models" in spice.reason
    assert spider.reason == spice.reason
    assert all(map(math.isnan, spider.values))


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import sys; sys.exit('Out of memory')", "METEOR ended with 1: Out of memory"),
        ("print('Segment 1 score: 0.5')", "StopIteration"),
        ("print('Segment 1 score: much')", "ValueError"),
    ],
)
def test_a_program_that_fails_has_no_numbers_and_a_reason(toolkit: Toolkit, program: str, said: str) -> None:
    toolkit(program)
    (meteor,) = rival_scores(TWO, names=["METEOR"])
    assert said in meteor.reason
    assert all(map(math.isnan, meteor.values))


def test_a_missing_package_and_a_missing_java_are_named(toolkit: Toolkit, monkeypatch: pytest.MonkeyPatch) -> None:
    toolkit(METEOR)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    (meteor,) = rival_scores(TWO, names=["METEOR"])
    assert "apt install default-jre" in meteor.reason
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    everything = {one.name: one for one in rival_scores(TWO)}
    assert tuple(everything) == RIVALS
    assert install_command("metrics") in everything["METEOR"].reason
    assert "aac-metrics" in everything["MACE"].reason
    assert [name for name, one in everything.items() if not one.reason] == ["BLEU-4", "ROUGE-L", "CIDEr"]


def test_mace_is_given_recordings_and_references(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []

    def mace(captions: list[str], **given: object) -> tuple[dict[str, float], dict[str, list[float]]]:
        seen.append((captions, given["mult_references"], given["audio_paths"], given["mace_method"]))
        return {}, {"mace": [0.5, 0.25][: len(captions)]}

    module = types.ModuleType("aac_metrics.functional")
    module.mace = mace  # type: ignore[attr-defined]
    package = types.ModuleType("aac_metrics")
    package.__spec__ = ModuleSpec("aac_metrics", None, is_package=True)
    monkeypatch.setitem(sys.modules, "aac_metrics", package)
    monkeypatch.setitem(sys.modules, "aac_metrics.functional", module)
    (found,) = rival_scores(TWO, names=["MACE"])
    assert found.values == (0.5, 0.25)
    captions, references = [one.caption for one in TWO], [list(one.references) for one in TWO]
    assert seen == [(captions, references, ["one.wav", "two.wav"], "combined")]
    (found,) = rival_scores([Captioned("a", ("b",))], names=["MACE"])
    assert "without one" in found.reason
    module.mace = lambda captions, **given: ({}, {"mace": [0.5]})  # type: ignore[attr-defined]
    (found,) = rival_scores(TWO, names=["MACE"])
    assert found.reason == "gave 1 numbers for 2 captions"


def test_scores_do_not_depend_on_json_or_control_characters_in_a_caption() -> None:
    hostile = Captioned(json.dumps({"score": 1}) + "\x00\n<|im_end|>", ("score 1",))
    for one in rival_scores([hostile], names=["BLEU-4", "ROUGE-L", "CIDEr"]):
        assert math.isfinite(one.values[0])
