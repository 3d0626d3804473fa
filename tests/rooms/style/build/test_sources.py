"""Where the corpus of S3Bench may lie: shards, labelled clips, pairs."""

from pathlib import Path

import pytest

from aptone.errors import UsageError
from aptone.rooms.style.build.sources import read_corpus
from aptone.run.sources.shards import Caption, ShardSample, write_shards
from tests.rooms.style.voices import write_tone


def test_a_corpus_is_read_from_shards_and_labels(tmp_path: Path) -> None:
    path = write_tone(tmp_path / "labelled" / "a.wav", 100.0)
    rows = ["file,speaker,sex,age,language,emotion,intensity,text,split", "a.wav,s1,male,,en,anger,,Go!,train"]
    rows += ["b.wav,s1,male,,en,hunger,,,train", "c.wav,s2,female,,pl,sad,,,train", "d.wav,s2,female,,pl,sad,,,test"]
    (tmp_path / "labelled" / "labels.csv").write_text("\n".join(rows), encoding="utf-8")
    found = read_corpus(tmp_path / "labelled", unpack_to=tmp_path / "u", languages=("en", "zh"), split="train")
    # English speech in English, Polish in both; nobody has a word for the second
    assert [pair.id for pair in found] == ["a-en", "c-en", "c-zh"]
    assert found[0].transcript == "Go!"
    assert "女" in found[2].description
    captions = (Caption("A low voice.", "en", "full"), Caption("Low.", "en", "basic"), Caption("低音", "zh", "full"))
    write_shards(tmp_path / "shards", [ShardSample("k1", path.read_bytes(), "wav", 0.5, captions)])
    found = read_corpus(tmp_path / "shards", unpack_to=tmp_path / "u", languages=("en",))
    assert [(pair.id, pair.description) for pair in found] == [("k1-en", "A low voice.")]
    assert Path(found[0].audio.path).read_bytes() == path.read_bytes()
    with pytest.raises(UsageError, match="no description is in zh"):
        read_corpus(_only_english(tmp_path), unpack_to=tmp_path / "u", languages=("zh",))


def _only_english(folder: Path) -> Path:
    path = folder / "pairs.jsonl"
    path.write_text('{"audio": "a.wav", "description": "calm"}', encoding="utf-8")
    return path
