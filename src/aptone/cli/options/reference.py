"""Option ``--reference``: hear clips against what their voices usually sound like."""

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from aptone.cli.commands import Command
from aptone.ear import Ear, load_ear
from aptone.ear.reference import SELF, Clip, References, chosen_clips, folder_clips, hear_enough, hear_references
from aptone.ear.referenced import Part, referenced, with_reference
from aptone.errors import RecordError, UsageError
from aptone.files import write_whole
from aptone.messages import message
from aptone.run import display_for
from aptone.run.folder import CONFIG, REFERENCE
from aptone.run.progress import progress
from aptone.types import Json, dumps, from_json, loads, to_json

NONE = "none"


def reference_option(name: str = "--reference", *, more: str = "") -> Callable[[Command], Command]:
    """Make the option; `more` is a sentence for its help."""
    return click.option(
        name,
        metavar="self|FOLDER|none",
        help="Hear each voice against what it usually sounds like: in the clips of this run, or in a folder of at "
        f"least 8 recordings (a folder inside it is a voice).{more}",
    )


def heard_against(part: Part, typed: str | None, clips: Sequence[Clip], *, folder: Path | None) -> Part:
    """Return a part with the references that were asked for; see `read_references`.

    Raises:
        UsageError: if the part does not hear by a built-in ear, or there is no run whose clips could be heard.
    """
    if typed in (None, NONE):
        return part
    hearing = referenced(part)
    if typed == SELF and folder is None:
        raise UsageError(message("ear.reference-self-needs-run"))
    return with_reference(part, read_references(str(typed), clips, ear=hearing.ear, folder=folder))


def asked_reference(typed: str | None) -> dict[str, Json]:
    """Return what was asked for, for the configuration of a run."""
    return {} if typed in (None, NONE) else {"reference": typed}


def read_references(
    typed: str, clips: Sequence[Clip], *, ear: str, folder: Path | None = None, required: bool = True
) -> References:
    """Return the references that were asked for.

    Args:
        typed: ``self``, or a folder.
        folder: run folder; references that it keeps are used again when the run is resumed.
        required: refuse a collection with too few clips; else they are made without a voice.

    Raises:
        UsageError: if there are too few clips with speech, or no such folder.
        RecordError: if the run keeps references by another ear.
    """
    listening = load_ear(ear)
    kept = folder / REFERENCE if folder is not None else None
    if kept is not None and kept.is_file() and kept.with_name(CONFIG).is_file():  # without, no run has begun with it
        found = from_json(References, loads(kept.read_bytes(), what=str(kept)))
        if found.ear != listening.signature:
            raise RecordError(message("ear.reference-of-another-ear", made=found.ear, given=listening.signature))
        return found
    made = hear_shown(clips if typed == SELF else folder_clips(Path(typed)), ear=listening, required=required)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(kept, dumps(to_json(made), indent=2))
    return made


def hear_shown(clips: Sequence[Clip], *, ear: Ear, required: bool = True) -> References:
    """Hear a collection, and show how far it is; see `hear_enough`."""
    hear = hear_enough if required else hear_references
    with progress(display_for(label="reference"), total=len(chosen_clips(clips))) as heard:
        return hear(clips, ear=ear, heard=heard)
