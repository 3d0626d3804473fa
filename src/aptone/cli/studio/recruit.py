"""``aptone studio recruit``: one link for the participants of a platform, and the codes with which they leave."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from aptone.cli.options.studio import database_option, folder_argument, language_option, open_project
from aptone.cli.output import json_option, print_json, print_text
from aptone.cli.studio.project import ADDRESS
from aptone.messages import words
from aptone.types import Language

if TYPE_CHECKING:
    from aptone.studio.store.recruitment import Platform


@click.command("recruit")
@folder_argument
@click.option("--platform", type=click.Choice(["prolific", "mturk"]), required=True, help="Platform people come from.")
@click.option("--code", required=True, help="Completion code, shown when somebody has no items left.")
@click.option("--screened-out", default="", help="Code for those who did not pass the test; by default they get none.")
@click.option("--return-url", default="", metavar="URL", help="Address to go back to; the code is put behind it.")
@click.option("--study", default="", metavar="ID", help="Study or HIT id; people of others are not let in.")
@click.option("--public-url", default="", metavar="URL", help="Public address of the studio.")
@database_option
@language_option
@json_option
def recruit(
    folder: Path,
    platform: "Platform",
    code: str,
    screened_out: str,
    return_url: str,
    study: str,
    public_url: str,
    database_url: str,
    language: Language,
    as_json: bool,
) -> int:
    """Make the link that a platform gives to its participants. It is printed here, and nowhere else.

    The platform adds the participant's id, which only admins see; exports hold pseudonyms.

    \b
    aptone studio recruit listening/ --platform prolific --code C1A2B3 \\
      --return-url "https://app.prolific.com/submissions/complete?cc="
    """  # noqa: D301
    with open_project(folder, database_url) as project:
        from aptone.studio.project import last_address
        from aptone.studio.store.recruitment import Recruitment, study_link
        from aptone.web.addresses import Addresses

        address = public_url or last_address(project.database) or ADDRESS
        Addresses(public_url=address)
        wanted = Recruitment(platform, code, screened_out=screened_out, url=return_url, study=study)
        link = study_link(address, wanted, project.recruitments.set(wanted).result())
    if as_json:
        print_json({"platform": platform, "link": link})
        return 0
    print_text(words(language, "exchange")("recruiting", platform=platform))
    print_text(f"  {link}")
    return 0
