"""``aptone build aptness-proxy``."""

from collections.abc import Sequence
from pathlib import Path

import click

from aptone.cli.options.language import lang_option
from aptone.cli.options.values import EXISTING_FOLDER, FOLDER, language_option, several_option, shown_option
from aptone.cli.output import json_option, print_json, print_text
from aptone.ear.labelled_clips import read_labels
from aptone.errors import UsageError
from aptone.messages import words
from aptone.planner.labelled_dialogues import read_cped, read_meld
from aptone.report.notation import named
from aptone.rooms.aptness.build.proxy import ABOUT, build_proxy
from aptone.rooms.aptness.build.proxy_grade import ProxySettings, load_settings
from aptone.types import Language

READERS = {"en": read_meld, "zh": read_cped}


@click.command("aptness-proxy")
@click.option(
    "--dialogues",
    type=EXISTING_FOLDER,
    required=True,
    help="Folder with meld/ (for English) or cped/ (for Mandarin) as they are published.",
)
@click.option("--clips", type=EXISTING_FOLDER, required=True, help="Folder with acted speech and its labels.csv.")
@language_option("the dialogues")
@shown_option("--part", default="test", help="Split of the dialogues: train, dev or test.")
@several_option("--speakers", help="Split of the speakers; by default the same.")
@click.option("--settings", type=click.Path(path_type=Path, dir_okay=False), help="JSON with other settings.")
@click.option("--seed", type=int, help="Random seed; overrides the settings.")
@click.option("--items", type=click.IntRange(1), help="Number of lines; overrides the settings.")
@click.option("-o", "--output", type=FOLDER, required=True, help="New folder.")
@lang_option("Language of the output", default="en")
@json_option
def aptness_proxy(
    dialogues: Path,
    clips: Path,
    language: str,
    part: str,
    speakers: Sequence[str],
    settings: Path | None,
    seed: int | None,
    items: int | None,
    output: Path,
    lang: Language,
    as_json: bool,
) -> None:
    """Lines of dialogues with acted clips that fit, half fit or contradict them.

    A proxy: graded by a formula, heard by nobody. Agreement with it is not agreement with people.

    \b
    aptone build aptness-proxy --dialogues TEXTS --clips ravdess -o proxy/
    aptone score proxy/manifest.jsonl -o run/
    """  # noqa: D301  (\b keeps click from joining the lines)
    chosen = load_settings(settings) if settings else ProxySettings()
    chosen = chosen.with_overrides(seed=seed, items=items)
    heard = speakers or (part,)
    spoken = [clip for clip in read_labels(clips) if clip.split in heard]
    if not spoken:
        raise UsageError(f"{clips}: no clip belongs to the part {' or '.join(heard)}.")
    built = build_proxy(READERS[language](dialogues, parts=(part,)), spoken, out=output, settings=chosen)
    if as_json:
        print_json(
            manifest=str(built.manifest),
            items=built.items,
            clips=built.clips,
            counts={name: dict(count) for name, count in built.counts.items()},
            settings=chosen.as_json(),
        )
        return
    word = words(lang, "cli.aptness-proxy")
    print_text(word("made", items=built.items, clips=built.clips))
    for name, count in built.counts.items():
        listed = ", ".join(f"{named(value, lang)} {number}" for value, number in count.items())
        print_text(f"{named(name, lang)}: {listed}")
    print_text(word("about", path=output / ABOUT))
    print_text(word("manifest", path=built.manifest))
