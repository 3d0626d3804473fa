"""Teaching the built-in text embedder, on texts small enough for a test."""

import json
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from click.testing import CliRunner

from aptone.ear.describe import style_in
from aptone.errors import UsageError
from aptone.models.parts import Vectors
from aptone.models.text.built_in_embedder import read_static_vectors
from recipes.text_embedder import run as text_embedder_run
from recipes.text_embedder.__main__ import text_embedder
from recipes.text_embedder.data import (
    Pair,
    described,
    emoji_pairs,
    labelled_texts,
    lexicon_pairs,
    styletalk_texts,
    word_counts,
    word_vectors,
    written_pairs,
)
from recipes.text_embedder.run import Sources, make_text_embedder
from recipes.text_embedder.train import EVAL_EVERY, TextEmbedderRecipe, principal_directions
from recipes.text_embedder.vocabulary import BUCKETS, RARE, choose_units, first_vectors, plain_pieces
from tests.recipes.text_embedder.tiny_texts import write_texts

RECIPE = TextEmbedderRecipe(size=32, mandarin_units=4, styles=40, steps=3, texts=4, pairs=4, views=8, labelled=4)
WORDS = {"声音": [1.0, 0.0, 0.0], "悲伤": [0.0, 1.0, 0.0], "快": [0.0, 0.0, 1.0], "火车": [1.0, 1.0, 0.0]}


class HashedTeacher:
    """Gives every text a direction of its own, and counts the texts it was asked for."""

    asked: ClassVar[Counter[str]] = Counter()

    def __init__(self, **options: Any) -> None:
        assert options["model"]

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.update(texts)
        rows = [np.random.default_rng(zlib.crc32(text.encode())).normal(size=48) for text in texts]
        wide = np.array(rows, dtype=np.float32)
        unit: Vectors = wide / np.linalg.norm(wide, axis=1, keepdims=True)
        return unit


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sources:
    data = write_texts(tmp_path / "texts")
    (data / "styletalk").mkdir()
    rows = ["context,curr_text,res_text", '"A : So you came. B : I did.",B: Sit down.,  Thanks!']
    (data / "styletalk" / "train.csv").write_text("\n".join(rows), encoding="utf-8")
    (tmp_path / "minilm").mkdir()
    (tmp_path / "minilm" / "vocab.txt").write_text("[UNK]\na\nvoice\n##s\n1987\né\n!", encoding="utf-8")
    body = b"".join(word.encode() + b" " + struct.pack("<3f", *row) + b"\n" for word, row in WORDS.items())
    (tmp_path / "words.vector").write_bytes(b"4 3\n" + body)
    (tmp_path / "dict.txt").write_text("声音 90 n\n悲伤 50 a\n快 300 a\n火车 20 n\n", encoding="utf-8")
    for language, name in (("en", "train"), ("zh", "火车")):
        folder = tmp_path / "annotations" / language
        folder.mkdir(parents=True)
        named = {"🚆": {"default": [name], "tts": [name]}, "♂": {"default": ["x"]}}
        (folder / "annotations.json").write_text(json.dumps({"annotations": {"annotations": named}}), encoding="utf-8")
    monkeypatch.setattr(text_embedder_run, "LocalTextEmbedder", HashedTeacher)
    HashedTeacher.asked.clear()
    return Sources(
        data, tmp_path / "minilm", tmp_path / "words.vector", tmp_path / "dict.txt", tmp_path / "annotations"
    )


def test_it_makes_a_file_that_the_embedder_reads_and_the_same_one_again(
    sources: Sources, out: Path, log: Callable[[str], None], lines: list[str]
) -> None:
    first = make_text_embedder(sources, out, recipe=RECIPE, log=log).read_bytes()
    made = read_static_vectors(first)
    assert made.size == 32
    assert made.about["recipe"]["seed"] == 1
    assert np.isfinite(made.embed(["a voice!", "悲伤的声音", "Ж"])).all()
    assert any("units" in line for line in lines)
    assert max(HashedTeacher.asked.values()) == 1, "the teacher is asked once for each text"
    asked = HashedTeacher.asked.total()
    assert make_text_embedder(sources, out, recipe=RECIPE, log=log).read_bytes() == first
    assert HashedTeacher.asked.total() == asked, "what the teacher said was kept"


def test_teaching_brings_texts_nearer_to_what_the_teacher_says(
    sources: Sources, out: Path, log: Callable[[str], None], lines: list[str]
) -> None:
    seen: list[Vectors] = []

    def evaluate(vectors: Vectors) -> dict[str, float]:
        seen.append(vectors)
        return {"looked": 1.0}

    make_text_embedder(sources, out, recipe=replace(RECIPE, steps=EVAL_EVERY), log=log, evaluate=evaluate)
    assert len(seen) == 1
    assert f"step {EVAL_EVERY} of {EVAL_EVERY}" in lines[-1]
    assert "looked 1.000" in lines[-1]
    # Untaught, texts and pairs are about 1 away from where they should be each, the contrast adds 0.05 ln 8 = 0.1, the
    # two heads 0.1 (ln 7 + ln 13) = 0.45: 2.5 in all, without what the relations add.
    assert float(lines[-1].partition("loss ")[2].split()[0].rstrip(",")) < 2.0


def test_the_units_are_plain_pieces_words_that_occur_and_the_most_frequent_mandarin() -> None:
    assert plain_pieces(["[CLS]", "a", "##s", "12", "1987", "##87", "é"]) == ["a", "##s", "12"]
    chosen = choose_units(
        ["a", "##s"],
        ["zorp zorp zorp zorp"],
        ["好快"],
        wanted=["blub", "悲伤"],
        vectors=["火车", "快", "声音", "悲伤"],
        counts=Counter({"快": 300, "声音": 90, "火车": 20}),
        mandarin_units=2,
    )
    # zorp occurs four times; blub and 悲伤 are wanted; 快 and 声音 are the most frequent; then single characters.
    assert chosen.units[: chosen.english] == ("a", "##s", "zorp", "blub")
    assert set(chosen.units[chosen.english :]) == {"快", "声音", "好", "声", "音", "悲伤"}
    assert len(chosen.frequency) == len(chosen.units) + BUCKETS
    # zorp is all that the English text holds: its share is 1.
    assert chosen.frequency[2] == 1.0


def test_mandarin_words_begin_where_the_map_puts_them() -> None:
    chosen = choose_units(
        ["voice", "sad"],
        ["voice sad"],
        ["声音悲伤"],
        wanted=[],
        vectors=list(WORDS),
        counts=Counter(dict.fromkeys(WORDS, 1)),
        mandarin_units=4,
    )
    directions = {"voice": [1.0, 0, 0, 0], "sad": [0, 1.0, 0, 0]}

    def meaning(texts: Sequence[str]) -> Vectors:
        return np.array([directions.get(text, [0, 0, 0, 1.0]) for text in texts], dtype=np.float32)

    rows = first_vectors(
        chosen,
        meaning=meaning,
        pairs=[Pair("voice", "声音"), Pair("sad", "悲伤")],
        words=list(WORDS),
        vectors=np.array(list(WORDS.values()), dtype=np.float32),
        seed=0,
    )
    place = {unit: number for number, unit in enumerate(chosen.units)}
    assert rows[place["声音"]].argmax() == 0
    assert rows[place["悲伤"]].argmax() == 1
    # 火车 was in no pair: its vector lies between those of 声音 and 悲伤, and so does what the map makes of it.
    train = rows[place["火车"]]
    assert train[0] == pytest.approx(train[1], abs=1e-5)
    # Half of the English text is "voice": its weight is a / (a + 0.5).
    assert np.linalg.norm(rows[place["voice"]]) == pytest.approx(RARE / (RARE + 0.5), rel=1e-4)


def test_four_wordings_say_the_same_style() -> None:
    for one in described(60, seed=3):
        assert {style_in(text, language="en") for text in one.english} == {one.style}
        assert {style_in(text, language="zh") for text in one.mandarin} == {one.style}
    assert [one.english for one in described(5, seed=3)] == [one.english for one in described(5, seed=3)]


def test_the_bilingual_words_are_many_and_in_their_scripts() -> None:
    pairs = written_pairs()
    assert len({pair.english for pair in pairs}) > 1000
    assert all(pair.english.isascii() and pair.english == pair.english.strip() for pair in pairs)
    assert all("\u4e00" <= pair.mandarin[0] <= "\u9fff" and " " not in pair.mandarin for pair in pairs)
    assert Pair("whisper", "耳语") in pairs
    assert Pair("tender", "温柔") in lexicon_pairs()


def test_texts_are_read_as_their_sets_hold_them(sources: Sources) -> None:
    assert styletalk_texts(sources.data, part="train") == ["So you came.", "I did.", "Sit down.", "Thanks!"]
    assert {one.set for one in labelled_texts(sources.data, part="train")} == {"goemotions", "cped"}
    assert emoji_pairs(sources.annotations) == [Pair("train", "火车")]
    words, vectors = word_vectors(sources.words)
    assert words == list(WORDS)
    np.testing.assert_array_equal(vectors, list(WORDS.values()))
    assert word_counts(sources.counts)["快"] == 300


def test_files_of_another_form_are_named(sources: Sources, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("not a number\n", encoding="utf-8")
    with pytest.raises(UsageError, match="broken: expected word vectors in word2vec's binary form"):
        word_vectors(broken)
    with pytest.raises(UsageError, match="broken: expected a word, a number and a class"):
        word_counts(broken)
    with pytest.raises(UsageError, match=r"annotations\.json: expected the annotations of CLDR"):
        emoji_pairs(tmp_path)
    with pytest.raises(UsageError, match=r"dev\.csv: cannot be read"):
        styletalk_texts(sources.data, part="dev")


def test_principal_directions_keep_the_lengths_of_what_lies_in_them() -> None:
    rows = np.zeros((4, 3), dtype=np.float32)
    rows[:, 0], rows[:, 2] = 2.0, [1.0, -1.0, 1.0, -1.0]
    kept = rows @ principal_directions(rows, 2)
    np.testing.assert_allclose(np.linalg.norm(kept, axis=1), 5**0.5, rtol=1e-6)


def test_the_command_hands_its_options_on_and_says_where_the_file_is(
    sources: Sources, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, Any] = {}

    def made(where: Sources, folder: Path, *, recipe: TextEmbedderRecipe, log: Callable[[str], None]) -> Path:
        given.update(where=where, folder=folder, recipe=recipe)
        log("as if it taught")
        folder.mkdir()
        (folder / "text_embedder.npz").write_bytes(b"12345")
        return folder / "text_embedder.npz"

    monkeypatch.setattr(text_embedder_run, "make_text_embedder", made)
    typed = [f"--{name}={getattr(sources, name)}" for name in Sources.__dataclass_fields__]
    shown = CliRunner().invoke(text_embedder, [*typed, "--steps=7", "--seed=3", f"--out={out}", "--json"])
    assert shown.exit_code == 0, shown.output
    assert json.loads(shown.stdout) == {"embedder": str(out / "text_embedder.npz"), "bytes": 5}
    assert given == {"where": sources, "folder": out, "recipe": TextEmbedderRecipe(seed=3, steps=7)}
