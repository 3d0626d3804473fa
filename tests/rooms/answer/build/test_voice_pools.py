"""Voices to clone, from tiny folders that are laid out as the collections are."""

from pathlib import Path

import pytest

from aptone.errors import RecordError, UsageError
from aptone.rooms.answer.build.voice_pools import read_pool


def touch(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_librispeech_gives_one_clip_a_speaker_with_sex_and_words(tmp_path: Path) -> None:
    touch(
        tmp_path / "SPEAKERS.TXT",
        "; ID | SEX | SUBSET\n14 | F | dev-clean | 25.03 | Kristin\n26 | M | dev-clean | 8 | Den\n",
    )
    for speaker in ("14", "26"):
        chapter = tmp_path / "dev-clean" / speaker / "208"
        for number in ("0000", "0001"):
            touch(chapter / f"{speaker}-208-{number}.flac")
        touch(chapter / f"{speaker}-208.trans.txt", f"{speaker}-208-0000 HELLO THERE\n{speaker}-208-0001 GOOD DAY\n")
    woman, man = read_pool("librispeech", tmp_path)
    assert (woman.speaker, woman.sex, woman.age, woman.reference.text) == (
        "librispeech:14",
        "female",
        "adult",
        "Hello there",
    )
    assert (man.speaker, man.sex) == ("librispeech:26", "male")
    assert Path(man.reference.audio.path).name == "26-208-0000.flac"


def test_common_voice_gives_adults_only(tmp_path: Path) -> None:
    rows = [
        "client_id\tpath\tsentence\tage\tgender",
        'a\ta.mp3\tHe said "no.\ttwenties\tmale_masculine',
        "b\tb.mp3\tShe said yes.\tthirties\tfemale",
        "c\tc.mp3\tToo young.\tteens\tmale",
        "d\td.mp3\tNobody knows how old.\t\tmale",
        "e\t../../e.mp3\tOutside.\tforties\tmale",
        "f\tgone.mp3\tNot there.\ttwenties\tmale",
    ]
    touch(tmp_path / "validated.tsv", "\n".join(rows))
    for name in "abcde":
        touch(tmp_path / "clips" / f"{name}.mp3")
    voices = read_pool("common-voice", tmp_path)
    assert [(one.speaker, one.sex) for one in voices] == [
        ("common-voice:a", "male"),
        ("common-voice:b", "female"),
        ("common-voice:e", "male"),
    ]
    assert all(Path(one.reference.audio.path).parent == tmp_path / "clips" for one in voices)


def test_nnces_gives_children_by_folder_or_table(tmp_path: Path) -> None:
    touch(tmp_path / "kid1" / "one.wav")
    touch(tmp_path / "kid1" / "one.txt", "The cat sat.")
    touch(tmp_path / "kid2" / "two.wav")
    touch(tmp_path / "kid3" / "silent.wav")
    touch(tmp_path / "metadata.csv", "file,transcription,gender\nkid2/two.wav,I like trees.,F\n")
    voices = read_pool("nnces", tmp_path)
    assert [(one.speaker, one.age, one.sex, one.reference.text) for one in voices] == [
        ("nnces:kid1", "child", "", "The cat sat."),
        ("nnces:kid2", "child", "female", "I like trees."),
    ]


def test_what_cannot_be_a_pool_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="choose one of librispeech, common-voice, nnces"):
        read_pool("timit", tmp_path)
    with pytest.raises(UsageError, match="no such folder"):
        read_pool("nnces", tmp_path / "gone")
    with pytest.raises(RecordError, match="no voice was found"):
        read_pool("nnces", tmp_path)
    with pytest.raises(RecordError, match=r"SPEAKERS\.TXT: cannot be read"):
        read_pool("librispeech", tmp_path)
    with pytest.raises(RecordError, match=r"expected one of validated\.tsv"):
        read_pool("common-voice", tmp_path)
