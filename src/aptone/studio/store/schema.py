"""Numbered migrations of the schema, which run when a database opens."""

import hashlib
import time
from dataclasses import dataclass
from importlib import resources

from sqlalchemy import Connection, text

from aptone.errors import UsageError
from aptone.installation import upgrade_command

_MIGRATION_LOCK = 0x6170746F6E65
"""Number of the lock that PostgreSQL holds while one process migrates: ``aptone`` in ASCII."""


@dataclass(frozen=True, slots=True)
class Migration:
    """Numbered migration of the schema, from 1 on without gaps, in SQL that both databases understand."""

    number: int
    name: str
    statements: tuple[str, ...]
    sha256: str


def migrations() -> tuple[Migration, ...]:
    """All migrations, in order."""
    folder = resources.files("aptone.studio.store") / "migrations"
    scripts = {file.name: file.read_text("utf-8") for file in folder.iterdir() if file.name.endswith(".sql")}
    return tuple(_migration(name, script) for name, script in sorted(scripts.items()))


def _migration(name: str, script: str) -> Migration:
    lines = [line for line in script.splitlines() if not line.startswith("--")]
    statements = tuple(statement for part in "\n".join(lines).split(";\n") if (statement := part.strip().rstrip(";")))
    return Migration(int(name.partition("_")[0]), name, statements, hashlib.sha256(script.encode()).hexdigest())


def migrate(connection: Connection, *, name: str) -> None:
    """Bring a database to the newest schema, within the transaction of the connection.

    Raises:
        UsageError: if a newer Aptone has made it, a step was changed after it was taken, or it cannot hold every text.
    """
    if connection.dialect.name == "postgresql":
        _check_encoding(connection, name=name)
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _MIGRATION_LOCK})
    connection.exec_driver_sql(
        "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL,"
        " sha256 TEXT NOT NULL, applied DOUBLE PRECISION NOT NULL)"
    )
    taken = {row.number: row for row in connection.execute(text("SELECT number, name, sha256 FROM migrations"))}
    steps = migrations()
    if newer := sorted(set(taken) - {step.number for step in steps}):
        raise UsageError(
            f"{name}: made by a newer Aptone (step {taken[newer[0]].name}). Install it: {upgrade_command('studio')}"
        )
    for step in steps:
        if step.number not in taken:
            _take(connection, step)
        elif taken[step.number].sha256 != step.sha256:
            raise UsageError(
                f"{name}: its step {step.name} differs from that of this Aptone. "
                "Use the Aptone that made it, or export its answers there and import them into a new project."
            )


def _check_encoding(connection: Connection, *, name: str) -> None:
    """Refuse a database that cannot store every script, before answers are lost to it."""
    encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
    if encoding != "UTF8":
        raise UsageError(
            f"{name}: the database has the encoding {encoding} and cannot hold every text. "
            "Make one for the studio: createdb --encoding UTF8 --template template0 NAME"
        )


def _take(connection: Connection, step: Migration) -> None:
    for statement in step.statements:
        connection.exec_driver_sql(statement)
    connection.execute(
        text("INSERT INTO migrations (number, name, sha256, applied) VALUES (:number, :name, :sha256, :applied)"),
        {"number": step.number, "name": step.name, "sha256": step.sha256, "applied": time.time()},
    )
