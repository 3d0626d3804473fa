"""Teaching the style model: what is true, voices put together anew, the two encoders, and the files they become."""

import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
import torch

from aptone.ear.describe import ATTRIBUTES, Intensity, Pitch, PitchVariation, Style, VocalEvent, values_of
from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.rooms.style.embedding.built_in import (
    AUDIO_FILE,
    EMOTIONS,
    LARGEST,
    META,
    NAMES,
    TEXT_FILE,
    StyleModel,
    numbers_of,
)
from aptone.types import Emotion, Sex
from recipes.style.examples import descriptions
from recipes.style.network import SIZE, StyleNetwork, StyleRecipe
from recipes.style.rows import NOT_KNOWN, encode
from recipes.style.run import export_style, make_training_data
from recipes.style.train import (
    FEELING,
    FELT,
    KIN,
    ODDS,
    SHARES,
    Agreement,
    Imagination,
    Padded,
    Texts,
    TrainingData,
    embed_rows,
    embed_units,
    hybrids,
    train_style,
)
from tests.recipes.style.tiny_styles import draw_style, make_styles, perceived, rows_of

CPU = torch.device("cpu")
SMALL = StyleRecipe(steps=30, batch_size=16, width=32, layers=1, heads=2, hidden=32)
Log = Callable[[str], None]


class Taught(NamedTuple):
    data: TrainingData
    known: list[int]
    network: StyleNetwork
    lines: list[str]


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def taught() -> Taught:
    """24 rows learned in 30 steps."""
    data, known = make_training_data(rows_of(make_styles(12)))
    lines: list[str] = []
    return Taught(data, known, train_style(data, SMALL, device=CPU, log=lines.append), lines)


def share(voice: Style, said: Style, *, denied: str = "") -> tuple[float, float]:
    """True share of a description, and the weight of known attributes."""
    given = torch.tensor([encode(voice)]), torch.tensor([encode(said)])
    found = Agreement(CPU)(*given, torch.tensor([[name == denied for name in ATTRIBUTES]]))
    return found[0].item(), found[1].item()


def test_what_is_named_and_known_counts_and_a_step_beside_is_half_right() -> None:
    voice = Style(emotion=Emotion.ANGRY, intensity=Intensity.STRONG, pitch=Pitch.LOW, sex=Sex.MALE)
    assert share(voice, voice) == (1.0, 1.5 + 0.5 + 1 + 1)
    assert share(voice, Style(pitch=Pitch.MEDIUM)) == (0.5, 1.0)
    assert share(voice, Style(pitch=Pitch.HIGH)) == (0.0, 1.0)
    assert share(voice, Style(sex=Sex.FEMALE, pitch=Pitch.LOW)) == (0.5, 2.0)
    assert share(voice, Style(pitch_variation=PitchVariation.LIVELY))[1] == 0.0  # not known of this voice
    assert share(voice, Style(pitch=Pitch.HIGH), denied="pitch") == (1.0, 1.0)
    assert share(voice, Style(pitch=Pitch.LOW), denied="pitch") == (0.0, 1.0)


def test_a_sound_is_true_where_it_is_heard_and_false_where_it_is_not() -> None:
    laugh = Style(events=(VocalEvent.LAUGHTER,))
    assert share(Style(events=(VocalEvent.LAUGHTER, VocalEvent.COUGH)), laugh) == (1.0, 1.0)
    assert share(Style(), laugh) == (0.0, 1.0)
    assert share(laugh, Style()) == (0.0, 0.0)  # a description that names none says nothing


def test_emotions_are_right_by_their_nearness_kin_by_what_is_set_and_none_more_than_itself() -> None:
    table = Agreement(CPU).tables["emotion"]
    values = values_of("emotion")
    assert torch.equal(table, table.T)
    assert torch.equal(table.diagonal(), torch.ones(len(values)))
    for (one, other), kin in KIN.items():
        assert table[values.index(one), values.index(other)].item() == pytest.approx(kin)
    assert share(Style(emotion=Emotion.HAPPY), Style(emotion=Emotion.SAD)) == (0.0, 1.5)
    others = table - torch.eye(len(values))
    assert 0.0 <= others.min() <= others.max() <= max(KIN.values()) < 1.0


def test_a_true_description_is_wholly_true_unless_it_denies_and_its_twin_is_less() -> None:
    agreement = Agreement(CPU)
    generator = np.random.default_rng(2)
    lower = 0
    for seed in range(40):
        style = encode(draw_style(generator))
        said = descriptions(style, count=2, seed=seed)
        denied = torch.tensor([[name in one.denied for name in ATTRIBUTES] for one in said])
        found, known = agreement(torch.tensor([style]), torch.tensor([one.style for one in said]), denied)
        assert (known[0, ::2] > 0).all()
        for place in (0, 2):
            # "not monotone" of a voice in the middle of the scale of three is half right
            assert found[0, place] == 1.0 or (said[place].denied and found[0, place] >= 0.5)
            lower += bool(found[0, place + 1] < found[0, place])
    assert lower >= 0.9 * 80


def test_imagined_feelings_are_what_an_ear_could_say_of_every_emotion_alike() -> None:
    torch.manual_seed(1)
    numbers, emotion = Imagination(CPU)(4000)
    assert numbers.shape == (4000, len(FEELING))
    odds, shares, rest = numbers[:, :10], numbers[:, 10:20], numbers[:, 20:]
    assert torch.allclose(shares.sum(dim=1), torch.ones(4000), atol=1e-5)
    assert odds.abs().max() <= LARGEST + 1e-4
    assert rest[:, :2].abs().max() <= 1.0
    assert rest[:, 2].abs().max() <= 0.5
    counts = torch.bincount(emotion, minlength=len(values_of("emotion")))
    codes = [values_of("emotion").index(Emotion.parse(name)) for name in EMOTIONS]
    # 400 of each in the mean, with a deviation of 19
    assert counts[codes].min() > 300
    assert counts.sum() == counts[codes].sum()
    own = shares[torch.arange(4000), torch.tensor([codes.index(code) for code in emotion.tolist()])]
    assert own.mean() > 2 / len(EMOTIONS)  # heard more often than not, and far from always


def batch(count: int = 64) -> tuple[torch.Tensor, torch.Tensor]:
    generator = np.random.default_rng(4)
    styles = [draw_style(generator) for _ in range(count)]
    return (
        torch.from_numpy(np.stack([numbers_of(perceived(style)) for style in styles])),
        torch.tensor([encode(style) for style in styles]),
    )


def test_a_hybrid_has_the_feeling_of_one_row_and_the_rest_of_another() -> None:
    torch.manual_seed(2)
    numbers, style = batch()
    made, true = hybrids(numbers, style, Imagination(CPU), StyleRecipe(hybrid=1.0, imagined=0.0, bias=0.0))
    rest = [place for place in range(len(NAMES)) if place not in FEELING]
    assert torch.equal(true[:, FELT], style[:, FELT])
    assert torch.equal(made[:, list(ODDS)], numbers[:, list(ODDS)])
    assert torch.allclose(made[:, list(SHARES)].sum(dim=1), torch.ones(len(made)))
    others = [place for place in range(len(ATTRIBUTES)) if place not in FELT]
    for row in range(len(made)):
        matching = (numbers[:, rest] == made[row, rest]).all(dim=1) & (style[:, others] == true[row, others]).all(dim=1)
        assert matching.any()
    assert (made[:, rest] != numbers[:, rest]).any()


def test_an_imagined_feeling_goes_with_its_emotion_and_no_intensity() -> None:
    torch.manual_seed(3)
    numbers, style = batch()
    made, true = hybrids(numbers, style, Imagination(CPU), StyleRecipe(hybrid=1.0, imagined=1.0))
    assert (true[:, FELT[1]] == NOT_KNOWN).all()
    assert (true[:, FELT[0]] != style[:, FELT[0]]).any()
    assert not torch.equal(made[:, list(FEELING)], numbers[:, list(FEELING)])


def test_without_hybrids_and_bias_rows_stay_themselves() -> None:
    numbers, style = batch()
    made, true = hybrids(numbers, style, Imagination(CPU), StyleRecipe(hybrid=0.0, bias=0.0))
    assert torch.equal(true, style)
    others = [place for place in range(len(NAMES)) if place not in SHARES]
    assert torch.equal(made[:, others], numbers[:, others])


def test_padding_changes_no_description_and_unknown_units_are_read_by_their_vectors() -> None:
    torch.manual_seed(1)
    network = StyleNetwork(len(NAMES), 9, 6, SMALL).eval()
    table = torch.randn(9, 6)
    texts = Texts(
        np.array([0, 1, 2, 3, 4, 5, 6], dtype=np.int32),
        np.array([0, 2, 7]),
        np.zeros((2, len(ATTRIBUTES)), dtype=np.int16),
        np.zeros((2, len(ATTRIBUTES)), dtype=np.bool_),
    )
    padded = Padded(texts, table)
    with torch.no_grad():
        both = network.text(*padded(np.array([0, 1])))
        short = network.text(*padded(np.array([0])))
    assert torch.allclose(both[0], short[0], atol=1e-6)
    alone = embed_units(network, [(table[:2].numpy(), np.array([1, 2])), (table[:2].numpy(), np.array([0, 0]))])
    assert np.allclose(alone[0], short[0].numpy(), atol=1e-6)
    assert not np.allclose(alone[0], alone[1], atol=1e-3)
    network.train()  # now some units are read by their vectors alone, at random
    assert not torch.allclose(network.text(*padded(np.array([1]))), both[1:], atol=1e-6)


def test_losses_fall_in_thirty_steps(taught: Taught) -> None:
    first, last = ([float(value) for value in line.split(": ")[1].split()] for line in taught.lines)
    assert [line.split(":")[0] for line in taught.lines] == ["step 1", "step 30"]
    assert last[-1] < first[-1]  # all together
    assert last[1] < first[1]  # agreement
    assert first[-1] == pytest.approx(sum(first[:3]), abs=2e-3)


def test_what_was_learned_is_the_same_with_the_same_seed_and_standardises_what_it_saw(taught: Taught, log: Log) -> None:
    data, network = taught.data, taught.network
    short = StyleRecipe(steps=2, batch_size=4, width=32, layers=1, heads=2, hidden=32)
    first, again = (train_style(data, short, device=CPU, log=log).state_dict() for _ in range(2))
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not network.training
    assert np.allclose(network.audio.centre, data.numbers.mean(axis=0), atol=1e-6)
    assert network.audio.spread.min() >= 0.1


def test_going_on_keeps_what_was_learned_about_the_units_that_were_known(taught: Taught, log: Log) -> None:
    data, known = taught.data, taught.known
    fewer = StyleNetwork(len(NAMES), 5, data.table.shape[1], SMALL)
    still = StyleRecipe(steps=1, batch_size=4, lr=1e-12, width=32, layers=1, heads=2, hidden=32)
    on = train_style(data, still, start=fewer, device=CPU, log=log)
    assert torch.allclose(on.text.learned.weight[:6], fewer.text.learned.weight, atol=1e-6)
    assert on.text.learned.num_embeddings == len(known) + 1
    assert torch.allclose(on.audio.straight.weight, fewer.audio.straight.weight, atol=1e-6)
    assert torch.equal(on.audio.centre, fewer.audio.centre)


def test_the_files_say_what_the_network_says(taught: Taught, out: Path) -> None:
    known, network = taught.known, taught.network
    audio, text = export_style(network, known, out, about={"ear": "full"})
    assert (audio, text) == (out / AUDIO_FILE, out / TEXT_FILE)
    model = StyleModel(audio.read_bytes(), text.read_bytes())
    assert model.size == SIZE
    heard = [perceived(draw_style(np.random.default_rng(seed))) for seed in range(5)]
    vectors = embed_rows(network, np.stack([numbers_of(one) for one in heard]))
    assert np.abs(np.stack([model.voice(one) for one in heard]) - vectors).max() < 1e-5
    units = load_static_vectors()
    places = {unit: place for place, unit in enumerate(known, start=1)}
    for words in ("a calm woman", "愤怒，语速快", "x", "a zymurgist's unheard-of words, 2 of them", "slow " * 40):
        numbers = units.units(words)
        given = units.unit_vectors(numbers), np.array([places.get(unit, 0) for unit in numbers])
        assert np.abs(model.description(numbers, given[0]) - embed_units(network, [given])[0]).max() < 1e-5


def test_the_files_say_what_they_are_and_other_weights_are_another_revision(taught: Taught, out: Path) -> None:
    known, network = taught.known, taught.network
    _, text = export_style(network, known, out, about={"ear": "full"})
    said = {entry.key: json.loads(entry.value) for entry in onnx.load(text).metadata_props}[META]
    assert (said["ear"], said["licence"], said["known"]) == ("full", "CC-BY-NC-SA-4.0", known)
    assert said["numbers"] == list(NAMES)
    torch.manual_seed(9)
    other = StyleNetwork(len(NAMES), len(known), load_static_vectors().size, SMALL)
    files = export_style(other, known, out / "other", about={})
    revised = StyleModel(*(path.read_bytes() for path in files))
    assert revised.revision != said["revision"]
    assert revised.signature.endswith(f"weights:{revised.revision}")
