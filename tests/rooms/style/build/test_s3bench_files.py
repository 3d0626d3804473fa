"""Files of S3Bench: where its corpus may lie, and what becomes of ratings that came home."""

import json
from pathlib import Path

import pytest

from aptone.errors import RecordError, RunError, UsageError
from aptone.rooms.style.build.s3bench_files import count_ratings, import_answers, rating_task, read_corpus
from aptone.rooms.style.data import StylePair, read_pairs
from aptone.run.sources.shards import Caption, ShardSample, write_shards
from aptone.types import AudioRef, RatingTask
from tests.rooms.style.small_s3bench import build
from tests.rooms.style.voices import write_tone


def test_a_corpus_is_read_from_shards_and_labels(tmp_path: Path) -> None:
    path = write_tone(tmp_path / "labelled" / "a.wav", 100.0)
    rows = ["file,speaker,sex,age,language,emotion,intensity,text,split", "a.wav,s1,male,,en,anger,,Go!,train"]
    rows += ["b.wav,s1,male,,en,hunger,,,train", "c.wav,s2,female,,pl,sad,,,train", "d.wav,s2,female,,pl,sad,,,test"]
    (tmp_path / "labelled" / "labels.csv").write_text("\n".join(rows), encoding="utf-8")
    found = read_corpus(tmp_path / "labelled", unpack_to=tmp_path / "u", languages=("en", "zh"), split="train")
    # English speech in English, Polish in both; nobody has a word for the second
    assert [pair.id for pair in found.pairs] == ["a-en", "c-en", "c-zh"]
    assert found.pairs[0].transcript == "Go!"
    assert "女" in found.pairs[2].description
    assert (found.left_out, found.rows) == ({"b.wav": "no word for emotion 'hunger'"}, 3)
    captions = (Caption("A low voice.", "en", "full"), Caption("Low.", "en", "basic"), Caption("低音", "zh", "full"))
    write_shards(tmp_path / "shards", [ShardSample("k1", path.read_bytes(), "wav", 0.5, captions)])
    found = read_corpus(tmp_path / "shards", unpack_to=tmp_path / "u", languages=("en",))
    assert [(pair.id, pair.description) for pair in found.pairs] == [("k1-en", "A low voice.")]
    assert Path(found.pairs[0].audio.path).read_bytes() == path.read_bytes()
    with pytest.raises(UsageError, match="no description is in zh"):
        read_corpus(_only_english(tmp_path), unpack_to=tmp_path / "u", languages=("zh",))


def _only_english(folder: Path) -> Path:
    path = folder / "pairs.jsonl"
    path.write_text('{"audio": "a.wav", "description": "calm"}', encoding="utf-8")
    return path


def task_of(count: int) -> RatingTask:
    pairs = [StylePair(f"p{n}", AudioRef("a.wav"), "calm") for n in range(count)]
    test = [(StylePair(f"t{n}", AudioRef("a.wav"), "calm"), 4.5 if n % 2 else 0.5) for n in range(10)]
    return rating_task(pairs, qualifying=test)


def test_who_fails_the_test_or_strays_is_set_aside() -> None:
    task = task_of(10)
    right = {f"t{n}": 5.0 if n % 2 else 0.0 for n in range(10)}
    answers = {pair: {"good": (score, ""), "bad": (2.5, ""), "stray": (score, "")} for pair, score in right.items()}
    for n in range(10):
        answers[f"p{n}"] = {"good": (2.0, "high"), "other": (2.0, ""), "bad": (2.0, ""), "more": (2.0, "")}
        answers[f"p{n}"]["stray"] = (5.0 if n < 4 else 2.0, "")  # 4 of 10 are 3 points from the others: more than 30 %
    counted, set_aside = count_ratings(answers, task)
    assert set(set_aside) == {"bad", "stray"}
    assert set_aside["bad"] == "0 of 10 answers of the test are right"  # 2.5 misses 4.5 and 0.5 by 2, beyond 1.5
    assert set(counted) == {f"p{n}" for n in range(10)}
    assert set(counted["p0"]) == {"good", "other", "more"}
    assert counted["p0"]["good"] == (2.0, "high")


def test_exactly_thirty_percent_of_outliers_may_stay() -> None:
    task = task_of(10)
    answers = {
        f"p{n}": {"a": (2.0, ""), "b": (2.0, ""), "c": (2.0, ""), "d": (5.0 if n < 3 else 2.0, "")} for n in range(10)
    }
    assert count_ratings(answers, task)[1] == {}


def test_answers_become_ratings_of_the_benchmark(corpus: list[StylePair], tmp_path: Path) -> None:
    build(corpus, tmp_path / "s3")
    pairs = read_pairs(tmp_path / "s3")
    rows = [
        {"pair": pair.id, "rater": f"r{rater}", "score": place % 6, "confidence": "high"}
        for place, pair in enumerate(pairs)
        for rater in range(5 if place else 4)
    ]
    answers = tmp_path / "answers.jsonl"
    answers.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = import_answers(tmp_path / "s3", answers)
    assert (found.raters, found.short, dict(found.set_aside)) == (5, 1, {})
    assert {one.raw.value for one in found.agreement} == {1.0}
    rated = read_pairs(tmp_path / "s3")
    assert rated[3].human_score == 3.0
    answers.write_text('{"pair": "elsewhere", "rater": "r", "score": 1}', encoding="utf-8")
    with pytest.raises(RecordError, match="no item 'elsewhere'"):
        import_answers(tmp_path / "s3", answers)
    with pytest.raises(RunError, match="no benchmark is in it"):
        import_answers(tmp_path / "corpus", answers)


def test_answers_that_cannot_count_leave_the_ratings_as_they_were(corpus: list[StylePair], tmp_path: Path) -> None:
    build(corpus, tmp_path / "s3")
    answers = tmp_path / "answers.csv"
    answers.write_text(f"pair,rater,score\n{read_pairs(tmp_path / 's3')[0].id},r,9\n", encoding="utf-8")
    with pytest.raises(RecordError, match=r"answers\.csv: ratings go from 0 to 5; rater 'r' gave 9"):
        import_answers(tmp_path / "s3", answers)
    answers.write_text("pair,rater,score\n", encoding="utf-8")
    with pytest.raises(RecordError, match=r"answers\.csv: there is no answer in it"):
        import_answers(tmp_path / "s3", answers)
    assert not (tmp_path / "s3" / "ratings.jsonl").exists()
