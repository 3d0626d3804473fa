"""``aptone caption``."""

from dataclasses import replace
from pathlib import Path

import click

from aptone.cli.options.caption import Judging, judging_options
from aptone.cli.options.language import lang_option
from aptone.cli.options.reference import asked_reference, heard_against, reference_option
from aptone.cli.options.run import Running, dry_run_option, running_options
from aptone.cli.options.source import ENDINGS, SOURCE, SourceChoice, say_reading, source_options
from aptone.cli.options.values import LANGUAGES, output_option
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
from aptone.messages import message, translate
from aptone.report.terminal import verdict_table
from aptone.rooms.caption.data import CaptionSample, make_items, read_captions
from aptone.rooms.caption.forecast import forecast_captions
from aptone.rooms.caption.operations import caption_reply
from aptone.rooms.caption.report import caption_table, reply_notes
from aptone.rooms.caption.step import CaptionStep, main_score, score_sample
from aptone.rooms.caption.verify import voice_clips
from aptone.run.sources.remote import local
from aptone.types import AudioRef, Language, Probe, ProbeState, State, language_of_text

NO_PAIRS = Probe(ProbeState.NOT_APPLICABLE, detail=message("cli.no-choice-of-captions"))


@click.command()
@click.argument("source", metavar="CLIP_OR_LIST", type=SOURCE)
@click.argument("text", metavar="[CAPTION]", required=False)
@click.option("--reference", help="A caption of the clip that is known to be true and complete.")
@click.option("--language", type=LANGUAGES, help="Language of the captions; by default detected from their characters.")
@click.option(
    "--spoken",
    metavar="en|zh|de|…",
    help="Language that is spoken in the clip: pitch and rate are compared with what is usual in it.",
)
@lang_option("Language of tables, reasons and report", otherwise="that of the captions")
@source_options
@output_option("Folder of the run", "<its name>-run", when="for a list")
@judging_options
@reference_option("--voice-reference")
@running_options
@dry_run_option
@json_option
def caption(
    source: Path,
    text: str | None,
    reference: str | None,
    language: Language | None,
    spoken: str | None,
    lang: Language | None,
    listed: SourceChoice,
    output: Path | None,
    judging: Judging,
    voice_reference: str | None,
    running: Running,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Is a caption of emotional speech true and complete?

    Give a recording and what a caption says about it, or a list for a resumable run: a manifest, a table, a dataset or
    a list of another toolkit (--source). The caption is taken apart into single claims; each is checked against the
    recording, and, with a reference, what the caption leaves out is found.

    \b
    aptone caption clip.wav "A woman speaks slowly in a low, sad voice." --reference "A sad, slow female voice."
    aptone caption captions.jsonl -o run/
    """  # noqa: D301  (\b keeps click from joining the lines)
    if listed.is_list(source):
        given = {"a caption": text, "--reference": reference, "--language": language, "--spoken": spoken}
        if clash := [name for name, value in given.items() if value]:
            raise UsageError(f"{clash[0]} belongs to one clip; in a list every record has its own.")
        samples, reading = read_captions(source, listed.options())
        say_reading(reading)
        output = output or Path(f"{source.resolve().stem}-run")
    else:
        if text is None:
            raise UsageError(f"{source}: what does the caption say? (A list ends in {', '.join(ENDINGS)}.)")
        samples = [
            CaptionSample(
                id=source.name,
                audio=AudioRef(str(local(source).absolute())),
                caption=text,
                reference=reference or "",
                language=language or language_of_text(text),
                spoken=spoken or "",
            )
        ]
    shown = lang or samples[0].language
    step = judging.step(main=main_score(samples), language=shown)
    if dry_run:
        return print_forecast(forecast_captions(step, samples, repeats=running.repeat), shown, as_json=as_json)
    verifier = heard_against(step.verifier, voice_reference, voice_clips(samples), folder=output)
    step = replace(step, verifier=verifier)
    consent = running.consent(step.about, clips=len(samples), folder=output)
    if output is None:
        running.refuse_without_folder()
        return _judge_at_once(samples[0], step, running, language=shown, as_json=as_json)
    settings = {**step.settings(), **judging.options, **asked_reference(voice_reference)}
    config = running.config("caption", judging.engine, settings, step.about, inputs=[source], consent=consent)
    work = list(make_items(samples))
    ended = running.run(work, step, folder=output, config=config, width=judging.width, label="caption")
    done, entries = complete(ended, work, step, running, order=NO_PAIRS, language=shown), ended.run.entries
    if as_json:
        named = ("units", "coverage")
        items = [
            {**entry_json(entry), **{name: entry.outcome.evidence.get(name, []) for name in named}} for entry in entries
        ]
        print_json({**done.json(), "items": items})
    else:
        print_rich(verdict_table(entries, language=shown))
        done.print(shown)
    return done.exit_code


def _judge_at_once(
    sample: CaptionSample, step: CaptionStep, running: Running, *, language: Language, as_json: bool
) -> int:
    with running.opened_cache() as store:
        outcome = score_sample(sample, step, seed=running.seed, store=store)
    about = step.about
    if as_json:
        print_json(caption_reply(sample, outcome, about))
    else:
        print_rich(caption_table(outcome, language=language, caption=sample.caption))
        print_text(outcome.rationale or translate(outcome.reason, language))
        for note in reply_notes([outcome]):
            print_text(translate(note, language))
        print_about(about, language=language)
    return int(outcome.state is not State.DONE)
