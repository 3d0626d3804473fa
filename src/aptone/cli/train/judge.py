"""``aptone train distil`` and ``aptone train sft``: judges from data of your own."""

import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aptone.cli.options.engine import setting
from aptone.cli.options.language import lang_option
from aptone.cli.options.run import ask_consent, default_cache
from aptone.cli.options.training import AT_LEAST_ONE, NUMBER, SHARDS, Teaching, teaching_options
from aptone.cli.output import json_option, print_json, print_text
from aptone.cli.train.stage import config_option, training_parts
from aptone.errors import UsageError
from aptone.files import make_folder, write_whole
from aptone.messages import translate, words
from aptone.run import RunConfig, display_for, surroundings
from aptone.run.sources.remote_shards import shard_source
from aptone.run.sources.shards import shard_files, shard_keys
from aptone.types import Json, Language

if TYPE_CHECKING:  # they bring torch along
    from aptone.train.judge.distil import TaughtClips
    from aptone.train.judge.run import MadeJudge

EXISTING = click.Path(path_type=Path, exists=True)
LANGUAGES = click.Choice(["en", "zh"])
MADE_OF = "shards"
"""Folder within that of a judge for shards that are made of a manifest."""
MARK = "made-of.sha256"
"""File in it that tells such shards apart."""


@click.command()
@click.argument("data", metavar="SHARDS", type=SHARDS)
@click.option("--level", multiple=True, help="Learn captions of this level only, such as full. May be given again.")
@click.option("--language", "languages", type=LANGUAGES, multiple=True, help="Of the captions. May be given again.")
@click.option(
    "--teacher",
    type=click.Choice(["ear", "api", "local"]),
    help="Caption the clips first: by the built-in ear, a server (--set captioner.model=…), or a model here.",
)
@click.option("--spoken", type=LANGUAGES, default="en", show_default=True, help="In the clips, for the ear.")
@click.option("--ear", metavar="full|permissive", help="Which ear teaches; by default what APTONE_EAR names, or full.")
@click.option(
    "--set",
    "settings",
    metavar="captioner.OPTION=VALUE",
    multiple=True,
    help="An option of the teacher. May be given again.",
)
@click.option("--workers", type=AT_LEAST_ONE, default=1, show_default=True, help="Clips that are captioned at once.")
@click.option("--captions-only", is_flag=True, help="Stop when the teacher is done.")
@click.option("--yes", is_flag=True, help="Agree that audio is sent to another machine, where the teacher does that.")
@config_option
@teaching_options
@lang_option("Of what is printed", default="en")
@json_option
def distil(
    data: Path,
    level: Sequence[str],
    languages: Sequence[Language],
    teacher: str | None,
    spoken: Language,
    ear: str | None,
    settings: Sequence[str],
    workers: int,
    captions_only: bool,
    yes: bool,
    teaching: Teaching,
    lang: Language,
    as_json: bool,
) -> int:
    """A speech model that describes voices: it learns what a teacher says of clips.

    The first stage of CEAEval-M. Shards are those of aptone build style-corpus, with the captions in them, or any with
    clips, which --teacher captions first.

    \b
    aptone train distil corpus/ -o student/
    aptone train distil clips/ --teacher api --set captioner.model=qwen3-omni-captioner -o student/ --captions-only
    torchrun --nproc-per-node 8 -m aptone train distil student/captions -o student/
    """  # noqa: D301  (\b keeps click from joining the lines)
    with training_parts():
        from aptone.train.judge.dataset import Wanted
        from aptone.train.judge.distil import ASKED, CAPTIONS, caption_clips
        from aptone.train.judge.distil import distil as teach

    if teacher is not None:
        _refuse_several(f"let the teacher caption first: --captions-only, then train on {teaching.out}/captions")
        captioner = _captioner(teacher, settings, ear=ear, spoken=spoken)
        consent = ask_consent(
            captioner.about.sends_audio_to, clips=len(shard_keys(data)), folder=teaching.out / ASKED, agreed=yes
        )
        made = caption_clips(
            data,
            teaching.out,
            captioner,
            languages=tuple(dict.fromkeys(languages)) or (spoken,),
            config=_run_config("train distil", teacher, data, consent=consent, seed=teaching.seed),
            workers=workers,
            cache=default_cache(),
            display=display_for(label="captions"),
        )
        data = made.shards
        if captions_only or made.stopped:
            _tell_captions(made, as_json=as_json, language=lang)
            return int(bool(made.stopped) or not made.clips)
    wanted = Wanted(CAPTIONS.kinds, tuple(languages), tuple(level))
    judge = teach(
        data,
        teaching.out,
        base=teaching.base,
        recipe=teaching.recipe(),
        trained=teaching.trained(bias=False, tokens=False),
        epochs=teaching.rounds(1.0),
        wanted=wanted,
        **teaching.options(lang),
    )
    tell(judge, as_json=as_json, language=lang)
    return 0


@click.command()
@click.argument("data", metavar="SHARDS|MANIFEST", type=EXISTING)
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(["reasoned", "score"]),
    multiple=True,
    help="Learn answers with reasoning, or scores alone; by default both, mixed. May be given again.",
)
@click.option("--language", "languages", type=LANGUAGES, multiple=True, help="Of the prompts. May be given again.")
@click.option("--bias/--no-bias", default=True, show_default=True, help="The audio attention bias, and its gates.")
@click.option(
    "--longest", type=NUMBER, default=300.0, show_default=True, help="Seconds of a clip; longer are left out."
)
@click.option(
    "--show", type=click.Choice(["plan", "context"]), default="plan", show_default=True, help="Of a manifest."
)
@click.option("--context-size", type=click.IntRange(0), default=15, show_default=True, help="Lines, with context.")
@click.option("--prompts", type=SHARDS, help="Folder with your own prompts for a manifest's lines, as judge.prompts.")
@click.option("--planner", default="built-in", show_default=True, help="Plans lines of a manifest that have no plan.")
@click.option("--set", "settings", metavar="planner.OPTION=VALUE", multiple=True, help="An option of the planner.")
@click.option("--split", default="train", show_default=True, help="Of a manifest with several.")
@click.option("--shards-only", is_flag=True, help="Stop when a manifest's lines are in shards.")
@config_option
@teaching_options
@lang_option("Of what is printed", default="en")
@json_option
def sft(
    data: Path,
    kinds: Sequence[Any],
    languages: Sequence[Language],
    bias: bool,
    longest: float,
    show: Any,
    context_size: int,
    prompts: Path | None,
    planner: str,
    settings: Sequence[str],
    split: str,
    shards_only: bool,
    teaching: Teaching,
    lang: Language,
    as_json: bool,
) -> int:
    """A judge of your own: a Qwen2.5-Omni learns to score lines as people did.

    The second stage of CEAEval-M. It learns from shards of examples, or from a manifest of rated lines (their scores
    alone; aptone train cot writes reasonings). The folder is then a model for aptone score --engine local.

    \b
    aptone train sft rated.jsonl --base student/ -o judge/
    torchrun --nproc-per-node 8 -m aptone train sft reasoned/ --base student/ -o judge/
    aptone score manifest.jsonl -o run/ --engine local --set judge.model=judge/
    """  # noqa: D301  (\b keeps click from joining the lines)
    with training_parts():
        from aptone.train.judge.dataset import Wanted
        from aptone.train.judge.sft import JUDGED, fine_tune

    if not (data.is_dir() and shard_source(data).paths):
        _refuse_several(f"put the lines into shards first: --shards-only, then train on {teaching.out}/{MADE_OF}")
        briefing = {"show": show, "context_size": context_size, "prompts": str(prompts) if prompts else None}
        data = _shards_of(data, teaching.out, briefing, languages, planner=planner, settings=settings, split=split)
        if shards_only:
            keys = len(shard_keys(data))
            if as_json:
                print_json({"shards": str(data), "clips": keys})
            else:
                print_text(words(lang, "cli.training")("clips", clips=keys, path=data))
            return 0
    wanted = Wanted(tuple(kinds) or JUDGED.kinds, tuple(languages), longest=longest)
    made = fine_tune(
        data,
        teaching.out,
        base=teaching.base,
        recipe=teaching.recipe(),
        trained=teaching.trained(bias=bias, tokens=True),
        epochs=teaching.rounds(3.0),
        wanted=wanted,
        **teaching.options(lang),
    )
    tell(made, as_json=as_json, language=lang)
    return 0


def tell(made: "MadeJudge", *, as_json: bool, language: Language = "en") -> None:
    """Print what a training has made; of several processes, the first one speaks."""
    if os.environ.get("RANK", "0") != "0":
        return
    last = made.progress.looks[-1]
    if as_json:
        print_json(
            {
                "model": str(made.folder),
                "examples": made.examples,
                "steps": made.progress.step,
                "figures": dict(last.figures),
                "dev": dict(last.dev),
            }
        )
        return
    word = words(language, "cli.training")
    print_text(word("taught", examples=made.examples, steps=made.progress.step, loss=last.figures["loss"]))
    print_text(word("model", path=made.folder))


def _captioner(kind: str, settings: Sequence[str], *, ear: str | None, spoken: Language) -> Any:
    from aptone.ear.perceive import ear_name
    from aptone.rooms.style.build.captions import make_captioner

    options = dict(map(setting, settings))
    if wrong := [name for name in options if not name.startswith("captioner.")]:
        raise UsageError(f"--set {wrong[0]}: expected an option of the teacher, as captioner.model.")
    return make_captioner(kind, options, ear=ear_name(ear), spoken=spoken)


def _run_config(verb: str, engine: str, data: Path, *, consent: tuple[str, ...], seed: int) -> RunConfig:
    return RunConfig(
        verb=verb,
        engine=engine,
        seed=seed,
        version=version("aptone"),
        inputs=(str(data),),
        command=tuple(sys.argv[1:]),
        surroundings=surroundings(),
        consent=consent,
    )


def _refuse_several(instead: str) -> None:
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise UsageError(f"this is done by one process; {instead}.")


def _tell_captions(made: "TaughtClips", *, as_json: bool, language: Language) -> None:
    if as_json:
        counts: dict[str, Json] = {"clips": made.clips, "left_out": made.left_out}
        print_json({"shards": str(made.shards), **counts, "stopped": made.stopped})
        return
    word = words(language, "cli.training")
    print_text(word("captioned", clips=made.clips, left_out=made.left_out, path=made.shards))
    if made.stopped:
        print_text(word("stopped", why=translate(made.stopped, language)))


def _shards_of(
    manifest: Path,
    out: Path,
    briefing: dict[str, Any],
    languages: Sequence[Language],
    *,
    planner: str,
    settings: Sequence[str],
    split: str,
) -> Path:
    """Examples of a manifest's rated lines, in shards within the folder of the judge.

    Raises:
        UsageError: if that folder holds examples of other lines, or of the same ones asked for in another way: shards
            that are there are not written again.
    """
    from aptone.judge.chat.conversation import Briefing
    from aptone.rooms.aptness.api import make_planner
    from aptone.rooms.aptness.rated_lines import read_rated
    from aptone.train.judge.dataset import write_examples
    from aptone.train.judge.rated_examples import lessons_mark, plans_by, score_examples

    rated = read_rated(manifest, split=split, unpack_to=out / "recordings")
    plans = make_planner("built-in", planner=planner, settings=dict(map(setting, settings)))
    asked = Briefing(reasoning=False, **briefing)
    shards = out / MADE_OF
    mark = lessons_mark(rated, plans, briefing=asked, languages=languages)
    if shards.is_dir() and shard_files(shards) and _read_mark(shards / MARK) != mark:
        raise UsageError(
            f"{shards}: holds examples of other lines, or asked for in another way; remove it, or name another folder."
        )
    make_folder(shards)
    write_whole(shards / MARK, mark)
    write_examples(shards, score_examples(rated, plans_by(plans), briefing=asked, languages=languages))
    return shards


def _read_mark(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
