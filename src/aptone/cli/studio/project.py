"""``aptone studio import``, ``invite``, ``export`` and ``tasks``: a project without its server."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aptone.cli.options.studio import (
    database_option,
    folder_argument,
    given_item_options,
    item_options,
    language_option,
    open_project,
    require_task,
    task_option,
)
from aptone.cli.options.values import PATH
from aptone.cli.output import json_option, print_json, print_rich, print_text
from aptone.errors import UsageError
from aptone.messages import translate, words
from aptone.ratings.tasks import task_template, templates
from aptone.report.result_table import Column, ResultTable, TableCell, terminal_table
from aptone.types import Json, Language, to_json

if TYPE_CHECKING:
    from aptone.studio.exchange.exports import Rows
    from aptone.studio.store.records import Role


TOOLS = ("label-studio", "potato", "webmushra")
FORMATS = ("jsonl", "csv", "parquet", "dataset", *TOOLS)
ADDRESS = "http://127.0.0.1:8765"


@click.command("import")
@folder_argument
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--task",
    "template",
    metavar="TASK",
    help="Built-in task, or a task file without items, to be filled from manifests or runs.",
)
@click.option("--from", "tool", type=click.Choice(TOOLS), help="Tool whose project FILE is; its answers come along.")
@item_options
@click.option("--link", is_flag=True, help="Hard-link clips into the project instead of copying them.")
@click.option("--closed", is_flag=True, help="Keep the task closed until an admin opens it.")
@click.option("--skip-broken", is_flag=True, help="Leave out items whose clips cannot be played, and list them.")
@database_option
@language_option
@json_option
def import_(
    folder: Path,
    files: Sequence[Path],
    template: str | None,
    tool: str | None,
    name: str,
    raters: int | None,
    calibration: int,
    per_dimension: int,
    systems: Sequence[str],
    seed: int,
    link: bool,
    closed: bool,
    skip_broken: bool,
    database_url: str,
    language: Language,
    as_json: bool,
) -> int:
    """Put tasks into a project: task files (YAML or JSON), or with --task manifests and run folders.

    Every clip is decoded to its end. If some cannot be played, they are listed, and nothing is imported.

    \b
    aptone studio import listening/ task.yaml
    aptone studio import listening/ run/ --task ceaeval-d
    aptone studio import listening/ clips.jsonl --task task.yaml
    aptone studio import listening/ exported/ --from label-studio
    aptone studio import listening/ run-a/ run-b/ --task preference --system old --system new
    """  # noqa: D301
    if tool is not None:
        return _import_tool(
            folder, files, tool, name, raters, link, closed, skip_broken, database_url, language, as_json=as_json
        )
    if template is None and (given := given_item_options()):
        raise UsageError(f"{given[0]} goes with --task; a task file holds its own.")
    with open_project(folder, database_url, new=True) as project:
        from aptone.studio.decoded_clips import BrokenClip, DecodedClips, broken_list
        from aptone.studio.exchange.imports import import_task, import_task_file

        decoded = DecodedClips()
        left_out: list[BrokenClip] = []
        broken = left_out if skip_broken else None
        if template is None:
            made = [
                import_task_file(file, folder=project.folder, link=link, decoded=decoded, broken=broken)
                for file in files
            ]
        else:
            task = import_task(
                template,
                files,
                folder=project.folder,
                name=name,
                link=link,
                raters=raters,
                calibration=calibration,
                per_dimension=per_dimension,
                systems=systems,
                seed=seed,
                decoded=decoded,
                broken=broken,
            )
            made = [task]
        for task in made:
            project.tasks.put(task, open=not closed, decoded=decoded).result()
    if as_json:
        rows: list[Json] = [
            {"name": task.name, "items": len(task.items), "raters": task.raters_per_item} for task in made
        ]
        print_json({"tasks": rows, "broken": [asdict(one) for one in left_out]} if skip_broken else {"tasks": rows})
        return 0
    word = words(language, "studio")
    if left_out:
        click.echo(word("left_out", count=len(left_out), names=translate(broken_list(left_out), language)), err=True)
    for task in made:
        print_text(word("imported", task=task.name, items=len(task.items), raters=task.raters_per_item))
        known = {item.id: item for item in task.items}
        if silent := sum(not known[name].gold for name in task.calibration):
            print_text(word("no_gold", count=silent))
    print_text(word("next_studio", folder=folder))
    return 0


def _import_tool(
    folder: Path,
    files: Sequence[Path],
    tool: str,
    name: str,
    raters: int | None,
    link: bool,
    closed: bool,
    skip_broken: bool,
    database_url: str,
    language: Language,
    *,
    as_json: bool,
) -> int:
    """Put projects of another tool into a project."""
    with open_project(folder, database_url, new=True) as project:
        from aptone.studio.decoded_clips import BrokenClip, DecodedClips, broken_list
        from aptone.studio.exchange.tools import import_from_tool

        decoded = DecodedClips()
        left_out: list[BrokenClip] = []
        made = [
            import_from_tool(
                project,
                tool,
                file,
                name=name,
                raters=raters,
                open=not closed,
                link=link,
                decoded=decoded,
                broken=left_out if skip_broken else None,
            )
            for file in files
        ]
    if as_json:
        rows: list[Json] = [
            {"name": one.task.name, "items": len(one.task.items), "ratings": one.ratings} for one in made
        ]
        print_json({"tasks": rows, "broken": [asdict(one) for one in left_out]})
        return 0
    word = words(language, "studio")
    if left_out:
        click.echo(word("left_out", count=len(left_out), names=translate(broken_list(left_out), language)), err=True)
    for one in made:
        print_text(word("imported", task=one.task.name, items=len(one.task.items), raters=one.task.raters_per_item))
        print_text(words(language, "exchange")("ratings_came_along", count=one.ratings))
    print_text(word("next_studio", folder=folder))
    return 0


@click.command("invite")
@folder_argument
@click.option(
    "--role",
    type=click.Choice(["annotator", "adjudicator", "admin"]),
    help="Role of a new person; annotator by default.",
)
@click.option("--name", default="", help="Name of a new person.")
@click.option(
    "--person", "who", default="", metavar="WHO", help="Pseudonym or name of an existing person, for a new link."
)
@click.option("--email", default="", help="Address by which a sign-in service may let a new person in; not for admins.")
@click.option("--days", default=30.0, show_default=True, help="Lifetime of the link in days.")
@click.option(
    "--public-url",
    default="",
    metavar="URL",
    help=f"Public address of the studio; by default where it runs or ran last, or else {ADDRESS}.",
)
@database_option
@language_option
@json_option
def invite(
    folder: Path,
    role: "Role | None",
    name: str,
    who: str,
    email: str,
    days: float,
    public_url: str,
    database_url: str,
    language: Language,
    as_json: bool,
) -> int:
    """Make a personal link. It is printed here, and nowhere else.

    \b
    aptone studio invite listening/ --role annotator --name "Ada"
    aptone studio invite listening/ --person R-7K2M
    """  # noqa: D301
    if bool(who) == bool(name) or (who and role):
        raise UsageError("name somebody new (--name, --role), or somebody who was here (--person, who keeps the role).")
    with open_project(folder, database_url) as project:
        from aptone.studio.project import find_person, is_served, join_link, last_address
        from aptone.web.addresses import Addresses

        address = public_url or last_address(project.database) or ADDRESS
        served = is_served(project.database)
        Addresses(public_url=address)
        known = find_person(project.people.everyone(), who) if who else None
        new = project.people.invite(
            role or "annotator",
            name=known.name if known else name,
            days=days,
            person=known.id if known else "",
            email=email,
        ).result()
        link = join_link(address, new.token)
    name, role = new.invitation.name, new.invitation.role
    if as_json:
        print_json({"name": name, "role": role, "days": days, "link": link, "served": served})
        return 0
    word = words(language, "studio")
    print_text(word("invited", name=name, role=word(role), days=f"{days:g}"))
    print_text(f"  {link}")
    if not served and not public_url:
        print_text(word("not_served", folder=folder, address=address))
    return 0


@click.command("export")
@folder_argument
@task_option
@click.option("--format", "form", type=click.Choice(FORMATS), default="jsonl", show_default=True, help="File format.")
@click.option(
    "--rows",
    type=click.Choice(["ratings", "items"]),
    default="ratings",
    show_default=True,
    help="One row a rating, or one an item with the aggregated answers; a dataset has both.",
)
@click.option(
    "--split",
    "test_share",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    help="Share of test items in a dataset; they share no story, character or scene with the training items.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed of the split.")
@click.option("--licence", default="", help="Licence identifier for the dataset card, as on Hugging Face.")
@click.option(
    "--consent",
    type=PATH,
    help="File with the text that people agreed to, for the dataset card; by default that of `aptone studio consent`.",
)
@click.option("--payment", default="", help="What people were paid, for the dataset card.")
@click.option("--demographics", default="", help="Who the people are, as they stated it, for the dataset card.")
@click.option("--names", "with_names", is_flag=True, help="Put people's names before their pseudonyms.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="File, or folder of a dataset.")
@database_option
@language_option
@json_option
def export(
    folder: Path,
    task_name: str,
    form: str,
    rows: "Rows",
    test_share: float | None,
    seed: int,
    licence: str,
    consent: Path | None,
    payment: str,
    demographics: str,
    with_names: bool,
    output: Path,
    database_url: str,
    language: Language,
    as_json: bool,
) -> int:
    """Write the ratings of a task, people by pseudonym.

    \b
    aptone studio export listening/ --task s3bench --format csv -o ratings.csv
    aptone studio export listening/ --task ceaeval-d --format dataset --split 0.2 -o set/
    """  # noqa: D301
    if form != "dataset" and (test_share is not None or licence or consent or payment or demographics):
        raise UsageError("--split, --licence, --consent, --payment and --demographics go with --format dataset.")
    with open_project(folder, database_url) as project:
        from aptone.studio.exchange.data_card import Statements
        from aptone.studio.exchange.exports import export_to
        from aptone.studio.exchange.rows import exported_items, story_split
        from aptone.studio.exchange.tool_files import text_file

        require_task(project, task_name)
        task = project.tasks.get(task_name).task
        split = None if test_share is None else story_split(exported_items(task), test_share=test_share, seed=seed)
        count = len(project.results.ratings(task_name))
        text = text_file(consent) if consent else ""
        stated = Statements(licence, text, payment, demographics)
        export_to(
            project,
            task_name,
            form,
            output,
            rows=rows,
            split=split,
            licence=licence,
            stated=stated,
            with_names=with_names,
        )
    if as_json:
        export_record: dict[str, Json] = {"task": task_name, "format": form, "path": str(output), "ratings": count}
        print_json(export_record if split is None else {**export_record, "split": to_json(split)})
        return 0
    word = words(language, "studio")
    print_text(word("exported", ratings=count, path=output))
    if split is not None:
        print_text(word("split", train=len(split.train), test=len(split.test), components=split.components))
    if split is not None and split.reason:
        click.echo(word("split_off", wanted=f"{test_share:.0%}", largest=split.largest), err=True)
    return 0


@click.command("tasks")
@language_option
@json_option
def tasks(language: Language, as_json: bool) -> int:
    """List the built-in tasks."""
    found = [task_template(name) for name in templates()]
    if as_json:
        asked = {one.name: [control.name for control in one.controls] for one in found}
        rows: list[Json] = [{"name": one.name, "title": one.title, "controls": asked[one.name]} for one in found]
        print_json({"tasks": rows})
        return 0
    word = words(language, "studio")
    columns = tuple(Column(word(name), number=False) for name in ("task", "title", "asks"))
    titles = [one.title.get(language) or next(iter(one.title.values()), "") for one in found]
    cells = tuple(
        tuple(map(TableCell, (one.name, title, ", ".join(control.name for control in one.controls))))
        for one, title in zip(found, titles, strict=True)
    )
    print_rich(terminal_table(ResultTable(word("tasks_that_ship"), columns, cells)))
    return 0
