"""CSER's network: neither neighbours, nor windows, nor a way over the disk change what it says."""

from pathlib import Path

import numpy as np
import pytest

from aptone.errors import UsageError

torch = pytest.importorskip("torch", reason="the extra local is not installed")

from aptone.models.local.cser import (  # noqa: E402  (only where torch is)
    ABOUT,
    WEIGHTS,
    Cser,
    CserConfig,
    CserNetwork,
    CserSizes,
    Floats,
    load_cser,
    write_cser,
)


def made(*, features: int = 5, layers: int = 2) -> Cser:
    torch.manual_seed(0)
    sizes = CserSizes(features, hidden=7, layers=layers)
    network = CserNetwork(sizes).eval()
    network.centre, network.spread = torch.full((features,), 0.5), torch.full((features,), 2.0)
    config = CserConfig(sizes, front_end={"kind": "ear", "ear": "full"}, front_end_signature="front")
    return Cser(network, config, "model")


def recordings(*lengths: int, features: int = 5) -> list[Floats]:
    generator = np.random.default_rng(0)
    return [generator.normal(size=(length, features)).astype(np.float32) for length in lengths]


@pytest.mark.parametrize("batch", [1, 2, 3, 10])
def test_a_batch_changes_nothing(batch: int) -> None:
    model, given = made(), recordings(3, 11, 1, 6)
    alone = [model.trajectories([one])[0] for one in given]
    together = model.trajectories(given, batch=batch)
    for one, other in zip(alone, together, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_what_stands_behind_the_end_of_a_recording_changes_nothing() -> None:
    model = made()
    (given,) = recordings(9)
    padded = torch.zeros(2, 9, 5)
    padded[0] = torch.from_numpy(given)
    padded[1, :4] = torch.from_numpy(given[:4])
    padded[1, 4:] = 1e6
    with torch.inference_mode():
        said = model.network(padded, torch.tensor([9, 4]))[1, :4]
        alone = model.network(padded[1:, :4], torch.tensor([4]))[0]
    np.testing.assert_allclose(said.numpy(), alone.numpy(), atol=1e-6)


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("window", [1, 2, 5, 20, 100])
def test_windows_change_nothing(window: int, layers: int) -> None:
    model = made(layers=layers)
    (given,) = recordings(20)
    with torch.inference_mode():
        whole = model.network(torch.from_numpy(given)[None], torch.tensor([20]))[0]
        windowed = model.network.windowed(torch.from_numpy(given), window=window)
    np.testing.assert_allclose(whole.numpy(), windowed.numpy(), atol=1e-6)


def test_the_centre_and_the_spread_of_the_vectors_are_taken_out() -> None:
    model = made()
    (given,) = recordings(4)
    plain = made()
    plain.network.centre, plain.network.spread = torch.zeros(5), torch.ones(5)
    np.testing.assert_allclose(
        model.trajectories([2.0 * given + 0.5])[0], plain.trajectories([given.astype(np.float32)])[0], atol=1e-6
    )


def test_a_trajectory_stays_within_its_scale() -> None:
    model = made()
    with torch.no_grad():
        model.network.head.bias.add_(torch.tensor([9.0, -9.0, 0.0]))
    (said,) = model.trajectories(recordings(3))
    assert said[:, 0].tolist() == [1.0] * 3
    assert said[:, 1].tolist() == [-1.0] * 3
    assert (np.abs(said[:, 2]) < 1).all()


def test_a_model_comes_back_from_its_folder_as_it_was(tmp_path: Path) -> None:
    model, given = made(), recordings(5, 8)
    write_cser(tmp_path, model.network, model.config)
    read = load_cser(tmp_path, device="cpu")
    assert read.config == model.config
    for one, other in zip(model.trajectories(given), read.trajectories(given), strict=True):
        assert one.tolist() == other.tolist()
    moved = made()
    with torch.no_grad():
        moved.network.head.bias.add_(1.0)
    write_cser(tmp_path, moved.network, moved.config)
    assert load_cser(tmp_path, device="cpu").signature != read.signature


def test_folders_without_a_model_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="aptone train cser"):
        load_cser(tmp_path)
    model = made()
    write_cser(tmp_path, model.network, model.config)
    (tmp_path / WEIGHTS).write_bytes(b"no weights")
    with pytest.raises(UsageError, match="not the weights"):
        load_cser(tmp_path)
    write_cser(tmp_path, made(layers=1).network, model.config)
    with pytest.raises(UsageError, match="not the weights"):
        load_cser(tmp_path)
    about = (tmp_path / ABOUT).read_text(encoding="utf-8")
    (tmp_path / ABOUT).write_text(about.replace('"valence"', '"pleasure"'), encoding="utf-8")
    with pytest.raises(UsageError, match="dimensions are valence, arousal, dominance"):
        load_cser(tmp_path)


@pytest.mark.parametrize("wrong", [{"features": 0}, {"features": 3, "hidden": 0}, {"features": 3, "dropout": 1.0}])
def test_sizes_that_are_none_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="one feature"):
        CserSizes(**wrong)
