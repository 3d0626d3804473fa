"""One test over all rows of a table, which reports every row that fails.

`pytest.mark.parametrize` makes a test of each row, which is right where rows are behaviours of their own that a person
wants to see by name and run alone. A table of words, records or files is one check: walking it takes one test.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from reprlib import Repr
from textwrap import indent
from traceback import extract_tb
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

Test = Callable[..., None]
Ids = Iterable[str] | Callable[[Any], object]
SHOWN = Repr()
SHOWN.maxstring = SHOWN.maxother = 120
"""Shows so much of a value that one finds it in the table."""


@dataclass(frozen=True)
class Row:
    """One row: the argument of each column, and a name where it was given one."""

    values: Mapping[str, object]
    given_name: str

    @property
    def name(self) -> str:
        """What it is called in reports: the values, unless it has a name."""
        return self.given_name or ", ".join(f"{column}={SHOWN.repr(value)}" for column, value in self.values.items())


def for_each(columns: str | Sequence[str], rows: Iterable[object], *, ids: Ids = ()) -> Callable[[Test], Test]:
    """Run a test on every row of a table; those that fail are reported together.

    Each row has a ``tmp_path`` and a ``monkeypatch`` of its own; every other fixture is shared by all rows.

    Args:
        columns: names of arguments, as for `pytest.mark.parametrize`.
        rows: a value, or one for each column.
        ids: names of the rows, or what makes one of a value; else the values are shown.

    Raises:
        ValueError: if the table is empty, since such a test would check nothing.
    """
    names = [name.strip() for name in columns.split(",")] if isinstance(columns, str) else list(columns)
    known = ids if callable(ids) else list(ids)
    table = [_row(names, row, number, known) for number, row in enumerate(rows)]
    if not table:
        raise ValueError(f"a table of {', '.join(names)} without a row: the test would check nothing.")

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        if unknown := set(names) - set(signature.parameters):
            raise TypeError(f"{test.__name__} has no argument {', '.join(sorted(unknown))}.")

        def walk(**fixtures: Any) -> None:
            _walk(test, table, fixtures)

        walk.__name__, walk.__qualname__ = test.__name__, test.__qualname__
        walk.__module__, walk.__doc__ = test.__module__, test.__doc__
        walk.pytestmark = list(getattr(test, "pytestmark", []))  # type: ignore[attr-defined]
        kept = [one.replace(kind=one.KEYWORD_ONLY) for name, one in signature.parameters.items() if name not in names]
        walk.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return walk

    return decorate


def _walk(test: Test, table: Sequence[Row], fixtures: Mapping[str, Any]) -> None:
    failures: list[tuple[str, BaseException]] = []
    skips: list[BaseException] = []
    for number, row in enumerate(table):
        with ExitStack() as stack:
            try:
                test(**{**fixtures, **_own(fixtures, number, stack), **row.values})
            except pytest.skip.Exception as skip:
                skips.append(skip)
            except (Exception, pytest.fail.Exception) as error:
                failures.append((f"row {number + 1} of {len(table)}: {row.name}", error))
    if len(failures) == 1:  # as pytest shows a failure: with the values on the way to it
        ((where, only),) = failures
        only.add_note(f"In {where}")
        raise only
    if failures:
        told = "\n\n".join(f"{where}\n{_told(one)}" for where, one in failures)
        pytest.fail(f"{len(failures)} of {len(table)} rows fail\n\n{told}", pytrace=False)
    if len(skips) == len(table):
        raise skips[0]


def _told(error: BaseException) -> str:
    """An error with the last line of ours on the way to it."""
    place = [frame for frame in extract_tb(error.__traceback__) if "site-packages" not in frame.filename][-1]
    return indent(f"{place.filename}:{place.lineno}: {type(error).__name__}: {error}", "    ")


def _own(fixtures: Mapping[str, Any], number: int, stack: ExitStack) -> dict[str, Any]:
    """Fixtures that a row has to itself."""
    own: dict[str, Any] = {}
    if "tmp_path" in fixtures:
        own["tmp_path"] = fixtures["tmp_path"] / f"row-{number}"
        own["tmp_path"].mkdir()
    if "monkeypatch" in fixtures:
        own["monkeypatch"] = stack.enter_context(pytest.MonkeyPatch.context())
    return own


def _row(names: Sequence[str], row: object, number: int, ids: list[str] | Callable[[Any], object]) -> Row:
    name = ""
    if isinstance(row, ParameterSet):
        if row.marks:
            raise TypeError(f"row {number} is marked, which for_each does not know; use pytest.mark.parametrize.")
        name, values = str(row.id or ""), row.values
    else:
        values = (row,) if len(names) == 1 else tuple(row)  # type: ignore[arg-type]
    if not name and callable(ids):
        name = "-".join(str(ids(value)) for value in values)
    elif not name and not callable(ids) and ids:
        name = ids[number]
    return Row(dict(zip(names, values, strict=True)), name)
