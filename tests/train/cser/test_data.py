"""Rated recordings in both layouts; what is wrong with a file is said with its name."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from aptone.errors import RecordError, UsageError
from aptone.train.cser.data import RatedRecording, read_rated_recordings
from tests.tables import for_each

HEAD = "Annotator,003\nPart,1\n%%%%%%,%%%%%%\n"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def msp(root: Path) -> Path:
    """Two conversations: one of two parts, rated by two annotators; one of one part, rated by one."""
    write(root / "partitions.txt", "MSP-Conversation_0001;Train\nMSP-Conversation_0002;Validation\n")
    write(
        root / "Time_Labels" / "conversation_parts.txt",
        "MSP-Conversation_0001_1;100.0;102.0\nMSP-Conversation_0001_2;102.0;104.5\nMSP-Conversation_0002_1;7.0;8.0\n",
    )
    write(root / "Time_Labels" / "conversations.txt", "MSP-Conversation_0001;90.0;104.5\n")
    for name in ("Valence", "Arousal", "Dominance"):
        folder = root / "Annotations" / name
        for part in ("0001_1", "0001_2", "0002_1"):
            write(folder / f"MSP-Conversation_{part}_001.csv", HEAD + "0.1,10\n0.9,30\n1.5,-20\n2.6,99\n")
        write(folder / "MSP-Conversation_0001_1_007.csv", HEAD + "0.5,40,9\n")
    (root / "Audio").mkdir()
    return root


def one(source: Path, *, layout: str = "plain") -> RatedRecording:
    return read_rated_recordings(source, layout=layout, step=1.0)[0]


def test_traces_are_averaged_by_second_then_over_annotators_and_divided_by_a_hundred(tmp_path: Path) -> None:
    first, second, third = read_rated_recordings(msp(tmp_path), layout="msp-conversation", step=1.0)
    # second 0: annotator 001 says (10 + 30) / 2 = 20, annotator 007 says 40; second 1: only 001, -20
    assert first.targets == pytest.approx(np.array([[0.3] * 3, [-0.2] * 3]))
    # 2.5 s are three steps; the sample at 2.6 s lies behind the end of the part
    assert second.targets[:2] == pytest.approx(np.array([[0.2] * 3, [-0.2] * 3]))
    assert np.isnan(second.targets[2]).all()
    assert [one.part for one in (first, second, third)] == ["train", "train", "dev"]
    # the recording of conversation 1 begins at 90 s of its podcast, that of 2 where its first part does
    assert (first.audio.start, first.audio.end) == (10.0, 12.0)
    assert (second.audio.start, second.audio.end) == (12.0, 14.5)
    assert (third.audio.start, third.audio.end) == (0.0, 1.0)
    assert Path(third.audio.path) == tmp_path / "Audio" / "MSP-Conversation_0002.wav"


def test_folders_as_archives_unpack_them_are_found(tmp_path: Path) -> None:
    root = msp(tmp_path)
    (root / "Time_Labels").rename(root / "Time Labels")
    (root / "Annotations").rename(root / "kept")
    (root / "Annotations").mkdir()
    (root / "kept").rename(root / "Annotations" / "Annotations")
    assert len(read_rated_recordings(root, layout="msp-conversation", step=1.0)) == 3


def test_a_dimension_that_nobody_rated_is_undefined(tmp_path: Path) -> None:
    root = msp(tmp_path)
    (root / "Annotations" / "Dominance" / "MSP-Conversation_0002_1_001.csv").unlink()
    third = read_rated_recordings(root, layout="msp-conversation", step=1.0)[2]
    assert third.targets[0, :2] == pytest.approx([0.2, 0.2])
    assert math.isnan(third.targets[0, 2])


@for_each(
    ("place", "text", "problem"),
    [
        ("partitions.txt", "MSP-Conversation_0001;Train\n", "MSP-Conversation_0002 belongs to no partition"),
        ("partitions.txt", "MSP-Conversation_0001;Train;7\n", "line 1: expected 2 cells"),
        ("Time_Labels/conversation_parts.txt", "MSP-Conversation_0001_1;9.0;8.0\n", "nothing lasts from 9.0 to 8.0"),
        ("Time_Labels/conversation_parts.txt", "MSP-Conversation_0001_1;now;then\n", "expected seconds"),
        ("Time_Labels/conversation_parts.txt", "MSP-Conversation_0001_9;1.0;2.0\n", "nobody rated"),
        ("Annotations/Valence/MSP-Conversation_0001_1_001.csv", "0.1,10\n", "no line of percent signs"),
        ("Annotations/Valence/MSP-Conversation_0001_1_001.csv", HEAD + "0.1\n", "line 4: expected seconds and"),
        ("Annotations/Valence/MSP-Conversation_0001_1_001.csv", HEAD + "0.1,101\n", "between -100 and 100"),
        ("Annotations/Valence/MSP-Conversation_0001_1_001.csv", HEAD + "0.1,nan\n", "between -100 and 100"),
    ],
)
def test_what_is_wrong_in_the_corpus_is_said_with_the_file(place: str, text: str, problem: str, tmp_path: Path) -> None:
    root = msp(tmp_path)
    write(root / place, text)
    with pytest.raises(RecordError, match=re.escape(problem)):
        read_rated_recordings(root, layout="msp-conversation", step=1.0)


def test_a_folder_that_is_not_the_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder Time_Labels"):
        read_rated_recordings(tmp_path, layout="msp-conversation", step=1.0)
    with pytest.raises(UsageError, match="is a folder"):
        read_rated_recordings(write(tmp_path / "file", ""), layout="msp-conversation", step=1.0)


def test_the_plain_layout_reads_columns_by_name(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "time,arousal,dominance,valence\n0,0.2,0.3,0.1\n1,,0.5,-1\n")
    record = {"audio": "a.wav", "ratings": "a.csv", "part": "dev", "start": 1.5, "end": 3.5}
    read = one(write(tmp_path / "manifest.jsonl", json.dumps(record)))
    assert read.targets == pytest.approx(np.array([[0.1, 0.2, 0.3], [-1.0, np.nan, 0.5]]), nan_ok=True)
    assert (read.name, read.part, read.audio.start, read.audio.end) == ("a.csv", "dev", 1.5, 3.5)
    assert Path(read.audio.path) == tmp_path / "a.wav"


@for_each(
    ("record", "problem"),
    [
        ("[1]", "expected a JSON object"),
        ('{"audio": "a.wav"}', 'expected paths under "audio" and "ratings"'),
        ('{"audio": "a.wav", "ratings": "a.csv", "part": "exam"}', "one of train, dev, test"),
        ('{"audio": "a.wav", "ratings": "a.csv", "part": "dev", "sound": 1}', "unknown field 'sound'"),
        ('{"audio": "a.wav", "ratings": "b.csv", "part": "dev"}', "b.csv: cannot be read"),
        ('{"audio": "a.wav", "ratings": "empty.csv", "part": "dev"}', "nothing is rated"),
    ],
)
def test_records_that_cannot_be_understood_are_refused(record: str, problem: str, tmp_path: Path) -> None:
    write(tmp_path / "empty.csv", "valence,arousal,dominance\n,,\n")
    manifest = write(tmp_path / "manifest.jsonl", record if record != "[1]" else '"x"')
    with pytest.raises(RecordError, match=re.escape(problem)):
        one(manifest)


def test_names_are_unique_and_layouts_are_known(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "valence,arousal,dominance\n0,0,0\n")
    record = json.dumps({"audio": "a.wav", "ratings": "a.csv", "part": "dev"})
    manifest = write(tmp_path / "manifest.jsonl", f"{record}\n{record}\n")
    with pytest.raises(RecordError, match=r"two recordings are called 'a\.csv'"):
        one(manifest)
    with pytest.raises(UsageError, match="no layout 'other'"):
        one(manifest, layout="other")
