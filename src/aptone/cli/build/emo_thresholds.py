"""``aptone build emo-thresholds``."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt

from aptone.cli.options.dialogue import hearing_options
from aptone.cli.options.language import lang_option
from aptone.cli.options.values import PATH, shown_option
from aptone.cli.output import json_option, print_json, print_text
from aptone.ear.perceive import ear_name
from aptone.errors import UsageError
from aptone.messages import words
from aptone.rooms.dialogue.api import turn_points
from aptone.rooms.dialogue.config import PERCENTILE, DialogueConfig, estimate_thresholds
from aptone.rooms.dialogue.data import read_dialogues
from aptone.rooms.dialogue.hearing.cser import choose_listener
from aptone.run import display_for, write_whole
from aptone.run.progress import progress
from aptone.types import Language, Vad, dumps, to_json


@click.command("emo-thresholds")
@click.argument("source", metavar="SOURCE", type=PATH)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), required=True, help="New file for the constants."
)
@hearing_options
@shown_option(
    "--percentile",
    type=click.FloatRange(50, 100, min_open=True, max_open=True),
    default=PERCENTILE,
    help="Percentage of turns that do not count as extreme, in each of the three dimensions.",
)
@lang_option("Language of the output", default="en")
@json_option
def emo_thresholds(
    source: Path,
    output: Path,
    layout: str | None,
    ear: str | None,
    model: Path | None,
    step: float | None,
    percentile: float,
    lang: Language,
    as_json: bool,
) -> None:
    """Estimate the constants of aptone dialogue from a corpus of yours.

    SOURCE holds dialogues in any layout that aptone dialogue reads, with recordings or with trajectories. When a user
    counts as extreme, where balancing leads and what is unsteady are re-estimated; the other constants are the paper's.

    \b
    aptone build emo-thresholds calls/ -o thresholds.json
    aptone dialogue calls/ --config thresholds.json
    """  # noqa: D301  (\b keeps click from joining the lines)
    if output.exists():
        raise UsageError(f"{output}: is there already; name a new file, so that nothing is overwritten.")
    listener = choose_listener(ear_name(ear), model, step)
    dialogues = read_dialogues(source, layout=layout, step=listener.step)
    turns = sum(len(one.turns) for one in dialogues)
    config = estimate_thresholds(list(_shown(turn_points(dialogues, listener), total=turns)), percentile=percentile)
    write_whole(output, dumps(to_json(config), indent=2) + "\n")
    if as_json:
        print_json({"file": str(output), "turns": turns, "config": to_json(config)})
    else:
        print_text(_summary(config, turns, lang))
        print_text(words(lang, "cli.emo-thresholds")("constants", path=output))


def _shown(points: Iterable[npt.NDArray[np.float64]], *, total: int) -> Iterator[npt.NDArray[np.float64]]:
    """The same, while a bar moves."""
    with progress(display_for(label="turns"), total=total) as advance:
        for one in points:
            yield one
            advance()


def _summary(config: DialogueConfig, turns: int, language: Language) -> str:
    word = words(language, "cli.emo-thresholds")

    def shown(point: Vad) -> str:
        return word("point", valence=point.valence, arousal=point.arousal, dominance=point.dominance)

    return word(
        "summary", turns=turns, extreme=shown(config.extreme), shift=shown(config.shift), unsteady=config.unsteady
    )
