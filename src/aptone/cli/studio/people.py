"""``aptone studio people``, ``consent`` and ``withdraw``: who takes part, what they agreed to, and their way out."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aptone.cli.options.studio import database_option, folder_argument, language_option, open_project
from aptone.cli.output import json_option, print_json, print_rich, print_text
from aptone.errors import RecordError, UsageError
from aptone.messages import words
from aptone.report.notation import UNDEFINED
from aptone.report.result_table import Column, ResultTable, TableCell, terminal_table
from aptone.types import Json, Language

if TYPE_CHECKING:
    from aptone.studio.store.records import ConsentText

LARGEST_TEXT = 1 << 20
"""Bytes of a consent text that are read."""


@click.command("people")
@folder_argument
@database_option
@language_option
@json_option
def people(folder: Path, database_url: str, language: Language, as_json: bool) -> int:
    """List the people of a project: name, sign-in name, pseudonym in exports, role, consent, headphone checks.

    This is the key to the pseudonyms: keep it apart from what you publish.

    \b
    aptone studio people listening/ --json > key.json
    """  # noqa: D301
    with open_project(folder, database_url) as project:
        from aptone.studio.exchange.pseudonyms import export_names, headphone_word
        from aptone.studio.store.ratings import iso_time

        everyone, names, consents = project.people.everyone(), export_names(project), project.gates.consents()
        checks = {name: found for name in project.tasks.names() if (found := project.gates.headphones(name))}
        gone = project.withdrawals.count()
    rows: list[dict[str, Json]] = []
    for one in everyone:
        version, given = consents.get(one.id, (0, 0.0))
        rows.append(
            {
                "name": one.name,
                "sign_in": one.pseudonym,
                "export": names[one.pseudonym],
                "role": one.role,
                "active": one.active,
                "consent": {"version": version, "given": iso_time(given)} if version else None,
                "headphones": {
                    name: headphone_word(found[one.id]) for name, found in checks.items() if one.id in found
                },
            }
        )
    if as_json:
        print_json({"people": rows, "withdrawn": gone})
        return 0
    word = words(language, "studio")
    heads = ("name", "sign_in", "export_name", "role", "consent", "headphones")
    columns = tuple(Column(word(name), number=False) for name in heads)
    cells = tuple(
        tuple(
            TableCell(str(text))
            for text in (
                one["name"],
                one["sign_in"],
                one["export"],
                word(str(one["role"])),
                _consent_text(one["consent"]),
                _headphones_text(one["headphones"], word),
            )
        )
        for one in rows
    )
    print_rich(terminal_table(ResultTable(word("people_of", folder=folder), columns, cells)))
    if gone:
        print_text(word("withdrawn_people", people=gone))
    return 0


def _consent_text(consent: Json) -> str:
    return f"{consent['version']}, {consent['given']}" if isinstance(consent, dict) else UNDEFINED


def _headphones_text(found: Json, word: Callable[[str], str]) -> str:
    results = found.items() if isinstance(found, dict) else ()
    return "; ".join(f"{task}: {word(f'headphones_{result}')}" for task, result in results) or UNDEFINED


@click.command("consent")
@folder_argument
@click.option("--en", "english", type=click.Path(path_type=Path), help="File with the consent text in English.")
@click.option("--zh", "mandarin", type=click.Path(path_type=Path), help="File with the consent text in Mandarin.")
@database_option
@language_option
@json_option
def consent(
    folder: Path,
    english: Path | None,
    mandarin: Path | None,
    database_url: str,
    language: Language,
    as_json: bool,
) -> int:
    """Set the consent text that everybody has to agree to before rating, or show the one that stands.

    Every change is a new version: everybody is asked again, and who agreed to which version is recorded with the time.

    \b
    aptone studio consent listening/ --en consent.md --zh consent.zh.md
    """  # noqa: D301
    texts = {code: _read(path) for code, path in (("en", english), ("zh", mandarin)) if path is not None}
    with open_project(folder, database_url) as project:
        if texts:
            stands: ConsentText | None = project.gates.set_consent(texts).result()
        else:
            stands = project.gates.consent("").text
        agreed = sum(version == stands.version for version, _ in project.gates.consents().values()) if stands else 0
    if as_json:
        version = stands.version if stands else 0
        print_json({"version": version, "text": dict(stands.words) if stands else {}, "agreed": agreed})
        return 0
    word = words(language, "studio")
    if stands is None:
        print_text(word("no_consent"))
        return 0
    print_text(word("consent_stands", version=stands.version, people=agreed))
    if not texts:
        print_text(stands.words.get(language) or next(iter(stands.words.values())))
    return 0


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_TEXT:
            raise RecordError(f"{path}: a consent text has at most {LARGEST_TEXT >> 20} MiB.")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path}: cannot be read as text in UTF-8; check the path.") from error


@click.command("withdraw")
@folder_argument
@click.option("--person", "who", required=True, metavar="WHO", help="Pseudonym or name of the person.")
@click.option("--keep-answers", is_flag=True, help="Keep the answers, under a new pseudonym that names nobody.")
@click.option("--yes", is_flag=True, help="Do it without asking.")
@database_option
@language_option
@json_option
def withdraw(
    folder: Path, who: str, keep_answers: bool, yes: bool, database_url: str, language: Language, as_json: bool
) -> int:
    """Erase a person who withdraws: account, consent and answers. Backups made before still hold them.

    \b
    aptone studio withdraw listening/ --person R-7K2M
    """  # noqa: D301
    word = words(language, "studio")
    with open_project(folder, database_url) as project:
        from aptone.studio.project import find_person
        from aptone.web.refusals import RefusedError

        found = find_person(project.people.everyone(), who, active_only=False)
        if not yes and not click.confirm(word("withdraw_sure", name=found.name, sign_in=found.pseudonym), err=True):
            raise UsageError("nothing was erased.")
        try:
            gone = project.withdrawals.withdraw(found.id, keep_answers=keep_answers).result()
        except RefusedError as error:
            raise UsageError(str(error)) from error
        project.database.empty_log()
    if as_json:
        print_json({"answers": gone.answers, "kept": gone.kept})
        return 0
    print_text(word("withdrawn_kept" if gone.kept else "withdrawn", sign_in=found.pseudonym, answers=gone.answers))
    print_text(word("withdrawn_backups"))
    return 0
