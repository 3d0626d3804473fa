"""The style embedder that comes with Aptone."""

import math
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.audio import read
from aptone.ear import load_ear
from aptone.errors import UsageError
from aptone.models import load_style_embedder
from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.rooms.style.api import style_all
from aptone.rooms.style.embedding.built_in import EAR, LICENCE, MOST_UNITS, BuiltInStyleEmbedder, load_style_model
from aptone.types import Audio, Perception, Sex, State, Vad
from tests.tables import for_each

CLIPS = Path(__file__).resolve().parents[4] / "examples" / "lighthouse" / "clips"
TEXTS = (
    "a calm woman",
    "an angry man who shouts",
    "slow, soft, not happy",
    "一位语速很快的男性",
    "悲伤而低沉的声音",
    "with laughter",
)
SILENCE = Audio(np.zeros(16_000, dtype=np.float32), rate=16_000, source="silence")
EMBEDDER = BuiltInStyleEmbedder()


@pytest.fixture(scope="module")
def clips() -> list[Audio]:
    return [read(CLIPS / f"{name}.opus", rate=16_000) for name in ("keeper-wrong", "sleep-apt", "anybody-apt")]


@pytest.fixture(scope="module")
def voices(clips: list[Audio]) -> np.ndarray:
    return EMBEDDER.embed_audio(clips)


def heard(emotion: str, vad: Vad) -> Perception:
    return Perception(2.0, emotion={emotion: 0.9, "neutral": 0.1}, vad=vad, sex={Sex.MALE: 0.5, Sex.FEMALE: 0.5})


def nearest(voice: np.ndarray, *descriptions: str) -> str:
    return descriptions[int(np.argmax(EMBEDDER.embed_texts(descriptions) @ voice))]


def test_it_is_registered_and_gives_vectors_of_length_one(voices: np.ndarray) -> None:
    assert isinstance(load_style_embedder("built-in"), BuiltInStyleEmbedder)
    texts = EMBEDDER.embed_texts(TEXTS)
    assert (voices.shape, texts.shape) == ((3, EMBEDDER.size), (len(TEXTS), EMBEDDER.size))
    assert voices.dtype == texts.dtype == np.float32
    assert np.linalg.norm(voices, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert np.linalg.norm(texts, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_a_clip_alone_has_exactly_the_vector_that_it_has_among_others(clips: list[Audio], voices: np.ndarray) -> None:
    order = [2, 0, 1]
    assert np.array_equal(EMBEDDER.embed_audio([*(clips[place] for place in order), SILENCE])[:3], voices[order])
    assert np.array_equal(EMBEDDER.embed_audio(clips[:1])[0], voices[0])


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(len(TEXTS))), st.integers(1, len(TEXTS)))
def test_a_description_alone_has_exactly_the_vector_that_it_has_among_others(order: list[int], count: int) -> None:
    chosen = [TEXTS[place] for place in order[:count]]
    alone = np.concatenate([EMBEDDER.embed_texts([text]) for text in chosen])
    assert np.array_equal(EMBEDDER.embed_texts(chosen), alone)


def test_where_no_voice_is_heard_there_is_no_vector() -> None:
    assert np.isnan(EMBEDDER.embed_audio([SILENCE])).all()
    (judged,) = style_all(SILENCE, ["a calm voice"])
    assert judged.outcome.state is State.UNSCORED
    assert math.isnan(EMBEDDER.embed_heard(Perception(1.0))[0])


def test_no_clip_is_refused() -> None:
    with pytest.raises(UsageError, match="no clip was given"):
        EMBEDDER.embed_audio([])


@for_each(
    ("texts", "problem"),
    [
        ([], "no text was given"),
        (["calm", ""], "text 2 of 2 is empty"),
        ([" \n\t"], "text 1 of 1 is empty"),
        (["\x00\x07\x1b"], "no letters or marks"),
        (["\u200b\u202e\u2060"], "no letters or marks"),
        (["\u0301"], "no letters or marks"),
        (["slow " * (MOST_UNITS + 1)], f"{MOST_UNITS + 1} words and marks, at most {MOST_UNITS}"),
        (["慢，" * 5000], f"at most {MOST_UNITS}"),
    ],
)
def test_what_is_no_description_is_refused(texts: list[str], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        EMBEDDER.embed_texts(texts)


def test_the_longest_description_is_read() -> None:
    assert np.isfinite(EMBEDDER.embed_texts(["slow " * MOST_UNITS])).all()


def test_what_cannot_be_seen_in_a_description_changes_nothing() -> None:
    plain, hidden = EMBEDDER.embed_texts(["a calm voice", "a\x00 ca\u200blm\u202e\x1bvoice"])
    assert np.array_equal(plain, hidden)


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1, max_size=60))
def test_any_text_gets_a_vector_of_length_one_or_none_or_is_refused(text: str) -> None:
    try:
        (vector,) = EMBEDDER.embed_texts([text])
    except UsageError:
        return
    assert np.isnan(vector).all() or np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-4)


@for_each("text", ["an angry man", "HAPPY", "悲伤的声音", "🎤 happy", "husky, slow"])
def test_one_word_that_was_taught_is_enough(text: str) -> None:
    assert np.isfinite(EMBEDDER.embed_texts([text])).all()


@for_each("text", ["😀🔥", "!!!", "1234", ",", "xyzzy qwrt", "spokojny mężczyzna"])
def test_a_description_without_such_a_word_has_no_vector_rather_than_a_made_up_fit(text: str) -> None:
    assert np.isnan(EMBEDDER.embed_texts([text])).all()


@for_each(
    ("emotion", "place", "right", "wrong"),
    [
        ("angry", Vad(-0.5, 0.7, 0.3), ("an angry voice", "愤怒的声音"), ("a sad voice", "悲伤的声音")),
        ("sad", Vad(-0.6, -0.4, -0.3), ("a sad voice", "悲伤的声音"), ("an angry voice", "愤怒的声音")),
        ("happy", Vad(0.7, 0.5, 0.3), ("a happy voice", "开心的声音"), ("a sad voice", "悲伤的声音")),
        ("fear", Vad(-0.6, 0.6, -0.4), ("a frightened voice", "害怕的声音"), ("a calm voice", "平静的声音")),
    ],
)
def test_a_feeling_lies_nearer_to_its_own_description(
    emotion: str, place: Vad, right: tuple[str, str], wrong: tuple[str, str]
) -> None:
    voice = EMBEDDER.embed_heard(heard(emotion, place))
    for own, other in zip(right, wrong, strict=True):
        assert nearest(voice, other, own) == own


def test_synthetic_readings_lie_nearer_to_what_was_done_with_them(voices: np.ndarray) -> None:
    # the keeper, a man, hurries and presses where he should be at ease; the mother soothes a child, slowly
    hurried, soothing = voices[:2]
    assert nearest(hurried, "a sad voice", "an angry voice", "a calm voice") == "an angry voice"
    assert nearest(hurried, "悲伤的声音", "愤怒的声音") == "愤怒的声音"
    assert nearest(hurried, "a slow voice", "a fast voice") == "a fast voice"
    assert nearest(hurried, "a woman", "a man") == "a man"
    assert nearest(soothing, "an angry voice", "a calm voice") == "a calm voice"
    assert nearest(soothing, "语速快", "语速慢") == "语速慢"
    assert nearest(soothing, "a woman", "a man") == "a woman"


def test_the_signature_names_the_ear_the_text_units_and_the_weights() -> None:
    signature = EMBEDDER.signature
    assert signature.startswith("built-in-style|")
    for part in (load_ear(EAR).signature, load_static_vectors().revision, load_style_model().revision):
        assert part in signature


def test_a_clip_gets_fits_and_the_better_description_the_higher(clips: list[Audio]) -> None:
    fast, slow = (one.outcome.scores["fit"].value for one in style_all(clips[0], ["a fast voice", "a slow voice"]))
    assert 0.0 <= slow < fast <= 5.0


def test_the_file_beside_the_weights_names_every_file_and_its_licence() -> None:
    weights = files("aptone.rooms.style") / "weights"
    text = (weights / "LICENCES.md").read_text(encoding="utf-8")
    rows = {line.split("`")[1]: line for line in text.splitlines() if line.startswith("| `")}
    assert {entry.name for entry in weights.iterdir() if not entry.name.endswith(".md")} == set(rows)
    assert all(LICENCE.replace("CC-BY-NC-SA-", "CC BY-NC-SA ") in row for row in rows.values())
    assert LICENCE in EMBEDDER.about.licence
