import asyncio
import io
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.errors import UsageError
from aptone.models import load_text_embedder
from aptone.models.parts import Vectors
from aptone.models.text.built_in_embedder import (
    TEXTS_AT_ONCE,
    BuiltInTextEmbedder,
    Packed,
    StaticVectors,
    load_static_vectors,
    pack,
    read_static_vectors,
    unpack,
)
from recipes.text_embedder.run import embedder_bytes
from tests.tables import for_each


def embed(*texts: str) -> Vectors:
    return asyncio.run(BuiltInTextEmbedder().embed(texts))


def cosine(one: str, other: str) -> float:
    first, second = embed(one, other)
    return float(first @ second)


def test_a_vector_is_the_sum_of_its_units_at_length_one() -> None:
    table = np.zeros((4, 32), dtype=np.float32)
    table[0, 0], table[1, 1], table[2, 2], table[3, 3] = 0.7, 0.7, 0.7, 0.7
    made = read_static_vectors(embedder_bytes(table, ["low", "voice", "低"], about={}))
    # "low voice": (0.7, 0.7, 0, …), at length 1: 1 / √2 each. The third unit is 低, the fourth the only bucket.
    np.testing.assert_allclose(made.embed(["low voice"])[0, :4], [0.5**0.5, 0.5**0.5, 0, 0], atol=1e-3)
    np.testing.assert_allclose(made.embed(["低"])[0, :4], [0, 0, 1, 0], atol=1e-3)
    np.testing.assert_allclose(made.embed(["Ж"])[0, :4], [0, 0, 0, 1], atol=1e-3)


def test_the_same_text_has_the_same_bits_in_any_batch_and_beside_any_neighbour() -> None:
    texts = [f"line {number} 第{number}句 " + "very " * (number % 17) for number in range(TEXTS_AT_ONCE + 60)]
    together = embed(*texts)
    np.testing.assert_array_equal(embed(*reversed(texts))[::-1], together)
    for place in (0, 7, TEXTS_AT_ONCE - 1, TEXTS_AT_ONCE, len(texts) - 1):
        np.testing.assert_array_equal(embed(texts[place])[0], together[place])


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(min_size=1, max_size=30).filter(lambda text: bool(text.strip())), min_size=1, max_size=6))
def test_neighbours_change_nothing_whatever_the_texts(texts: list[str]) -> None:
    model = load_static_vectors()
    try:
        together = model.embed(texts)
    except UsageError:  # one of them holds nothing but accents
        return
    for text, row in zip(texts, together, strict=True):
        np.testing.assert_array_equal(model.embed([text])[0], row)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-5)


def test_descriptions_of_one_voice_are_nearer_than_those_of_different_ones() -> None:
    assert cosine("her voice is low and trembling", "a shaky, deep voice") > cosine(
        "her voice is low and trembling", "a cheerful, bright voice"
    )
    assert cosine("a slow, gravelly whisper", "缓慢沙哑的低语") > cosine("a slow, gravelly whisper", "响亮欢快的歌声")


def test_texts_that_differ_in_a_mark_only_are_near_duplicates_and_others_are_not() -> None:
    assert cosine("I never said that to her.", "I never said that to her!") > 0.9
    assert cosine("我从来没跟她说过这话。", "我从来没跟她说过这话！") > 0.9
    assert cosine("I never said that to her.", "The train leaves at nine.") < 0.9


def test_a_text_without_a_meaning_is_refused_and_not_placed_anywhere() -> None:
    with pytest.raises(UsageError, match="text 2 of 2 is empty"):
        embed("calm", "  ")
    with pytest.raises(UsageError, match="text 1 holds no letters or marks"):
        embed("\u0301")  # an accent on no letter
    with pytest.raises(UsageError, match="no text was given"):
        embed()
    with pytest.raises(UsageError, match="texts come as a list"):
        asyncio.run(BuiltInTextEmbedder().embed("calm"))


def test_it_is_the_embedder_by_default_and_needs_nothing() -> None:
    made = load_text_embedder()
    assert isinstance(made, BuiltInTextEmbedder)
    assert made.about.missing == ()
    assert "Apache-2.0" in made.about.licence
    assert load_static_vectors().revision in made.signature


def test_it_loads_neither_torch_nor_scipy() -> None:
    code = (
        "import sys, asyncio\nfrom aptone.models import load_text_embedder\n"
        "asyncio.run(load_text_embedder().embed(['calm']))\nprint(*sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"torch", "scipy", "onnxruntime"} & set(shown.stdout.split())


def test_its_file_holds_no_pickle_and_its_vectors_are_those_that_were_packed() -> None:
    dice = np.random.default_rng(0)
    table = dice.normal(size=(5, 64)).astype(np.float32)
    data = embedder_bytes(table, ["a", "b", "c"], about={"licence": "x"})
    with np.load(io.BytesIO(data), allow_pickle=False) as opened:
        np.testing.assert_array_equal(unpack(Packed(opened["nibbles"], opened["scales"])), unpack(pack(table)))
    made = read_static_vectors(data)
    assert isinstance(made, StaticVectors)
    assert made.size == 64
    assert made.about["licence"] == "x"
    assert made.revision != read_static_vectors(embedder_bytes(table, ["a", "b", "d"], about={})).revision
    assert data == embedder_bytes(table, ["a", "b", "c"], about={"licence": "x"})


def test_multiples_of_one_step_survive_packing_exactly() -> None:
    # The largest is 7 steps of 0.25, and both are exact in half precision: nothing is rounded.
    steps = np.tile(np.arange(-7, 9).clip(max=7), 2)[np.newaxis]
    assert unpack(pack(steps * 0.25)).tolist() == (steps * 0.25).tolist()


@given(st.integers(0, 2**32 - 1), st.integers(-6, 4))
def test_no_number_moves_by_more_than_the_cut_and_half_a_step(seed: int, exponent: int) -> None:
    matrix = np.random.default_rng(seed).normal(size=(3, 64)).astype(np.float32) * 10.0**exponent
    largest = np.abs(matrix).reshape(3, 2, 32).max(axis=2).repeat(32, axis=1)
    # At worst 0.7 of the largest is kept (a cut of 0.3), or half of a step of largest / 7; plus the scale's rounding.
    bound = 0.3 * largest + 0.02 * largest + 1e-6
    assert np.all(np.abs(unpack(pack(matrix)) - matrix) <= bound)


def test_zeros_stay_zeros() -> None:
    assert not unpack(pack(np.zeros((2, 32)))).any()


@for_each("shape", [(32,), (2, 31), (1, 2, 32)])
def test_a_matrix_that_is_not_made_of_whole_groups_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="multiple of 32"):
        pack(np.zeros(shape))
