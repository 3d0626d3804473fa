"""Options that the builders share."""

import click
import pytest
from click.testing import CliRunner

from aptone.cli.options.values import (
    PartSettings,
    choice_option,
    ear_option,
    folder_option,
    language_option,
    languages_option,
)
from aptone.errors import UsageError
from tests.tables import for_each

SETTINGS = PartSettings(("speaker", "writer"), example="speaker.voice")


@click.command()
@folder_option("Folder of the set")
@language_option("the lines")
@choice_option("--text", "writer", ("own", "api"), "Writer of the texts.")
@ear_option("listens")
@SETTINGS.option
def built(**given: object) -> None:
    """Says what it was given."""
    click.echo(" ".join(f"{name}={value!r}" for name, value in sorted(given.items()) if name != "output"))


def test_what_is_not_said_is_english_the_first_kind_and_no_ear_of_its_own() -> None:
    said = CliRunner().invoke(built, ["-o", "x"]).output
    assert said == "ear=None language='en' settings=() writer='own'\n"


def test_a_builder_needs_a_folder_and_says_that_it_resumes() -> None:
    assert "Missing option '-o' / '--output'" in CliRunner().invoke(built, []).output
    told = " ".join(CliRunner().invoke(built, ["--help"]).output.split())
    assert "Folder of the set; the same command resumes it." in told
    assert "Ear that listens; by default what APTONE_EAR names, or full." in told
    assert "An option of the speaker or the writer; the value is JSON or text." in told


def test_several_languages_take_the_place_of_the_usual_ones() -> None:
    @click.command()
    @languages_option(("en", "zh"), "Of captions.")
    def spoken(languages: tuple[str, ...]) -> None:
        click.echo(",".join(languages))

    assert CliRunner().invoke(spoken, []).output == "en,zh\n"
    assert CliRunner().invoke(spoken, ["--language", "zh"]).output == "zh\n"


def test_options_of_parts_are_json_or_text() -> None:
    assert SETTINGS.read(["speaker.voice=anna", "writer.max_tokens=5"]) == {
        "speaker.voice": "anna",
        "writer.max_tokens": 5,
    }


@for_each(
    ("parts", "named"),
    [
        (("writer",), "the writer"),
        (("speaker", "writer"), "the speaker or the writer"),
        (("a", "b", "c"), "the a, the b or the c"),
    ],
)
def test_an_option_of_another_part_is_refused_with_those_there_are(parts: tuple[str, ...], named: str) -> None:
    with pytest.raises(UsageError, match=f"^--set ear.name: expected an option of {named}, as x.y.$"):
        PartSettings(parts, example="x.y").read(["ear.name=full"])
