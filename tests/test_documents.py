"""What documents point at is there: files, headings, commands and their options, in every document that we ship."""

import contextlib
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import pytest

from aptone.cli.main import aptone
from tests.tables import for_each

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "aptone"
MADE = ROOT / "docs" / "cli.md"
"""Made from the verbs themselves; `test_docs.py` compares it with them."""


def documents() -> list[Path]:
    """All documents that people wrote."""
    folders = (ROOT.glob("*.md"), *((ROOT / name).rglob("*.md") for name in ("docs", "benchmarks", "examples", "src")))
    return sorted(path for folder in folders for path in folder if path != MADE and "_build" not in path.parts)


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def headings(document: Path) -> set[str]:
    """Anchors of a document, as Sphinx and GitHub make them."""
    titles = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@for_each("document", documents(), ids=named)
def test_every_link_leads_to_a_file_and_a_heading(document: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        aim = document.parent / file if file else document
        assert aim.exists(), target
        assert not anchor or anchor in headings(aim), target


@for_each("document", documents(), ids=named)
def test_every_script_result_and_test_that_is_named_exists(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for name in re.findall(r"`((?:benchmarks|results|docs|tests|src|examples)/[\w./-]+)[` ]", text):
        built = name.startswith("docs/_build/")  # by make docs, which a quick run does not wait for
        assert built or (ROOT / name).exists() or (ROOT / "benchmarks" / name).exists(), name


@for_each("document", sorted((ROOT / "src").rglob("README.md")), ids=named)
def test_every_module_that_a_readme_names_is_in_its_part_of_the_house(document: Path) -> None:
    folder = document.parent
    mirrored = ROOT / "tests" / folder.relative_to(SOURCE)
    for name in re.findall(r"`([\w*/]+\.py)`", document.read_text(encoding="utf-8")):
        # "_raters.py" behind "agreement_controls.py" stands for "agreement_raters.py"; a card lies below its part.
        places = [folder, folder.parent, mirrored] if "/" not in name else [ROOT, folder, SOURCE]
        pattern = f"*{name}" if name.startswith("_") else name
        found = (path for place in places for path in (*place.glob(pattern), *place.glob(f"server/{pattern}")))
        assert any(found), name


def shown(document: Path) -> Iterator[str]:
    """The lines of what a document shows to be typed: its blocks without a language, of a shell or of a console."""
    language: str | None = None
    for line in document.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        if line.startswith("```"):
            language = line.removeprefix("```") if language is None else None
        elif language in {"", "sh"} or (language == "console" and line.startswith("$ ")):
            yield line.strip()


def typed() -> Iterator[tuple[str, str]]:
    """Every command of ours that a document tells people to type, with the document."""
    for document in documents():
        for line in shown(document):
            command = re.match(r"(?:\$ )?(?:.* -m )?(aptone [^|>]+)", line)
            if command is not None:
                yield named(document), re.sub(r"(--[a-z-]+ )?…(?=\s|$)", "", command.group(1).partition("; ")[0])


def parse(command: click.Command, words: Sequence[str], parent: click.Context) -> None:
    """Read a command line as click does, without running it; whatever it does not know raises a usage error."""
    if isinstance(command, click.Group) and words and not words[0].startswith("-"):
        context = click.Context(command, info_name=command.name, parent=parent)
        found = command.get_command(context, words[0])
        if found is None:
            context.fail(f"no verb {words[0]}")
        return parse(found, words[1:], context)
    with contextlib.suppress(click.exceptions.Exit):  # --help
        command.make_context(command.name, list(words), parent=parent)
    return None


def refusal(words: Sequence[str]) -> str:
    """Why a command line cannot be typed; empty if it can."""
    try:
        parse(aptone, words, click.Context(aptone, info_name="aptone", **aptone.context_settings))
    except click.UsageError as error:
        return error.format_message()
    return ""


@pytest.mark.slow
@for_each(("document", "line"), sorted(set(typed())))
def test_every_command_can_be_typed(document: str, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The files of an example need not be there; verbs, options and their values must.
    monkeypatch.setattr(click.Path, "convert", lambda self, value, param, ctx: Path(value))
    assert refusal(shlex.split(line, comments=True)[1:]) == "", f"{document}: {line}"


def test_commands_are_found_in_all_kinds_of_documents() -> None:
    lines = {line for _, line in typed()}
    assert any(line.startswith("aptone train sft reasoned/shards") for line in lines)
    assert any(line.startswith("aptone bench ablation") for line in lines)
    assert len(lines) > 60


def test_a_wrong_option_is_found_also_below_a_group_of_verbs() -> None:
    context = click.Context(aptone, info_name="aptone", **aptone.context_settings)
    with pytest.raises(click.NoSuchOption):
        parse(aptone, ["train", "sft", "shards/", "--bais"], context)
    with pytest.raises(click.UsageError):
        parse(aptone, ["bench", "ceaevil", "rated.jsonl"], context)
