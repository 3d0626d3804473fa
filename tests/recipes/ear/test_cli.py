import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import soundfile
import torch
from click.testing import CliRunner

import aptone.ear
from aptone.ear.labelled_clips import LabelledClip
from aptone.ear.network.inference import Network
from aptone.errors import MissingExtraError, UsageError
from aptone.types import Audio, Estimate, Score
from recipes.answer_style.__main__ import answer_style
from recipes.ear import calibrate as ear_calibrate
from recipes.ear import naturalness as ear_naturalness
from recipes.ear import pack as ear_pack
from recipes.ear import prosody as ear_prosody
from recipes.ear import synthetic_clips
from recipes.ear.__main__ import ear as recipe
from recipes.ear.data import PERMISSIVE_SETS
from recipes.ear.pack import FAR, NEAR, Span
from recipes.judge.__main__ import judge
from recipes.miniature.__main__ import miniature
from recipes.style.__main__ import style
from recipes.text_embedder.__main__ import text_embedder
from tests.recipes.ear.tiny_corpus import buzz, campplus, write_data


def typed(*arguments: object) -> str:
    """Output of a command; its errors are raised."""
    result = CliRunner().invoke(
        recipe, [str(argument) for argument in arguments], standalone_mode=False, catch_exceptions=False
    )
    assert result.exception is None
    return result.stdout


def typed_json(*arguments: object) -> Any:
    return json.loads(typed(*arguments, "--json"))


def leaves(command: click.Command) -> Iterator[click.Command]:
    if not isinstance(command, click.Group):
        yield command
        return
    for inner in command.commands.values():
        yield from leaves(inner)


def test_from_clips_to_an_ear_that_listens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # 160 rooms take a minute: two are enough here
    monkeypatch.setattr(ear_pack, "prepare", partial(ear_pack.prepare, far=_few(FAR), near=_few(NEAR)))
    data, pack, start, runs = (tmp_path / name for name in ("data", "pack", "start.safetensors", "runs"))
    write_data(data)
    torch.save(campplus(), tmp_path / "campplus.pt")
    (tmp_path / "music").mkdir()
    soundfile.write(tmp_path / "music" / "tune.wav", buzz(2.0, hertz=330.0, seed=1), 16_000)

    made = typed_json("prepare", "--data", data, "--music", tmp_path / "music", "--out", pack)
    # RAVDESS 4 × 5, the others 4 × 3, three readers, two machines, 6 sounds and 4 bursts
    assert (made["clips"], made["music"], made["far_rooms"]) == (20 + 3 * 12 + 3 + 2 + 6 + 4, 1, 1)
    assert typed_json("start", "--campplus", tmp_path / "campplus.pt", "--out", start)["numbers"] > 3e6
    small = ["--rows", 8, "--steps", 3, "--batch-size", 2, "--trunk-lr-ratio", 0, "--device", "cpu"]
    both = ["--recipe", "all", "--recipe", "train-only"]
    shown = typed("run", "--pack", pack, "--start", start, *both, "--out", runs, *small)
    assert shown == "".join(f"Weights: {runs / name}.safetensors\n" for name in ("all-seed1", "train-only-seed1"))
    assert json.loads((runs / "all-seed1.json").read_text(encoding="utf-8"))["recipe"]["steps"] == 3
    weights = runs / "all-seed1.safetensors"
    ear = typed_json("export", "--run", weights, "--start", start, "--name", "full", "--out", tmp_path / "ear")
    assert (ear["ear"], ear["licence"], len(ear["files"])) == ("full", "CC-BY-NC-SA-4.0", 2)
    given = ["--run", weights, "--start", start, "--pack", pack, "--answers", runs / "train-only-seed1.npz"]
    monkeypatch.setattr(ear_calibrate, "calibrate", partial(ear_calibrate.calibrate, rows=6))
    found = typed_json("calibrate", "--ear", tmp_path / "ear" / "full.onnx", *given, "--device", "cpu")
    meaning = Network(tmp_path / "ear", "full").meaning
    assert (meaning.temperatures, meaning.revision) == (found["temperatures"], found["revision"])
    assert found["revision"] != ear["revision"]
    heard = Network(tmp_path / "ear", "full").listen(np.zeros(8000, dtype=np.float32), np.ones(24, dtype=np.bool_))
    assert bool(np.isfinite(heard.emotion).all())


def _few(kind: ear_pack.RoomKind) -> ear_pack.RoomKind:
    return ear_pack.RoomKind(1, kind.length, kind.width, kind.height, Span(0.3, 0.35), kind.distance)


def test_every_recipe_takes_json_and_speaks_english_only() -> None:
    recipes = [recipe, style, text_embedder, answer_style, judge, miniature]
    for command in (inner for one in recipes for inner in leaves(one)):
        options = {option for parameter in command.params for option in parameter.opts}
        assert "--json" in options, command.name
        assert "--lang" not in options, command.name


def test_an_unknown_recipe_is_refused_before_anything_is_loaded(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no recipe 'everything'"):
        typed("run", "--pack", tmp_path, "--start", "x", "--recipe", "everything", "--out", tmp_path / "out")


@pytest.mark.parametrize(
    "stage", [["start", "--campplus", "a.pt"], ["export", "--run", "a", "--start", "b", "--name", "full"]]
)
def test_where_torch_is_missing_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, stage: list[str]) -> None:
    loaded = ("recipes.ear.export", "recipes.ear.initial_weights", "recipes.ear.network")
    for name in [name for name in sys.modules if name in loaded]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("torch", "onnx", "safetensors"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[train\]"):
        typed(*stage, "--out", "out")


def test_another_missing_module_is_a_fault_of_ours_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "recipes.ear.initial_weights", raising=False)
    monkeypatch.setitem(sys.modules, "recipes.ear.network", None)
    with pytest.raises(ModuleNotFoundError, match=r"recipes\.ear\.network"):
        typed("start", "--campplus", "a.pt", "--out", "out")


def test_naturalness_is_fitted_on_what_the_ear_may_hear_and_put_into_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(Path(aptone.ear.__file__).parent / "weights", tmp_path / "ear")
    asked: dict[str, Any] = {}

    def fitted(data: Path, folder: Path, hear: ear_naturalness.Hear, *, sets: Sequence[str]) -> ear_naturalness.Fitted:
        hidden = hear(Audio(buzz(1.0, hertz=120.0, seed=1).astype(np.float32), rate=16_000))
        asked.update(folder=folder, sets=sets, size=hidden.size)
        head = ear_naturalness.NaturalnessHead(np.zeros(hidden.size), np.ones(hidden.size), 1.5)
        told = Estimate(0.5)
        report = ear_naturalness.Report(3, 0, told, told, 0.1, {}, {}, 1.0, 1.0, told)
        return ear_naturalness.Fitted(head, 1.0, {"test": report}, {"test": told})

    monkeypatch.setattr(ear_naturalness, "main", fitted)
    exported, made = tmp_path / "ear" / "permissive.onnx", tmp_path / "made"
    shown = typed_json("naturalness", "--ear", exported, "--data", tmp_path, "--made", made)
    assert (asked["folder"], asked["sets"]) == (made, PERMISSIVE_SETS)
    meaning = Network(tmp_path / "ear", "permissive").meaning
    assert meaning.naturalness == (*[0.0] * (asked["size"] - len(ear_naturalness.MEASURES)), 1.5)
    assert meaning.natural_measures == dict.fromkeys(ear_naturalness.MEASURES, (1.0, 0.0))
    assert (shown["revision"], shown["correlation"], shown["clips"]) == (meaning.revision, 0.5, 3)


def test_prosody_is_fitted_without_test_clips_and_put_into_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(Path(aptone.ear.__file__).parent / "weights", tmp_path / "ear")
    asked: dict[str, Any] = {}

    def measured(data: Path, cache: Path, *, sets: Sequence[str], log: object) -> list[ear_prosody.Measured]:
        asked.update(cache=cache, sets=sets)
        measures = {name: Score(float(number)) for number, name in enumerate(ear_prosody.MEASURES)}
        about = [LabelledClip(Path("a"), "s", "", "", "", "sad", "", "", split) for split in ("train", "dev", "test")]
        return [ear_prosody.Measured("emodb", one, measures) for one in about]

    monkeypatch.setattr(ear_prosody, "measured_clips", measured)
    given = ["--ear", tmp_path / "ear" / "permissive.onnx", "--data", tmp_path, "--cache", tmp_path / "cache"]
    shown = typed_json("prosody", *given)
    assert (asked["cache"], asked["sets"]) == (tmp_path / "cache", PERMISSIVE_SETS)
    meaning = Network(tmp_path / "ear", "permissive").meaning
    assert (shown["revision"], shown["clips"]) == (meaning.revision, 2)
    assert set(meaning.prosody) == {*ear_prosody.MEASURES, "bias"}
    assert typed("prosody", *given).startswith("Fitted to 2 clips of emodb, csemotions.\nRevision ")


def test_the_synthetic_set_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthetic_clips, "make_synthetic", lambda out: 440)
    assert typed_json("synthetic", "--out", tmp_path) == {"folder": str(tmp_path), "clips": 440}
    assert typed("synthetic", "--out", tmp_path) == f"440 clips: {tmp_path}\n"
