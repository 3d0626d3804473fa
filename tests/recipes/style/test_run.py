"""``python -m recipes.style`` from rows and answers to the files of a model, as it is typed and as it is called."""

import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from click.testing import CliRunner
from safetensors.torch import save_file

from aptone.cli.main import exit_code
from aptone.ear.describe import Style
from aptone.errors import MissingExtraError, RecordError, UsageError
from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.rooms.style.embedding.built_in import AUDIO_FILE, EMOTIONS, TEXT_FILE, StyleModel
from recipes.ear.data import SPEECH_SETS
from recipes.style import run as style_run
from recipes.style.__main__ import style as recipe
from recipes.style.examples import Description, read_rows
from recipes.style.network import StyleRecipe
from recipes.style.rows import encode, write_rows
from recipes.style.run import (
    answers_of_folds,
    load_style,
    make_training_data,
    pack_texts,
    row_weights,
    run_style,
)
from tests.recipes.ear.tiny_corpus import write_data
from tests.recipes.style.tiny_styles import make_styles, write_answers, write_table

CPU = torch.device("cpu")
SMALL = StyleRecipe(steps=2, batch_size=8, width=32, layers=1, heads=2, hidden=32)
CLIPS = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips"
Log = Callable[[str], None]


@dataclass(frozen=True)
class World:
    """Rows of 24 training and 8 dev clips, and what four ears say about them."""

    rows: Path
    answers: list[Path]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("style")
    made = make_styles(24) + make_styles(8, split="dev", seed=2)
    write_rows(made, folder / "rows.npz")
    return World(folder / "rows.npz", write_answers(folder, made))


def typed(*arguments: object) -> str:
    """Output of a command; its errors are raised."""
    given = [*map(str, arguments)]
    result = CliRunner().invoke(recipe, given, standalone_mode=False, catch_exceptions=False)
    assert result.exception is None
    return result.stdout


def files(world: World) -> list[object]:
    return ["--rows", world.rows, *(part for path in world.answers for part in ("--answers", path))]


def test_from_rows_to_the_files_of_a_model(world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--steps", 30, "--batch-size", 16, "--device", "cpu", "--workers", 1]
    given = [str(one) for one in ["run", *files(world), *options, "--out", tmp_path / "model"]]
    assert exit_code(recipe, given, name="python -m recipes.style") == 0
    printed = capsys.readouterr()
    lines = printed.err.splitlines()
    weights = tmp_path / "model" / "style.safetensors"
    assert (lines[0], printed.out) == ("48 rows", f"Weights: {weights}\n")
    first, last = (float(line.split()[-1]) for line in lines[1:3])
    assert last < first

    names = [AUDIO_FILE, TEXT_FILE]
    shown = typed("export", "--weights", weights, "--out", tmp_path / "shipped")
    assert shown.splitlines() == [f"Written: {tmp_path / 'shipped' / name}" for name in names]
    model = StyleModel(*((tmp_path / "shipped" / name).read_bytes() for name in names))
    assert model.revision in model.signature


def test_going_on_adds_units_and_keeps_the_places_of_those_that_are_known(
    world: World, tmp_path: Path, log: Log, lines: list[str]
) -> None:
    def run(seed: int, start: Path | None = None) -> Path:
        recipe = StyleRecipe(seed=seed, steps=1, batch_size=8, width=32, layers=1, heads=2, hidden=32)
        return run_style(
            world.rows, world.answers, tmp_path / str(seed), recipe=recipe, start=start, device=CPU, log=log
        )

    first = run(1)
    again = run(2, first)
    (begun, known), (gone_on, more) = load_style(first, SMALL), load_style(again, SMALL)
    assert more[: len(known)] == known
    assert len(more) > len(known)
    assert begun.text.learned.num_embeddings == len(known) + 1
    assert gone_on.text.learned.num_embeddings == len(more) + 1
    assert lines[0] == "48 rows"


def test_without_a_set_its_rows_are_left_out_and_the_file_says_so(
    world: World, tmp_path: Path, lines: list[str]
) -> None:
    weights = tmp_path / "style-without-nemo.safetensors"
    options = ["--without", "nemo", "--steps", 1, "--batch-size", 2, "--device", "cpu", "--workers", 1]
    told = json.loads(typed("run", *files(world), *options, "--out", tmp_path, "--json"))
    assert told == {"weights": str(weights)}
    run_style(world.rows, world.answers, tmp_path, recipe=SMALL, without="ravdess", device=CPU, log=lines.append)
    assert lines[0] == "24 rows"  # every other clip is of that set
    with pytest.raises(UsageError, match=r"rows\.npz: there is no row that the answers know the clip of"):
        run_style(world.rows, [], tmp_path, recipe=SMALL, device=CPU, log=lines.append)


def test_of_each_file_only_those_speakers_count_that_its_ear_never_heard(world: World) -> None:
    rows = read_rows(world.rows)
    answers = answers_of_folds(world.answers, rows)
    assert set(answers) == set(rows.name.tolist())
    truth = {one.name: one.style for one in make_styles(24)}
    for name, style in truth.items():
        # an ear that heard the speaker would have said disgust, as `write_answers` made it
        assert style.emotion is not None
        assert answers[name].emotion_logits.argmax() == EMOTIONS.index(str(style.emotion))


@pytest.mark.parametrize(
    "name", ["all-seed1.npz", "style-fold4-seed1.npz", "style-foldx.npz", "style-fold12-seed1.npz"]
)
def test_a_file_of_no_fold_is_refused(name: str, world: World) -> None:
    with pytest.raises(UsageError, match=r"expected style-foldN…npz of `python -m recipes\.ear run --recipe style-"):
        answers_of_folds([Path(name)], read_rows(world.rows))


@pytest.mark.parametrize("name", ["style-fold0-seed1", "style-fold0-without-nemo-seed2", "style-fold0"])
def test_the_names_of_a_fold_are_known(name: str, world: World, tmp_path: Path) -> None:
    shutil.copy(world.answers[0], tmp_path / f"{name}.npz")
    assert answers_of_folds([tmp_path / f"{name}.npz"], read_rows(world.rows))


def test_descriptions_are_packed_by_the_places_of_their_units_known_ones_first() -> None:
    units = load_static_vectors()
    nothing = encode(Style())
    said = [Description("calm man", "en", nothing, frozenset()), Description("calm", "en", nothing, frozenset(["sex"]))]
    calm, man = units.units("calm man")
    packed, table = pack_texts(said, known=[man, 7])
    assert table[:2] == [man, 7]
    assert [table[place] for place in packed.units] == [calm, man, calm]
    assert packed.starts.tolist() == [0, 2, 3]
    assert packed.denied.sum(axis=1).tolist() == [0, 1]


def test_lessons_are_the_same_however_many_processes_write_them(world: World) -> None:
    rows = read_rows(world.rows).take(np.arange(4))
    (alone, units), (together, same) = (make_training_data(rows, workers=workers) for workers in (1, 2))
    assert units == same
    for field in alone.texts._fields:
        assert np.array_equal(getattr(alone.texts, field), getattr(together.texts, field))
    # six true descriptions of a row, each with its twin
    assert alone.first.tolist() == [0, 12, 24, 36, 48]
    assert alone.table.shape == (len(units), load_static_vectors().size)


def test_sets_are_drawn_by_their_shares_and_whispers_more_often(world: World) -> None:
    rows = read_rows(world.rows).take(np.arange(6))
    sets = [name.partition("/")[0] for name in rows.name.tolist()]
    assert sets == ["ravdess"] * 2 + ["nemo"] * 2 + ["ravdess"] * 2
    variant = np.array(["plain", "moved", "plain", "whispered", "plain", "moved"])
    rows = replace(rows, variant=variant, name=np.array([*rows.name[:4], "own/a.wav", "own/b.wav"]))
    # RAVDESS 0.35, nEMO 0.3, a set of one's own as often as the last, 0.15; two rows of each
    assert row_weights(rows) == pytest.approx([0.175, 0.175, 0.15, 0.15 * 1.5, 0.075, 0.075])


@pytest.mark.parametrize("content", [b"", b"{}", None])
def test_weights_of_something_else_are_named(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "other.safetensors"
    if content is None:
        save_file({"a": torch.zeros(1)}, path)
    else:
        path.write_bytes(content)
    with pytest.raises(RecordError, match=r"other\.safetensors: no weights of `python -m recipes.style run`"):
        load_style(path, SMALL)


def test_rows_are_made_of_labelled_clips(tmp_path: Path) -> None:
    data, out = tmp_path / "data", tmp_path / "rows.npz"
    write_data(data)
    for name in SPEECH_SETS:  # the buzzing voices of the tiny corpus are no speech: one clip of a voice will do
        write_table(data / name, [])
    row = {"file": "a.opus", "speaker": "nemoEB0", "sex": "female", "emotion": "angry", "split": "train"}
    write_table(data / "nemo", [row])
    shutil.copy(CLIPS / "anybody-apt.opus", data / "nemo" / "a.opus")
    told = json.loads(typed("rows", "--data", data, "--workers", 1, "--out", out, "--json"))
    rows = read_rows(out)
    assert told == {"rows": len(rows), "file": str(out)}
    assert rows.variant.tolist()[:3] == ["plain", "moved", "moved"]
    assert set(rows.name.tolist()) == {"nemo/a.opus"}
    assert np.isfinite(rows.numbers).all()


def test_the_files_that_were_written_are_given_as_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def finish(*given: Any, **named: Any) -> list[Path]:
        asked.extend([*given, named["about"]])
        return [Path("a.onnx")]

    monkeypatch.setattr(style_run, "finish_style", finish)
    weights = tmp_path / "style.safetensors"
    weights.touch()
    shown = typed("export", "--weights", weights, "--out", tmp_path / "out", "--json")
    assert json.loads(shown) == {"files": ["a.onnx"]}
    assert asked == [weights, tmp_path / "out", {"ear": "full"}]


def test_what_was_made_is_said_in_words_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_styles(2)
    asked: dict[str, Any] = {}

    def rows(data: Path, music: Path | None, *, workers: int) -> Any:
        asked.update(data=data, music=music, workers=workers)
        return made

    monkeypatch.setattr("recipes.style.rows.make_rows", rows)
    assert typed("rows", "--data", tmp_path, "--out", tmp_path / "rows.npz") == f"4 rows: {tmp_path / 'rows.npz'}\n"
    assert asked == {"data": tmp_path, "music": None, "workers": 2}


def test_where_torch_is_missing_the_extra_is_named(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = ("recipes.style.network", "recipes.style.run", "recipes.style.train", "aptone.train.distributed")
    for name in [name for name in sys.modules if name in loaded]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r'pip install .*\[train\]"'):
        typed("run", *files(world), "--out", tmp_path)
