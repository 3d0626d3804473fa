"""Training a dual encoder: the loss against its formula, large batches in chunks, several processes, resumed runs."""

import contextlib
import math
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("transformers", reason="training needs torch and transformers: pip install 'aptone[train]'")

import torch
from safetensors.torch import load_file

from aptone.errors import UsageError
from aptone.models.clap.folder import Clap
from aptone.train.clap.loss import add_gradients, info_nce
from aptone.train.clap.trainer import (
    CHECKPOINT,
    ClapTrainingConfig,
    Evaluation,
    StepLog,
    lr_factor,
    make_optimiser,
    retrieval,
    set_training,
    train_clap,
)
from tests.models.local_claps import clap_config, tiny_clap
from tests.train.clap.clap_ranks import CPU, gradients, weights
from tests.train.clap_pairs import Tones, micro_batches

RECIPE = ClapTrainingConfig(
    batch_size=6,
    micro_batch_size=2,
    steps=6,
    lr=1e-3,
    audio_lr=1e-3,
    text_lr=1e-3,
    warmup_steps=2,
    precision="float32",
    save_every=1,
    eval_every=2,
)


def trained(clap: Clap, out: Path, config: ClapTrainingConfig, *, count: int, stop: int | None = None) -> list[StepLog]:
    class StoppedError(Exception):
        pass

    told: list[StepLog] = []

    def log(one: StepLog) -> None:
        told.append(one)
        if one.step == stop:
            raise StoppedError

    with contextlib.suppress(StoppedError):
        train_clap(
            clap.network,
            Tones(clap, count, config.micro_batch_size),
            out,
            config=config,
            device=CPU,
            eval_batches=micro_batches(clap, range(count), 8),
            on_best=lambda _: None,
            log=log,
        )
    return told


def test_the_loss_is_the_formula_of_the_paper() -> None:
    generator = np.random.default_rng(0)
    audio, text = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in generator.normal(size=(2, 5, 4)))
    scale, total = 3.7, 0.0
    for i in range(5):
        own = math.exp(scale * audio[i] @ text[i])
        total += math.log(own / sum(math.exp(scale * audio[i] @ text[j]) for j in range(5)))
        total += math.log(own / sum(math.exp(scale * audio[j] @ text[i]) for j in range(5)))
    found = info_nce(torch.from_numpy(audio), torch.from_numpy(text), torch.tensor(scale, dtype=torch.float64))
    assert found.item() == pytest.approx(-total / 10, abs=1e-9)


def batch_gradients(size: int, *, dropout: float = 0.0, seed: int = 5) -> tuple[float, dict[str, torch.Tensor]]:
    clap = tiny_clap(clap_config(dropout=dropout))
    clap.network.train()
    torch.manual_seed(seed)
    loss = add_gradients(clap.network, micro_batches(clap, range(12), size), device=CPU)
    return loss.item(), {name: one.grad for name, one in clap.network.named_parameters() if one.grad is not None}


@pytest.mark.parametrize("size", [1, 4, 5])
def test_gradients_in_chunks_are_those_of_the_whole_batch(size: int) -> None:
    whole_loss, whole = batch_gradients(12)
    loss, found = batch_gradients(size)
    assert loss == pytest.approx(whole_loss, abs=1e-5)
    assert set(found) == set(whole)
    for name, expected in whole.items():
        assert (found[name] - expected).abs().max() < 1e-5, name
    assert max(one.abs().max() for one in whole.values()) > 1e-2


def test_dropout_falls_on_the_same_places_in_both_passes() -> None:
    # The transcription keeps everything in memory: every chunk embedded once, in the same order, with gradients.
    clap = tiny_clap(clap_config(dropout=0.3))
    clap.network.train()
    torch.manual_seed(5)
    rows = [
        (clap.network.embed_audio(one.audio), clap.network.embed_text(one.text))
        for one in micro_batches(clap, range(12), 4)
    ]
    audio, text = (torch.cat([one[side] for one in rows]) for side in (0, 1))
    info_nce(audio, text, clap.network.scale()).backward()  # type: ignore[no-untyped-call]
    _, found = batch_gradients(4, dropout=0.3)
    _, other = batch_gradients(4, dropout=0.3, seed=6)
    differences = []
    for name, one in clap.network.named_parameters():
        assert one.grad is not None
        assert (found[name] - one.grad).abs().max() < 1e-5, name
        differences.append((other[name] - one.grad).abs().max().item())
    assert max(differences) > 1e-2  # another draw would have shown


def test_small_batches_averaged_would_not_be_the_same() -> None:
    # What gradient caching is for: plain accumulation compares a clip with the descriptions of its chunk only.
    _, whole = batch_gradients(12)
    clap = tiny_clap()
    for one in micro_batches(clap, range(12), 4):
        add_gradients(clap.network, [one], device=CPU)
    apart = [
        (one.grad / 3 - whole[name]).abs().max()
        for name, one in clap.network.named_parameters()
        if one.grad is not None
    ]
    assert max(apart) > 1e-2


def test_two_processes_have_the_gradients_and_weights_of_one_with_the_whole_batch(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[3]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(root / "src")]), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(Path(__file__).with_name("clap_ranks.py")), str(tmp_path)]
    ranks = subprocess.Popen(command, env=environment, start_new_session=True)
    try:
        (tmp_path / "alone").mkdir()
        alone = {"gradients": gradients(list(range(8))), "weights": weights(tmp_path / "alone")}
        assert ranks.wait(timeout=600) == 0
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(ranks.pid, signal.SIGKILL)
        ranks.wait()
    for name, expected in alone.items():
        first, second = (load_file(tmp_path / f"{name}-{rank}") for rank in (0, 1))
        assert set(first) == set(expected)
        for key, value in expected.items():
            assert (first[key] - value).abs().max() < 1e-5, key
            assert torch.equal(first[key], second[key]), key


def test_sixteen_tones_find_their_words(tmp_path: Path) -> None:
    clap = tiny_clap()
    config = replace(
        RECIPE,
        batch_size=16,
        micro_batch_size=8,
        steps=80,
        lr=1e-2,
        audio_lr=2e-3,
        text_lr=2e-3,
        eval_every=80,
        save_every=80,
    )
    told = trained(clap, tmp_path, config, count=16)
    assert told[0].loss > 2.5  # chance is log 16 = 2.77
    assert told[-1].loss < 0.1
    reached = retrieval(
        clap.network, micro_batches(clap, range(16), 8), device=CPU, precision="float32"
    )  # as `dev` is given
    assert reached["audio to text @1"] == reached["text to audio @1"] == 1.0
    assert told[-1].evaluation is not None
    assert told[-1].evaluation.eval_metrics == reached


@pytest.mark.parametrize("stop", [1, 3])
def test_a_resumed_run_ends_with_the_same_weights(stop: int, tmp_path: Path) -> None:
    config = clap_config(dropout=0.2)
    for name in ("whole", "parts"):
        (tmp_path / name).mkdir()
    whole = tiny_clap(config)
    expected = trained(whole, tmp_path / "whole", RECIPE, count=6)
    trained(tiny_clap(config), tmp_path / "parts", RECIPE, count=6, stop=stop)
    resumed = tiny_clap(config)
    rest = trained(resumed, tmp_path / "parts", RECIPE, count=6)
    assert [one.loss for one in rest] == [one.loss for one in expected[stop:]]
    for (name, before), after in zip(whole.network.named_parameters(), resumed.network.parameters(), strict=True):
        assert torch.equal(before, after), name
    assert (tmp_path / "parts" / CHECKPOINT).read_bytes() == (tmp_path / "whole" / CHECKPOINT).read_bytes()


def test_the_best_look_has_the_highest_mean_recall_and_of_equals_the_last_counts(tmp_path: Path) -> None:
    names = [f"{way} @{count}" for way in ("audio to text", "text to audio") for count in (1, 5, 10)]
    dull, keen = (Evaluation(1, 0.5, {"loss": 9.0, **dict.fromkeys(names, value)}) for value in (0.25, 0.75))
    assert (dull.mean_recall, keen.mean_recall, Evaluation(3, 0.5).mean_recall) == (0.25, 0.75, 0.0)
    clap = tiny_clap()
    nothing = micro_batches(clap, [0, 0], 2)  # the same pair twice: it never comes first, whatever is learned
    found: list[int] = []
    train_clap(
        clap.network,
        Tones(clap, 6, 2),
        tmp_path,
        config=RECIPE,
        device=CPU,
        eval_batches=nothing,
        on_best=lambda state: found.append(state.best),
        log=lambda _: None,
    )
    assert found == [2, 4, 6]


def test_every_weight_moves_but_those_that_are_frozen(tmp_path: Path) -> None:
    for frozen in ((), ("text",), ("audio", "text")):
        out = tmp_path / "-".join(("out", *frozen))
        out.mkdir()
        before, clap = tiny_clap(), tiny_clap()
        trained(clap, out, replace(RECIPE, frozen=frozen), count=6)
        moved = {
            name
            for (name, old), new in zip(before.network.named_parameters(), clap.network.parameters(), strict=True)
            if not torch.equal(old, new)
        }
        # The last layers of both kinds of encoders have biases and tables that an empty batch of words leaves alone.
        for part in ("audio", "text"):
            names = {name for name, _ in clap.network.named_parameters() if name.startswith(f"{part}_encoder")}
            assert (names & moved == set()) if part in frozen else len(names & moved) >= len(names) - 2, part
        assert {"log_scale", "audio_projection.linear1.weight", "text_projection.linear2.bias"} <= moved


@pytest.mark.filterwarnings("ignore:TF32 acceleration")
def test_mixed_precision_learns_too(tmp_path: Path) -> None:
    clap = tiny_clap()
    config = replace(
        RECIPE, batch_size=8, micro_batch_size=4, steps=12, lr=1e-2, precision="bfloat16", eval_every=12, save_every=12
    )
    with torch.backends.mkldnn.flags(enabled=False):  # it takes AMX for usable on machines that lend none
        told = trained(clap, tmp_path, config, count=8)
    assert told[-1].loss < 0.8 * told[0].loss
    assert all(one.dtype == torch.float32 for one in clap.network.parameters())


def test_frozen_encoders_have_no_dropout_and_normalisation_holds_still() -> None:
    clap = tiny_clap(clap_config(dropout=0.5))
    set_training(clap.network, frozen=("text",))
    assert not any(one.training for one in clap.network.text_encoder.modules())
    assert clap.network.audio_encoder.training
    assert not clap.network.audio_encoder.model.audio_encoder.batch_norm.training


def test_rates_differ_by_part_and_only_matrices_decay() -> None:
    clap = tiny_clap()
    config = ClapTrainingConfig(lr=3e-3, audio_lr=2e-3, text_lr=1e-3, weight_decay=0.1, frozen=("text",))
    groups = make_optimiser(clap.network, config).param_groups
    assert {group["peak_lr"] for group in groups} == {3e-3, 2e-3}
    for group in groups:
        assert all((one.ndim > 1) == (group["weight_decay"] == 0.1) for one in group["params"])
    assert lr_factor(0, ClapTrainingConfig(warmup_steps=0)) == 1.0


def test_other_settings_are_refused_and_other_chunks_are_not(tmp_path: Path) -> None:
    trained(tiny_clap(), tmp_path, RECIPE, count=6, stop=2)
    with pytest.raises(UsageError, match="other settings or data"):
        trained(tiny_clap(), tmp_path, replace(RECIPE, seed=2), count=6)
    with pytest.raises(UsageError, match="other settings or data"):
        trained(tiny_clap(), tmp_path, RECIPE, count=7)
    assert trained(tiny_clap(), tmp_path, replace(RECIPE, micro_batch_size=3), count=6)[0].step == 3


def test_a_loss_that_is_no_number_stops_the_training(tmp_path: Path) -> None:
    clap = tiny_clap()
    with torch.no_grad():
        clap.network.audio_projection.linear1.weight.fill_(math.nan)
    with pytest.raises(UsageError, match="step 0: the loss is nan"):
        trained(clap, tmp_path, RECIPE, count=6)


def test_numbers_that_are_none_are_refused() -> None:
    with pytest.raises(UsageError, match="batch_size is 2 or more"):
        ClapTrainingConfig(batch_size=1)
    with pytest.raises(UsageError, match="finite numbers"):
        ClapTrainingConfig(lr=-1.0)
    with pytest.raises(UsageError, match="can be frozen"):
        ClapTrainingConfig(frozen=("projection",))
    with pytest.raises(UsageError, match="a chunk or more"):
        add_gradients(tiny_clap().network, [], device=CPU)
