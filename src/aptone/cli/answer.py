"""``aptone answer``."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import click

from aptone.cli.commands import gather_options
from aptone.cli.options.answer import Hearing, Inputs, engine_option, hearing_options, input_options
from aptone.cli.options.run import Running, dry_run_option, running_options
from aptone.cli.options.source import ENDINGS, SOURCE, SourceChoice, source_options
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
from aptone.report.result_table import terminal_table
from aptone.report.terminal import verdict_table
from aptone.rooms.answer.api import judge_single, single_sample
from aptone.rooms.answer.forecast import forecast_answers
from aptone.rooms.answer.report.figures import answer_figures
from aptone.rooms.answer.report.results import answer_results, results_json
from aptone.rooms.answer.report.tables import result_notes, result_tables
from aptone.rooms.answer.step import FIELDS, FITNESS, answer_items
from aptone.run.sources.remote import local
from aptone.types import AudioRef, Language, Outcome, Probe, ProbeState, State, language_of_text, to_json

NO_CHOICES = Probe(ProbeState.NOT_APPLICABLE, detail=message("cli.no-choice-of-answers"))
CHECK_FAILED = message("answer.check-failed")
ANSWERS = "answers"
SHOWN = 10
"""Answers in the table on the terminal; the report has all."""


@dataclass(frozen=True, slots=True)
class Single:
    """Labels of one question and its answer."""

    style: str | None
    text: str | None
    answer_text: str | None


single_options = gather_options(
    Single,
    argument="single",
    options=(
        click.option("--style", help="For one answer: how the question was asked, such as angry, sarcastic or child."),
        click.option("--text", help="For one answer: the words of the question; by default they are transcribed."),
        click.option("--answer-text", help="For one answer: its words; by default they are transcribed."),
    ),
)


@click.command()
@click.argument("source", metavar="LIST_OR_QUESTION", type=SOURCE)
@click.argument("reply", metavar="[ANSWER]", required=False, type=SOURCE)
@single_options
@source_options
@output_option("Folder of the run", "<its name>-run", when="for a list")
@input_options
@engine_option
@hearing_options
@running_options
@dry_run_option
@json_option
def answer(
    source: Path,
    reply: Path | None,
    single: Single,
    listed: SourceChoice,
    output: Path | None,
    inputs: Inputs,
    engine: str,
    hearing: Hearing,
    running: Running,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Does a spoken answer fit how the question was asked?

    Give a list of questions (aptone build paras2s) and one or more systems that answer them, or a list with ready
    answers: a manifest, a table, a dataset or a list of another toolkit (--source); or one recorded question and its
    answer.

    \b
    aptone answer bench/manifest.jsonl --system "mine=python answer.py {input} {output}" -o run/
    aptone answer question.wav answer.wav --style angry --text "Where is my parcel?"
    """  # noqa: D301  (\b keeps click from joining the lines)
    if not listed.is_list(source):
        if clash := [name for name, value in {"-o": output, **inputs.given}.items() if value]:
            raise UsageError(f"{clash[0]} belongs to a list, whose name ends in {', '.join(ENDINGS)}.")
        answered = None if reply is None else local(reply)
        return _at_once(
            local(source), answered, single, inputs, engine, hearing, running, dry_run=dry_run, as_json=as_json
        )
    own = {"an answer": reply, "--style": single.style, "--text": single.text, "--answer-text": single.answer_text}
    if clash := [name for name, value in own.items() if value]:
        raise UsageError(f"{clash[0]} belongs to one question; in a list every record has its own.")
    folder = output or Path(f"{source.resolve().stem}-run")
    systems = inputs.under_test()
    samples = inputs.samples(source, systems, listed)
    shown: Language = inputs.lang or samples[0].prompt.language
    step = hearing.step(engine, samples, language=shown, systems=systems, answers=(folder / ANSWERS).absolute())
    if dry_run:
        return print_forecast(forecast_answers(step, samples, repeats=running.repeat), shown, as_json=as_json)
    config = hearing.config("answer", engine, step, running, source=source, folder=folder, clips=len(samples))
    items = list(answer_items(samples, systems))
    ended = running.run(items, step, folder=folder, config=config, width=hearing.width(engine), label="answer")
    entries = ended.run.entries
    known = dict.fromkeys(sample.ids["system"] for sample in samples)
    results = answer_results(entries, expected=inputs.averages(), blind=inputs.blind, systems=known)
    figures = answer_figures(entries, results, language=shown, folder=folder)
    done = complete(ended, items, step, running, order=NO_CHOICES, language=shown, figures=figures)
    if as_json:
        judged = [{**entry_json(entry), FIELDS: entry.outcome.evidence.get(FIELDS)} for entry in entries]
        print_json({**done.json(), **results_json(results), "items": judged})
    else:
        print_rich(verdict_table(entries, language=shown, limit=SHOWN))
        print_rich(*map(terminal_table, result_tables(results, language=shown)))
        for note in result_notes(results.systems, language=shown):
            print_text(f"! {note}")
        done.print(shown)
        if not results.checks_hold:
            print_text(f"! {translate(CHECK_FAILED, shown)}")
    return done.exit_code or int(not results.checks_hold)


def _at_once(
    question: Path,
    reply: Path | None,
    single: Single,
    inputs: Inputs,
    engine: str,
    hearing: Hearing,
    running: Running,
    *,
    dry_run: bool,
    as_json: bool,
) -> int:
    if reply is None:
        raise UsageError(f"{question}: what was answered? (A list ends in {', '.join(ENDINGS)}.)")
    if single.style is None:
        raise UsageError(f"{question}: how was it asked? For instance --style angry.")
    if not question.is_file():
        raise UsageError(message("audio.no-such-file", name=question))
    running.refuse_without_folder()
    text = single.text
    spoken: Language = inputs.language or (language_of_text(text) if text else "en")
    sample = single_sample(
        style=single.style, text=text, answer_text=single.answer_text, language=spoken, name=reply.name
    )
    step = hearing.step(engine, [sample], language=inputs.lang or spoken, hears_questions=text is None)
    if dry_run:
        asks = replace(sample.prompt, audio=AudioRef(str(question)))
        whole = replace(sample, prompt=asks, answer=AudioRef(str(reply)))
        return print_forecast(forecast_answers(step, [whole]), inputs.lang or spoken, as_json=as_json)
    about = step.about
    running.consent(about, clips=1, folder=None)
    asked = question if step.transcribe_questions else None
    with running.opened_cache() as store:
        outcome = judge_single(sample, step, question=asked, answer=reply, seed=running.seed, store=store)
    if as_json:
        print_json({"id": sample.id, "outcome": to_json(outcome), "notes": about.notes, "licence": about.licence})
    else:
        _print_single(outcome, language=inputs.lang or spoken)
        print_about(about, language=inputs.lang or spoken)
    return int(outcome.state is not State.DONE)


def _print_single(outcome: Outcome, *, language: Language) -> None:
    word = words(language, "answer")
    if outcome.state is State.DONE:
        print_text(word("fitness_of", value=f"{outcome.scores[FITNESS].value:.2f}"))
    print_text(outcome.rationale or translate(outcome.reason, language))
    fields = outcome.evidence.get(FIELDS)
    if isinstance(fields, Mapping):
        print_text(word("answer_says", text=fields["output_content"]))
        sound = fields["output_style"]
        if isinstance(sound, Mapping) and sound.get("description"):
            print_text(word("answer_sounds", text=sound["description"]))
