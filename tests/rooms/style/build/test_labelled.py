"""Corpora with a table of labels: ages in years, neutral with an intensity, and rows that are left out."""

from pathlib import Path

import pytest

from aptone.errors import UsageError
from aptone.rooms.style.build.labelled import age_band, read_labelled
from aptone.rooms.style.build.s3bench_files import read_corpus
from aptone.rooms.style.report import rows_left_out

HEAD = "file,speaker,sex,age,language,emotion,intensity,text,split"


def write(folder: Path, *rows: str) -> Path:
    (folder / "labels.csv").write_text("\n".join([HEAD, *rows]), encoding="utf-8")
    return folder


def test_an_age_in_years_is_an_age_band(tmp_path: Path) -> None:
    # found before: all 4,481 rows of nEMO, whose ages are numbers, were dropped without a word
    write(tmp_path, "a.ogg,s1,female,27,en,angry,,,train", "b.ogg,s2,male,71,en,sad,,,train")
    found = read_labelled(tmp_path, languages=("en",))
    assert [pair.id for pair in found.pairs] == ["a-en", "b-en"]
    assert "young woman" in found.pairs[0].description
    assert any(word in found.pairs[1].description for word in ("elderly", "old"))
    assert found.left_out == {}


@pytest.mark.parametrize(
    ("age", "band"),
    [
        ("6", "child"),
        ("12.9", "child"),
        ("13", "teenager"),
        ("20", "young adult"),
        ("39", "young adult"),
        ("40", "middle-aged"),
        ("60", "elderly"),
        ("50s", "middle-aged"),
        ("18-25", "young adult"),
        ("30 years", "young adult"),
        ("65岁", "elderly"),
        ("999", "999"),
        ("adult", "adult"),
    ],
)
def test_ages_are_read_as_corpora_write_them(age: str, band: str) -> None:
    assert age_band(age) == band


def test_the_intensity_of_neutral_speech_is_left_out_and_the_row_stays(tmp_path: Path) -> None:
    write(tmp_path, "a.ogg,s1,male,,en,neutral,normal,,train", "b.ogg,s1,male,,en,,strong,,train")
    found = read_labelled(tmp_path, languages=("en",))
    assert [pair.id for pair in found.pairs] == ["a-en", "b-en"]


def test_every_row_that_is_left_out_is_named_and_counted(tmp_path: Path) -> None:
    write(
        tmp_path,
        "a.ogg,s1,male,,en,angry,,,train",
        "b.ogg,s1,male,,en,hunger,,,train",
        "c.ogg,s1,male,,en,hunger,,,train",
        "d.ogg,s1,male,999,en,sad,,,train",
        "e.ogg,s1,,,en,,,,train",
        "f.ogg,s1,male,,zh,sad,,,train",
        "g.ogg,s1,male,,en,sad,louder,,train",
        "h.ogg,s1,male,,en,hunger,,,test",
    )
    found = read_labelled(tmp_path, languages=("en",), split="train")
    assert len(found.pairs) == 1
    assert found.rows == 7  # the eighth is of another split
    assert found.left_out == {
        "b.ogg": "no word for emotion 'hunger'",
        "c.ogg": "no word for emotion 'hunger'",
        "d.ogg": "no word for age '999'",
        "e.ogg": "its row has no label",
        "f.ogg": "spoken in zh, descriptions are asked for in others",
        "g.ogg": "no word for intensity 'louder'",
    }
    assert rows_left_out(found.left_out, rows=found.rows, language="en")[:2] == [
        "6 of 7 rows left out:",
        "  2 × no word for emotion 'hunger'",
    ]
    assert rows_left_out(found.left_out, rows=7, language="zh")[0] == "7 行中有 6 行未采用："


def test_where_nothing_is_left_the_error_says_why(tmp_path: Path) -> None:
    write(tmp_path, "b.ogg,s1,male,,en,hunger,,,train")
    with pytest.raises(UsageError, match="1 rows were left out, the first: no word for emotion 'hunger'"):
        read_corpus(tmp_path, unpack_to=tmp_path / "u", languages=("en",))
