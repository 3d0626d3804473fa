"""``aptone train distil``, ``aptone train sft`` and ``aptone train grpo``: the three stages of a judge."""

import os
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aptone.cli.commands import CommandWithRenames
from aptone.cli.options.language import lang_option
from aptone.cli.options.run import default_cache
from aptone.cli.options.training import (
    ABOVE_ZERO,
    AT_LEAST_ONE,
    EXISTING_FOLDER,
    LANGUAGES,
    NUMBER,
    RENAMED,
    TrainingOptions,
    config_option,
    languages_option,
    prompt_options,
    training_options,
    training_parts,
    with_default,
)
from aptone.cli.options.values import EAR, setting, several_option
from aptone.cli.output import json_option, print_json, print_text, stop_code
from aptone.errors import UsageError
from aptone.files import make_folder, write_whole
from aptone.messages import translate, words
from aptone.run import RunConfig, display_for, surroundings, typed_command
from aptone.run.consent import ask_consent
from aptone.run.sources.remote_shards import shard_source
from aptone.run.sources.shards import shard_files, shard_keys
from aptone.train.renames import GRPO, renamed_options
from aptone.types import Json, Language

if TYPE_CHECKING:  # they bring torch along
    from aptone.train.judge.distil import CaptionedClips
    from aptone.train.judge.run import TrainedJudge

MADE_OF = "shards"
"""Folder, within that of a judge, of shards made from a manifest."""
FINGERPRINT = "made-of.sha256"
"""File with the fingerprint of such shards."""


@click.command(cls=CommandWithRenames, renamed=RENAMED)
@click.argument("data", metavar="SHARDS", type=EXISTING_FOLDER)
@several_option("--level", help="Use captions of this level only, such as full.")
@languages_option("Language of the captions.")
@click.option(
    "--teacher",
    type=click.Choice(["ear", "api", "local"]),
    help="Caption the clips first: by the built-in ear, a server (--set captioner.model=…), or a model here.",
)
@with_default("--spoken", LANGUAGES, "en", "Language of the clips, for the ear.")
@click.option("--ear", metavar=EAR, help="Ear that captions; by default what APTONE_EAR names, or full.")
@several_option("--set", "settings", metavar="captioner.OPTION=VALUE", help="An option of the teacher.")
@with_default("--workers", AT_LEAST_ONE, 1, "Clips captioned at once.")
@click.option("--captions-only", is_flag=True, help="Stop when the teacher is done.")
@click.option("--yes", is_flag=True, help="Agree that the teacher sends audio to another machine.")
@config_option
@training_options
@lang_option("Language of the output", default="en")
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
    training: TrainingOptions,
    lang: Language,
    as_json: bool,
) -> int:
    """Train a speech model to describe voices, on captions by a teacher.

    The first stage of CEAEval-M. Shards come with captions from aptone build style-corpus, or hold any clips, which
    --teacher captions first.

    \b
    aptone train distil corpus/ -o student/
    aptone train distil clips/ --teacher api --set captioner.model=qwen3-omni-captioner -o student/ --captions-only
    torchrun --nproc-per-node 8 -m aptone train distil student/captions -o student/
    """  # noqa: D301  (\b keeps click from joining the lines)
    with training_parts():
        from aptone.train.judge.dataset import ExampleFilter
        from aptone.train.judge.distil import ASKED, CAPTIONS, caption_clips
        from aptone.train.judge.distil import distil as train_student

    if teacher is not None:
        _refuse_several(f"let the teacher caption first: --captions-only, then train on {training.out}/captions")
        captioner = _captioner(teacher, settings, ear=ear, spoken=spoken)
        consent = ask_consent(
            captioner.about.sends_audio_to, clips=len(shard_keys(data)), folder=training.out / ASKED, agreed=yes
        )
        made = caption_clips(
            data,
            training.out,
            captioner,
            languages=tuple(dict.fromkeys(languages)) or (spoken,),
            config=RunConfig(
                verb="train distil",
                engine=teacher,
                seed=training.seed,
                version=version("aptone"),
                inputs=(str(data),),
                command=typed_command(),
                surroundings=surroundings(),
                consent=consent,
            ),
            workers=workers,
            cache=default_cache(),
            display=display_for(label="captions"),
        )
        data = made.shards
        if captions_only or made.stopped:
            _print_captions(made, as_json=as_json, language=lang)
            return stop_code(made.stopped, failed=bool(made.stopped) or not made.clips)
    example_filter = ExampleFilter(CAPTIONS.kinds, tuple(languages), tuple(level))
    arguments = training.arguments(lang, epochs=1.0, bias=False, tokens=False)
    judge = train_student(data, training.out, example_filter=example_filter, **arguments)
    print_result(judge, as_json=as_json, language=lang)
    return 0


@click.command(cls=CommandWithRenames, renamed={**RENAMED, "--longest": "--max-seconds"})
@click.argument("data", metavar="SHARDS|MANIFEST", type=click.Path(path_type=Path, exists=True))
@prompt_options("Train on answers with reasoning, or on scores alone; by default on both.")
@with_default("--max-seconds", NUMBER, 300.0, "Longest clip; longer ones are left out.")
@with_default("--show", click.Choice(["plan", "context"]), "plan", "Prompt for a manifest's lines.")
@with_default("--context-size", click.IntRange(0), 15, "Lines of the story in a prompt with context.")
@click.option(
    "--prompts", type=EXISTING_FOLDER, help="Folder with your own prompts for a manifest's lines, as for judge.prompts."
)
@with_default("--planner", None, "built-in", "Planner for lines of a manifest without a plan.")
@click.option("--set", "settings", metavar="planner.OPTION=VALUE", multiple=True, help="An option of the planner.")
@with_default("--split", None, "train", "Split of the manifest.")
@click.option("--shards-only", is_flag=True, help="Stop when the manifest is in shards.")
@config_option
@training_options
@lang_option("Language of the output", default="en")
@json_option
def sft(
    data: Path,
    kinds: Sequence[Any],
    languages: Sequence[Language],
    bias: bool,
    max_seconds: float,
    show: Any,
    context_size: int,
    prompts: Path | None,
    planner: str,
    settings: Sequence[str],
    split: str,
    shards_only: bool,
    training: TrainingOptions,
    lang: Language,
    as_json: bool,
) -> int:
    """Fine-tune a judge to score lines as people did.

    The second stage of CEAEval-M. Training data are shards of examples, or a manifest of rated lines (scores alone;
    aptone train cot writes reasonings). The result is a model for aptone score --engine local.

    \b
    aptone train sft rated.jsonl --base student/ -o judge/
    torchrun --nproc-per-node 8 -m aptone train sft reasoned/ --base student/ -o judge/
    aptone score manifest.jsonl -o run/ --engine local --set judge.model=judge/
    """  # noqa: D301  (\b keeps click from joining the lines)
    with training_parts():
        from aptone.train.judge.dataset import ExampleFilter
        from aptone.train.judge.run import JUDGED, fine_tune

    if not (data.is_dir() and shard_source(data).paths):
        _refuse_several(f"put the lines into shards first: --shards-only, then train on {training.out}/{MADE_OF}")
        briefing = {"show": show, "context_size": context_size, "prompts": str(prompts) if prompts else None}
        data = _shards_of(data, training.out, briefing, languages, planner=planner, settings=settings, split=split)
        if shards_only:
            keys = len(shard_keys(data))
            if as_json:
                print_json({"shards": str(data), "clips": keys})
            else:
                print_text(words(lang, "cli.training")("clips", clips=keys, path=data))
            return 0
    example_filter = ExampleFilter(tuple(kinds) or JUDGED.kinds, tuple(languages), max_seconds=max_seconds)
    arguments = training.arguments(lang, epochs=3.0, bias=bias)
    made = fine_tune(data, training.out, example_filter=example_filter, **arguments)
    print_result(made, as_json=as_json, language=lang)
    return 0


def print_result(made: "TrainedJudge", *, as_json: bool, language: Language = "en") -> None:
    """Print the result of a training, in the first of several processes."""
    if os.environ.get("RANK", "0") != "0":
        return
    last = made.state.evaluations[-1]
    if as_json:
        print_json(
            {
                "model": str(made.folder),
                "examples": made.examples,
                "steps": made.state.step,
                "metrics": dict(last.metrics),
                "eval_metrics": dict(last.eval_metrics),
            }
        )
        return
    word = words(language, "cli.training")
    print_text(word("taught", examples=made.examples, steps=made.state.step, loss=last.metrics["loss"]))
    print_text(word("model", path=made.folder))


def _captioner(kind: str, settings: Sequence[str], *, ear: str | None, spoken: Language) -> Any:
    from aptone.ear.perceive import ear_name
    from aptone.rooms.style.build.captions import make_captioner

    options = dict(map(setting, settings))
    if wrong := [name for name in options if not name.startswith("captioner.")]:
        raise UsageError(f"--set {wrong[0]}: expected an option of the teacher, as captioner.model.")
    return make_captioner(kind, options, ear=ear_name(ear), spoken=spoken)


def _refuse_several(instead: str) -> None:
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise UsageError(f"this is done by one process; {instead}.")


def _print_captions(made: "CaptionedClips", *, as_json: bool, language: Language) -> None:
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
    """Write a manifest's rated lines into shards within the folder of the judge, and return their folder.

    Raises:
        UsageError: if that folder holds examples of other lines or of other prompts.
    """
    from aptone.judge.chat.conversation import Briefing
    from aptone.rooms.aptness.api import make_planner
    from aptone.rooms.aptness.rated_lines import read_rated
    from aptone.train.judge.dataset import write_examples
    from aptone.train.judge.example import examples_fingerprint, plans_by, score_examples

    rated = read_rated(manifest, split=split, unpack_to=out / "recordings")
    plans = make_planner("built-in", planner=planner, settings=dict(map(setting, settings)))
    asked = Briefing(reasoning=False, **briefing)
    shards = out / MADE_OF
    fingerprint = examples_fingerprint(rated, plans, briefing=asked, languages=languages)
    if shards.is_dir() and shard_files(shards) and _read_fingerprint(shards / FINGERPRINT) != fingerprint:
        raise UsageError(
            f"{shards}: holds examples of other lines, or of other prompts; remove it, or name another folder."
        )
    make_folder(shards)
    write_whole(shards / FINGERPRINT, fingerprint)
    write_examples(shards, score_examples(rated, plans_by(plans), briefing=asked, languages=languages))
    return shards


def _read_fingerprint(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


@click.command(cls=CommandWithRenames, renamed={**RENAMED, **renamed_options(GRPO), "--no-scale": "--no-scale-rewards"})
@click.argument("data", metavar="SHARDS", type=EXISTING_FOLDER)
@prompt_options("Prompts with reasoning, for the score alone, or both.", default=("reasoned", "score"))
@with_default("--num-generations", click.IntRange(2), 8, "Replies per prompt.")
@with_default("--temperature", ABOVE_ZERO, 1.0, "Sampling temperature.")
@with_default("--max-new-tokens", AT_LEAST_ONE, 768, "Longest reply in tokens; a longer one gets reward 0.")
@with_default("--rollout-batch-size", AT_LEAST_ONE, 64, "Replies generated together.")
@with_default("--num-iterations", AT_LEAST_ONE, 1, "Optimiser steps on each batch of replies.")
@with_default("--epsilon", ABOVE_ZERO, 0.1, "Clip of the policy ratio.")
@with_default("--beta", NUMBER, 0.01, "Weight of the KL divergence.")
@with_default(
    "--loss-type",
    click.Choice(["grpo", "bnpo", "dr_grpo"]),
    "grpo",
    "Average over the tokens of each reply (grpo), of all replies (bnpo), or over --max-new-tokens (dr_grpo).",
)
@with_default(
    "--scale-rewards/--no-scale-rewards", None, True, "Divide advantages by the standard deviation of their group."
)
@click.option(
    "--kl-correction",
    is_flag=True,
    help="Weight the KL divergence by the policy ratio, which matters with several --num-iterations.",
)
@with_default("--sigma", ABOVE_ZERO, 1.0, "Scale of the reward: points that cost 63 %.")
@with_default("--balance/--no-balance", None, True, "Sample all scores equally often.")
@click.option("--aac", is_flag=True, help="Encode clips as AAC first, as the release does.")
@config_option
@training_options
@lang_option("Language of the output", default="en")
@json_option
def grpo(
    data: Path,
    kinds: Sequence[Any],
    languages: Sequence[Language],
    bias: bool,
    num_generations: int,
    temperature: float,
    max_new_tokens: int,
    rollout_batch_size: int,
    num_iterations: int,
    epsilon: float,
    beta: float,
    loss_type: Any,
    scale_rewards: bool,
    kl_correction: bool,
    sigma: float,
    balance: bool,
    aac: bool,
    training: TrainingOptions,
    lang: Language,
    as_json: bool,
) -> int:
    """Train a judge with GRPO: replies with scores closer to people's become likelier.

    The last stage of CEAEval-M. --base is a judge made by aptone train sft: it must write scores already, and it is the
    reference of the KL divergence. --batch-size counts prompts; --steps, --save-every and --eval-every count batches of
    them; --micro-batch-size counts replies. Clips under 1 s and over 45 s are left out.

    \b
    aptone train grpo reasoned/shards --base judge/ -o reinforced/
    torchrun --nproc-per-node 8 -m aptone train grpo reasoned/shards --base judge/ -o reinforced/ --num-generations 16
    aptone score manifest.jsonl -o run/ --engine local --set judge.model=reinforced/
    """  # noqa: D301  (\b keeps click from joining the lines)
    with training_parts():
        from aptone.train.grpo.loss import PolicyLossConfig
        from aptone.train.grpo.rollouts import RolloutConfig
        from aptone.train.grpo.run import train_grpo
        from aptone.train.grpo.step import GrpoConfig

    made = train_grpo(
        data,
        training.out,
        settings=GrpoConfig(
            PolicyLossConfig(epsilon, beta, loss_type, length=max_new_tokens, kl_correction=kl_correction),
            RolloutConfig(num_generations, temperature, max_new_tokens, aac=aac, rollout_batch_size=rollout_batch_size),
            sigma=sigma,
            scale_rewards=scale_rewards,
            num_iterations=num_iterations,
        ),
        kinds=tuple(kinds),
        languages=tuple(languages),
        balance=balance,
        **training.arguments(lang, epochs=1.0, bias=bias),
    )
    if as_json:
        print_result(made, as_json=True)
    elif os.environ.get("RANK", "0") == "0":  # the first of several processes prints
        last = made.state.evaluations[-1].metrics
        word, counts = words(lang, "cli.training"), {"examples": made.examples, "steps": made.state.step}
        print_text(word("reinforced", **counts, reward=last["reward"], unreadable=100 * last["unreadable"]))
        print_text(word("model", path=made.folder))
    return 0
