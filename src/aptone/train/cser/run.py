"""From a rated corpus to a model of emotion over time, as ``aptone train cser`` runs it.

The vectors of each recording are made once and kept in a folder by everything that they depend on, so that another
recipe or a resumed run only reads them.
"""

import hashlib
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from aptone.audio import read_ref
from aptone.errors import RecordError, UsageError
from aptone.files import file_hash, make_folder, write_bytes_whole
from aptone.messages import message
from aptone.models.local.cser import CserConfig, load_cser, write_cser
from aptone.rooms.dialogue.hearing.front_ends import FrontEnd, make_front_end
from aptone.rooms.dialogue.hearing.turns import HEARING_RATE
from aptone.run import Tally, display_for
from aptone.train.cser.data import PARTS, Rated
from aptone.train.cser.trainer import CserRecipe, Lesson, Progress, dev_concordance, train_cser
from aptone.train.device import device_named
from aptone.types import Json

MOST_STEPS_OFF = 1
"""By how many steps a recording and its ratings may differ in length: the last one is often cut."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a training has made.

    Args:
        folder: of the model.
        progress: how it went.
        concordance: by part and dimension, agreement with people of the best model on what it was not taught with.
    """

    folder: Path
    progress: Progress
    concordance: Mapping[str, Mapping[str, float]]


def make_cser(
    rated: Sequence[Rated],
    out: Path,
    *,
    features: str,
    options: Mapping[str, Json],
    recipe: CserRecipe,
    step: float,
    cache: Path,
    device: str | None,
    log: Callable[[str], None],
) -> Made:
    """Make vectors, teach, and compare with people on dev and test.

    Args:
        rated: recordings and ratings.
        out: folder for the model.
        features: kind of the front end.
        options: of the front end.
        recipe: how it is taught.
        step: seconds between two vectors.
        cache: folder for vectors.
        device: where; by default on a GPU if there is one.
        log: is told how far it is.

    Raises:
        UsageError: if a part is empty, an option is not one, or the folder holds another training.
        RecordError: if a recording and its ratings differ in length.
        AudioError: if a recording cannot be read.
    """
    front_end = make_front_end(features, options)
    front_end.about.require(f"features {features!r}")
    lessons = {part: [one for one in rated if one.part == part] for part in PARTS}
    for part in ("train", "dev"):
        if not lessons[part]:
            raise UsageError(f"no recording belongs to the part {part}; CSER needs a part train and a part dev.")
    place = device_named(device)
    given = dict(zip((one.name for one in rated), _lessons(rated, front_end, step=step, cache=cache), strict=True))
    parts = {part: [given[one.name] for one in found] for part, found in lessons.items()}
    config = CserConfig(
        recipe.sizes(front_end.size),
        front_end={"kind": features, **options},
        front_end_signature=front_end.signature,
        step=step,
        licence=front_end.about.licence,
    )

    def told(progress: Progress) -> None:
        loss, dev = progress.history[-1]
        log(message("train.epoch-loss-dev-best", epoch=progress.epoch, loss=loss, dev=dev, best=progress.best))

    config, progress = train_cser(
        parts["train"], parts["dev"], out, recipe=recipe, config=config, device=place, log=told
    )
    model = load_cser(out, device=str(place))
    reached = {part: dev_concordance(model, parts[part], batch=recipe.batch) for part in ("dev", "test") if parts[part]}
    training = {**config.training, "concordance": {part: dict(one) for part, one in reached.items()}}
    write_cser(out, model.network, replace(config, training=training))
    return Made(out, progress, reached)


def _lessons(rated: Sequence[Rated], front_end: FrontEnd, *, step: float, cache: Path) -> list[Lesson]:
    make_folder(cache)
    tally, display = Tally(total=len(rated), before=0), display_for(label="features")
    display.start(tally)
    found = []
    try:
        for one in rated:
            found.append(_lesson(one, front_end, step=step, cache=cache))
            tally.now += 1
            display.update(tally)
    finally:
        display.stop(tally)
    return found


def _lesson(rated: Rated, front_end: FrontEnd, *, step: float, cache: Path) -> Lesson:
    ref = rated.audio
    parts = (front_end.signature, step, file_hash(Path(ref.path)), ref.start, ref.end)
    path = cache / f"{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}.npy"
    if path.exists():
        vectors = np.load(path, allow_pickle=False)
    else:
        vectors = front_end.vectors(read_ref(ref, rate=HEARING_RATE, channel="mix"), step=step)
        held = io.BytesIO()
        np.save(held, vectors)
        write_bytes_whole(path, held.getvalue())
    steps, rows = len(vectors), len(rated.targets)
    if abs(steps - rows) > MOST_STEPS_OFF:
        raise RecordError(
            f"{rated.name}: {ref.path} has {steps} steps of {step:g} s, but {rows} are rated; do they belong together?"
        )
    both = min(steps, rows)
    return Lesson(rated.name, vectors[:both], rated.targets[:both])
