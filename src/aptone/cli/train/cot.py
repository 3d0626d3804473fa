"""``aptone train cot``."""

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import click

from aptone.cli.options.language import lang_option, names_of
from aptone.cli.options.run import Running, running_options
from aptone.cli.options.training import AT_LEAST_ONE, config_option, training_parts, with_default
from aptone.cli.options.values import EAR, PartSettings, folder_option, languages_option
from aptone.cli.output import json_option, print_json, print_text, stop_code
from aptone.messages import translate, words
from aptone.rooms.aptness.api import make_planner
from aptone.rooms.aptness.rated_lines import read_rated
from aptone.run import RunConfig, surroundings, typed_command
from aptone.run.sources.shards import SHARDS
from aptone.types import Json, Language

RECORDINGS = "recordings"
SETTINGS = PartSettings(("planner", "writer"), example="writer.model")


@click.command()
@click.argument("source", metavar="SET", type=click.Path(path_type=Path, exists=True))
@folder_option("Folder of the corpus")
@click.option(
    "--write",
    "writer",
    type=click.Choice(["grammar", "api", "local"]),
    default="grammar",
    show_default=True,
    help="Writer: our grammar, a chat model behind a server (--set writer.model=…), or one on this machine.",
)
@languages_option(
    ("en", "zh"), "Language of prompts and reasonings. May be given several times: every line is explained in each."
)
@click.option(
    "--planner",
    default="built-in",
    show_default=True,
    shell_complete=names_of("planners"),
    help="Planner for lines without a plan.",
)
@SETTINGS.option
@click.option("--ear", metavar=EAR, help="Fill in with this ear what annotators left open; by default nothing.")
@with_default("--split", None, "train", "Split of the set.")
@click.option("--data-root", type=click.Path(path_type=Path), help="Folder that paths of recordings are relative to.")
@with_default("--per-shard", AT_LEAST_ONE, 500, "Clips per shard.")
@with_default(
    "--format",
    click.Choice(["flac", "ogg"]),
    "flac",
    "Format of the clips: as judges hear them, or Opus, a tenth of the size.",
)
@config_option
@running_options
@lang_option("Language of the output", default="en")
@json_option
def cot(
    source: Path,
    output: Path,
    writer: str,
    languages: Sequence[Language],
    planner: str,
    settings: Sequence[str],
    ear: str | None,
    split: str,
    data_root: Path | None,
    per_shard: int,
    format: str,
    running: Running,
    lang: Language,
    as_json: bool,
) -> int:
    """Write reasonings as training data of judges, from rated lines.

    SET is CEAEval-D as released (a folder or a file), any other set with scores, or a manifest. Each reasoning is
    written from the plan of a line, what annotators heard and the score by people, which it must not name; one that
    does is refused and listed in rejects.jsonl. The shards are training data for aptone train sft and grpo.

    \b
    aptone train cot CEAEval-Data/ -o reasoned/
    aptone train cot CEAEval-Data/ -o reasoned/ --write api --set writer.model=qwen3-32b --workers 16
    aptone train sft reasoned/shards --base student/ -o judge/
    """  # noqa: D301  (\b keeps click from joining the lines)
    with training_parts():
        from aptone.train.cot.run import WRITTEN, ReasonStep, rated_items, write_reasoning_shards
        from aptone.train.cot.writers import make_reasoner

    word = words(lang, "cli.training")
    options = SETTINGS.read(settings)
    plans = {name: value for name, value in options.items() if name.startswith("planner.")}
    step = ReasonStep(
        make_planner("built-in", planner=planner, settings=plans),
        make_reasoner(writer, options),
        tuple(dict.fromkeys(languages)),
        ear or "",
    )
    rated = read_rated(source, split=split, data_root=data_root, unpack_to=output / RECORDINGS)
    config = RunConfig(
        verb="train cot",
        engine=writer,
        settings=step.described(),
        seed=running.seed,
        version=version("aptone"),
        inputs=(str(source),),
        command=typed_command(),
        surroundings=surroundings(),
        consent=running.consent(step.about, clips=None, folder=output / WRITTEN),
        notes=step.about.notes,
        licence=step.about.licence,
    )
    width = 1 if writer == "grammar" else 8
    ended = running.run(
        rated_items(rated), step, folder=output / WRITTEN, config=config, width=width, label="reasonings"
    )
    if ended.stopped:
        if as_json:
            print_json({"stopped": ended.stopped, "clips": 0})
        else:
            print_text(word("stopped", why=translate(ended.stopped, lang)))
        return stop_code(ended.stopped, failed=True)
    made = write_reasoning_shards(
        ended.run,
        folder=output,
        shards=output / SHARDS,
        languages=step.languages,
        per_shard=per_shard,
        format=format,  # type: ignore[arg-type]
    )
    if as_json:
        counts: dict[str, Json] = {"clips": made.clips, "reasoned": made.reasoned, "scored": made.scored}
        rest: dict[str, Json] = {"refused": dict(made.refused), "proxy_scores": rated.is_proxy, "stopped": ""}
        print_json({"shards": str(made.shards), **counts, **rest})
        return int(not made.reasoned)
    if rated.is_proxy:
        print_text(word("proxy"))
    print_text(word("reasoned", reasoned=made.reasoned, scored=made.scored, clips=made.clips))
    for reason, count in made.refused.items():
        print_text(word("refused", count=count, reason=translate(reason, lang)))
    print_text(word("shards", path=made.shards))
    return int(not made.reasoned)
