"""Text files in UTF-8, and clear words about all others."""

from pathlib import Path

import pytest

from aptone.errors import RecordError
from aptone.rooms.aptness.text_files import read_utf8
from tests.tables import for_each


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_utf8_is_read_with_and_without_a_mark_and_line_ends_are_made_equal(tmp_path: Path, mark: bytes) -> None:
    path = tmp_path / "story.txt"
    path.write_bytes(mark + "一\r\n二\r三\n".encode())
    assert read_utf8(path, what="a story") == "一\n二\n三\n"


@for_each(
    ("data", "message"),
    [
        ("暴风雨从中午起".encode("utf-16"), "it is UTF-16); save it as UTF-8, for instance with iconv -f UTF-16"),
        ("storm".encode("utf-32"), "it is UTF-32"),
        ("ok\n暴风雨从中午起就停在岛上".encode("gb18030"), "line 2 is not UTF-8); save it as UTF-8; it may be GB18030"),
        (b"caf\xe9 au lait, \xff", "line 1 is not UTF-8); save it as UTF-8."),
        (b"a\0b", "it holds NUL characters"),
    ],
)
def test_other_encodings_are_refused_with_how_to_convert_them(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "story.txt"
    path.write_bytes(data)
    with pytest.raises(RecordError) as refused:
        read_utf8(path, what="a story")
    assert message in str(refused.value)
    assert str(refused.value).startswith(f"{path}: cannot be read as a story")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot be read as subtitles"):
        read_utf8(tmp_path / "gone.srt", what="subtitles")


def test_a_file_that_is_too_large_is_not_even_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aptone.rooms.aptness.text_files.LARGEST_TEXT", 2**20)
    path = tmp_path / "story.txt"
    path.write_bytes(b"a" * (2**20 + 1))
    with pytest.raises(RecordError, match=r"more than 1 MiB\); cut it into parts"):
        read_utf8(path, what="a story")
