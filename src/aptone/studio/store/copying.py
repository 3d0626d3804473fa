"""Copying all rows of a database into another one, of either kind: for backups and their way back."""

from sqlalchemy import Connection, MetaData, text

from aptone.errors import RecordError, UsageError
from aptone.messages import message

ROWS = 1000
"""Rows that are in memory at a time."""
_KEPT = "migrations"
"""Table that every database fills by itself."""


def check_empty(connection: Connection, *, name: str) -> None:
    """Check that a database of the newest schema holds nothing.

    Raises:
        UsageError: if it does.
    """
    for table in _tables(connection):
        if _count(connection, table):
            raise UsageError(message("studio.database-not-empty", name=name))


def copy_rows(source: Connection, target: Connection, *, name: str) -> None:
    """Copy every row, in an order in which each finds the rows that it refers to; both have the newest schema.

    The source is read in one transaction, so that all rows are of one moment if that transaction sees one only.

    Raises:
        RecordError: if the target lacks a table, or does not have as many rows afterwards.
    """
    tables = _tables(target)
    if unknown := set(_tables(source)) - set(tables):
        raise RecordError(message("studio.newer-backup", name=name, table=min(unknown)))
    for table, columns in tables.items():
        names, values = ", ".join(columns), ", ".join(f":{column}" for column in columns)
        insert = text(f"INSERT INTO {table} ({names}) VALUES ({values})")
        expected = 0
        rows = source.execution_options(stream_results=True).execute(text(f"SELECT {names} FROM {table}"))
        for some in rows.mappings().partitions(ROWS):
            target.execute(insert, [dict(row) for row in some])
            expected += len(some)
        if (found := _count(target, table)) != expected:
            raise RecordError(message("studio.rows-differ", name=name, table=table, found=found, expected=expected))


def _tables(connection: Connection) -> dict[str, tuple[str, ...]]:
    """Tables with their columns; each comes after those that it refers to."""
    known = MetaData()
    known.reflect(connection)
    return {
        table.name: tuple(column.name for column in table.columns)
        for table in known.sorted_tables
        if table.name != _KEPT
    }


def _count(connection: Connection, table: str) -> int:
    return int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())
