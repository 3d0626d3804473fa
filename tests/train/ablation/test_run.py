"""``aptone bench ablation`` on a true checkpoint, though a tiny one."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("peft", reason="the extra train is not installed")

from aptone.audio import encode_lossless
from aptone.cli.main import aptone
from aptone.errors import UsageError
from aptone.train.ablation import run as ablation_run
from aptone.train.ablation.results import acc, figure_of, read_result, result_path
from aptone.train.ablation.run import AblationConfig, make_ablation_row, read_config, score_ablation_row
from aptone.train.judge.config import JudgeConfig
from aptone.train.judge.dataset import write_examples
from aptone.train.judge.evaluate import Verdict
from aptone.train.judge.example import Example
from aptone.train.judge.run import CARD
from aptone.types import Audio
from tests.tables import for_each
from tests.train.judge.tiny_judges import example, examples, save_base

BRIEF = {"batch_size": 2, "micro_batch_size": 2, "steps": 1}
CONFIG: dict[str, Any] = {
    "base": "base",
    "captions": "captions",
    "train_data": {"vote": "lines"},
    "eval_data": {"dev": {"none": "lines", "vote": "lines"}},
    "distil": BRIEF,
    "sft": BRIEF,
    "grpo": BRIEF,
    "eval_batch_size": 4,
    "max_new_tokens": 16,
    "num_generations": 2,
}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    save_base(tmp_path / "base")
    second = encode_lossless(Audio(np.sin(np.arange(17_600) / 8.0).astype(np.float32) * 0.3, rate=16_000))[0]
    # reinforcement leaves out shorter ones
    lines = [replace(one, id=f"{one.id}-{one.language}", audio=second, seconds=1.1) for one in examples(3)]
    write_examples(tmp_path / "lines", lines)
    said = [replace(example(number), reply="A calm voice.", kind="caption") for number in range(2)]
    write_examples(tmp_path / "captions", said)
    path = tmp_path / "ablation.json"
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    return path


def typed(*words: object) -> Any:
    result = CliRunner().invoke(
        aptone, ["bench", "ablation", *map(str, words), "--json"], standalone_mode=False, catch_exceptions=False
    )
    return json.loads(result.stdout)


def test_rows_of_a_checkpoint_are_trained_and_scored_and_what_is_done_is_left_alone(config: Path) -> None:
    asked = (config, "--row", 0, "--row", 12, "--device", "cpu", "-o", config.parent / "out")
    found = typed(*asked)
    assert set(found["dev"]["rows"]) == {"0", "12"}
    assert found["dev"]["rows"]["12"]["items"] == 3
    assert found["dev"]["rows"]["12"]["recipe"]["bias"] is True
    made = {path.name for path in (config.parent / "out").iterdir()}
    assert made == {"distil", "distil-vote-mixed-bias", "distil-vote-mixed-bias-rl", "results"}
    changed = {path: path.stat().st_mtime_ns for path in (config.parent / "out").rglob("*") if path.is_file()}
    assert typed(*asked) == found
    assert changed == {path: path.stat().st_mtime_ns for path in (config.parent / "out").rglob("*") if path.is_file()}


SWITCHES: dict[int, tuple[str, str, bool, bool]] = {
    1: ("none", "score", False, False),
    2: ("none", "score", False, False),
    3: ("one", "score", False, False),
    4: ("vote", "score", False, False),
    5: ("other", "score", False, False),
    6: ("vote", "score", False, True),
    7: ("vote", "reasoned", False, False),
    8: ("vote", "reasoned score", False, False),
    9: ("vote", "reasoned score", False, True),
    10: ("vote", "reasoned", True, False),
    11: ("vote", "reasoned score", True, False),
    12: ("vote", "reasoned score", True, True),
}
"""By row, as in Table 4: lessons by planner, kinds of answers, bias, reinforcement. All but the first are distilled."""


@for_each("row", SWITCHES)
def test_the_switches_of_a_row_reach_its_stages(row: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called: dict[str, Any] = {}

    def stage(name: str) -> Any:
        def made(data: Path, out: Path, **given: Any) -> None:
            called[name] = SimpleNamespace(data=data, out=out, **given)
            (out / CARD).write_text("made")

        return made

    for name, function in {"distil": "distil", "sft": "fine_tune", "grpo": "train_grpo"}.items():
        monkeypatch.setattr(ablation_run, function, stage(name))
    planner, kinds, bias, reinforced = SWITCHES[row]
    recipes: dict[str, Any] = {
        name: JudgeConfig(steps=steps) for steps, name in enumerate(("distil", "sft", "grpo"), start=1)
    }
    lessons = {name: tmp_path / name for name in ("none", "one", "vote", "other")}
    config = AblationConfig("base", tmp_path / "captions", lessons, {}, max_new_tokens=99, num_generations=5, **recipes)
    model = make_ablation_row(row, config, tmp_path / "out", device="cpu", log=print)

    assert list(called) == [name for name, is_on in zip(recipes, (row > 1, True, reinforced), strict=True) if is_on]
    assert all(called[name].config == recipes[name] for name in called)
    tuned = called["sft"]
    assert (tuned.data, tuned.example_filter.kinds, tuned.adapter.bias) == (
        lessons[planner],
        tuple(kinds.split()),
        bias,
    )
    assert tuned.base == ("base" if row == 1 else str(called["distil"].out))
    if row > 1:
        assert (called["distil"].data, called["distil"].base) == (config.captions, "base")
        assert called["distil"].adapter.bias is False
    if reinforced:
        last = called["grpo"]
        assert (last.data, last.kinds, last.adapter.bias) == (tuned.data, tuned.example_filter.kinds, bias)
        assert last.base == str(tuned.out)
        assert (last.settings.rollout.num_generations, last.settings.rollout.max_new_tokens) == (5, 99)
    assert model == str(called["grpo" if reinforced else "sft"].out)


@pytest.mark.parametrize(("row", "kind"), [(0, "score"), (6, "score"), (7, "reasoned"), (12, "reasoned")])
def test_a_row_that_was_taught_to_reason_reasons_when_it_is_tested(
    row: int, kind: str, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def said(_: Any, examples: list[Example], **__: Any) -> list[Verdict]:
        asked.extend(one.kind for one in examples)
        return [Verdict("", 1.0, 1.0) for _ in examples]

    monkeypatch.setattr(ablation_run, "evaluate_judge", said)
    found, out, base = read_config(config), config.parent / "out", str(config.parent / "base")
    score_ablation_row(row, "dev", found, out, model=base, device="cpu", log=lambda _: None)
    assert asked == [kind] * 3


def test_a_score_one_point_off_is_within_one(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rated = [replace(example(number, reasoned=False), score=2.2, seconds=1.1) for number in range(3)]
    write_examples(config.parent / "rated", rated)
    monkeypatch.setattr(ablation_run, "evaluate_judge", lambda *_, **__: [Verdict("", 1.2, 1.2)] * 3)
    found = read_config(changed(config, eval_data={"dev": {"none": "rated"}}))
    given: dict[str, Any] = {"model": str(config.parent / "base"), "device": "cpu", "log": str}
    path = score_ablation_row(0, "dev", found, config.parent / "out", **given)
    assert figure_of(read_result(path), acc).value == 1.0


def changed(config: Path, **changes: Any) -> Path:
    config.write_text(json.dumps({**CONFIG, **changes}), encoding="utf-8")
    return config


def test_rows_that_ask_for_reasons_are_compared_with_those_that_do_not(config: Path) -> None:
    """Lines without a speaker are groups of their own, under one name in both rows."""
    rows = (result_path(config.parent / "out" / "results", row, "dev") for row in (4, 7))
    found = typed(config, "--row", 4, "--row", 7, "--device", "cpu", "-o", config.parent / "out")
    one, other = map(read_result, rows)
    assert one.groups == other.groups == ("line-0", "line-1", "line-2")
    assert found["dev"]["differences"]["reasoning: 4 to 7"]["LCC"]["reason"] == "no item was answered legibly by both"


def test_what_was_made_with_other_settings_is_no_part_of_a_table(config: Path) -> None:
    asked = ("--row", 4, "--device", "cpu", "-o", config.parent / "out")
    found = typed(config, *asked)
    assert (
        typed(changed(config, sft={**BRIEF, "micro_batch_size": 1}), *asked) == found
    )  # how it is cut up changes nothing
    with pytest.raises(UsageError, match=r"distil-vote: was made with other settings, see made-of.json"):
        typed(changed(config, sft={**BRIEF, "steps": 2}), *asked)
    with pytest.raises(UsageError, match=r"row-04-dev.json: was made with other settings"):
        typed(changed(config, max_new_tokens=8), *asked)
    (config.parent / "out" / "distil" / "made-of.json").unlink()  # as if made by hand
    assert typed(changed(config, distil={**BRIEF, "lr": 1.0}, sft=BRIEF), "--row", 0, *asked[2:])["dev"]["rows"]


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (("--row", 12, "--row", 1), "no shards for the planner 'none'"),
        (("--row", 12, "--part", "test"), "the configuration has the parts dev, not 'test'"),
    ],
)
def test_what_a_configuration_lacks_is_said_before_anything_is_trained(
    config: Path, asked: tuple[Any, ...], why: str
) -> None:
    with pytest.raises(UsageError, match=why):
        typed(config, *asked, "--device", "cpu", "-o", config.parent / "out")
    assert not (config.parent / "out").exists()


@pytest.mark.parametrize(
    "wrong", [{"num_generations": 1}, {"eval_batch_size": 0}, {"max_new_tokens": "16"}, {"adapter": "some"}]
)
def test_numbers_of_a_configuration_are_looked_at_when_it_is_read(config: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="no configuration of an ablation"):
        read_config(changed(config, **wrong))


@pytest.mark.parametrize(
    ("former", "why"),
    [
        ({"lessons": {"vote": "lines"}}, r"ablation.json: lessons is now train_data\.$"),
        ({"replies": 2}, r"ablation.json: replies is now num_generations\.$"),
        ({"sft": {**BRIEF, "rate": 1.0}}, r"ablation.json, sft: rate is now lr\.$"),
    ],
)
def test_former_names_in_a_configuration_are_refused(config: Path, former: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        read_config(changed(config, **former))


def test_a_configuration_says_what_it_does_not_know(tmp_path: Path) -> None:
    path = tmp_path / "ablation.json"
    path.write_text(json.dumps({**CONFIG, "planner": "vote"}), encoding="utf-8")
    with pytest.raises(UsageError, match="nothing is called 'planner'"):
        read_config(path)
