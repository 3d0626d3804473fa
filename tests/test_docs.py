"""The documentation says what the code does."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from aptone.cli.main import main
from aptone.models.parts import MODEL_KINDS
from aptone.registry import Registry

DOCS = Path(__file__).resolve().parents[1] / "docs"


def test_the_reference_of_verbs_is_up_to_date() -> None:
    # In a process of its own: a command remembers how its help was first asked for, and other tests ask differently.
    code = "import runpy, sys; sys.stdout.buffer.write(runpy.run_path(sys.argv[1])['reference']().encode())"
    made = subprocess.run([sys.executable, "-c", code, DOCS / "make_cli.py"], capture_output=True, check=True)
    assert (DOCS / "cli.md").read_text(encoding="utf-8") == made.stdout.decode(), "run: python docs/make_cli.py"


def test_the_step_in_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = (DOCS / "use" / "runs.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", guide, flags=re.DOTALL)
    assert code is not None
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(code.group(1), "docs/use/runs.md", "exec"), names)
    ended = names["ended"]
    assert getattr(ended, "worked", None) == 2


@pytest.mark.slow
def test_the_benchmark_in_the_guide_runs_and_gives_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    guide = (DOCS / "rooms" / "bench.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", guide, flags=re.DOTALL)
    assert code is not None
    example = DOCS.parent / "examples" / "lighthouse"
    records = [json.loads(line) for line in (example / "manifest.jsonl").read_text(encoding="utf-8").splitlines()[:2]]
    plan = {"emotion": "terrified", "rhythm": "high-energy"}
    rated = [{**record, "plan": plan, "human_score": score} for record, score in zip(records, (4.5, 2.0), strict=True)]
    for record in rated:
        record["audio"] = str(example / record["audio"])
    (tmp_path / "rated.jsonl").write_text("\n".join(map(json.dumps, rated)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(compile(code.group(1), "docs/rooms/bench.md", "exec"), {})
    rows = capsys.readouterr().out.splitlines()
    assert rows[-1] == "constant given None nan 0.5 2 0"  # 3.0 is 1.5 and 1 points off
    assert len(rows) == 2 * 3


def test_the_claims_in_the_guide_to_captions_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    guide = (DOCS / "rooms" / "caption.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", guide, flags=re.DOTALL)
    assert code is not None
    clip = DOCS.parent / "examples" / "lighthouse" / "clips" / "keeper-apt.opus"
    (tmp_path / "clip.wav").write_bytes(clip.read_bytes())
    monkeypatch.chdir(tmp_path)
    exec(compile(code.group(1), "docs/rooms/caption.md", "exec"), {})
    *units, missed = capsys.readouterr().out.splitlines()
    claims = [line.rpartition(" ")[0] for line in units]
    assert claims == ["sex male False", "pitch low False", "emotion angry True"]
    assert missed == "['slow']"


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        "rooms/answer.md",
        "rooms/answer-build.md",
        "rooms/answer-judge.md",
        "rooms/surabench.md",
        "studio/agreement.md",
    ],
)
def test_what_the_code_in_the_guide_prints_is_what_comes_out(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clips = DOCS.parent / "examples" / "lighthouse" / "clips"
    for name, clip in (("answer.wav", "keeper-flat.opus"), ("clip.wav", "keeper-apt.opus")):
        (tmp_path / name).write_bytes((clips / clip).read_bytes())
    monkeypatch.chdir(tmp_path)
    guide = (DOCS / page).read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", guide, flags=re.DOTALL)
    assert code is not None
    exec(compile(code.group(1), f"docs/{page}", "exec"), {})
    assert capsys.readouterr().out == code.group(2)


def test_the_display_in_the_guide_to_plugins_draws_its_record() -> None:
    guide = (DOCS / "extend" / "plugins.md").read_text(encoding="utf-8").partition("## A display")[2]
    assert '[project.entry-points."aptone.displays"]\nPulse = "my_package:show_pulse"' in guide
    code = re.search(r"```python\n(.*?)```", guide, flags=re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {"__name__": "my_package"}
    exec(compile(code.group(1), "docs/extend/plugins.md", "exec"), names)
    shown = names["show_pulse"](names["Pulse"](72, "<at rest>"), language="en")
    assert '<span class="mark">72</span></p><p class="byline">&lt;at rest&gt;</p></div>' in shown
    assert ".byline {" in shown


def typed(page: str) -> list[str]:
    """The commands of ours that a page tells people to type."""
    blocks = re.findall(r"```console\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ aptone ")]


def test_the_options_in_the_page_on_dual_encoders_exist() -> None:
    from aptone.cli.train.encoders import clap

    page = (DOCS / "train" / "clap.md").read_text(encoding="utf-8")
    known = {option for parameter in clap.params for option in (*parameter.opts, *parameter.secondary_opts)}
    elsewhere = {"--logdir", "--nproc-per-node", "--tokenizer"}  # of TensorBoard, torchrun and the converter
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", page)) <= known | elsewhere
    assert len(typed("train/clap.md")) == 1


def test_every_option_in_the_page_on_training_judges_exists() -> None:
    from aptone.cli.train.group import train

    page = (DOCS / "train" / "training.md").read_text(encoding="utf-8")
    known: set[str] = set()
    for line in [line for line in typed("train/training.md") if line.startswith("aptone train ")]:
        words = shlex.split(line)
        command = train.commands[words[2]]
        own = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        assert {word for word in words if word.startswith("--")} <= own, line
        known |= own
    elsewhere = {"--logdir", "--nproc-per-node", "--config_file", "--engine"}  # of TensorBoard, launchers, and score
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z_-]*", page)) <= known | elsewhere


def test_options_and_configuration_in_the_page_on_the_ablation_exist(tmp_path: Path) -> None:
    from aptone.cli.bench.ablation import ablation
    from recipes.miniature.__main__ import ablation as small
    from recipes.miniature.__main__ import rows

    page = (DOCS / "train" / "ablation.md").read_text(encoding="utf-8")
    known = {option for command in (ablation, small, rows) for parameter in command.params for option in parameter.opts}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", page)) <= known
    assert len(typed("train/ablation.md")) == 1
    pytest.importorskip("peft", reason="the extra train is not installed")
    from aptone.train.ablation.run import read_config

    block = re.search(r"```json\n(.*?)```", page, flags=re.DOTALL)
    assert block is not None
    (tmp_path / "ablation.json").write_text(block.group(1), encoding="utf-8")
    assert read_config(tmp_path / "ablation.json").sft.steps == 2000


def test_the_ranking_in_the_guide_is_what_its_command_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    guide = (DOCS / "use" / "rank.md").read_text(encoding="utf-8")
    told = re.search(r"```console\n\$ aptone rank .*?\.opus\n(.*?)```", guide, flags=re.DOTALL)
    assert told is not None
    monkeypatch.chdir(DOCS.parent)
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit, match="0"):
        main(shlex.split(typed("use/rank.md")[0])[1:])
    printed = [row.split() for row in capsys.readouterr().out.splitlines()]
    plan, ranking = told.group(1).split("\n\n")[:2]
    assert plan.splitlines()[1].split()[:2] == ["Emotion", "fear"]
    assert plan.splitlines()[1].split() in printed
    heads, _, *takes = [row.split() for row in ranking.splitlines()]
    assert heads in printed
    assert [row[1] for row in takes] == ["wall-apt.opus", "wall-wrong.opus", "wall-flat.opus"]
    for rank, take, *figures in takes:
        (row,) = [row for row in printed if row[:2] == [rank, take]]
        assert list(map(float, row[2:])) == pytest.approx(list(map(float, figures)), abs=0.1)


def test_the_claims_in_the_guide_get_the_verdicts_that_it_shows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    guide = (DOCS / "rooms" / "claims.md").read_text(encoding="utf-8")
    code, told = (re.search(rf"```{kind}\n(.*?)```", guide, flags=re.DOTALL) for kind in ("python", "text"))
    assert code is not None
    assert told is not None
    monkeypatch.chdir(DOCS.parent)
    exec(compile(code.group(1), "docs/rooms/claims.md", "exec"), {})
    printed, shown = (
        [row.split(" | ") for row in text.splitlines()] for text in (capsys.readouterr().out, told.group(1))
    )
    assert [row[:2] for row in printed] == [row[:2] for row in shown]
    assert [float(row[2]) for row in printed] == pytest.approx([float(row[2]) for row in shown], abs=0.05)


def test_the_embedder_in_the_guide_finds_the_nearer_description() -> None:
    guide = (DOCS / "extend" / "models.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(import asyncio.*?)```", guide, flags=re.DOTALL)
    assert code is not None
    names: dict[str, float] = {}
    exec(compile(code.group(1), "docs/extend/models.md", "exec"), names)
    assert names["near"] > names["far"]


def test_every_name_in_the_guide_to_models_is_registered() -> None:
    guide = (DOCS / "extend" / "models.md").read_text(encoding="utf-8")
    named = {f"{kind}s": set(re.findall(rf'load_{kind}\("([a-z-]+)"', guide)) for kind in MODEL_KINDS}
    for group, names in named.items():
        assert names <= set(Registry(group, object)), group
    for kind in MODEL_KINDS:
        for name in Registry(f"{kind}s", object):
            assert f"`{name}`" in guide, f"{kind} {name} is not in docs/extend/models.md"


def test_the_reasoning_in_the_guide_to_training_is_what_the_grammar_writes(capsys: pytest.CaptureFixture[str]) -> None:
    guide = (DOCS / "train" / "training.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(.*?write_reasoning.*?)```\n\n```text\n(.*?)```", guide, flags=re.DOTALL)
    assert found is not None
    exec(compile(found.group(1), "docs/train/training.md", "exec"), {})
    assert capsys.readouterr().out == found.group(2)
