"""``aptone build style-corpus``."""

import math
from collections.abc import Sequence
from pathlib import Path

import click

from aptone.cli.commands import CommandWithRenames
from aptone.cli.options.language import lang_option, names_of
from aptone.cli.options.run import Running, running_options
from aptone.cli.options.values import (
    PART,
    PATH,
    PartSettings,
    choice_option,
    ear_option,
    folder_option,
    languages_option,
    number_option,
    shown_option,
)
from aptone.cli.output import json_option, print_json, print_text, stop_code
from aptone.ear.perceive import ear_name
from aptone.messages import translate, words
from aptone.models import About, load_transcriber
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
from aptone.rooms.style.report import counts_text
from aptone.run.sources.shards import PER_SHARD
from aptone.types import Json, Language

SEGMENTS, DESCRIBED = "segments", "described"
SETTINGS = PartSettings(("captioner", "rewriter"), example="captioner.model")
RENAMED = {"--least-quality": "--min-quality", "--largest-share": "--max-share"}


@click.command(cls=CommandWithRenames, renamed=RENAMED)
@click.argument("sources", metavar="RECORDINGS...", nargs=-1, required=True, type=PATH)
@folder_option("Folder of the corpus")
@languages_option(("en",), "Language of the captions. May be given several times: every clip gets captions in each.")
@choice_option("--spoken", "spoken", ["en", "zh"], "Language spoken in the recordings.")
@choice_option(
    "--caption",
    "captioner",
    CAPTIONERS,
    "Captioner: the ear and our grammar, a server (--set captioner.model=…), or an audio model on this machine.",
)
@choice_option("--rewrite", "rewriter", REWRITERS, "Rewriter of captions at three levels of detail.")
@ear_option("captions")
@click.option(
    "--min-quality",
    "least_quality",
    type=float,
    default=math.nan,
    help="Drop clips whose overall DNSMOS is below this, for instance 2.5; by default nothing is measured.",
)
@choice_option(
    "--speakers", "counting", COUNTING, "Speaker counting: by the ear, by tags such as [S2] in a transcript, or none."
)
@click.option(
    "--transcriber",
    metavar=PART,
    shell_complete=names_of("transcribers"),
    help="Transcriber whose transcripts hold tags of speakers.",
)
@shown_option(
    "--max-share",
    "largest_share",
    type=click.FloatRange(0.5, 1),
    default=LARGEST_SHARE,
    help="Largest share of clips with one speaker, or with several, among both; 1 keeps all.",
)
@shown_option(
    "--longest", type=click.FloatRange(0, LONGEST, min_open=True), default=LONGEST, help="Longest clip, in seconds."
)
@shown_option(
    "--shortest", type=click.FloatRange(0, LONGEST, min_open=True), default=SHORTEST, help="Shortest clip, in seconds."
)
@number_option("--per-shard", PER_SHARD, "Clips in a shard.")
@choice_option("--format", "format", FORMATS, "Audio format of the clips.")
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
    aptone build style-corpus podcasts/ -o corpus/ --language en --language zh --min-quality 2.5
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
    consent = running.consent(step.about, clips=len(recordings), folder=output / DESCRIBED)
    cutting: dict[str, Json] = {"longest": longest, "shortest": shortest}
    config = running.config("build style-corpus", captioner, cutting, About(), inputs=sources)
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
    config = running.config(
        "build style-corpus", captioner, step.described(), step.about, inputs=sources, consent=consent
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
    return stop_code(stopped, failed=True)


def _print(made: Corpus, lang: Language, *, as_json: bool) -> None:
    if as_json:
        yields: dict[str, Json] = {name: dict(counts) for name, counts in made.yields.items()}
        print_json(shards=str(made.shards), clips=made.clips, seconds=made.seconds, yields=yields, stopped="")
        return
    word = words(lang, "style")
    for step, counts in made.yields.items():
        print_text(word("yield", step=word(f"step_{step}"), counts=counts_text(counts, lang)))
    print_text(word("corpus_made", clips=made.clips, duration=duration(made.seconds), shards=made.shards))
