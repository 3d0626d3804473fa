from pathlib import Path

from aptone.rooms.aptness.books.book_file import load_book
from tests.rooms.aptness.books.awkward_books import WRITERS
from tests.tables import for_each

FOLDER = Path(__file__).parent / "awkward"
TRUTH = [row.split("\t") for row in (FOLDER / "truth.tsv").read_text(encoding="utf-8").splitlines()]
"""File, kind, speaker and words of each line; a speaker "*" is not looked at: somebody cries for help whom nothing
names, and is taken for the one who hears it."""


@for_each("name", dict.fromkeys(row[0] for row in TRUTH))
def test_lines_of_a_book_in_an_awkward_shape_are_those_that_were_written_down(tmp_path: Path, name: str) -> None:
    path = FOLDER / name
    if name in WRITERS:
        path = tmp_path / name
        WRITERS[name](path)
    wanted = [row for row in TRUTH if row[0] == name]
    found = [[name, line.kind, line.line.role, line.line.text] for line in load_book(path).lines]
    assert [row[3] for row in found] == [row[3] for row in wanted]
    assert found == [
        [*truth[:2], row[2] if truth[2] == "*" else truth[2], truth[3]]
        for row, truth in zip(found, wanted, strict=True)
    ]
