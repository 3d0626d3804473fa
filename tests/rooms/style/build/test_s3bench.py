"""S3Bench from a corpus to a benchmark with its task."""

import json
from pathlib import Path

import pytest

from aptone.errors import RecordError, RunError
from aptone.models.asking.writers import Writing
from aptone.models.scripted import ScriptedChat
from aptone.rooms.style.build.descriptions import ChatDescriptionWriter
from aptone.rooms.style.build.s3bench import S3Settings, build_s3bench
from aptone.rooms.style.build.s3bench_files import read_seeds
from aptone.rooms.style.data import StylePair, read_pairs
from aptone.run import Budget
from aptone.types import RatingTask, from_json
from tests.rooms.style.small_s3bench import build, carried_out
from tests.rooms.style.voices import LetterEmbedder, ToneEmbedder


def test_a_benchmark_has_its_counts_and_its_task(corpus: list[StylePair], tmp_path: Path) -> None:
    built = build(corpus, tmp_path / "s3")
    assert built.pairs == 20
    assert built.yields["descriptions"] == {"en": 12, "zh": 12}
    assert built.yields["seeds"] == {"en": 4, "zh": 4}
    pairs = read_pairs(tmp_path / "s3")
    assert [pair.language for pair in pairs].count("zh") == 10
    bins = [pair.ids["bin"] for pair in pairs if pair.language == "en"]
    assert {bins.count(str(n)) for n in range(1, 6)} == {2}
    task = from_json(RatingTask, json.loads((tmp_path / "s3" / "task.json").read_text(encoding="utf-8")))
    assert (task.raters_per_item, task.quota_per_rater, task.outlier_share) == (5, 250, 0.3)
    assert task.qualification is not None
    assert len(task.qualification.items) == 10
    assert len(task.items) == 30
    shown = task.items[0]
    assert set(shown.fields) == {"description"}  # nothing else is shown
    assert shown.audio["clip"].path.startswith("clips/pair-")  # and no name that tells what is acted
    assert all((tmp_path / "s3" / item.audio["clip"].path).is_file() for item in task.items)
    assert {control.name for control in task.controls} == {"fit", "confidence"}


def test_a_build_that_was_stopped_goes_on_to_the_same_benchmark(corpus: list[StylePair], tmp_path: Path) -> None:
    whole = build(corpus, tmp_path / "whole")
    first = build(corpus, tmp_path / "parts", budget=Budget(max_items=1))
    assert first.stopped
    assert first.pairs == 0
    second = build(corpus, tmp_path / "parts")
    assert second.yields == whole.yields
    for name in ("pairs.jsonl", "descriptions.jsonl", "task.json"):
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_folder_of_other_settings_or_material_is_refused(corpus: list[StylePair], tmp_path: Path) -> None:
    build(corpus, tmp_path / "s3", budget=Budget(max_items=0))
    with pytest.raises(RunError, match="other settings"):
        build(corpus[2:], tmp_path / "s3")
    with pytest.raises(RunError, match="other settings"):
        build(corpus, tmp_path / "s3", by_hand={"en": ["mine"]})
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").touch()
    with pytest.raises(RunError, match="holds other files"):
        build(corpus, tmp_path / "other")


def test_a_writer_that_repeats_itself_is_given_up(corpus: list[StylePair], tmp_path: Path) -> None:
    chat = ScriptedChat(['{"descriptions": ["A calm man speaks slowly."]}'] * 100)
    zh = [pair for pair in corpus if pair.language == "en"]
    settings = S3Settings(languages=("en",), seeds=5, clusters=3, descriptions=50, pairs=10, bins=5)
    built = build_s3bench(
        zh,
        settings,
        embedder=ToneEmbedder(),
        text_embedder=LetterEmbedder(),
        writer=ChatDescriptionWriter(Writing(chat)),
        folder=tmp_path / "s3",
        carry_out=carried_out(),
    )
    assert built.yields["descriptions"] == {"en": 5}
    assert built.lacking == {"en": 45}
    assert len(chat.asked) == 20
    assert built.pairs == 10


def test_a_server_that_is_away_ends_the_rounds(corpus: list[StylePair], tmp_path: Path) -> None:
    chat = ScriptedChat([])  # every question is an error
    built = build(corpus, tmp_path / "s3", writer=ChatDescriptionWriter(Writing(chat)))
    assert len(chat.asked) == 3
    assert built.stopped.startswith("3 rounds failed: the script")
    assert built.pairs == 0  # nothing is drawn from half a pool: the same command goes on
    assert not (tmp_path / "s3" / "pairs.jsonl").exists()


def test_seeds_by_hand_are_read_from_lines_and_records(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("A weary voice.\n\n疲惫的声音\n", encoding="utf-8")
    assert read_seeds(tmp_path / "seeds.txt") == {"en": ["A weary voice."], "zh": ["疲惫的声音"]}
    (tmp_path / "seeds.jsonl").write_text('{"description": "calm"}\n{"x": 1}', encoding="utf-8")
    with pytest.raises(RecordError, match="line 2: expected a text under description"):
        read_seeds(tmp_path / "seeds.jsonl")
