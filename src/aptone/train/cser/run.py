"""Train a model of emotion over time from a rated corpus, as ``aptone train cser`` does.

Features are computed once per recording and cached by everything that they depend on, so that another configuration or
a resumed run only reads them.
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
from aptone.train.cser.data import PARTS, RatedRecording
from aptone.train.cser.trainer import CserTrainingConfig, RatedSequence, TrainState, evaluate_concordance, train_cser
from aptone.train.distributed import resolve_device
from aptone.types import Json

MAX_STEP_DIFFERENCE = 1
"""Largest difference in steps between a recording and its ratings: the last step is often cut."""


@dataclass(frozen=True, slots=True)
class TrainedCser:
    """Result of a training.

    Args:
        folder: folder of the model.
        state: final state of the training.
        concordance: concordance of the best model with people, by held-out part and dimension.
    """

    folder: Path
    state: TrainState
    concordance: Mapping[str, Mapping[str, float]]


def train_cser_model(
    rated: Sequence[RatedRecording],
    out: Path,
    *,
    features: str,
    options: Mapping[str, Json],
    train_config: CserTrainingConfig,
    step: float,
    cache: Path,
    device: str | None,
    log: Callable[[str], None],
) -> TrainedCser:
    """Compute features, train, and evaluate on dev and test.

    Args:
        rated: recordings and ratings.
        out: folder for the model.
        features: kind of the front end.
        options: options of the front end.
        train_config: hyperparameters.
        step: seconds between two feature vectors.
        cache: folder for features.
        device: device to train on; by default a GPU if there is one.
        log: receives a line for each epoch.

    Raises:
        UsageError: if a part is empty, an option is unknown, or the folder holds another training.
        RecordError: if a recording and its ratings differ in length.
        AudioError: if a recording cannot be read.
    """
    front_end = make_front_end(features, options)
    front_end.about.require(f"features {features!r}")
    recordings = {part: [one for one in rated if one.part == part] for part in PARTS}
    for part in ("train", "dev"):
        if not recordings[part]:
            raise UsageError(f"no recording belongs to the part {part}; CSER needs a part train and a part dev.")
    place = resolve_device(device)
    given = dict(zip((one.name for one in rated), _sequences(rated, front_end, step=step, cache=cache), strict=True))
    parts = {part: [given[one.name] for one in found] for part, found in recordings.items()}
    config = CserConfig(
        train_config.sizes(front_end.size),
        front_end={"kind": features, **options},
        front_end_signature=front_end.signature,
        step=step,
        licence=front_end.about.licence,
    )

    def log_epoch(state: TrainState) -> None:
        loss, dev = state.history[-1]
        log(message("train.epoch-loss-dev-best", epoch=state.epoch, loss=loss, dev=dev, best=state.best))

    config, state = train_cser(
        parts["train"], parts["dev"], out, train_config=train_config, config=config, device=place, log=log_epoch
    )
    model = load_cser(out, device=str(place))
    concordance = {
        part: evaluate_concordance(model, parts[part], batch_size=train_config.batch_size)
        for part in ("dev", "test")
        if parts[part]
    }
    training = {**config.training, "concordance": {part: dict(one) for part, one in concordance.items()}}
    write_cser(out, model.network, replace(config, training=training))
    return TrainedCser(out, state, concordance)


def _sequences(
    rated: Sequence[RatedRecording], front_end: FrontEnd, *, step: float, cache: Path
) -> list[RatedSequence]:
    make_folder(cache)
    tally, display = Tally(total=len(rated), before=0), display_for(label="features")
    display.start(tally)
    found = []
    try:
        for one in rated:
            found.append(_sequence(one, front_end, step=step, cache=cache))
            tally.now += 1
            display.update(tally)
    finally:
        display.stop(tally)
    return found


def _sequence(rated: RatedRecording, front_end: FrontEnd, *, step: float, cache: Path) -> RatedSequence:
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
    if abs(steps - rows) > MAX_STEP_DIFFERENCE:
        raise RecordError(
            f"{rated.name}: {ref.path} has {steps} steps of {step:g} s, but {rows} are rated; do they belong together?"
        )
    both = min(steps, rows)
    return RatedSequence(rated.name, vectors[:both], rated.targets[:both])
