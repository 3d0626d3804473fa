"""``aptone style``."""

from collections.abc import Sequence
from pathlib import Path

import click

from aptone.cli.options.language import lang_option
from aptone.cli.options.reference import asked_reference, heard_against, reference_option
from aptone.cli.options.run import Running, dry_run_option, running_options
from aptone.cli.options.source import SOURCE, SourceChoice, say_reading, source_options
from aptone.cli.options.style import load_model, model_option
from aptone.cli.options.values import output_option
from aptone.cli.output import (
    complete,
    entry_json,
    json_option,
    print_about,
    print_forecast,
    print_json,
    print_rich,
    print_text,
)
from aptone.errors import UsageError
from aptone.messages import message, translate, words
from aptone.report.notation import one_line
from aptone.report.result_table import terminal_table
from aptone.report.terminal import verdict_table
from aptone.rooms.style.api import Described, judge_all
from aptone.rooms.style.data import StylePair, make_items, read_listed_pairs
from aptone.rooms.style.operations import clip_pairs, style_reply
from aptone.rooms.style.report import described_table, evidence_tables
from aptone.rooms.style.step import StyleStep, style_step, voice_clips
from aptone.run.forecast import forecast_run
from aptone.run.rehearsal import Rehearsal
from aptone.run.sources.remote import local
from aptone.types import AudioRef, Language, Probe, ProbeState, State

SHOWN = 60
"""Characters of a description in a message."""
ONE_PAIR = Probe(ProbeState.NOT_APPLICABLE, detail=message("cli.no-choice-of-clips"))


@click.command()
@click.argument("source", metavar="CLIP_OR_SET", type=SOURCE)
@click.argument("descriptions", metavar="[DESCRIPTION]...", nargs=-1)
@model_option
@reference_option()
@source_options
@output_option("Folder of the run", "<its name>-style", when="for a set")
@lang_option("Language of tables and report", otherwise="that of the first description")
@running_options
@dry_run_option
@json_option
def style(
    source: Path,
    descriptions: Sequence[str],
    model: str,
    reference: str | None,
    listed: SourceChoice,
    output: Path | None,
    lang: Language | None,
    running: Running,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Does a voice fit a description of its style?

    Give one recording and a description, or several to see which fits best; or a set of pairs for a resumable run: a
    manifest, a table, a dataset, a list of another toolkit (--source), or a folder such as S3Bench.

    \b
    aptone style clip.wav "a slow, gravelly whisper"
    aptone style clip.wav "an angry man" "a frightened child" "一位平静的老妇人"
    aptone style pairs.jsonl -o run/
    """  # noqa: D301  (\b keeps click from joining the lines)
    is_set = source.is_dir() or listed.is_list(source)
    if is_set and descriptions:
        raise UsageError(
            f"{source}: a set of pairs brings its own descriptions; give them for one clip only. To find the "
            f'recordings of a folder that fit one: aptone search {source} "{_short(descriptions[0])}"'
        )
    if not is_set and not descriptions:
        raise UsageError(f'{source}: compared with what? For instance: aptone style {source} "a slow whisper"')
    if is_set:
        pairs, reading = read_listed_pairs(source, listed.options())
        say_reading(reading)
    else:
        source = local(source)
        pairs = _pairs(source, descriptions)
    shown: Language = lang or pairs[0].language
    folder = output or (Path(f"{source.resolve().stem}-style") if is_set else None)
    if dry_run:
        found = forecast_run(pairs, lambda one: [one.audio], _ask_nothing, has_prices=True, repeats=running.repeat)
        return print_forecast(found, shown, as_json=as_json)
    step = style_step(heard_against(load_model(model), reference, voice_clips(pairs), folder=folder))
    consent = running.consent(step.about, clips=len(pairs), folder=folder)
    if folder is None:
        running.refuse_without_folder()
        return _at_once(source, descriptions, step, language=shown, as_json=as_json)
    settings = {**step.settings(), **asked_reference(reference)}
    config = running.config("style", model, settings, step.about, inputs=[source], consent=consent)
    items = list(make_items(pairs))
    ended = running.run(items, step, folder=folder, config=config, width=1, label="style")
    done = complete(ended, items, step, running, order=ONE_PAIR, language=shown)
    if as_json:
        print_json({**done.json(), "items": list(map(entry_json, ended.run.entries))})
    else:
        print_rich(verdict_table(ended.run.entries, language=shown))
        done.print(shown)
    return done.exit_code


async def _ask_nothing(pair: StylePair, call: Rehearsal) -> None:
    """Rehearse a pair: models that compare voices with descriptions run on this machine."""


def _pairs(source: Path, descriptions: Sequence[str]) -> list[StylePair]:
    if empty := [place for place, text in enumerate(descriptions, start=1) if not text.strip()]:
        raise UsageError(f"description {empty[0]} is empty: there is nothing that a voice could fit.")
    return clip_pairs(source.name, AudioRef(str(source.absolute())), descriptions)


def _at_once(source: Path, descriptions: Sequence[str], step: StyleStep, *, language: Language, as_json: bool) -> int:
    judged = judge_all(step, source, descriptions)
    about = step.about
    if as_json:
        print_json(style_reply(source.name, judged, about))
    else:
        _print(judged, language=language)
        print_about(about, language=language)
    return int(any(one.outcome.state is not State.DONE for one in judged))


def _print(judged: Sequence[Described], *, language: Language) -> None:
    word = words(language, "style")
    print_rich(terminal_table(described_table(judged, language=language)))
    for shown in evidence_tables(judged, language=language):
        print_rich(shown)
    reasons = {one.description: one.outcome.reason for one in judged if one.outcome.reason}
    if len(reasons) == len(judged) and len(set(reasons.values())) == 1:
        print_text(word("unscored", why=translate(judged[0].outcome.reason, language)))
        return
    for description, why in reasons.items():
        print_text(word("unscored_one", description=_short(description), why=translate(why, language)))


def _short(description: str) -> str:
    return one_line(description, limit=SHOWN)
