import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from aptone.errors import RecordError, UsageError
from recipes.ear.initial_weights import fresh_network, write_start
from recipes.ear.network import NetworkSettings
from tests.recipes.ear.tiny_corpus import campplus


def test_weights_of_campplus_become_a_file_to_begin_with(tmp_path: Path) -> None:
    torch.save(campplus(), tmp_path / "campplus.pt")
    numbers = write_start(tmp_path / "campplus.pt", tmp_path / "start.safetensors")
    kept = load_file(tmp_path / "start.safetensors")
    assert numbers == sum(value.numel() for value in kept.values())
    assert {value.dtype for value in kept.values()} == {torch.float16}
    network = fresh_network(NetworkSettings(), tmp_path / "start.safetensors")
    assert torch.equal(network.stem.transit.weight, campplus()["xvector.transit1.linear.weight"].half().float())
    assert not any(value.requires_grad for value in network.stem.parameters())


def test_weights_that_lack_a_layer_are_refused(tmp_path: Path) -> None:
    weights = campplus()
    del weights["xvector.tdnn.linear.weight"]
    weights["head.conv1.weight"] = torch.zeros(16, 1, 3, 3)
    torch.save(weights, tmp_path / "campplus.pt")
    with pytest.raises(RecordError, match=r"not the weights of CAM\+\+, or of another size \(2 of "):
        write_start(tmp_path / "campplus.pt", tmp_path / "start.safetensors")
    assert not (tmp_path / "start.safetensors").exists()


def test_a_file_that_holds_no_weights_is_refused_and_no_code_of_it_runs(tmp_path: Path) -> None:
    path = tmp_path / "campplus.pt"
    with pytest.raises(UsageError, match="no such file"):
        write_start(path, tmp_path / "out")
    path.write_bytes(b"cbuiltins\nprint\n(S'run'\ntR.")  # a pickle that calls print
    with pytest.raises(RecordError, match="no PyTorch weights"):
        write_start(path, tmp_path / "out")
    torch.save([1, 2], path)
    with pytest.raises(RecordError, match="holds a list"):
        write_start(path, tmp_path / "out")


def test_other_weights_are_no_beginning(tmp_path: Path) -> None:
    path = tmp_path / "start.safetensors"
    with pytest.raises(RecordError, match=r"python -m recipes\.ear start"):
        fresh_network(NetworkSettings(), path)
    save_file({"odd": torch.ones(1)}, path)
    with pytest.raises(RecordError, match=r"not the weights of CAM\+\+ \(\d+ are missing, 1 unknown\)"):
        fresh_network(NetworkSettings(), path)
