"""``aptone answer``."""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import click

from aptone.cli.answer_options import Hearing, engine_option, hearing_options
from aptone.cli.consent import ask_consent
from aptone.cli.ending import (
    entry_json,
    exit_code,
    print_about,
    print_what_is_next,
    probe_batches,
    run_json,
)
from aptone.cli.output import json_option, print_json, print_rich, print_text
from aptone.cli.running import Running, running_options
from aptone.cli.system_options import named_systems, system_options
from aptone.errors import UsageError
from aptone.report.finish import Finished, finish_run
from aptone.report.named import score_name
from aptone.report.result_table import terminal_table
from aptone.report.terminal import trust_panel, verdict_table
from aptone.report.told import told
from aptone.report.words import words
from aptone.rooms.answer.api import judge_single, single_sample
from aptone.rooms.answer.bench import FIELDS, FITNESS, AnswerStep, answer_items, answered_by
from aptone.rooms.answer.data import AnswerSample, read_manifest
from aptone.rooms.answer.parts import make_step
from aptone.rooms.answer.pictures import answer_figures
from aptone.rooms.answer.records import HIGHEST, LOWEST
from aptone.rooms.answer.results import AnswerResults, answer_results, results_json
from aptone.rooms.answer.tables import result_notes, result_tables
from aptone.rooms.answer.words import PHRASES
from aptone.run import Ended, RunConfig, surroundings
from aptone.run.ratings import read_ratings
from aptone.run.system import System
from aptone.types import Language, Outcome, Probe, ProbeState, State, language_of_text, to_json

MANIFESTS = (".jsonl", ".json", ".csv")
NO_CHOICES = Probe(ProbeState.NOT_APPLICABLE, detail="nothing is chosen between two answers")
ANSWERS = "answers"
SHOWN = 20
"""Answers in the table on the terminal; the report has all."""


@click.command()
@click.argument("source", metavar="MANIFEST_OR_QUESTION", type=click.Path(path_type=Path))
@click.argument("reply", metavar="[ANSWER]", required=False, type=click.Path(path_type=Path))
@click.option("--style", help="For one answer: how the question was asked, such as angry, sarcastic or child.")
@click.option("--text", help="For one answer: the words of the question; by default they are transcribed.")
@click.option("--answer-text", help="For one answer: its words; by default they are transcribed.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Folder of the run; the same command resumes it. By default, for a manifest, <its name>-run.",
)
@system_options("the questions")
@engine_option
@hearing_options
@click.option(
    "--ratings", type=click.Path(path_type=Path), help="What people gave the answers (.csv or .jsonl), 1 to 5."
)
@click.option(
    "--expect",
    "expected",
    multiple=True,
    metavar="SYSTEM=VALUE",
    help="The average that a system is known to have: is it reproduced? May be given several times.",
)
@click.option(
    "--blind", metavar="SYSTEM", help="Name of a system that ignores how it is asked, which the others must beat."
)
@click.option("--language", type=click.Choice(["en", "zh"]), help="Spoken; by default what the manifest says, or en.")
@click.option(
    "--lang", type=click.Choice(["en", "zh"]), help="Of tables, reasons and report; by default the spoken one."
)
@running_options
@json_option
def answer(
    source: Path,
    reply: Path | None,
    style: str | None,
    text: str | None,
    answer_text: str | None,
    output: Path | None,
    systems: Sequence[str],
    timeout: float,
    engine: str,
    hearing: Hearing,
    ratings: Path | None,
    expected: Sequence[str],
    blind: str | None,
    language: Language | None,
    lang: Language | None,
    running: Running,
    as_json: bool,
) -> int:
    """Does a spoken answer fit how the question was asked?

    Give a manifest of questions (aptone build paras2s) and one or more systems that answer them, or a manifest with
    ready answers; or one recorded question and its answer.

    \b
    aptone answer bench/manifest.jsonl --system "mine=python answer.py {input} {output}" -o run/
    aptone answer question.wav answer.wav --style angry --text "Where is my parcel?"
    """  # noqa: D301  (\b keeps click from joining the lines)
    if source.suffix.lower() not in MANIFESTS:
        many = {"-o": output, "--system": systems, "--ratings": ratings, "--expect": expected, "--blind": blind}
        if clash := [name for name, value in many.items() if value]:
            raise UsageError(f"{clash[0]} belongs to a manifest, whose name ends in {', '.join(MANIFESTS)}.")
        return _at_once(
            source, reply, style, text, answer_text, engine, hearing, language, lang, running, as_json=as_json
        )
    single = {"an answer": reply, "--style": style, "--text": text, "--answer-text": answer_text}
    if clash := [name for name, value in single.items() if value]:
        raise UsageError(f"{clash[0]} belongs to one question; in a manifest every record has its own.")
    folder = output or Path(f"{source.resolve().stem}-run")
    under_test = named_systems(systems, timeout)
    samples = _samples(source, under_test, ratings, language)
    shown: Language = lang or samples[0].prompt.language
    step = make_step(
        engine,
        listener=hearing.listener,
        transcriber=hearing.transcriber,
        settings=hearing.options,
        needs_words=_needs_words(samples, hearing),
        spoken=samples[0].prompt.language,
        systems=under_test,
        answers=(folder / ANSWERS).absolute(),
        transcribe_questions=hearing.transcribe_questions,
        swap=hearing.swap,
        language=shown,
    )
    known = _expected(expected)
    _refuse_strangers(samples, [*known, *([blind] if blind else [])])
    about = step.about
    config = RunConfig(
        verb="answer",
        engine=engine,
        settings={**step.settings(), **hearing.options},
        seed=running.seed,
        version=version("aptone"),
        inputs=(str(source),),
        command=tuple(sys.argv[1:]),
        surroundings=surroundings(),
        consent=ask_consent(about.sends_audio_to, clips=len(samples), folder=folder, agreed=running.yes),
        notes=about.notes,
        licence=about.licence,
    )
    items = list(answer_items(samples))
    ended = running.run(items, step, folder=folder, config=config, width=hearing.width(engine), label="answer")
    entries = ended.run.entries
    results = answer_results(entries, expected=known, blind=blind)
    finished = finish_run(
        ended.run,
        stopped=ended.stopped,
        batch=probe_batches(items, step, running),
        order=NO_CHOICES,
        language=shown,
        figures=answer_figures(entries, results, language=shown),
    )
    if as_json:
        judged = [{**entry_json(entry), FIELDS: entry.outcome.evidence.get(FIELDS)} for entry in entries]
        print_json({**run_json(ended, finished, folder), **results_json(results), "items": judged})
    else:
        _print(ended, finished, results, shown)
    return exit_code(ended)


def _samples(
    source: Path, systems: Mapping[str, System], ratings: Path | None, language: Language | None
) -> list[AnswerSample]:
    read = read_manifest(source)
    if not systems and not any(sample.answer is not None for sample in read):
        raise UsageError(f"{source}: there are questions, but no answers. Name what answers them with --system.")
    if language is not None:
        read = [replace(one, prompt=replace(one.prompt, language=language)) for one in read]
    samples = answered_by(read, list(systems))
    if ratings is None:
        return samples
    given = read_ratings(ratings, item="answer")
    if unknown := sorted(set(given) - {one.id for one in samples}):
        example = samples[0].id
        raise UsageError(
            f"{ratings}: there is no answer {unknown[0]!r}; ratings go by the ids of the answers, such as {example!r}."
        )
    return [_rated(one, given.get(one.id, {}), ratings) for one in samples]


def _rated(sample: AnswerSample, given: Mapping[str, float], path: Path) -> AnswerSample:
    if not given:
        return sample
    if off := [value for value in given.values() if not LOWEST <= value <= HIGHEST]:
        raise UsageError(f"{path}: {sample.id!r} got {off[0]:g}; people rate from {LOWEST:g} to {HIGHEST:g}.")
    return replace(sample, ratings=given, human_score=math.fsum(given.values()) / len(given))


def _needs_words(samples: Sequence[AnswerSample], hearing: Hearing) -> bool:
    return hearing.transcribe_questions or any(not sample.answer_text for sample in samples)


def _expected(given: Sequence[str]) -> dict[str, float]:
    found = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        try:
            found[name] = float(value)
        except ValueError:
            found[name] = math.nan
        if not equals or not name or not LOWEST <= found[name] <= HIGHEST:
            raise UsageError(f"--expect {text}: expected SYSTEM=VALUE with an average from {LOWEST:g} to {HIGHEST:g}.")
    return found


def _refuse_strangers(samples: Sequence[AnswerSample], names: Sequence[str]) -> None:
    """Before anything is paid for."""
    known = list(dict.fromkeys(sample.ids["system"] for sample in samples))
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"there is no system {unknown[0]!r}; there are {', '.join(known)}.")


def _print(ended: Ended, finished: Finished, results: AnswerResults, language: Language) -> None:
    print_rich(verdict_table(ended.run.entries, language=language, limit=SHOWN))
    print_rich(*map(terminal_table, result_tables(results, language=language)))
    for note in result_notes(results.systems, language=language):
        print_text(f"! {note}")
    print_rich(trust_panel(finished.card, language=language))
    print_what_is_next(ended, finished, language=language)


def _at_once(
    question: Path,
    reply: Path | None,
    style: str | None,
    text: str | None,
    answer_text: str | None,
    engine: str,
    hearing: Hearing,
    language: Language | None,
    lang: Language | None,
    running: Running,
    *,
    as_json: bool,
) -> int:
    if reply is None:
        raise UsageError(f"{question}: what was answered? (A manifest ends in {', '.join(MANIFESTS)}.)")
    if style is None:
        raise UsageError(f"{question}: how was it asked? For instance --style angry.")
    running.refuse_without_folder()
    spoken: Language = language or (language_of_text(text) if text else "en")
    shown = lang or spoken
    hears = text is None or hearing.transcribe_questions
    step = make_step(
        engine,
        listener=hearing.listener,
        transcriber=hearing.transcriber,
        settings=hearing.options,
        needs_words=hears or not answer_text,
        spoken=spoken,
        transcribe_questions=hears,
        language=shown,
    )
    sample = single_sample(style=style, text=text, answer_text=answer_text, language=spoken, name=reply.name)
    ask_consent(step.about.sends_audio_to, clips=1, folder=None, agreed=running.yes)
    with running.opened_cache() as store:
        outcome = judge_single(
            sample, step, question=question if hears else None, answer=reply, seed=running.seed, store=store
        )
    if as_json:
        about = step.about
        print_json({"id": sample.id, "outcome": to_json(outcome), "notes": about.notes, "licence": about.licence})
    else:
        _print_single(outcome, step, language=shown)
    return int(outcome.state is not State.DONE)


def _print_single(outcome: Outcome, step: AnswerStep, *, language: Language) -> None:
    word = words(language, PHRASES)
    if outcome.state is State.DONE:
        parts = [
            f"{score_name(name, language)} {score.value:.2f}"
            for name, score in outcome.scores.items()
            if name != FITNESS
        ]
        more = f" ({', '.join(parts)})" if parts else ""
        print_text(f"{word('fitness')} {outcome.scores[FITNESS].value:.2f}{more}")
    fields = outcome.evidence.get(FIELDS)
    print_text(outcome.rationale or told(outcome.reason, language))
    if isinstance(fields, Mapping):
        print_text(word("answer_says", text=fields["output_content"]))
        sound = fields["output_style"]
        if isinstance(sound, Mapping) and sound.get("description"):
            print_text(word("answer_sounds", text=sound["description"]))
    print_about(step.about, language=language)
