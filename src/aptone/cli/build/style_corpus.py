"""``aptone build style-corpus``."""

import math
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import click

from aptone.cli.options.build import PartSettings, choice_option, ear_option, folder_option, languages_option
from aptone.cli.options.language import lang_option, names_of
from aptone.cli.options.run import Running, ask_consent, running_options
from aptone.cli.output import json_option, print_json, print_text
from aptone.ear.perceive import ear_name
from aptone.messages import translate, words
from aptone.models import load_transcriber
from aptone.models.parts import typed_part
from aptone.report.notation import duration
from aptone.rooms.style.build.captions import CAPTIONERS, REWRITERS, make_captioner, make_rewriter
from aptone.rooms.style.build.collect import FORMATS, LARGEST_SHARE, Corpus, Format, collect
from aptone.rooms.style.build.corpus import (
    COUNTING,
    LONGEST,
    SHORTEST,
    CorpusSettings,
    Counting,
    DescribeStep,
    SegmentStep,
    find_recordings,
    recording_items,
    segment_items,
)
from aptone.rooms.style.words import counted
from aptone.run import INTERRUPTED, RunConfig, surroundings
from aptone.run.sources.shards import PER_SHARD
from aptone.types import Json, Language

SEGMENTS, DESCRIBED = "segments", "described"
SETTINGS = PartSettings(("captioner", "rewriter"), example="captioner.model")


@click.command()
@click.argument("sources", metavar="RECORDINGS...", nargs=-1, required=True, type=click.Path(path_type=Path))
@folder_option("Folder of the corpus")
@languages_option(("en",), "Language of the captions. May be given several times: every clip gets captions in each.")
@click.option(
    "--spoken",
    type=click.Choice(["en", "zh"]),
    default="en",
    show_default=True,
    help="Language spoken in the recordings.",
)
@choice_option(
    "--caption",
    "captioner",
    CAPTIONERS,
    "Captioner: the ear and our grammar, a server (--set captioner.model=…), or an audio model on this machine.",
)
@choice_option("--rewrite", "rewriter", REWRITERS, "Rewriter of captions at three levels of detail.")
@ear_option("captions")
@click.option(
    "--least-quality",
    type=float,
    default=math.nan,
    help="Drop clips whose overall DNSMOS is below this, for instance 2.5; by default nothing is measured.",
)
@choice_option(
    "--speakers", "counting", COUNTING, "Speaker counting: by the ear, by tags such as [S2] in a transcript, or none."
)
@click.option(
    "--transcriber",
    metavar="NAME[:OPTION=VALUE,…]",
    shell_complete=names_of("transcribers"),
    help="Transcriber whose transcripts hold tags of speakers.",
)
@click.option(
    "--largest-share",
    type=click.FloatRange(0.5, 1),
    default=LARGEST_SHARE,
    show_default=True,
    help="Largest share of clips with one speaker, or with several, among both; 1 keeps all.",
)
@click.option(
    "--longest",
    type=click.FloatRange(0, LONGEST, min_open=True),
    default=LONGEST,
    show_default=True,
    help="Longest clip, in seconds.",
)
@click.option(
    "--shortest",
    type=click.FloatRange(0, LONGEST, min_open=True),
    default=SHORTEST,
    show_default=True,
    help="Shortest clip, in seconds.",
)
@click.option("--per-shard", type=click.IntRange(1), default=PER_SHARD, show_default=True, help="Clips in a shard.")
@click.option(
    "--format", type=click.Choice(FORMATS), default=FORMATS[0], show_default=True, help="Audio format of the clips."
)
@SETTINGS.option
@lang_option("Language of the output", default="en")
@running_options
@json_option
def style_corpus(
    sources: Sequence[Path],
    output: Path,
    languages: Sequence[Language],
    spoken: Language,
    captioner: str,
    rewriter: str,
    ear: str | None,
    least_quality: float,
    counting: Counting,
    transcriber: str | None,
    largest_share: float,
    longest: float,
    shortest: float,
    per_shard: int,
    format: Format,
    settings: Sequence[str],
    lang: Language,
    running: Running,
    as_json: bool,
) -> int:
    """Clips with descriptions of their style, in shards, from recordings of yours.

    Recordings, or folders of them, are cut into segments of speech of at most half a minute; poor ones are dropped,
    single speakers and several balanced, and every clip is described at three levels of detail. The shards are what
    aptone train clap reads.

    \b
    aptone build style-corpus podcasts/ -o corpus/ --language en --language zh --least-quality 2.5
    aptone build style-corpus podcasts/ -o corpus/ --caption api --set captioner.model=qwen3-omni --rewrite api \\
        --set rewriter.model=qwen3-8b
    """  # noqa: D301  (\b keeps click from joining the lines)
    options = SETTINGS.read(settings)
    chosen = CorpusSettings(
        languages=tuple(dict.fromkeys(languages)),
        spoken=spoken,
        longest=longest,
        shortest=shortest,
        least_quality=least_quality,
        counting=counting,
    )
    heard = None
    if transcriber is not None:
        use, own = typed_part(transcriber, what="--transcriber")
        heard = load_transcriber(use, **own)
    step = DescribeStep(
        chosen,
        make_captioner(captioner, options, ear=ear_name(ear), spoken=spoken),
        make_rewriter(rewriter, options),
        heard,
    )
    step.about.require("the corpus")
    recordings = find_recordings(sources)
    consent = ask_consent(
        step.about.sends_audio_to, clips=len(recordings), folder=output / DESCRIBED, agreed=running.yes
    )
    common = {
        "verb": "build style-corpus",
        "engine": captioner,
        "seed": running.seed,
        "version": version("aptone"),
        "inputs": tuple(map(str, sources)),
        "command": tuple(sys.argv[1:]),
        "surroundings": surroundings(),
    }
    cutting: dict[str, Json] = {"longest": longest, "shortest": shortest}
    config = RunConfig(settings=cutting, **common)  # type: ignore[arg-type]
    width = 1 if captioner == "ear" else 8
    first = running.run(
        list(recording_items(recordings)),
        SegmentStep(chosen),
        folder=output / SEGMENTS,
        config=config,
        width=1,
        label="segments",
    )
    if first.stopped:
        return _unfinished(first.stopped, lang, as_json=as_json)
    config = RunConfig(
        settings=step.described(),
        consent=consent,
        notes=step.about.notes,
        licence=step.about.licence,
        **common,  # type: ignore[arg-type]
    )
    second = running.run(
        segment_items(first.run), step, folder=output / DESCRIBED, config=config, width=width, label="clips"
    )
    if second.stopped:
        return _unfinished(second.stopped, lang, as_json=as_json)
    made = collect(
        first.run, second.run, step, folder=output, largest_share=largest_share, per_shard=per_shard, format=format
    )
    _print(made, lang, as_json=as_json)
    return int(not made.clips)


def _unfinished(stopped: str, lang: Language, *, as_json: bool) -> int:
    if as_json:
        print_json({"stopped": stopped, "clips": 0})
    else:
        print_text(words(lang, "style")("unfinished", why=translate(stopped, lang)))
    return 130 if stopped == INTERRUPTED else 1


def _print(made: Corpus, lang: Language, *, as_json: bool) -> None:
    if as_json:
        yields: dict[str, Json] = {name: dict(counts) for name, counts in made.yields.items()}
        print_json(
            {"shards": str(made.shards), "clips": made.clips, "seconds": made.seconds, "yields": yields, "stopped": ""}
        )
        return
    word = words(lang, "style")
    for step, counts in made.yields.items():
        print_text(word("yield", step=word(f"step_{step}"), counts=counted(counts, lang)))
    print_text(word("corpus_made", clips=made.clips, duration=duration(made.seconds), shards=made.shards))
