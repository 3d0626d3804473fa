"""Training of the planner's encoder: what it points at, and batches that are computed in parts."""

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")


from recipes.planner.batches import Source, on_device  # noqa: E402
from recipes.planner.mention_spans import mention_spans  # noqa: E402
from recipes.planner.network import INNER, LAYERS, Encoder, narrowed  # noqa: E402
from recipes.planner.training import Recipe, train  # noqa: E402

TEXT = "Old Mr. Hale came in. He saw Ann.\n“Ann, why?” asked Mr. Hale. I laughed.\n“I know,” said the old man."


def found(start: int, *names: str) -> list[str]:
    """What is mentioned, for a line of six characters."""
    return [TEXT[first:last] for first, last in mention_spans(TEXT, start, start + 6, names, "en")]


def test_a_speaker_is_mentioned_by_any_form_of_the_name_but_not_in_the_line_itself() -> None:
    line = TEXT.index("Ann, why")
    assert found(line, "Mr. Hale") == ["Mr. Hale", "Mr. Hale"]
    assert found(line, "Ann") == ["Ann"]  # the one in the line itself is whom it is said to
    assert found(line, "the old man", "Hale") == ["Hale", "Hale", "the old man"]


def test_the_narrator_is_mentioned_outside_of_speech_only() -> None:
    assert mention_spans(TEXT, 0, 3, ["I"], "en") == [(TEXT.index("I laughed"), TEXT.index("I laughed") + 1)]


def test_a_mandarin_name_is_found_inside_other_characters() -> None:
    assert mention_spans("王夫人笑了。“好。”", 7, 8, ["王夫人"], "zh") == [(0, 3)]


def sources() -> dict[str, Source]:
    """Eight rows of twelve pieces or more: the label is the piece before the target, the speaker the first piece."""
    generator = np.random.default_rng(2)
    rows = 8
    width = [12 + 2 * row for row in range(rows)]
    starts = np.concatenate([[0], np.cumsum(width)])
    stream = generator.integers(8, 60, starts[-1]).astype(np.uint16)
    places = [(start, start + 8, start + 10, end, 0, 0) for start, end in itertools.pairwise(starts)]
    target = np.zeros((rows, 13), np.float16)
    target[np.arange(rows), np.arange(rows) % 5] = 1
    mentions = np.full((rows, 32), -1)
    mentions[:, 0], mentions[:, 1] = starts[:-1], starts[:-1] + 2
    mentions[7, 0] = -2
    arrays: Mapping[str, Any] = {
        "scenes.en.stream": stream,
        "scenes.en.places": np.array(places, np.int32),
        "scenes.en.target": target,
        "scenes.en.evidence": np.full((rows, 8), -1),
        "scenes.en.mentions": mentions,
        "scenes.en.others": np.tile(np.array([1, 2, 1, 0], np.int8), (rows, 1)),
        "scenes.en.voice": np.full(rows, -1),
        "scenes.en.dev": np.zeros(rows, bool),
        "scenes.en.kind": np.full(rows, -1),
        "scenes.en.number": np.full(rows, -1),
    }
    return {"scenes.en": Source(arrays, "scenes.en")}


def test_a_row_points_at_its_speaker_at_nobody_or_is_unknown() -> None:
    source = sources()["scenes.en"]
    # The window opens with a mark, so that the first two pieces of the text stand at 1 and 2.
    assert np.flatnonzero(source.speaks[0]).tolist() == [1, 2]
    assert source.speaker_known.tolist() == [True] * 7 + [False]
    assert not source.speaks[7].any()


def trained(micro_batch: int, *, steps: int = 2, **options: Any) -> tuple[Encoder, Encoder]:
    """A network before and after some steps."""
    torch.manual_seed(1)
    network, before = Encoder(60, dropout=0.0), Encoder(60, dropout=0.0)
    before.load_state_dict(network.state_dict())
    recipe = Recipe(
        shares={"scenes.en": 8}, steps=steps, masked=0, warmup_steps=1, dropout=0.0, word_drop=0.0, ema_decay=0.0,
        micro_batch=micro_batch, **options,
    )  # fmt: skip
    return before, train(network, sources(), np.zeros(1, np.uint16), recipe, "cpu", quiet=True)[0]


def test_training_moves_the_pointer_and_leaves_frozen_layers_alone() -> None:
    before, after = trained(0, frozen_inputs=True, frozen_layers=2)
    moved = {
        name for (name, one), two in zip(before.named_parameters(), after.parameters(), strict=True)
        if not torch.equal(one, two)
    }  # fmt: skip
    assert {"speaker.weight", "heads.reader.weight", "layers.2.widened.weight", "layers.5.narrowed.weight"} <= moved
    assert not [name for name in moved if name.startswith(("layers.0.", "layers.1.", "words.", "places."))]


def test_a_batch_in_parts_takes_about_the_step_of_a_whole_one() -> None:
    # Losses of parts are weighted by their rows; labels that only some rows have are averaged within a part, so that
    # the sums differ a little. One step from the same start: nearly the same direction.
    before, whole = trained(0, steps=1)
    _, parts = trained(3, steps=1)
    name = "heads.reader.weight"
    start = before.state_dict()[name]
    one, two = (network.state_dict()[name] - start for network in (whole, parts))
    assert float(torch.cosine_similarity(one.flatten(), two.flatten(), dim=0)) > 0.9


def test_cut_layers_keep_the_units_that_add_most() -> None:
    torch.manual_seed(0)
    weights = dict(Encoder(60).state_dict())
    weights["layers.0.widened.weight"][3] = 0.0
    small = narrowed(weights, INNER - 1)
    assert small["layers.0.widened.weight"].shape[0] == INNER - 1
    kept = torch.cat([weights["layers.0.narrowed.weight"][:, :3], weights["layers.0.narrowed.weight"][:, 4:]], dim=1)
    assert torch.equal(small["layers.0.narrowed.weight"], kept)
    network = Encoder(60, inner=INNER - 1)
    network.load_state_dict(small)
    assert len(network.layers) == LAYERS


def test_rows_of_a_source_can_be_put_on_a_device_once() -> None:
    held = on_device(sources()["scenes.en"], "cpu")
    assert held["speaks"].dtype == torch.bool
    assert held["speaks"].shape == held["numbers"].shape
