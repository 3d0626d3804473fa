"""A table that is walked by one test: every row is tried, and every row that fails is named."""

from pathlib import Path

import pytest

from tests.tables import for_each


def test_every_failing_row_is_reported_with_its_values() -> None:
    tried: list[int] = []

    @for_each(("number", "square"), [(1, 1), (2, 5), (3, 9), (4, 17)])
    def squares(number: int, square: int) -> None:
        tried.append(number)
        assert number**2 == square

    with pytest.raises(pytest.fail.Exception, match="2 of 4 rows fail") as caught:
        squares()
    assert tried == [1, 2, 3, 4]
    told = str(caught.value)
    assert "row 2 of 4: number=2, square=5\n" in told
    assert "row 4 of 4: number=4, square=17\n" in told
    assert told.count(f"{__file__}:") == 2
    assert "AssertionError: assert (4 ** 2) == 17" in told


def test_a_row_that_fails_alone_is_reported_as_it_is() -> None:
    @for_each("word", ["a", pytest.param("b", id="the second")])
    def letters(word: str) -> None:
        if word == "b":
            pytest.fail("no such letter")

    with pytest.raises(pytest.fail.Exception, match="no such letter") as caught:
        letters()
    assert caught.value.__notes__ == ["In row 2 of 2: the second"]


def test_what_is_skipped_hides_no_other_row() -> None:
    @for_each("number", [1, 2, 3])
    def numbers(number: int) -> None:
        if number < 3:
            pytest.skip("not today")
        assert number != 3

    with pytest.raises(AssertionError):
        numbers()


def test_a_test_whose_rows_are_all_skipped_is_skipped() -> None:
    @for_each("number", [1, 2])
    def numbers(number: int) -> None:
        pytest.skip("not today")

    with pytest.raises(pytest.skip.Exception, match="not today"):
        numbers()


@for_each("name", ["x", "y"])
def test_a_row_has_a_folder_and_patches_of_its_own(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "made").touch()
    assert not hasattr(request.module, "SET")
    monkeypatch.setattr(request.module, "SET", name, raising=False)


@for_each("low", [1, 2])
@for_each("high", [3, 4])
def test_tables_can_be_crossed(low: int, high: int) -> None:
    assert low < high


def test_a_table_without_rows_and_one_of_other_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="would check nothing"):
        for_each("number", [])
    with pytest.raises(TypeError, match="has no argument word"):
        for_each("word", ["a"])(lambda number: None)
