"""``aptone build dialogues``."""

from collections.abc import Sequence
from pathlib import Path

import click

from aptone.cli.commands import CommandWithRenames
from aptone.cli.options.language import lang_option, names_of
from aptone.cli.options.run import Running, running_options
from aptone.cli.options.values import (
    PartSettings,
    choice_option,
    ear_option,
    folder_option,
    language_option,
    number_option,
    several_option,
    shown_option,
)
from aptone.cli.output import json_option, print_json, print_text, stop_code
from aptone.ear.perceive import ear_name
from aptone.errors import UsageError
from aptone.messages import name_in, words
from aptone.models.speakers.delivery import Strength
from aptone.rooms.dialogue.build.run import (
    ABOUT,
    FEW_ATTEMPTS,
    MOST_ATTEMPTS,
    REJECTS,
    BuildResult,
    BuildSettings,
    DialogueBuild,
    collect,
    dialogue_voices,
    hardly_heard,
    usual_attempts,
)
from aptone.rooms.dialogue.build.text import ARCS, MOST_TURNS, WRITERS, Answers, bank_size, make_writer
from aptone.rooms.dialogue.records import Role
from aptone.run.attempts import run_to_the_end
from aptone.types import Language

SETTINGS = PartSettings(("speaker", "writer"), example="speaker.voice")
RENAMED = {"--tries": "--max-attempts"}


@click.command(cls=CommandWithRenames, renamed=RENAMED)
@folder_option()
@click.option("--arc", "arcs", type=click.Choice(list(ARCS)), multiple=True, help="Change of feeling; by default all.")
@shown_option("--turns", type=click.IntRange(1, MOST_TURNS), default=MOST_TURNS, help="Number of exchanges.")
@number_option("--number", 4, "Number of dialogues for each arc.")
@language_option("the dialogues")
@shown_option(
    "--strength",
    "strengths",
    type=click.Choice([one.value for one in Strength]),
    multiple=True,
    default=(Strength.NORMAL.value,),
    help="Strength of expressed feelings. May be given several times: the same words at each.",
)
@several_option(
    "--answers",
    type=click.Choice([one.value for one in Answers]),
    default=(Answers.FITTING.value,),
    help="Answers as the user's feeling asks for, or against it.",
)
@choice_option(
    "--text", "writer", WRITERS, "Writer: our templates, a server (--set writer.model=…), or a model on this machine."
)
@shown_option("--speaker", default="espeak-ng", shell_complete=names_of("speakers"), help="Speech synthesizer.")
@click.option("--user-voice", default="", help="Voice of the user, as the synthesizer names it.")
@click.option("--agent-voice", default="", help="Voice of the agent.")
@ear_option("checks")
@click.option(
    "--max-attempts",
    type=click.IntRange(1),
    help=f"Largest number of attempts at a turn; by default {MOST_ATTEMPTS}, or {FEW_ATTEMPTS} by a server.",
)
@click.option("--strict", is_flag=True, help="Keep only dialogues in which every feeling is heard.")
@SETTINGS.option
@lang_option("Language of the output", default="en")
@running_options
@json_option
def dialogues(
    output: Path,
    arcs: Sequence[str],
    turns: int,
    number: int,
    language: Language,
    strengths: Sequence[str],
    answers: Sequence[str],
    writer: str,
    speaker: str,
    user_voice: str,
    agent_voice: str,
    ear: str | None,
    max_attempts: int | None,
    strict: bool,
    settings: Sequence[str],
    lang: Language,
    running: Running,
    as_json: bool,
) -> int:
    """Synthetic dialogues with planned changes of feeling, for aptone dialogue.

    Words from templates or a chat model, speech by any speaker, each turn checked by the ear against a plain reading of
    the same words and said again, otherwise, until its feeling is heard. What the ear cannot tell is kept as
    unverified; what it hears the other way round is rejected.

    \b
    aptone build dialogues -o talks/ --strength subtle --strength normal --strength exaggerated
    aptone dialogue talks/manifest.jsonl -o run/ --system "mine=python answer.py {input} {output}"
    """  # noqa: D301  (\b keeps click from joining the lines)
    chosen = BuildSettings(
        arcs=tuple(dict.fromkeys(arcs)) or tuple(ARCS),
        turns=turns,
        number=number,
        language=language,
        strengths=tuple(Strength(one) for one in dict.fromkeys(strengths)),
        answers=tuple(Answers(one) for one in dict.fromkeys(answers)),
        tries=usual_attempts(speaker) if max_attempts is None else max_attempts,
        strict=strict,
    )
    options = SETTINGS.read(settings)
    if writer == WRITERS[0]:
        _check_bank(chosen)
    voices = dialogue_voices(speaker, options, {Role.USER: user_voice, Role.AGENT: agent_voice})
    folder = output.absolute()
    build = DialogueBuild(chosen, make_writer(writer, options), voices, ear_name(ear), folder)
    consent = running.consent(build.about, clips=None, folder=folder)
    run_to_the_end(voices.try_out(language, Role))
    config = running.config("build dialogues", speaker, build.described(), build.about, consent=consent)
    ended = running.run(chosen.items(), build, folder=folder, config=config, width=1, label="dialogues")
    made = collect(ended.run, build)
    if as_json:
        print_json(
            manifest=str(made.manifest),
            dialogues=made.dialogues,
            rejected=made.rejected,
            yields={name: dict(counts) for name, counts in made.yields.items()},
            stopped=ended.stopped,
        )
    else:
        print_text(_summary(made, folder, lang))
    return stop_code(ended.stopped, failed=not made.dialogues)


def _check_bank(chosen: BuildSettings) -> None:
    for arc in chosen.arcs:
        if chosen.number > (there := bank_size(arc, chosen.language)):
            raise UsageError(
                f"--number {chosen.number}: the templates have {there} different dialogues {arc}; ask for fewer, or "
                "let a chat model write them (--text api)."
            )


def _summary(made: BuildResult, folder: Path, lang: Language) -> str:
    word, yields = words(lang, "cli.dialogues"), made.yields
    lines = [
        word("text", out=yields["text"]["dialogues out"], given=yields["text"]["dialogues in"]),
        word("speech", **yields["speech"]),
        word("check", **{name.replace(" ", "_"): count for name, count in yields["check"].items()}),
        word("feelings", feelings=_feelings(made, lang)),
        *(
            word("hardly_heard", feeling=name_in(lang, name), heard=heard, all=count)
            for name, (heard, count) in hardly_heard(made).items()
        ),
        word("kept", kept=made.dialogues, rejected=made.rejected),
    ]
    if count := yields["unfinished"]["dialogues"]:
        lines.append(word("unfinished", count=count))
    lines.append(word("files", about=folder / ABOUT, rejects=folder / REJECTS))
    lines.append(word("manifest", manifest=made.manifest))
    return "\n".join(lines)


def _feelings(made: BuildResult, lang: Language) -> str:
    """How many turns of each feeling are heard, as "angry 7/8"."""
    heard = made.yields["feelings heard"]
    return ", ".join(f"{name_in(lang, name)} {heard[name]}/{count}" for name, count in made.yields["feelings"].items())
