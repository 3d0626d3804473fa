"""S3Bench from pairs to tables."""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

import aptone.rooms.style.embedding.vectors as embedding
from aptone.errors import RecordError, UsageError
from aptone.models.scripted import ScriptedTextEmbedder
from aptone.rooms.style.bench.class_prompts import LabelledSet, class_prompts, read_labelled
from aptone.rooms.style.bench.page import (
    agreement_table,
    classification_table,
    main_tables,
    result_notes,
    retrieval_table,
    s3bench_page,
)
from aptone.rooms.style.bench.s3bench import Contestants, S3Result, bench_s3bench, matches
from aptone.rooms.style.data import StylePair
from aptone.types import AudioRef, Language
from tests.rooms.style.voices import ToneEmbedder, write_tone

pytestmark = pytest.mark.slow

PITCHES = {"low": 100.0, "middle": 400.0, "high": 1600.0}


@pytest.fixture
def pairs(tmp_path: Path) -> list[StylePair]:
    """Every tone with every word; people give 5 for the right word, 2.5 for a neighbour and 0 for the other end."""
    made = []
    order = list(PITCHES)
    for tone, hertz in PITCHES.items():
        path = write_tone(tmp_path / "clips" / f"{tone}.wav", hertz)
        for word in order:
            fit = 5.0 - 2.5 * abs(order.index(tone) - order.index(word))
            ratings = {"a": fit, "b": fit, "c": fit, "d": 0.0, "e": 5.0}
            language: Language = "zh" if tone == "high" else "en"
            made.append(
                StylePair(f"{tone}-{word}", AudioRef(str(path)), word, language, transcript=tone, ratings=ratings)
            )
    return made


def bench(pairs: list[StylePair], folder: Path, **options: object) -> S3Result:
    models = Contestants({"tones": ToneEmbedder()})
    return bench_s3bench(pairs, models, folder=folder, source="set", repeats=20, **options)  # type: ignore[arg-type]


def test_a_model_that_hears_what_people_hear_correlates_with_them(pairs: list[StylePair], tmp_path: Path) -> None:
    result = bench(pairs, tmp_path / "bench")
    row = next(row for row in result.rows if row.kind == "model")
    by_part = {one.language: one for one in row.raw}
    assert set(by_part) == {"all", "zh", "en"}
    # cosines 1, 0.7071, 0 against means of 5, 2.5 and 0 by three raters, the same for all nine pairs: the same order
    assert by_part["all"].spearman.value > 0.98  # rounding tells apart cosines that are equal on paper
    assert by_part["all"].pearson.value == pytest.approx(row.trimmed[0].pearson.value)
    assert result.levels == {"0": 0, "1": 2, "2": 0, "3": 4, "4": 3, "5": 0}  # (3 · 0 + 5)/5 = 1, 2.5, (15 + 5)/5 = 4
    assert result.raters == 5


def test_random_rows_are_near_zero_and_repeatable(pairs: list[StylePair], tmp_path: Path) -> None:
    first, second = (bench(pairs, tmp_path / name, seed=7).rows[:2] for name in ("one", "two"))
    assert [row.name for row in first] == ["random (shuffle)", "random (uniform)"]
    assert first == second
    for row in first:
        assert abs(row.raw[0].pearson.value) < 0.5
        assert row.raw[0].pearson.low < 0 < row.raw[0].pearson.high


def test_what_is_said_is_compared_with_the_description_by_a_text_embedder(
    pairs: list[StylePair], tmp_path: Path
) -> None:
    texts = ScriptedTextEmbedder({"low": [1, 0], "middle": [1, 1], "high": [0, 2], "voice": [1, 0]})
    silent = [StylePair(one.id, one.audio, one.description, ratings=one.ratings) for one in pairs[:2]]
    contestants = Contestants({}, {"words": texts})
    result = bench_s3bench([*silent, *pairs[2:]], contestants, folder=tmp_path / "b", source="set", repeats=5)
    row = result.rows[-1]
    assert row.kind == "text-only"
    assert row.unscored == {"there is no transcript": 2}
    assert row.raw[0].pearson.count == 7
    assert row.raw[0].spearman.value > 0.98  # the words name the tones here


def test_a_second_run_embeds_nothing_again(
    pairs: list[StylePair], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = bench(pairs, tmp_path / "bench")

    def refuse(*arguments: object, **options: object) -> object:
        raise AssertionError("a clip was read again")

    monkeypatch.setattr(embedding, "read_ref", refuse)
    assert bench(pairs, tmp_path / "bench") == first
    written = json.loads((tmp_path / "bench" / "result.json").read_text(encoding="utf-8"))
    assert written["pairs"] == 9


def test_retrieval_counts_pairs_that_people_find_to_match(pairs: list[StylePair], tmp_path: Path) -> None:
    (row,) = bench(pairs, tmp_path / "bench", recalls=(1, 2)).retrieval
    assert {name: one.value for name, one in row.to_clip.items()} == {"R@1": 1.0, "R@2": 1.0}
    assert row.to_description["R@1"].count == 3


def test_without_ratings_every_pair_is_a_match() -> None:
    relevant, clips, texts = matches(["a", "a", "b"], [b"1", b"2", b"1"], np.full(3, math.nan))
    assert (clips, texts) == ([b"1", b"2"], ["a", "b"])
    assert relevant.tolist() == [[True, True], [True, False]]


def test_a_clip_that_cannot_be_read_leaves_its_pairs_without_a_score(pairs: list[StylePair], tmp_path: Path) -> None:
    Path(pairs[0].audio.path).write_bytes(b"nothing")
    result = bench(pairs, tmp_path / "bench")
    row = result.rows[-1]
    assert sum(row.unscored.values()) == 3
    assert row.raw[0].pearson.count == 6
    assert any("3 pairs have no score" in note for note in result_notes(result, language="en"))
    assert result.unreadable == 1
    plain = [StylePair(pair.id, pair.audio, pair.description, pair.language) for pair in pairs]
    unrated = bench(plain, tmp_path / "unrated")
    assert unrated.rows == ()
    assert any("3 pairs have no score" in note for note in result_notes(unrated, language="en"))


def test_labelled_clips_are_classified_by_prompts(pairs: list[StylePair], tmp_path: Path) -> None:
    clips = tuple(pair.audio for pair in pairs[::3])
    labelled = LabelledSet(
        "tones", clips, ("low", "middle", "high"), {"low": ("low",), "middle": ("middle",), "high": ("high",)}
    )
    (row,) = bench(pairs, tmp_path / "bench", labelled=[labelled]).classification
    assert row.found.accuracy.value == 1.0


def test_the_tables_and_the_page_say_what_was_found_in_both_languages(pairs: list[StylePair], tmp_path: Path) -> None:
    clips = tuple(pair.audio for pair in pairs[::3])
    labelled = LabelledSet("<b>", clips, ("low", "middle", "high"), {name: (name,) for name in PITCHES})
    result = bench(pairs, tmp_path / "bench", labelled=[labelled])
    raw, _ = main_tables(result, language="en")
    assert [column.group for column in raw.columns[1:4]] == ["Pearson"] * 3
    assert raw.rows[-1][0].text == "tones"
    assert raw.rows[-1][4].strong  # Spearman, the best of its column
    for make in (agreement_table, retrieval_table, classification_table):
        assert make(result, language="zh") is not None
    page = s3bench_page(result, language="zh")
    assert "评分者间一致性" in page
    assert "<b>" not in page.replace("<b></b>", "").split("<main>")[1].split("</main>")[0]
    assert "tones only" in s3bench_page(result, language="en")


def test_names_are_unique_and_not_those_of_random_rows() -> None:
    with pytest.raises(UsageError, match="which models"):
        Contestants({})
    with pytest.raises(UsageError, match="is taken"):
        Contestants({"random (shuffle)": ToneEmbedder()})
    with pytest.raises(UsageError, match="is taken"):
        Contestants({"a": ToneEmbedder()}, {"a": ScriptedTextEmbedder({})})


def test_spellings_of_a_corpus_are_brought_to_ours(tmp_path: Path) -> None:
    columns = ("file", "speaker", "sex", "age", "language", "emotion", "intensity", "text", "split")
    rows = [
        ("a.wav", "1", "F", "", "en", "anger", "", "", "test"),
        ("b.wav", "1", "F", "", "en", "sad", "", "", "test"),
    ]
    rows += [
        ("c.wav", "1", "F", "", "en", "hunger", "", "", "test"),
        ("d.wav", "1", "F", "", "en", "sad", "", "", "train"),
    ]
    with (tmp_path / "labels.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    found = read_labelled(tmp_path, attribute="emotion", split="test", language="zh")
    assert found.classes == ("angry", "sad")
    assert found.left_out == 1
    assert all(len(texts) > 1 for texts in found.prompts.values())
    prompts = tmp_path / "prompts.json"
    prompts.write_text('{"hunger": "a hungry voice", "sad": ["a sad voice"]}', encoding="utf-8")
    own = read_labelled(tmp_path, attribute="emotion", split="test", language="en", prompts=prompts)
    assert own.classes == ("sad", "hunger")
    prompts.write_text('{"sad": []}', encoding="utf-8")
    with pytest.raises(RecordError, match="the prompts of 'sad'"):
        read_labelled(tmp_path, attribute="emotion", split="test", language="en", prompts=prompts)
    with pytest.raises(UsageError, match="no clip of the split"):
        read_labelled(tmp_path, attribute="emotion", split="dev", language="en")


def test_the_prompts_of_a_class_name_it() -> None:
    prompts = class_prompts("emotion", ["angry", "sad"], language="en")
    assert not set(prompts["angry"]) & set(prompts["sad"])
    assert "an angry voice" in prompts["angry"]
