"""What is exported answers as the network does, and can be read back to go on from."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from aptone.planner.encoder import EncoderWindow, Transformer, load_encoder  # noqa: E402
from recipes.planner import layers  # noqa: E402
from recipes.planner.batches import BEGIN, CLOSE, END, OPEN  # noqa: E402
from recipes.planner.export import export_layers  # noqa: E402
from recipes.planner.gpu_job import network_of  # noqa: E402
from recipes.planner.network import INNER, LAYERS, WIDTH, Batch, Encoder, Layer, narrowed  # noqa: E402

HEADS = ("reader", "tags", "goemotions", "cped", "intensity", "rhythm", "intonation", "voice")


@pytest.mark.parametrize(("upper", "inner"), [(0, INNER), (2, 1024)])
def test_a_graph_answers_as_its_network_does_and_is_read_back(
    upper: int, inner: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = {name: torch.from_numpy(values) for name, values in layers.encoder_weights().items()}
    weights |= {"upper": torch.tensor(float(upper))}
    network = network_of(narrowed(weights, inner), "cpu").eval()
    path = export_layers(
        network,
        tmp_path,
        places=network.places.weight.detach().numpy(),
        target=network.target.detach().numpy(),
        heads=HEADS,
        labels={"reader": ["neutral"]},
    )
    arrays = dict(np.load(path))
    cut = load_encoder("en").pieces.cut
    before, said = ([piece.number for piece in cut(text)] for text in ("Ann wept at the grave.", "I miss him so."))
    listed = [BEGIN, *before, OPEN, *said, CLOSE, END]
    opened, closed = 1 + len(before), 2 + len(before) + len(said)
    window = EncoderWindow(tuple(listed), ((0, 0),) * len(listed), opened, closed)
    numbers = torch.tensor([listed])
    found = Transformer(arrays).answers(network.words(numbers)[0].detach().numpy(), window)

    inside = torch.zeros(numbers.shape, dtype=torch.bool)
    inside[0, opened + 1 : closed] = True
    batch = Batch(numbers, inside, torch.tensor([opened]), torch.zeros_like(inside))
    with torch.no_grad():
        states = network.states(batch)
        pooled = network.pool(states, batch)
        wanted = network.heads["reader"](pooled)[0].numpy()
        decides = network.found(states, pooled)[0].numpy()
    # Eight bits a weight and a state.
    assert np.corrcoef(found["reader"], wanted)[0, 1] > 0.98
    assert np.corrcoef(found["decides"], decides)[0, 1] > 0.95

    monkeypatch.setattr(layers, "encoder_arrays", lambda: arrays)
    assert layers.upper_layers() == upper
    again = layers.encoder_layers()
    assert len(again) == LAYERS
    for number, layer in enumerate(again):
        for name, values in layer.items():
            own = network.state_dict()[f"layers.{number}.{name}"].numpy()
            assert values.shape == own.shape
            assert np.abs(values - own).max() <= np.abs(own).max() / 60
    assert again[-1]["query_key_value.weight"].shape == (3 * WIDTH, WIDTH)


def test_upper_layers_are_the_same_layers_for_the_target_alone() -> None:
    """With one vector for all that the target is made of, both ways of computing the last layer agree."""
    torch.manual_seed(0)
    network = Encoder(60).eval()
    states = torch.randn(2, 5, WIDTH)
    layer = network.layers[-1]
    assert isinstance(layer, Layer)
    assert torch.allclose(layer(states, None)[:, :3], layer.over(states[:, :3], states, None), atol=1e-5)
