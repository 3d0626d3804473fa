"""``aptone dialogue``."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click
from rich.console import RenderableType

from aptone.cli.options.dialogue import hearing_options
from aptone.cli.options.language import lang_option
from aptone.cli.options.reference import NONE, asked_reference, heard_against, reference_option
from aptone.cli.options.run import (
    Running,
    named_systems,
    running_options,
    system_env_option,
    system_memory_option,
    system_option,
    timeout_option,
)
from aptone.cli.options.values import LANGUAGES, PATH, output_option, shown_option
from aptone.cli.output import complete, entry_json, json_option, print_json, print_rich
from aptone.ear.perceive import ear_name
from aptone.ear.reference import SELF, Clip
from aptone.ear.referenced import no_reference
from aptone.errors import UsageError
from aptone.messages import message
from aptone.models import About
from aptone.models.openai.endpoint import Endpoint
from aptone.models.openai.parts import OpenAiTranscriber
from aptone.ratings.storage import read_ratings
from aptone.report.notation import score_name
from aptone.report.terminal import verdict_table
from aptone.rooms.dialogue.bench import DEFAULT_SCALE, RatingScale, Validation, validate
from aptone.rooms.dialogue.config import DISTANCES, PAPER, Distance, read_config
from aptone.rooms.dialogue.data import make_items, read_dialogues
from aptone.rooms.dialogue.hearing.cser import CserListener, choose_listener
from aptone.rooms.dialogue.hearing.labels import Labels
from aptone.rooms.dialogue.hearing.turns import Listener, ServedRecogniser
from aptone.rooms.dialogue.records import Dialogue
from aptone.rooms.dialogue.report.explained import (
    REACTION,
    explained_scores,
    explanations,
    headline,
    verdict_cell,
    verdict_json,
)
from aptone.rooms.dialogue.report.figures import compare_systems, systems_table, validation_tables
from aptone.rooms.dialogue.step import DialogueStep, Sources, answered_by, main_score, voice_clips
from aptone.run.system import FolderSystem, System
from aptone.types import Json, Language, Probe, ProbeState, to_json

NO_PAIRS = Probe(ProbeState.NOT_APPLICABLE, detail=message("cli.no-choice-of-dialogues"))
NO_BATCHES = Probe(ProbeState.NOT_APPLICABLE, detail=message("cli.one-dialogue-at-a-time"))
ANSWERS = "answers"


@click.command()
@click.argument("source", metavar="SOURCE", type=PATH)
@output_option("Folder of the run", "<name of the source>-run")
@hearing_options
@reference_option(more=" The voices are the user and the agent of each system.")
@system_option("the user's turns")
@timeout_option
@system_env_option
@system_memory_option
@click.option(
    "--config",
    "constants",
    type=PATH,
    help="File with other constants than the paper's; see aptone build emo-thresholds.",
)
@shown_option(
    "--labels",
    type=click.Choice([one.value for one in Labels]),
    default=Labels.CLEAR.value,
    help="Turns in which the ear mostly hears emotions that the table does not know: no label, or the likeliest of "
    "the table's.",
)
@click.option(
    "--distance",
    type=click.Choice(DISTANCES),
    help="Dynamic time warping: exact, or fastdtw for the numbers of the released scripts; by default what --config "
    "says, or exact.",
)
@click.option("--labels-url", help="Base URL of a served recogniser of emotions that writes tags, as SenseVoice does.")
@click.option("--labels-model", default="", help="Name of the recogniser on its server.")
@click.option("--ratings", type=PATH, help="Human ratings of the dialogues (.csv or .jsonl).")
@shown_option(
    "--rating-scale",
    type=float,
    nargs=2,
    default=DEFAULT_SCALE,
    help="Lowest and highest rating that people could give; ratings are mapped from it to 0 to 1.",
)
@click.option("--language", type=LANGUAGES, help="Spoken language; by default what a manifest says, or en.")
@lang_option("Language of tables, reasons and report", otherwise="the spoken one")
@running_options
@json_option
def dialogue(
    source: Path,
    output: Path | None,
    layout: str | None,
    systems: Sequence[str],
    timeout: float,
    system_env: Sequence[str],
    system_memory: float | None,
    ear: str | None,
    model: Path | None,
    step: float | None,
    reference: str | None,
    constants: Path | None,
    labels: str,
    distance: Distance | None,
    labels_url: str | None,
    labels_model: str,
    ratings: Path | None,
    rating_scale: tuple[float, float],
    language: Language | None,
    lang: Language | None,
    running: Running,
    as_json: bool,
) -> int:
    """Does a dialogue system react to the user's feeling, turn by turn?

    SOURCE is a manifest, a folder of dialogues, a stereo recording (user left, agent right), DailyTalk, or the CSV
    files of EMO-Reasoning's scripts. Recorded answers are the topline of the systems that answer live.

    \b
    aptone dialogue calls/ -o run/
    aptone dialogue dailytalk/ --system "mine=python answer.py {input} {output}" -o run/
    """  # noqa: D301  (\b keeps click from joining the lines)
    folder = output or Path(f"{source.resolve().stem}-run")
    listener = choose_listener(ear_name(ear), model, step)
    dialogues = read_dialogues(source, layout=layout, step=listener.step)
    under_test = named_systems(systems, timeout, environment=system_env, memory=system_memory)
    if under_test:
        dialogues = answered_by(dialogues, list(under_test))
    given = _ratings(ratings, dialogues)
    scale = RatingScale(*rating_scale)
    dialogues = [_rated(one, scale.mapped(given.get(one.id, {}), one.id), language) for one in dialogues]
    shown = lang or dialogues[0].language
    recogniser = _recogniser(labels_url, labels_model)
    clips = voice_clips(dialogues, under_test)
    if reference not in (None, NONE):
        _refuse_useless(str(reference), listener, recogniser, systems=under_test, clips=clips)
    config_read = PAPER if constants is None else read_config(constants)
    scoring = DialogueStep(
        heard_against(listener, reference, clips, folder=folder),
        config_read if distance is None else replace(config_read, distance=distance),
        recogniser=recogniser,
        systems=under_test,
        answers=(folder / ANSWERS).absolute(),
        main=main_score(dialogues, systems=under_test),
        language=shown,
        labels=Labels(labels),
        sources=Sources.of(dialogues, under_test),
    )
    about = scoring.about + (scale.about if given else About())
    consent = running.consent(about, clips=sum(len(one.turns) for one in dialogues), folder=folder)
    settings = {**scoring.settings(), **asked_reference(reference), **scale.settings}
    config = running.config("dialogue", "emo-reasoning", settings, about, inputs=[source], consent=consent)
    items = list(make_items(dialogues))
    ended = running.run(items, scoring, folder=folder, config=config, width=1, label="dialogue")
    done = complete(ended, items, scoring, running, order=NO_PAIRS, language=shown, batch=NO_BATCHES)
    entries = ended.run.entries
    rows = compare_systems(entries)
    means = {name: math.fsum(by.values()) / len(by) for name, by in given.items()}
    checked = validate(entries, means, scale=rating_scale)
    if as_json:
        systems_json: list[Json] = [to_json(row) for row in rows]
        judged: list[Json] = [{**entry_json(entry), **verdict_json(entry)} for entry in entries]
        about_scores: Json = dict(explanations(rows[0].means if rows else (), "en"))
        print_json(
            {
                **done.json(),
                "headline": headline("en"),
                "scores": about_scores,
                "systems": systems_json,
                "validation": to_json(checked),
                "items": judged,
            }
        )
    else:
        beside = (score_name(REACTION, shown), partial(verdict_cell, language=shown))
        print_rich(verdict_table(entries, language=shown, beside=beside), systems_table(rows, language=shown))
        print_rich(explained_scores(rows[0].means if rows else (), shown))
        print_rich(_tables(checked, shown))
        done.print(shown)
    return done.exit_code


def _ratings(path: Path | None, dialogues: Sequence[Dialogue]) -> Mapping[str, Mapping[str, float]]:
    """Return human ratings by dialogue and rater: those of the file, or else those in the dialogues themselves."""
    if path is None:
        own = (
            (one.id, one.ratings or ({} if math.isnan(one.human_score) else {"": one.human_score})) for one in dialogues
        )
        return {name: ratings for name, ratings in own if ratings}
    found = read_ratings(path, item="dialogue")
    if unknown := sorted(set(found) - {one.id for one in dialogues}):
        raise UsageError(f"{path}: there is no dialogue {unknown[0]!r}; ratings go by the ids of the dialogues.")
    return found


def _rated(one: Dialogue, ratings: Mapping[str, float], language: Language | None) -> Dialogue:
    human = math.fsum(ratings.values()) / len(ratings) if ratings else math.nan
    return replace(one, human_score=human, ratings=ratings, language=language or one.language)


def _recogniser(url: str | None, model: str) -> ServedRecogniser | None:
    if url is None:
        if model:
            raise UsageError("--labels-model needs --labels-url: where is it served?")
        return None
    recogniser = ServedRecogniser(OpenAiTranscriber(Endpoint(url), model=model, times="none"))
    recogniser.about.require("a served recogniser of emotions")
    return recogniser


def _refuse_useless(
    reference: str,
    listener: Listener,
    recogniser: ServedRecogniser | None,
    *,
    systems: Mapping[str, System],
    clips: Sequence[Clip],
) -> None:
    """See that there is something that a reference changes, and, for the clips of the run, that they are there."""
    if recogniser is not None and isinstance(listener, CserListener):
        raise UsageError(no_reference(recogniser))
    asked = [name for name, system in systems.items() if not isinstance(system, FolderSystem)]
    if asked and reference == SELF:
        raise UsageError(message("dialogue.reference-before-answers", system=asked[0]))
    if not asked and not clips:
        raise UsageError(message("dialogue.reference-without-recordings"))


def _tables(checked: Validation, language: Language) -> RenderableType:
    return validation_tables(
        [(one.system, one.score, one.linear, one.by_rank) for one in checked.correlations],
        [(one.system, one.score, one.difference) for one in checked.flattery],
        [(one.system, one.score, one.difference) for one in checked.drops],
        language=language,
    )
