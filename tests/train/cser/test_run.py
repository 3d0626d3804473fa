"""Training CSER: its loss against the formula, a tiny set learned by heart, and resumed runs that end alike."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

import torch

from aptone.errors import UsageError
from aptone.models.local.cser import ABOUT, WEIGHTS, Cser, CserConfig, load_cser
from aptone.train.cser.run import (
    CHECKPOINT,
    CserTrainingConfig,
    RatedSequence,
    TrainState,
    concordance_loss,
    evaluate_concordance,
    train_cser,
)

RECIPE = CserTrainingConfig(hidden_size=16, num_layers=2, dropout=0.1, lr=0.02, batch_size=4, epochs=4, patience=10)


def config(train_config: CserTrainingConfig = RECIPE) -> CserConfig:
    return CserConfig(train_config.sizes(4), front_end={"kind": "ear"}, front_end_signature="front")


def sequences(count: int, *, seed: int = 0) -> list[RatedSequence]:
    """Vectors whose first three numbers are, twice as large, what people said."""
    generator = np.random.default_rng(seed)
    found = []
    for number in range(count):
        targets = generator.uniform(-0.8, 0.8, size=(6 + number % 5, 3)).astype(np.float32)
        further = generator.normal(size=(len(targets), 1)).astype(np.float32)
        found.append(RatedSequence(f"{seed}-{number}", np.concatenate([2 * targets, further], axis=1), targets))
    return found


def ended(
    train_data: list[RatedSequence], out: Path, train_config: CserTrainingConfig, *, stop: int | None = None
) -> TrainState:
    class StoppedError(Exception):
        pass

    def log(progress: TrainState) -> None:
        if progress.epoch == stop:
            raise StoppedError

    try:
        return train_cser(
            train_data,
            sequences(3, seed=9),
            out,
            train_config=train_config,
            config=config(train_config),
            device=torch.device("cpu"),
            log=log,
        )[1]
    except StoppedError:
        return TrainState()


def test_the_loss_is_one_minus_the_concordance_of_what_is_rated() -> None:
    generator = np.random.default_rng(1)
    said, target = generator.normal(size=(2, 3, 7, 3))
    lengths = [7, 4, 2]
    target[0, 2, 1] = np.nan  # a step that nobody rated for arousal
    expected = []
    for dimension in range(3):
        pairs = [
            (said[row, step, dimension], target[row, step, dimension])
            for row, length in enumerate(lengths)
            for step in range(length)
            if not math.isnan(target[row, step, dimension])
        ]
        x, y = (sum(values) / len(pairs) for values in zip(*pairs, strict=True))
        covariance = sum((a - x) * (b - y) for a, b in pairs) / len(pairs)
        spread = sum((a - x) ** 2 + (b - y) ** 2 for a, b in pairs) / len(pairs) + (x - y) ** 2
        expected.append(1 - 2 * covariance / spread)
    loss = concordance_loss(torch.from_numpy(said), torch.from_numpy(target), torch.tensor(lengths))
    assert float(loss) == pytest.approx(sum(expected) / 3, abs=1e-9)


def test_padding_carries_no_gradient() -> None:
    said = torch.randn(2, 5, 3, requires_grad=True)
    concordance_loss(said, torch.randn(2, 5, 3), torch.tensor([5, 2])).backward()  # type: ignore[no-untyped-call]
    assert said.grad is not None
    assert (said.grad[1, 2:] == 0).all()
    assert (said.grad[1, :2] != 0).all()


def test_a_tiny_set_is_learned_and_what_was_learned_holds_elsewhere(tmp_path: Path) -> None:
    train_config = CserTrainingConfig(
        hidden_size=24, num_layers=1, dropout=0.0, lr=0.02, batch_size=8, epochs=60, patience=60
    )
    progress = ended(sequences(8), tmp_path, train_config)
    assert progress.history[-1][0] < 0.05
    model = load_cser(tmp_path, device="cpu")
    reached = evaluate_concordance(model, sequences(3, seed=9), batch_size=2)
    assert min(reached.values()) > 0.8
    about = json.loads((tmp_path / ABOUT).read_text(encoding="utf-8"))["training"]
    assert about["epoch"] == progress.best_epoch
    assert about["concordance on dev"] == pytest.approx(sum(reached.values()) / 3)


def test_every_weight_moves(tmp_path: Path) -> None:
    train_data = sequences(4)
    ended(train_data, tmp_path / "one", CserTrainingConfig(hidden_size=4, lr=1e-2, batch_size=4, epochs=1))
    ended(train_data, tmp_path / "two", CserTrainingConfig(hidden_size=4, lr=1e-2, batch_size=4, epochs=2, dropout=0.5))
    one, two = (load_cser(tmp_path / name, device="cpu").network for name in ("one", "two"))
    for (name, before), after in zip(one.named_parameters(), two.parameters(), strict=True):
        assert not torch.equal(before, after), name


@pytest.mark.parametrize("stop", [1, 3])
def test_a_resumed_run_ends_with_the_same_weights(stop: int, tmp_path: Path) -> None:
    train_data = sequences(9)
    whole = ended(train_data, tmp_path / "whole", RECIPE)
    ended(train_data, tmp_path / "parts", RECIPE, stop=stop)
    resumed = ended(train_data, tmp_path / "parts", RECIPE)
    assert resumed == whole
    for name in (WEIGHTS, ABOUT, CHECKPOINT):
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


def test_a_run_that_has_ended_is_left_as_it_is_and_can_be_made_longer(tmp_path: Path) -> None:
    train_data = sequences(5)
    first = ended(train_data, tmp_path, RECIPE)
    assert ended(train_data, tmp_path, RECIPE) == first
    longer = ended(train_data, tmp_path, replace(RECIPE, epochs=6))
    assert longer.epoch == 6
    assert longer.history[:4] == first.history


def test_another_seed_other_data_and_a_damaged_checkpoint_are_refused(tmp_path: Path) -> None:
    ended(sequences(4), tmp_path, RECIPE)
    with pytest.raises(UsageError, match="other settings or data"):
        ended(sequences(4), tmp_path, replace(RECIPE, seed=2))
    with pytest.raises(UsageError, match="other settings or data"):
        ended(sequences(4, seed=3), tmp_path, RECIPE)
    (tmp_path / CHECKPOINT).write_bytes(b"\0")
    with pytest.raises(UsageError, match="no checkpoint"):
        ended(sequences(4), tmp_path, RECIPE)


def test_training_ends_when_dev_gets_no_better(tmp_path: Path) -> None:
    # targets that have nothing to do with the vectors: dev gets no better for long
    generator = np.random.default_rng(3)
    train_data = [RatedSequence(one.name, one.vectors, generator.permutation(one.targets)) for one in sequences(6)]
    progress = ended(
        train_data, tmp_path, CserTrainingConfig(hidden_size=8, lr=0.05, batch_size=2, epochs=300, patience=3)
    )
    assert progress.epoch == progress.best_epoch + 3 < 300


def test_empty_parts_and_ratings_that_never_differ_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="part train"):
        ended([], tmp_path, RECIPE)
    flat = RatedSequence("flat", np.zeros((4, 4), np.float32), np.zeros((4, 3), np.float32))
    ended(sequences(4), tmp_path, RECIPE)
    model = Cser(load_cser(tmp_path, device="cpu").network, config(), "")
    with torch.no_grad():
        for value in model.network.parameters():
            value.zero_()
    with pytest.raises(UsageError, match="valence cannot be compared"):
        evaluate_concordance(model, [flat], batch_size=1)
