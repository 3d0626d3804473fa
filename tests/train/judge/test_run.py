"""From rated lines, shards or a teacher's captions to a judge that the local engine runs, by the command line."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("peft", reason="training judges needs torch, transformers and peft: pip install 'aptone[train]'")

from click.testing import CliRunner

import aptone as package
from aptone.audio import write
from aptone.cli.main import aptone
from aptone.cli.options.training import read_config
from aptone.ear.describe import Style
from aptone.errors import RecordError, UnusableReplyError, UsageError
from aptone.judge.chat.conversation import PLACES, Conversation
from aptone.models import About
from aptone.rooms.style.build.captions import Captioned
from aptone.run import Budget, RunConfig
from aptone.run.sources.shards import read_shards
from aptone.train.judge.dataset import index_examples, write_examples
from aptone.train.judge.distil import caption_clips
from aptone.train.judge.example import Example
from aptone.train.judge.model import AdapterConfig, load_judge
from aptone.train.judge.run import filter_audible
from aptone.train.model_cards import judge_card
from aptone.types import Audio, AudioRef, State
from tests.models.local_models import save_omni
from tests.train.judge.tiny_judges import example, recording, save_base, save_shards

TINY = (
    "--batch-size",
    2,
    "--micro-batch-size",
    1,
    "--steps",
    2,
    "--lora-rank",
    4,
    "--lora-alpha",
    8,
    "--device",
    "cpu",
    "--num-workers",
    1,
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A base that writes scores, prompts so short that it is quick, and two rated lines."""
    folder = tmp_path_factory.mktemp("world")
    (folder / "base").mkdir()
    save_omni(folder / "base", gated=False, scores=True)
    (folder / "prompts").mkdir()
    for name, places in PLACES.items():
        for language in ("en", "zh"):
            text = " ".join(f"{{{{{place}}}}}" for place in places) or "<score></score>"
            (folder / "prompts" / f"{name}.{language}.txt").write_text(text)
    lines = []
    for number in range(3):
        (folder / f"{number}.flac").write_bytes(recording(number))
        record = {"id": str(number), "audio": f"{number}.flac", "line": "Go.", "plan": {"emotion": "joy"}}
        lines.append(json.dumps({**record, "human_score": number}))
    (folder / "rated.jsonl").write_text("\n".join(lines))
    return folder


def typed(*given: object) -> Any:
    words = ["train", *(str(one) for one in given)]
    result = CliRunner().invoke(aptone, words, standalone_mode=False, catch_exceptions=False)
    assert result.return_value == 0
    return json.loads(result.stdout)


def test_from_rated_lines_to_a_judge_that_scores(world: Path, tmp_path: Path) -> None:
    asked = ("sft", world / "rated.jsonl", "--base", world / "base", "--prompts", world / "prompts", *TINY)
    made = typed(*asked, "-o", tmp_path / "judge", "--json")
    assert (made["examples"], made["steps"]) == (3, 2)
    assert made["metrics"]["loss"] > 0
    settings = {"judge.model": str(tmp_path / "judge"), "judge.prompts": str(world / "prompts"), "judge.device": "cpu"}
    outcome = package.score(
        world / "0.flac",
        line="Go.",
        plan={"emotion": "joy"},
        engine="local",
        planner="by-hand",
        settings={**settings, "judge.reasoning": False, "judge.gated": True},
    )
    assert outcome.state is State.DONE  # <score>d.5</score>, as its base was made to write
    card = (tmp_path / "judge" / "README.md").read_text(encoding="utf-8")
    assert "- Trained on: 3 examples" in card
    assert r"| lora\_rank | 4 |" in card
    assert r"| bias\_form | release |" in card
    assert "nobody knows yet how good it is" in card
    (events,) = (tmp_path / "judge" / "sft").iterdir()  # for TensorBoard
    assert b"loss" in events.read_bytes()
    # asked again, it has nothing left to do; with other settings it is another training, unless that is meant
    assert typed(*asked, "-o", tmp_path / "judge", "--json") == made
    with pytest.raises(UsageError, match="other settings or data"):
        typed(*asked, "--lr", 1e-4, "-o", tmp_path / "judge", "--json")
    assert typed(*asked, "--lr", 1e-4, "--restart", "-o", tmp_path / "judge", "--json")["steps"] == 2


def test_a_base_is_not_written_over(world: Path, tmp_path: Path) -> None:
    shutil.copytree(world / "base", tmp_path / "base")
    before = {path.name: path.read_bytes() for path in (tmp_path / "base").iterdir()}
    save_shards(tmp_path / "shards", 2)
    given = ("sft", tmp_path / "shards", "--base", tmp_path / "base", *TINY, "-o", tmp_path / "shards" / ".." / "base")
    with pytest.raises(UsageError, match="is the base itself"):
        typed(*given, "--json")
    assert {path.name: path.read_bytes() for path in (tmp_path / "base").iterdir()} == before


def test_shards_of_other_lines_or_questions_are_not_learned_from(world: Path, tmp_path: Path) -> None:
    lines = (world / "rated.jsonl").read_text().replace('"audio": "', f'"audio": "{world}/')
    (tmp_path / "rated.jsonl").write_text(lines)
    asked = ("sft", tmp_path / "rated.jsonl", "--prompts", world / "prompts", "--shards-only", "--json")
    made = typed(*asked, "-o", tmp_path / "judge")
    assert typed(*asked, "-o", tmp_path / "judge") == made
    with pytest.raises(UsageError, match=r"judge.shards: holds examples of other lines, or of other prompts"):
        typed(*asked, "--show", "context", "-o", tmp_path / "judge")
    (tmp_path / "rated.jsonl").write_text(lines.replace('"human_score": 2', '"human_score": 3'))
    with pytest.raises(UsageError, match="remove it, or name another folder"):
        typed(*asked, "-o", tmp_path / "judge")


def test_from_shards_with_dev_and_a_file_of_options(world: Path, tmp_path: Path) -> None:
    save_shards(tmp_path / "shards", 3)
    options = 'batch_size = 3\nmicro_batch_size = 3\nepochs = 1.0\nlora_rank = 2\ntracker = ["none"]\n'
    (tmp_path / "options.toml").write_text(f"{options}no-such = 1")
    given = ["sft", tmp_path / "shards", "--base", world / "base", "--config", tmp_path / "options.toml"]
    given += [
        "--eval-data",
        tmp_path / "shards",
        "--device",
        "cpu",
        "--no-bias",
        "--no-merge",
        "-o",
        tmp_path / "judge",
    ]
    with pytest.raises(UsageError, match="unknown option 'no-such'"):
        typed(*given, "--json")
    (tmp_path / "options.toml").write_text(options)
    made = typed(*given, "--kind", "score", "--batch-size", 1, "--json")
    assert (made["examples"], made["steps"]) == (3, 3)  # what is typed counts more
    assert made["eval_metrics"]["loss"] > 0
    assert {path.name for path in (tmp_path / "judge").iterdir()} == {"README.md", "adapter", "checkpoint.safetensors"}
    config = json.loads((tmp_path / "judge" / "adapter" / "adapter_config.json").read_text())
    assert config["r"] == 2
    result = CliRunner().invoke(aptone, [str(one) for one in ["train", *given, "--kind", "score", "--batch-size", 1]])
    assert result.stdout.splitlines()[-1] == f"Model: {tmp_path / 'judge'}"


def test_clips_that_the_model_cannot_hear_are_left_out_before_it_learns(world: Path, tmp_path: Path) -> None:
    long = Example("long", AudioRef(str(tmp_path / "long.wav")), Conversation("", "?"), "<score>1.0</score>")
    write(tmp_path / "long.wav", Audio(np.zeros(5 * 16_000, np.float32), rate=16_000))  # it hears 4 s
    write_examples(tmp_path / "shards", [example(0), long, example(1)])
    judge, told = load_judge(str(world / "base"), AdapterConfig(lora_rank=4)), list[str]()
    index = index_examples(tmp_path / "shards")
    left = filter_audible(index, judge, told.append)
    assert [left.read(number).id for number in range(len(left))] == ["line-0-reasoned", "line-1-reasoned"]
    assert told == ["1 examples are left out: the model hears clips of 0.05 to 4 s."]
    assert filter_audible(index.take([0]), judge, told.append).identity == index.take([0]).identity
    with pytest.raises(RecordError, match=r"no clip lasts 0\.05 to 4 s"):
        filter_audible(index.take([1]), judge, told.append)


class Teacher:
    """Says how long a clip is, and nothing about the shortest ones."""

    signature = "teacher"
    about = About()

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def caption(self, audio: Any, *, language: str, call: Any) -> Captioned:
        self.asked.append(language)
        if audio.seconds == 0.5:
            raise UnusableReplyError("nothing to say", raw_reply="")
        return Captioned(f"{audio.seconds:.2f} s {'低' if language == 'zh' else 'low'}", Style())


def test_a_teacher_captions_every_clip_once_and_a_student_learns_that(tmp_path: Path) -> None:
    save_shards(tmp_path / "clips", 6, per_shard=2)
    config = RunConfig(verb="train distil", engine="test", version="0")
    teacher = Teacher()
    made = caption_clips(tmp_path / "clips", tmp_path / "out", teacher, languages=("en", "zh"), config=config)
    assert (made.clips, made.left_out, made.stopped) == (4, 2, "")  # 0.5 s: numbers 0 and 3
    captions = [caption for sample in read_shards(made.shards) for caption in sample.captions]
    assert {caption.text for caption in captions} == {"0.55 s low", "0.55 s 低", "0.60 s low", "0.60 s 低"}
    count = len(teacher.asked)
    assert caption_clips(tmp_path / "clips", tmp_path / "out", teacher, languages=("en", "zh"), config=config) == made
    assert len(teacher.asked) == count
    base = save_base(tmp_path / "base")
    given = ("distil", made.shards, "--base", base, "--tracker", "none", *TINY)
    learned = typed(*given, "--language", "zh", "-o", tmp_path / "out", "--json")
    assert (learned["examples"], learned["steps"]) == (4, 2)
    assert "- caption: 4" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    # a student is a plain Qwen2.5-Omni: neither gates nor tokens of a judge
    assert "<score>" not in json.loads((tmp_path / "out" / "tokenizer.json").read_text())["model"]["vocab"]


def test_the_ear_teaches_by_the_command_line(tmp_path: Path) -> None:
    save_shards(tmp_path / "clips", 2)
    given = ("distil", tmp_path / "clips", "--teacher", "ear", "--captions-only", "-o", tmp_path / "out", "--json")
    assert typed(*given) == {"shards": str(tmp_path / "out" / "captions"), "clips": 2, "left_out": 0, "stopped": ""}


def test_what_a_teacher_has_made_is_said_in_words_too(tmp_path: Path) -> None:
    save_shards(tmp_path / "clips", 2)
    given = ["train", "distil", tmp_path / "clips", "--teacher", "ear", "--captions-only", "-o", tmp_path / "out"]
    result = CliRunner().invoke(aptone, [str(one) for one in given])
    assert result.stdout.splitlines() == [f"2 clips captioned, 0 left out: {tmp_path / 'out' / 'captions'}"]
    with pytest.raises(UsageError, match="expected an option of the teacher"):
        typed(*given[1:], "--set", "judge.model=x")
    config = RunConfig(verb="train distil", engine="test", version="0")
    with pytest.raises(UsageError, match="captions are in a language"):
        caption_clips(tmp_path / "clips", tmp_path / "other", Teacher(), languages=(), config=config)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="no shard"):
        caption_clips(tmp_path / "empty", tmp_path / "other", Teacher(), config=config)
    stopped = caption_clips(
        tmp_path / "clips", tmp_path / "other", Teacher(), config=config, budget=Budget(max_items=1)
    )
    assert stopped.stopped
    assert not stopped.shards.exists()


def test_work_of_one_process_is_not_done_by_several(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(UsageError, match=r"by one process; put the lines into shards first: --shards-only"):
        typed("sft", world / "rated.jsonl", "-o", tmp_path)
    save_shards(tmp_path / "clips", 1)
    with pytest.raises(UsageError, match=r"by one process; let the teacher caption first: --captions-only"):
        typed("distil", tmp_path / "clips", "--teacher", "ear", "-o", tmp_path)
    monkeypatch.delenv("WORLD_SIZE")
    made = typed(
        "sft", world / "rated.jsonl", "--prompts", world / "prompts", "--shards-only", "-o", tmp_path, "--json"
    )
    assert made == {"shards": str(tmp_path / "shards"), "clips": 3}
    with pytest.raises(UsageError, match="--steps and --epochs say the same"):
        typed("sft", tmp_path / "shards", "--steps", 1, "--epochs", 1, "-o", tmp_path)


@pytest.mark.parametrize("text", ["batch = ", "[1, 2]"])
def test_a_file_that_holds_no_options_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / ("options.json" if text.startswith("[") else "options.toml")
    path.write_text(text)
    with pytest.raises(UsageError, match=r"options\.\w+: (cannot be read as options|expected an object)"):
        read_config(path)


def test_names_in_a_card_cannot_mark_up_the_page() -> None:
    about: dict[str, Any] = {
        "stage": "sft",
        "base": "<script>",
        "data": {"folder": "a|b\n# c", "examples": 1, "hours": 0.5, "kinds": {"score": 1}},
        "adapter": {},
        "config": {},
        "processes": 1,
        "evaluations": [],
    }
    card = judge_card(about)
    assert "<script>" not in card
    assert "\n# c" not in card
    assert "It was not trained." in card
