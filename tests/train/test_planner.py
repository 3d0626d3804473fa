"""Training the planner's text model, on dialogues small enough for a test."""

from pathlib import Path

import numpy as np
import pytest
import torch

from aptone.errors import UsageError
from aptone.planner.label_sets import LABEL_SETS
from aptone.planner.labelled_dialogues import read_cped, read_meld
from aptone.planner.line_encoder import LineEncoder
from aptone.planner.text_model import read_model
from aptone.train.planner import PlannerNetwork, PlannerRecipe, answers_of, make_batch, train_planner
from aptone.train.planner_balance import choose_balance, weighted_f1
from aptone.train.planner_data import read_emobank, read_goemotions
from aptone.train.planner_encoder import EncoderRecipe, rounded, train_encoder
from aptone.train.planner_export import model_bytes
from aptone.train.planner_lines import Lines, make_lines, phrase_vocabulary
from aptone.train.planner_run import make_encoder, run_planner
from aptone.train.planner_start import Arrays, encoder_arrays, kept_pieces
from tests.train.tiny_texts import ENGLISH, write_minilm, write_texts

RECIPE = PlannerRecipe(
    steps=3, hidden=8, lines={"meld": 4, "cped": 4, "goemotions": 2, "emobank": 2}, rate=1e-2, average=0.0
)


def quiet(line: str) -> None:
    assert line


@pytest.fixture
def arrays(tmp_path: Path) -> Arrays:
    return encoder_arrays(write_minilm(tmp_path / "minilm"), ENGLISH, layers=1)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    return write_texts(tmp_path / "texts")


@pytest.fixture
def lines(arrays: Arrays, texts: Path) -> list[Lines]:
    dialogues = [*read_meld(texts), *read_cped(texts), *read_goemotions(texts), *read_emobank(texts)]
    return make_lines(dialogues, arrays, phrase_vocabulary(dialogues), log=quiet)


def of(lines: list[Lines], name: str, part: str) -> list[Lines]:
    return [one for one in lines if one.set == name and one.part == part]


def test_the_parts_of_cped_go_by_tv_series(texts: Path) -> None:
    assert [one.part for one in read_cped(texts)] == ["train", "dev", "train", "test"]  # series 32, 45, 27, 28


def test_emobank_is_read_on_a_scale_from_minus_one_to_one(texts: Path) -> None:
    # Dominance 3.4 is 0.4 / 2 above the middle, widened 2.5 times: 0.5; valence 1 and 4 reach the ends.
    found = [one.lines[0].vad for one in read_emobank(texts)]
    assert [vad[0] for vad in found if vad] == [-1.0, -1.0, 0.0, 1.0]
    assert found[0] is not None
    assert found[0][1:] == pytest.approx((0.0, 0.5))


def test_a_comment_with_two_labels_has_half_of_each(texts: Path) -> None:
    assert read_goemotions(texts)[1].lines[0].labels == {"anger": 0.5, "disgust": 0.5}


def test_a_folder_without_the_sets_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"meld.*expected a folder with meld/"):
        read_meld(tmp_path)


def test_every_letter_is_kept_however_few_pieces_are_asked_for(tmp_path: Path) -> None:
    folder = write_minilm(tmp_path / "minilm")
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    assert "great" not in kept_pieces(vocabulary, [], count=0)
    assert {"a", "##z", "[CLS]"} <= set(kept_pieces(vocabulary, [], count=0))


def test_a_folder_without_minilm_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="all-MiniLM-L6-v2"):
        encoder_arrays(tmp_path, [])


def test_lines_read_together_have_the_vectors_that_they_have_alone(arrays: Arrays) -> None:
    encoder = LineEncoder(arrays)
    together = encoder.encode(ENGLISH)
    alone = np.concatenate([encoder.encode([text]) for text in ENGLISH])
    assert np.allclose(together, alone, atol=1e-5)


def test_what_is_trained_is_what_is_run(arrays: Arrays, texts: Path) -> None:
    # No line is read, so that the weights stay as they are: through torch and back they say the same.
    dialogues = read_meld(texts)
    same = train_encoder(arrays, dialogues, EncoderRecipe(lines={"meld": 0}), log=quiet)
    assert np.allclose(LineEncoder(same).encode(ENGLISH), LineEncoder(arrays).encode(ENGLISH), atol=0.05)


def test_the_encoder_learns(arrays: Arrays, texts: Path) -> None:
    taught = train_encoder(arrays, read_meld(texts), EncoderRecipe(lines={"meld": 16}, rate=1e-2), log=quiet)
    assert not np.allclose(LineEncoder(taught).encode(ENGLISH), LineEncoder(arrays).encode(ENGLISH), atol=0.05)


def test_the_gradient_passes_the_rounding_unchanged() -> None:
    matrix = torch.linspace(-1, 1, 64).reshape(2, 32).requires_grad_()
    rounded(matrix).sum().backward()  # type: ignore[no-untyped-call]
    assert matrix.grad is not None
    assert torch.equal(matrix.grad, torch.ones(2, 32))


def test_every_weight_moves(lines: list[Lines]) -> None:
    torch.manual_seed(RECIPE.seed)
    size = of(lines, "meld", "train")[0].vectors.shape[1]
    before = PlannerNetwork(size, 64, RECIPE, (torch.zeros(size), torch.ones(size))).state_dict()
    after = train_planner(lines, RECIPE, phrases=64, log=quiet).state_dict()
    moved = {name: after[name] - before[name] for name in before if name not in {"centre", "deviation"}}
    assert all(bool(change.abs().max() > 0) for change in moved.values())


def test_a_seed_gives_the_same_weights_again(lines: list[Lines]) -> None:
    first, second = (train_planner(lines, RECIPE, phrases=64, log=quiet).state_dict() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_batch_shows_only_lines_before_in_the_same_dialogue(lines: list[Lines]) -> None:
    batch = make_batch(of(lines, "meld", "train")[:2], context=lambda count: np.full(count, 2))
    # Two dialogues of four lines, context 2; 8 stands for "no line".
    assert batch.before[:, :3].tolist() == [
        [8, 8, 8], [0, 8, 8], [1, 0, 8], [2, 1, 8],
        [8, 8, 8], [4, 8, 8], [5, 4, 8], [6, 5, 8],
    ]  # fmt: skip
    assert batch.relations[3, :2].tolist() == [1, 0]  # B spoke before A before B


@pytest.mark.parametrize(("name", "context"), [("meld", 0), ("meld", 2), ("cped", 15)])
def test_the_exported_model_says_what_the_trained_one_says(
    arrays: Arrays, texts: Path, lines: list[Lines], name: str, context: int
) -> None:
    dialogues = [*read_meld(texts), *read_cped(texts)]
    vocabulary = phrase_vocabulary(dialogues)
    network = train_planner(lines, RECIPE, phrases=len(vocabulary), log=quiet)
    model = read_model(model_bytes(network, arrays, vocabulary, shifts={}, about={}))
    dialogue = next(one for one in dialogues if one.set == name and one.part == "test")
    logits = answers_of(network, of(lines, name, "test")[:1], context=context)[name]
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    said = [line.line for line in dialogue.lines]
    for place, line in enumerate(said):
        shares = model.read(said[max(place - context, 0) : place], line, language=dialogue.language).labels
        assert [*shares] == list(LABEL_SETS[name])
        assert [*shares.values()] == pytest.approx(expected[place].tolist(), abs=0.03)  # phrases have four bits


def test_equal_networks_give_equal_bytes(arrays: Arrays, lines: list[Lines]) -> None:
    network = train_planner(lines, RECIPE, phrases=64, log=quiet)
    first, second = (model_bytes(network, arrays, ["好"] * 64, shifts={}, about={"seed": 1}) for _ in range(2))
    assert first == second


def test_weighted_f1_weighs_labels_by_how_often_they_are_true() -> None:
    # Label 0: 2 · 1 / (3 + 1) = 0.5 with weight 3/4; label 1: 2 · 1 / (1 + 3) = 0.5 with weight 1/4.
    assert weighted_f1(np.array([0, 0, 0, 1]), np.array([0, 1, 1, 1])) == 0.5


def test_rare_labels_are_favoured_where_that_helps() -> None:
    logits = np.array([[0.0, -1.0], [0.0, -1.0], [0.0, -0.1]], dtype=np.float32)
    # With shares 0.9 and 0.1 a strength of 0.05 adds 0.05 · ln 9 = 0.11 to the rare label: the third line turns.
    chosen = choose_balance(logits, np.array([0, 0, 1]), np.array([0.9, 0.1]))
    assert chosen.strength == pytest.approx(0.05)
    assert chosen.score == 1.0


def test_from_folders_to_files(tmp_path: Path, texts: Path) -> None:
    minilm = write_minilm(tmp_path / "minilm")
    encoder = make_encoder(
        texts, minilm, tmp_path / "out", recipe=EncoderRecipe(lines={"meld": 8}), layers=1, log=quiet
    )
    reached = run_planner(texts, encoder, tmp_path / "out", seeds=(1, 2), recipe=RECIPE, log=quiet)
    assert sorted(reached) == ["seed1", "seed2"]
    models = [read_model((tmp_path / "out" / f"{name}.npz").read_bytes()) for name in reached]
    assert models[0].revision != models[1].revision
    assert models[0].about["seed"] == 1


def test_a_file_that_is_no_encoder_is_refused(tmp_path: Path, texts: Path) -> None:
    (tmp_path / "encoder.npz").write_text("no", encoding="utf-8")
    with pytest.raises(UsageError, match="aptone train planner encoder"):
        run_planner(texts, tmp_path / "encoder.npz", tmp_path, log=quiet)
