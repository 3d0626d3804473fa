"""``aptone train cser``, from rated recordings to the scores of a dialogue."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

from aptone.audio import probe
from aptone.stats.steps import step_count
from tests.tables import for_each

Aptone = Callable[..., Any]
CLIPS = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips"
NAMES = ("keeper-apt", "keeper-flat", "sleep-apt", "wall-apt")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Four clips with ratings that rise second by second: two to learn from, one for dev, one for test."""
    records = []
    for name, part in zip(NAMES, ("train", "train", "dev", "test"), strict=True):
        clip = CLIPS / f"{name}.opus"
        steps = step_count(probe(clip).seconds, 1.0)
        rows = [f"{0.1 * step},{-0.1 * step},{0.05 * step}\n" for step in range(steps)]
        (tmp_path / f"{name}.csv").write_text("valence,arousal,dominance\n" + "".join(rows), encoding="utf-8")
        records.append({"audio": str(clip), "ratings": f"{name}.csv", "part": part})
    manifest = tmp_path / "talks.jsonl"
    manifest.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return manifest


def test_a_model_is_trained_resumed_and_scores_dialogues(aptone: Aptone, corpus: Path, tmp_path: Path) -> None:
    small = ("--hidden-size", 4, "--epochs", 2, "--device", "cpu", "--cache", tmp_path / "features")
    trained = aptone("train", "cser", corpus, "-o", tmp_path / "cser", *small, "--json")
    assert trained.code == 0
    assert trained.json["epochs"] == 2
    assert set(trained.json["concordance"]) == {"dev", "test"}
    assert "epoch 2: loss" in trained.err
    kept = sorted((tmp_path / "features").glob("*.npy"))
    assert len(kept) == 4
    times = [path.stat().st_mtime_ns for path in kept]
    again = aptone("train", "cser", corpus, "-o", tmp_path / "cser", *small)
    assert "Concordance on test: valence" in again.out
    told = aptone("train", "cser", corpus, "-o", tmp_path / "cser", *small, "--lang", "zh")
    assert "test 部分的一致性相关：效价" in told.out
    assert "epoch" not in again.err
    anew = aptone("train", "cser", corpus, "-o", tmp_path / "other", *small, "--lang", "zh")
    assert "第 2 轮：损失" in anew.err
    assert "epoch" not in anew.err
    assert [path.stat().st_mtime_ns for path in kept] == times

    talk = tmp_path / "talk.jsonl"
    turns = [{"audio": str(CLIPS / f"{name}.opus")} for name in NAMES[:2]]
    talk.write_text(json.dumps({"id": "d", "turns": turns}), encoding="utf-8")
    by_ear = aptone("dialogue", talk, "-o", "by-ear", "--json")
    by_model = aptone("dialogue", talk, "-o", "by-model", "--trajectory-model", tmp_path / "cser", "--json")
    assert by_model.code == 0
    ear, model = (shown.json["items"][0]["scores"]["ECS"] for shown in (by_ear, by_model))
    assert model["value"] <= 1
    assert model["value"] != ear["value"]
    assert "cser" in model["signature"]
    other = aptone("dialogue", talk, "-o", "other", "--trajectory-model", tmp_path / "cser", "--step", "0.5")
    assert other.code == 2
    assert "trained with a point every 1 s" in other.err
    five = [{"audio": str(CLIPS / f"{name}.opus")} for name in (*NAMES, "wall-flat")]
    talk.write_text(json.dumps({"id": "d", "turns": five}), encoding="utf-8")
    found = aptone(
        "build", "emo-thresholds", talk, "-o", "constants.json", "--trajectory-model", tmp_path / "cser", "--json"
    )
    assert found.json["turns"] == 5


def test_a_model_for_other_features_is_refused(aptone: Aptone, corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cser"
    small = ("--hidden-size", 2, "--epochs", 1, "--device", "cpu", "--cache", tmp_path / "features")
    chosen = aptone("train", "cser", corpus, "-o", folder, *small, "--set", "features.ear=permissive")
    assert chosen.code == 0
    about = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    assert about["front_end"] == {"kind": "ear", "ear": "permissive"}
    assert about["licence"] == "ear: permissive (Apache-2.0)"
    about["front_end_signature"] = "another"
    (folder / "model.json").write_text(json.dumps(about), encoding="utf-8")
    refused = aptone("dialogue", corpus, "-o", "run", "--trajectory-model", folder)
    assert refused.code == 2
    assert "trained with other features" in refused.err


@for_each(
    ("options", "problem"),
    [
        (("--set", "ear=full"), "expected features.OPTION=VALUE"),
        (("--set", "features.voice=x"), "no option 'voice'"),
        (("--set", "features.ear=third"), "no ear 'third'"),
    ],
)
def test_options_that_are_none_are_refused(
    options: tuple[str, ...], problem: str, aptone: Aptone, corpus: Path
) -> None:
    shown = aptone("train", "cser", corpus, "-o", "cser", *options)
    assert shown.code == 2
    assert problem in shown.err


def test_ratings_of_another_length_are_refused(aptone: Aptone, corpus: Path) -> None:
    path = corpus.parent / "sleep-apt.csv"
    path.write_text(path.read_text(encoding="utf-8") + "0,0,0\n" * 2, encoding="utf-8")
    shown = aptone("train", "cser", corpus, "-o", "cser", "--cache", "features")
    assert shown.code == 2
    assert "do they belong together?" in shown.err


def test_a_corpus_without_a_dev_part_is_refused(aptone: Aptone, corpus: Path) -> None:
    corpus.write_text(corpus.read_text(encoding="utf-8").replace('"dev"', '"test"'), encoding="utf-8")
    shown = aptone("train", "cser", corpus, "-o", "cser", "--cache", "features")
    assert shown.code == 2
    assert "no recording belongs to the part dev" in shown.err
