"""``aptone build s3bench`` and ``aptone build style-corpus`` as they are typed."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.rooms.style.voices import ToneEmbedder, write_tone
from tests.tables import for_each

Aptone = Callable[..., Any]

SMALL = (
    *("--seed-count", 4, "--clusters", 3, "--descriptions", 10, "--pairs", 10),
    *("--bins", 5, "--clips-per-description", 4),
)
FEELINGS = ("angry", "sad", "happy", "calm", "bored")


@pytest.fixture(autouse=True)
def tones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aptone.cli.options.style.load_style_embedder", lambda name, **options: ToneEmbedder())


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    rows = []
    for number in range(10):
        write_tone(tmp_path / "corpus" / f"{number}.wav", 100.0 * 2 ** (number / 3), seconds=0.2)
        rows.append({"audio": f"{number}.wav", "description": f"A {FEELINGS[number % 5]} man speaks slowly."})
    (tmp_path / "corpus" / "pairs.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return tmp_path / "corpus"


def test_a_benchmark_is_built_stopped_resumed_rated_and_run(aptone: Aptone, corpus: Path) -> None:
    typed = ("build", "s3bench", corpus, "-o", "s3", "--language", "en", *SMALL)
    stopped = aptone(*typed, "--max-items", 0)
    assert stopped.code == 3
    assert "type the same command" in stopped.out
    built = aptone(*typed)
    assert built.code == 0
    assert "Descriptions: en 10" in built.out
    assert "10 pairs in s3" in built.out
    answers = [
        {"pair": f"pair-{number:04}", "rater": f"r{rater}", "score": (number + rater // 4) % 6}
        for number in range(1, 11)
        for rater in range(5)
    ]
    Path("answers.jsonl").write_text("\n".join(map(json.dumps, answers)), encoding="utf-8")
    taken = aptone("build", "s3bench", "-o", "s3", "--ratings", "answers.jsonl", "--lang", "zh")
    assert taken.code == 0
    assert "5 位评分者对 10 对的 50 个评分" in taken.out
    assert "评分者间一致性" in taken.out
    counted = aptone("build", "s3bench", "-o", "s3", "--ratings", "answers.jsonl", "--json").json
    assert (counted["raters"], counted["short"]) == (5, 0)
    bench = aptone("bench", "s3bench", "s3", "--repeats", 5, "--json")
    assert bench.json["result"]["rated"] == 10


@for_each(
    ("options", "problem"),
    [
        ((), "from which corpus"),
        (("corpus", "--language", "zh"), "no description is in zh"),
        (("corpus", "--set", "ear.x=1"), "an option of the writer"),
        (("corpus", "--set", "writer.model=x"), "have no option 'model'"),
        (("corpus", "--text-embedder", "parrot"), "parrot"),
        (("--ratings", "answers.jsonl"), "no benchmark is in it"),
    ],
)
def test_what_cannot_be_built_is_said(options: tuple[object, ...], problem: str, aptone: Aptone, corpus: Path) -> None:
    shown = aptone("build", "s3bench", "-o", "s3", *options)
    assert shown.code == 2
    assert problem in shown.err


@pytest.mark.slow
def test_a_corpus_is_built_stopped_and_resumed(aptone: Aptone) -> None:
    clips = Path(__file__).resolve().parents[2] / "examples" / "lighthouse" / "clips"
    Path("talk").mkdir()
    for name in ("wall-apt.opus", "wall-zh-apt.opus"):
        shutil.copy(clips / name, Path("talk") / name)
    typed = ("build", "style-corpus", "talk", "-o", "corpus", "--ear", "permissive", "--format", "ogg")
    stopped = aptone(*typed, "--max-items", 1)
    assert stopped.code == 3
    assert not Path("corpus/shards").exists()
    built = aptone(*typed, "--lang", "zh")
    assert built.code == 0
    assert "corpus/shards 中共有 2 段音频" in built.out
    again = aptone(*typed, "--json")
    assert again.json["clips"] == 2
    assert again.json["yields"]["segments"]["recordings"] == 2


@for_each(
    ("options", "problem"),
    [
        (("--speakers", "tags"), "name one with --transcriber"),
        (("--set", "ear.x=1"), "the captioner or the rewriter"),
        (("--caption", "api"), "captioner"),
        (("--shortest", 9, "--longest", 3), "segments last from"),
    ],
)
def test_a_corpus_that_cannot_be_made_is_refused(options: tuple[object, ...], problem: str, aptone: Aptone) -> None:
    write_tone(Path("talk/a.wav"), 100.0)
    shown = aptone("build", "style-corpus", "talk", "-o", "corpus", *options)
    assert shown.code == 2
    assert problem in shown.err
    assert not Path("corpus").exists()
