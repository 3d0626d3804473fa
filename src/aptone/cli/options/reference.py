"""Option ``--reference``: hear clips against what their voices usually sound like."""

from collections.abc import Sequence
from pathlib import Path

import click

from aptone.ear import load_ear
from aptone.ear.reference import FEWEST, Clip, References, folder_clips, hear_references
from aptone.errors import RecordError, UsageError
from aptone.files import write_whole
from aptone.messages import message
from aptone.run import display_for
from aptone.run.folder import REFERENCE
from aptone.run.progress import progress
from aptone.types import dumps, from_json, loads, to_json

SELF, NONE = "self", "none"

reference_option = click.option(
    "--reference",
    metavar="self|FOLDER|none",
    help="Hear each voice against what it usually sounds like: in the clips of this run, or in a folder of at least 8 "
    "recordings (a folder inside it is a voice). A book is heard against itself by default.",
)


def read_references(
    typed: str, clips: Sequence[Clip], *, ear: str, folder: Path | None = None, required: bool = True
) -> References:
    """Return the references that were asked for.

    Args:
        typed: ``self``, or a folder.
        clips: clips of this run.
        ear: name of the ear.
        folder: run folder; references that it keeps are used again.
        required: refuse a collection with too few clips; else they are made without a voice.

    Raises:
        UsageError: if there are too few clips with speech, or no such folder.
        RecordError: if the run keeps references by another ear.
    """
    listening = load_ear(ear)
    kept = folder / REFERENCE if folder is not None else None
    if kept is not None and kept.is_file():
        found = from_json(References, loads(kept.read_bytes(), what=str(kept)))
        if found.ear != listening.signature:
            raise RecordError(message("ear.reference-of-another-ear", made=found.ear, given=listening.signature))
        return found
    collection = clips if typed == SELF else folder_clips(Path(typed))
    with progress(display_for(label="reference"), total=len(collection)) as heard:
        made = hear_references(collection, ear=listening, heard=heard)
    if required and made.whole is None:
        raise UsageError(message("ear.reference-too-few-speak", count=len(collection), needed=FEWEST))
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(kept, dumps(to_json(made), indent=2))
    return made
