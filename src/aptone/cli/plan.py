"""``aptone plan``."""

from collections.abc import Sequence
from contextlib import closing, nullcontext
from pathlib import Path

import click

from aptone.cli.commands import add_options
from aptone.cli.options.language import lang_option, names_of
from aptone.cli.options.run import CACHE_OPTIONS, default_cache
from aptone.cli.options.values import LANGUAGES, PATH, setting, settings_option, shown_option
from aptone.cli.output import json_option, print_about, print_json, print_rich, print_text
from aptone.report.plan_text import plan_table
from aptone.rooms.aptness.api import line_of_story, make_planner, plan_sample
from aptone.rooms.aptness.operations import plan_reply
from aptone.run import ReplyCache
from aptone.types import Language


@click.command()
@click.argument("story", metavar="STORY", type=PATH)
@click.option("--line", required=True, help="Words of the line, as they stand in the story.")
@click.option("--occurrence", type=click.IntRange(1), help="Number of the line among several with these words.")
@click.option("--role", help="Speaker of the line; by default the one that the story names.")
@click.option("--language", type=LANGUAGES, help="Language of the story; by default detected from its characters.")
@lang_option("Language of the output", otherwise="that of the story")
@shown_option("--engine", default="built-in", shell_complete=names_of("engines"), help="Engine whose planner to use.")
@click.option("--planner", shell_complete=names_of("planners"), help="Another planner than the engine's.")
@settings_option("the planner", part="planner")
@click.option(
    "--voting",
    type=click.Choice(["none", "release", "paper", "one"]),
    help="Windows of the story that vote: those of the public release, those of the paper (filled up with later "
    "lines), or one window without a vote. The built-in planner reads everything at once unless one is named.",
)
@click.option("--thrifty", is_flag=True, help="Stop asking as soon as no other plan can win; the winner is the same.")
@add_options(*CACHE_OPTIONS)
@json_option
def plan(
    story: Path,
    line: str,
    occurrence: int | None,
    role: str | None,
    language: Language | None,
    lang: Language | None,
    engine: str,
    planner: str | None,
    settings: Sequence[str],
    voting: str | None,
    thrifty: bool,
    cache: Path | None,
    no_cache: bool,
    seed: int,
    as_json: bool,
) -> int:
    """Plan how a line of a story should sound.

    Emotion, intensity, rhythm, intonation, voice and recording condition, as the story around it asks, with the words
    of the story that it rests on and how sure it is; or that the story does not say. STORY is a text with one line of
    the story on each, subtitles (.srt), JSON, or a manifest.

    \b
    aptone plan story.txt --line "Is anybody there?" --planner api
    """  # noqa: D301  (\b keeps click from joining the lines)
    parts = dict(map(setting, settings)) | ({"planner.thrifty": True} if thrifty else {})
    parts |= {"planner.voting": voting} if voting else {}
    made = make_planner(engine, planner=planner, settings=parts)
    sample = line_of_story(story, line=line, occurrence=occurrence, role=role, language=language)
    with nullcontext() if no_cache else closing(ReplyCache(cache or default_cache())) as store:
        planned = plan_sample(sample, made, seed=seed, store=store)
    if as_json:
        print_json(plan_reply(sample, planned))
        return 0
    print_text(f"{sample.target.role}: {sample.target.text}" if sample.target.role else sample.target.text)
    shown = lang or sample.language
    print_rich(plan_table(planned.plan, language=shown))
    print_about(made.about, language=shown)
    return 0
