import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

import copy
import json
from dataclasses import asdict
from pathlib import Path
from typing import Protocol

import numpy as np
import onnxruntime
import torch
from safetensors.torch import save_file
from torch import nn

from aptone.ear.network.inference import Meaning, Network
from aptone.errors import RecordError, UsageError
from aptone.stats.logits import sigmoid, softmax
from recipes.ear.augment import FAR, INTERMITTENT, NOISY, NORMAL, PHONE
from recipes.ear.config import Recipe, recipe_named
from recipes.ear.export import (
    CONDITION_ORDER,
    OUTPUTS,
    change_meaning,
    eight_bits,
    export_ear,
    export_heads,
    export_stem,
)
from recipes.ear.initial_weights import fresh_network
from recipes.ear.network import STATISTICS, EarNetwork, Heard, NetworkSettings
from recipes.ear.runs import average_weights, load_runs, read_kept
from tests.recipes.ear.tiny_corpus import Tiny, buzz

MEANING = Meaning("full", "", "CC0", ("a",), ("b",), {"rain": 0.5}, {"emotion": 1.0}, ())
SOUNDS = ["coughing", "crying_baby", "rain"]
FRAMES = 131
"""2.6 s: not the length that is exported with, and more than one segment."""


@pytest.fixture(scope="module")
def network(tiny: Tiny) -> EarNetwork:
    torch.manual_seed(5)
    built = fresh_network(NetworkSettings(events=3), tiny.start)
    return built.eval()


class Keep(Protocol):
    """Writer of what a run would leave."""

    def __call__(self, recipe: Recipe, trained: list[str] | None = None) -> Path: ...


class Inputs:
    """The same numbers for torch and for ONNX."""

    def __init__(self) -> None:
        draw = torch.Generator().manual_seed(6)
        self.energies = torch.randn(1, 2 * FRAMES - 1, 80, generator=draw)
        self.statistics = torch.randn(1, STATISTICS, generator=draw)
        self.speech = (torch.rand(1, FRAMES, generator=draw) < 0.6).float()


def by_torch(network: EarNetwork, given: Inputs) -> Heard:
    with torch.no_grad():
        heard: Heard = network(given.energies, given.statistics, given.speech, torch.ones(1, FRAMES))
    return heard


def by_onnx(folder: Path, given: Inputs) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    stem = onnxruntime.InferenceSession(folder / "stem.onnx", providers=["CPUExecutionProvider"])
    heads = onnxruntime.InferenceSession(folder / "heads.onnx", providers=["CPUExecutionProvider"])
    (frames,) = stem.run(None, {"energies": given.energies.numpy()})
    feeds = {"frames": frames, "statistics": given.statistics.numpy(), "speech": given.speech.numpy()}
    return dict(zip(OUTPUTS, heads.run(None, feeds), strict=True))


def test_left_exact_onnx_says_what_torch_says(network: EarNetwork, tmp_path: Path) -> None:
    export_stem(network, tmp_path / "stem.onnx", exact=True)
    export_heads(network, tmp_path / "heads.onnx", MEANING, exact=True)
    given = Inputs()
    heard, said = by_torch(network, given), by_onnx(tmp_path, given)
    for name in OUTPUTS:
        assert np.abs(said[name] - getattr(heard, name).numpy()).max() < 1e-3, name


def test_heads_stored_smaller_give_probabilities_that_differ_by_less_than_two_hundredths(
    network: EarNetwork, tmp_path: Path
) -> None:
    export_stem(network, tmp_path / "stem.onnx", exact=True)
    export_heads(network, tmp_path / "heads.onnx", MEANING)
    given = Inputs()
    heard, said = by_torch(network, given), by_onnx(tmp_path, given)
    for name, shares in {"emotion": softmax, "condition": softmax, "sex": sigmoid, "frame_events": sigmoid}.items():
        assert np.abs(shares(said[name]) - shares(getattr(heard, name).numpy())).max() < 0.02, name
    assert np.abs(said["vad"] - heard.vad.numpy()).max() < 0.02
    # 4 million numbers, one byte each
    assert (tmp_path / "heads.onnx").stat().st_size < 5.0e6


def settled(network: EarNetwork) -> EarNetwork:
    """The same weights, with norms that have seen what they normalise: eight bits rely on what norms say."""
    calm = copy.deepcopy(network)
    for module in calm.modules():
        if isinstance(module, nn.BatchNorm1d | nn.BatchNorm2d):
            module.reset_running_stats()
            module.momentum = None  # the mean of all batches
    calm.train()
    draw = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for _ in range(3):
            energies = torch.randn(4, 2 * FRAMES, 80, generator=draw)
            statistics = torch.randn(4, STATISTICS, generator=draw)
            calm(energies, statistics, torch.ones(4, FRAMES), torch.ones(4, FRAMES))
    return calm.eval()


def test_a_stem_in_eight_bits_is_a_quarter_of_a_deviation_off_at_most(network: EarNetwork, tmp_path: Path) -> None:
    # With weights that were never trained, where errors grow from layer to layer; trained ones damp them.
    calm, given = settled(network), Inputs()
    export_stem(calm, tmp_path / "stem.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "stem.onnx", providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {"energies": given.energies.numpy()})
    with torch.no_grad():
        expected = calm.stem(given.energies, torch.ones(1, FRAMES), padded=False).numpy()
    assert np.sqrt(np.mean((found - expected) ** 2)) < 0.25 * expected.std()
    # 1.25 million numbers, one byte each, and what is not large enough for that
    assert (tmp_path / "stem.onnx").stat().st_size < 1.8e6


def test_eight_bits_are_at_most_half_a_step_off() -> None:
    values = np.array([[1.27, -0.6349, 0.004], [0.0, 0.0, 0.0]], dtype=np.float32)
    steps, scale = eight_bits(values)
    # the largest number of a row is 127 steps: 0.01 each; a row of zeros stays one
    assert steps.tolist() == [[127, -63, 0], [0, 0, 0]]
    assert scale[0] == pytest.approx(0.01)


def test_conditions_are_named_in_the_order_of_their_numbers() -> None:
    order = [CONDITION_ORDER[number] for number in (NORMAL, PHONE, FAR, INTERMITTENT, NOISY)]
    assert order == ["normal", "phone", "far-field", "intermittent", "noisy"]


def test_the_average_of_runs_is_the_mean_of_every_weight(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.safetensors" for number in range(2)]
    for path, value in zip(paths, (1.0, 4.0), strict=True):
        save_file({"w": torch.full((2,), value, dtype=torch.float16)}, path)
    assert average_weights(paths)["w"].tolist() == [2.5, 2.5]
    save_file({"w": torch.ones(3)}, paths[1])
    with pytest.raises(RecordError, match=r"1\.safetensors: is not of the same size"):
        average_weights(paths)
    paths[1].write_bytes(b"nothing")
    with pytest.raises(RecordError, match="no weights"):
        average_weights(paths)


@pytest.fixture
def kept(network: EarNetwork, tmp_path: Path) -> Keep:
    """Write what a run of a recipe would leave, with the weights of the network."""

    def keep(recipe: Recipe, trained: list[str] | None = None) -> Path:
        path = tmp_path / f"{recipe.name}.safetensors"
        weights = {name: value.half() for name, value in network.state_dict().items() if not name.startswith("stem.")}
        save_file({name: value for name, value in weights.items() if "num_batches" not in name}, path)
        record = {"recipe": asdict(recipe), "sounds": SOUNDS, "trained_sounds": SOUNDS if trained is None else trained}
        path.with_suffix(".json").write_text(json.dumps(record), encoding="utf-8")
        return path

    return keep


def test_an_exported_ear_listens(tiny: Tiny, kept: Keep, out: Path) -> None:
    runs = [kept(recipe_named("all", seed=seed)) for seed in (1, 2)]
    meaning = export_ear(runs, tiny.start, out, name="full")
    ear = Network(out, "full")
    assert ear.meaning == meaning
    assert (meaning.licence, len(meaning.revision)) == ("CC-BY-NC-SA-4.0", 12)
    assert list(meaning.events) == ["coughing", "crying baby", "rain"]
    heard = ear.listen(buzz(0.6, hertz=150.0, seed=1).astype(np.float32), np.ones(29, dtype=np.bool_))
    assert float(heard.emotion.sum()) == pytest.approx(1.0, abs=1e-5)
    assert heard.frame_events.shape == (29, 3)


def test_a_permissive_ear_may_not_have_heard_what_is_not_free(tiny: Tiny, kept: Keep, out: Path) -> None:
    with pytest.raises(UsageError, match="these runs heard ravdess, nemo, esc50, which is not free for any use"):
        export_ear([kept(recipe_named("all", seed=1))], tiny.start, out, name="permissive")
    assert not out.exists()


def test_an_ear_has_the_sounds_that_its_runs_were_trained_on_and_no_others(
    tiny: Tiny, network: EarNetwork, kept: Keep, out: Path
) -> None:
    run = kept(recipe_named("permissive", seed=1), ["coughing", "rain"])
    about = read_kept(run)
    assert (about.sets, about.plain, about.sound_sets) == (
        ("emodb", "csemotions"),
        ("speechocean", "synthetic"),
        ("emogator",),
    )
    assert (about.sounds, about.columns) == (("coughing", "rain"), (0, 2))
    loaded, _ = load_runs([run], tiny.start)
    whole = network.frame_events.weight.detach().half().float()
    assert torch.equal(loaded.frame_events.weight, whole[[0, 2]])  # crying, the second of three, is left out
    assert torch.equal(loaded.frame_events.bias, network.frame_events.bias.detach().half().float()[[0, 2]])
    meaning = export_ear([run], tiny.start, out, name="permissive")
    assert list(meaning.events) == ["coughing", "rain"]
    assert "intensity" not in meaning.temperatures


def test_a_record_without_the_trained_sounds_is_refused(kept: Keep) -> None:
    run = kept(recipe_named("all", seed=1))
    record = json.loads(run.with_suffix(".json").read_text(encoding="utf-8"))
    del record["trained_sounds"]
    run.with_suffix(".json").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(RecordError, match=r"no record of a training run \('trained_sounds'\)"):
        read_kept(run)
    record["trained_sounds"] = ["whistling"]  # which is none of its outputs
    run.with_suffix(".json").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(RecordError, match="no record of a training run"):
        read_kept(run)


def test_runs_of_different_recipes_are_not_averaged(tiny: Tiny, kept: Keep, out: Path) -> None:
    runs = [kept(recipe_named(name, seed=1)) for name in ("all", "without-nemo")]
    with pytest.raises(UsageError, match="not trained on the same sets"):
        export_ear(runs, tiny.start, out, name="full")


def test_weights_without_their_record_or_of_something_else_are_refused(tiny: Tiny, kept: Keep, out: Path) -> None:
    run = kept(recipe_named("all", seed=1))
    save_file({"odd": torch.ones(1)}, run)
    with pytest.raises(RecordError, match=r"not the weights of an ear \(\d+ are missing, 1 unknown\)"):
        export_ear([run], tiny.start, out, name="full")
    run.with_suffix(".json").unlink()
    with pytest.raises(RecordError, match=r"\.json: no record of a training run"):
        export_ear([run], tiny.start, out, name="full")


def test_another_meaning_is_another_revision_of_the_same_weights(tmp_path: Path) -> None:
    network = EarNetwork(NetworkSettings(events=0)).eval()
    meaning = Meaning("full", "", "none", ("calm",) * 10, ("normal",) * 5, {}, {"emotion": 1.0}, ())
    path = tmp_path / "full.onnx"
    first = export_heads(network, path, meaning)
    second = change_meaning(path, temperatures={"emotion": 2.0})
    assert second != first
    assert change_meaning(path, temperatures={"emotion": 1.0}) == first
    assert change_meaning(path, prosody={"bias": (0.0, *[0.5] * 10)}) not in {first, second}
    with pytest.raises(UsageError, match="an ear has no moods"):
        change_meaning(path, moods=1)
