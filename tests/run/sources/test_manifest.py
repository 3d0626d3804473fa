from pathlib import Path

import pytest

from aptone.errors import RecordError
from aptone.run.sources.manifest import check_fields, manifest_records, refuse_doubles
from tests.tables import for_each


def records(path: Path, text: str) -> list[tuple[str, object]]:
    path.write_text(text, encoding="utf-8", newline="")
    return list(manifest_records(path))


def test_a_table_has_a_record_a_row_and_leaves_out_empty_cells(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    found = records(path, 'id,text\na,"one,\ntwo"\nb,\n')
    assert found == [(f"{path}, line 3", {"id": "a", "text": "one,\ntwo"}), (f"{path}, line 4", {"id": "b"})]


@for_each(
    ("text", "complaint"),
    [("id\na,b\n", "line 2: the row has more cells"), ('id\n"a\n', "not a table"), (" ", "is empty")],
)
def test_a_table_that_is_none_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(RecordError, match=complaint):
        records(tmp_path / "table.csv", text)


def test_lines_and_arrays_of_json_are_read_with_their_places(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    assert records(path, '{"a": 1}\n\n{"a": 2}\n') == [(f"{path}, line 1", {"a": 1}), (f"{path}, line 3", {"a": 2})]
    assert records(path, '[{"a": 1}]') == [(f"{path}, record 1", {"a": 1})]


def test_a_file_that_cannot_be_read_or_is_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot be read"):
        list(manifest_records(tmp_path / "nothing.jsonl"))
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(RecordError, match="not UTF-8"):
        list(manifest_records(tmp_path / "bytes.jsonl"))


def test_an_unknown_field_is_answered_with_its_neighbours() -> None:
    check_fields({"caption": "x"}, {"caption", "audio"})
    with pytest.raises(RecordError, match=r"unknown field 'captoin'; did you mean caption\?"):
        check_fields({"captoin": "x"}, {"caption", "audio"})
    with pytest.raises(RecordError, match="known are audio, caption"):
        check_fields({"zebra": "x"}, {"caption", "audio"})


def test_an_id_that_is_taken_is_refused() -> None:
    refuse_doubles({"a.jsonl, line 1": "x", "a.jsonl, line 2": "y"})
    with pytest.raises(RecordError, match="line 2: the id 'x' was taken by line 1"):
        refuse_doubles({"a.jsonl, line 1": "x", "a.jsonl, line 2": "x"})
