"""``aptone build paras2s``."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click

from aptone.cli.commands import CommandWithRenames
from aptone.cli.options.language import lang_option, names_of
from aptone.cli.options.run import Running, running_options
from aptone.cli.options.values import (
    FOLDER,
    PATH,
    PartSettings,
    choice_option,
    ear_option,
    folder_option,
    language_option,
    number_option,
    several_option,
    shown_option,
)
from aptone.cli.output import json_option, print_json, print_rich, print_text, stop_code
from aptone.ear.perceive import ear_name
from aptone.errors import UsageError
from aptone.installation import install_command
from aptone.messages import translate, words
from aptone.models import Transcriber
from aptone.models.parts import OFFLINE, REPEATABLE, make_part
from aptone.models.speakers.voices import CloningSpeaker, Voices
from aptone.report.result_table import terminal_table
from aptone.rooms.answer.bench.real import MELD_SPLITS, read_ids, read_iemocap, read_meld
from aptone.rooms.answer.build.candidates import WRITERS, make_writer
from aptone.rooms.answer.build.casting import (
    FEMALE,
    LAYOUTS,
    MALE,
    PARTS,
    USUAL_VOICES,
    Cast,
    CastByDimension,
    CloneCast,
    PoolVoice,
    VoiceCast,
    read_pool,
)
from aptone.rooms.answer.build.collect import (
    FALLEN,
    REJECTS,
    BuildResult,
    apply_verification,
    built_table,
    count_list,
    real_note,
)
from aptone.rooms.answer.build.disjoint import NEAR, TrainingSet, read_training, speaker_collision
from aptone.rooms.answer.build.filters import FILTERS, make_filter
from aptone.rooms.answer.build.run import SURPLUS, BuildSettings, Parts, build_paras2s
from aptone.rooms.answer.build.synthesis import ERROR_LIMIT, SpeechSettings, SpeechStep
from aptone.rooms.answer.data import PUBLISHED_PROMPTS, AnswerSample, Dimension, Source
from aptone.run import AnyStep, Ended
from aptone.run.attempts import run_to_the_end
from aptone.types import Item, Json, Language

SPEAKERS: Mapping[Language, str] = {"en": "flite", "zh": "espeak-ng"}
"""Default speech synthesizers; they need no server."""
NOBODY = "none"


def make_cast(
    voices: Voices, cloner: str, pool: Sequence[PoolVoice], options: Mapping[str, Json], chosen: BuildSettings
) -> Cast:
    """Return the voices that ask: one speaker for all, or another that clones voices for age and sex.

    Raises:
        UsageError: if nobody can speak so; the message says what is missing.
    """
    preset = VoiceCast(voices)
    if bool(cloner) != bool(pool):
        raise UsageError("cloning takes who clones (--cloner cosyvoice) and whose voices (--pool librispeech=DIR).")
    if not cloner:
        _try_out(voices, chosen.language, PARTS)
        return preset
    own = {f"speaker.{name.partition('.')[2]}": value for name, value in options.items() if name.startswith("cloner.")}
    made = make_part("speaker", cloner, own)
    if not isinstance(made, CloningSpeaker):
        raise UsageError(f"{cloner} cannot clone a voice; use cosyvoice, or api with a model that can.")
    cloned = CloneCast(made, pool)
    cloned.require(chosen.dimensions)
    cloned.about.require(f"cloner {cloner!r}")
    if {Dimension.EMOTION, Dimension.SARCASM} & set(chosen.dimensions):
        _try_out(voices, chosen.language, (MALE, FEMALE))
    return CastByDimension(preset, cloned)


def _try_out(voices: Voices, language: Language, everybody: Iterable[str]) -> None:
    voices.about.require(f"speaker {voices.speaker!r}")
    run_to_the_end(voices.try_out(language, everybody))


def make_pool(pools: Sequence[str], training: TrainingSet) -> list[PoolVoice]:
    """The voices of all pools, ``NAME=DIR`` each, but those of people who are trained on.

    Raises:
        UsageError: if there is no such pool.
        RecordError: if it holds no voice.
    """
    found: list[PoolVoice] = []
    for typed in pools:
        name, equals, place = typed.partition("=")
        if not equals:
            raise UsageError(f"--pool {typed}: expected NAME=DIR, as librispeech=LibriSpeech/.")
        found += read_pool(name, Path(place))
    return [one for one in found if not speaker_collision([one.speaker], training)]


def make_transcriber(name: str | None, language: Language, options: Mapping[str, Json]) -> Transcriber | None:
    """Return the transcriber of that name, or an installed one that needs no server; ``None`` for no check.

    Raises:
        MissingExtraError: if it cannot run here.
    """
    if name == NOBODY:
        return None
    chosen = name or OFFLINE.get(language)
    if chosen is None:
        return None
    made: Transcriber = make_part("transcriber", chosen, {**REPEATABLE.get(chosen, {}), **options})
    if name is None and made.about.missing:
        return None
    made.about.require(f"transcriber {chosen!r}")
    return made


def make_real(
    iemocap: Path | None, iemocap_ids: Path | None, meld: Path | None, meld_ids: Path | None, meld_split: str
) -> list[AnswerSample]:
    """The lines of real speech, of the releases that the user has.

    Raises:
        RecordError: if a release cannot be understood.
        UsageError: if ids come without their release.
    """
    for ids, release, name in ((iemocap_ids, iemocap, "iemocap"), (meld_ids, meld, "meld")):
        if ids is not None and release is None:
            raise UsageError(f"--{name}-ids needs the release that they are of: --{name} DIR.")
    samples: list[AnswerSample] = []
    if iemocap is not None:
        samples += read_iemocap(iemocap, ids=read_ids(iemocap_ids) if iemocap_ids else None)
    if meld is not None:
        samples += read_meld(meld, split=meld_split, ids=read_ids(meld_ids) if meld_ids else None)
    return samples


SETTINGS = PartSettings(("writer", "filter", "speaker", "cloner", "transcriber"), example="speaker.voice")
RENAMED = {"--tries": "--max-attempts", "--near": "--duplicate-threshold"}


@click.command(cls=CommandWithRenames, renamed=RENAMED)
@folder_option()
@number_option(
    "--prompts",
    PUBLISHED_PROMPTS[Source.SYNTHETIC, Dimension.EMOTION],
    "Questions of each dimension, each asked in two ways.",
)
@several_option(
    "--dimension",
    "dimensions",
    type=click.Choice([one.value for one in Dimension]),
    help="Dimension of the way of asking; by default all four.",
)
@language_option("the questions")
@choice_option(
    "--text", "writer", WRITERS, "Writer: our templates, a server (--set writer.model=…), or a model on this machine."
)
@choice_option(
    "--filter", "filtering", FILTERS, "Filter: our rules, a server (--set filter.model=…), or a model on this machine."
)
@click.option(
    "--literal-neutrality",
    is_flag=True,
    help="Keep sentences that fit one of the two ways only, as the document words it.",
)
@shown_option(
    "--surplus", type=click.FloatRange(1), default=SURPLUS, help="Sentences that are written for each that is wanted."
)
@click.option(
    "--speaker", shell_complete=names_of("speakers"), help="Speech synthesizer; by default flite, or espeak-ng (zh)."
)
@click.option("--male-voice", default="", help="Voice of a man, as the synthesizer names it.")
@click.option("--female-voice", default="", help="Voice of a woman.")
@click.option("--child-voice", default="", help="Voice of a child; by default a raised woman's voice.")
@click.option("--cloner", default="", help="Model that clones voices for age and gender: cosyvoice, or api.")
@several_option("--pool", "pools", metavar="NAME=DIR", help=f"Voices to clone: {', '.join(LAYOUTS)}.")
@click.option(
    "--transcriber",
    shell_complete=names_of("transcribers"),
    help="Transcriber that checks the words; by default moonshine where it is installed; none for no check.",
)
@ear_option("checks")
@number_option("--max-attempts", 3, "Largest number of attempts at a recording.")
@shown_option(
    "--max-error-rate",
    type=click.FloatRange(0),
    default=ERROR_LIMIT,
    help="Word error rate up to which the words count as heard.",
)
@click.option("--strict", is_flag=True, help="Keep only pairs whose two ways the ear hears, where it can.")
@click.option("--training", type=PATH, help="Manifest of training data that the benchmark must not overlap with.")
@shown_option(
    "--duplicate-threshold",
    type=click.FloatRange(0, 1, min_open=True),
    default=NEAR,
    help="Cosine from which sentences are near-duplicates.",
)
@click.option("--iemocap", type=FOLDER, help="Folder of the official release; real speech.")
@click.option("--iemocap-ids", type=PATH, help="File that selects its lines, one id per line.")
@click.option("--meld", type=FOLDER, help="Folder of the official release; real speech.")
@click.option("--meld-ids", type=PATH, help="File that selects its lines, one id per line.")
@shown_option("--meld-split", type=click.Choice(list(MELD_SPLITS)), default="test")
@click.option("--ratings", type=PATH, help="Answers of three people (.jsonl, .csv) to take in.")
@SETTINGS.option
@lang_option("Language of the output", default="en")
@running_options
@json_option
def paras2s(
    output: Path,
    prompts: int,
    dimensions: Sequence[str],
    language: Language,
    writer: str,
    filtering: str,
    literal_neutrality: bool,
    surplus: float,
    speaker: str | None,
    male_voice: str,
    female_voice: str,
    child_voice: str,
    cloner: str,
    pools: Sequence[str],
    transcriber: str | None,
    ear: str | None,
    max_attempts: int,
    max_error_rate: float,
    strict: bool,
    training: Path | None,
    duplicate_threshold: float,
    iemocap: Path | None,
    iemocap_ids: Path | None,
    meld: Path | None,
    meld_ids: Path | None,
    meld_split: str,
    ratings: Path | None,
    settings: Sequence[str],
    lang: Language,
    running: Running,
    as_json: bool,
) -> int:
    """Questions that are asked in two ways, for aptone answer (ParaS2SBench).

    Sentences from templates or a chat model pass three filters, are spoken in both ways, and are checked: the words by
    a transcriber, the way by the ear, as far as it can hear it. What no machine can check is kept as unverified, for
    the three people who answer to task.json; their answers are taken in with --ratings.

    \b
    aptone build paras2s -o questions/ --prompts 20
    aptone build paras2s -o questions/ --ratings answers.jsonl
    aptone answer questions/manifest.jsonl -o run/ --system "mine=python answer.py {input} {output}"
    """  # noqa: D301  (\b keeps click from joining the lines)
    folder = output.absolute()
    if ratings is not None:
        return _take_in(folder, ratings, lang=lang, as_json=as_json)
    chosen = BuildSettings(
        prompts=prompts,
        dimensions=tuple(Dimension(one) for one in dict.fromkeys(dimensions)) or tuple(Dimension),
        language=language,
        surplus=surplus,
        near=duplicate_threshold,
        seed=running.seed,
    )
    options = SETTINGS.read(settings)
    kept_away = read_training(training) if training is not None else TrainingSet()
    writes = make_writer(writer, options)
    filters = make_filter(filtering, options, literal=literal_neutrality)
    real = make_real(iemocap, iemocap_ids, meld, meld_ids, meld_split)
    cast = make_cast(
        Voices(
            speaker or SPEAKERS[language],
            options,
            {who: voice for who, voice in zip(PARTS, (male_voice, female_voice, child_voice), strict=True) if voice},
            USUAL_VOICES,
        ),
        cloner,
        make_pool(pools, kept_away),
        options,
        chosen,
    )
    speech = SpeechStep(
        SpeechSettings(max_attempts, max_error_rate, ear_name(ear), strict),
        cast,
        make_transcriber(transcriber, language, options),
        folder,
    )
    parts = Parts(writes, filters, speech, kept_away, real)
    about = speech.about
    consent = running.consent(about, clips=2 * prompts * len(chosen.dimensions), folder=folder / "speech")

    def carry_out(step: AnyStep, items: Sequence[Item], /, *, stage: str, settings: Mapping[str, Json]) -> Ended:
        config = running.config(
            f"build paras2s: {stage}", speaker or SPEAKERS[language], settings, about, consent=consent
        )
        return running.run(items, step, folder=folder / stage, config=config, width=1, label=stage)

    built = build_paras2s(chosen, parts, folder=folder, carry_out=carry_out)
    if as_json:
        print_json(_as_json(built))
    else:
        _print(built, folder, unchecked=language if speech.transcriber is None else None, lang=lang)
    return stop_code(built.stopped, failed=bool(built.stopped) or not any(built.questions.values()))


def _as_json(built: BuildResult) -> dict[str, Json]:
    return {
        "manifest": str(built.manifest),
        "questions": dict(built.questions),
        "real": dict(built.real),
        "rejected": dict(built.rejected),
        "yields": {name: dict(counts) for name, counts in built.yields.items()},
        "lacking": dict(built.lacking),
        "stopped": built.stopped,
    }


def _print(built: BuildResult, folder: Path, *, unchecked: Language | None, lang: Language) -> None:
    """The table of stages and what a user must know; `unchecked` is the language of words that nobody checked."""
    word = words(lang, "answer.build")
    print_rich(terminal_table(built_table(built, language=lang)))
    if unchecked is not None:
        known = word("no_transcriber", command=install_command("speech"))
        print_text(word("no_mandarin_transcriber") if unchecked == "zh" else known)
    for source, count in built.real.items():
        print_text(real_note(Source(source), count, language=lang))
    if built.stopped:
        print_text(word("unfinished", why=translate(built.stopped, lang)))
    elif built.lacking:
        print_text(word("lacking", counts=count_list(built.lacking, lang)))
    print_text(word("rejects", path=folder / REJECTS))
    print_text(word("manifest", path=built.manifest))
    if not built.stopped and any(built.questions.values()):
        named = "".join(f" --{source} …" for source in built.real)
        command = f"aptone answer {shlex.quote(str(built.manifest))} -o run/{named} --system …"
        print_text(word("next", command=command))


def _take_in(folder: Path, ratings: Path, *, lang: Language, as_json: bool) -> int:
    found = apply_verification(folder, ratings)
    if as_json:
        print_json({"manifest": str(found.manifest), "questions": dict(found.questions), "fallen": dict(found.fallen)})
    else:
        word = words(lang, "answer.build")
        print_text(word("taken_in", counts=count_list(found.questions, lang), fallen=len(found.fallen)))
        print_text(word("rejects", path=folder / FALLEN))
        print_text(word("manifest", path=found.manifest))
    return int(not any(found.questions.values()))
