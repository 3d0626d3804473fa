"""From trained weights to the two ONNX files that an ear runs on.

The stem is the same for all ears, and is multiplied in eight-bit integers (`recipes.ear.integer_stem`). The rest
is stored in eight bits a weight, with a scale for each row, and brought back to single precision when it is loaded, so
that its arithmetic is done in it.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import onnx
import torch
from onnx import helper

from aptone.ear.licences import LICENCES
from aptone.ear.network.filter_bank import BANDS
from aptone.ear.network.inference import Meaning
from aptone.errors import UsageError
from recipes.ear.data import INTENSITY_SET, PERMISSIVE_SETS, SOUND_SET
from recipes.ear.fused_heads import FusedHeads
from recipes.ear.integer_stem import IntegerStem
from recipes.ear.labels import EMOTION_ORDER
from recipes.ear.network import FIRST_WIDTH, STATISTICS, EarNetwork, Heard
from recipes.ear.runs import load_runs
from recipes.onnx_files import exported, rounded, store_in_eight_bits

META = "aptone.ear"
"""Where in the file's metadata the meaning lies."""
OUTPUTS = Heard._fields[:-1]
"""All but the emotion of the frames, which only serves training."""
CONDITION_ORDER = ("normal", "phone", "far-field", "intermittent", "noisy")
"""As numbered in `recipes.ear.augment`."""

HEADS = ("emotion", "intensity", "sex", "adult", "condition", "music", "events")
"""Those that have a temperature."""


def export_ear(runs: Sequence[Path], start: Path, out: Path, *, name: str) -> Meaning:
    """Average the weights of runs, and write `stem.onnx` and `NAME.onnx`; what the numbers of the latter mean.

    The temperatures are 1, every event's threshold is 0.5, and naturalness is not judged: they are fitted afterwards
    (`recipes.ear.calibrate`, `recipes.ear.naturalness`) and put in with `change_meaning`.

    Args:
        runs: `.safetensors` files of `python -m recipes.ear run`, of one recipe with different seeds.
        start: weights of CAM++ that they began with.
        out: folder.
        name: of the ear, one of `aptone.ear.licences.LICENCES`.

    Raises:
        UsageError: if the runs heard different things, or things that the ear's licence forbids.
        RecordError: if a file cannot be used.
    """
    network, kept = load_runs(runs, start)
    unfree = [each for each in kept.sets if each not in PERMISSIVE_SETS] + [SOUND_SET] * bool(kept.sounds)
    if name == "permissive" and unfree:
        raise UsageError(f"these runs heard {', '.join(unfree)}, which is not free for any use; export them as full.")
    untaught = {"intensity": INTENSITY_SET not in kept.sets, "events": not kept.sounds}
    meaning = Meaning(
        name=name,
        revision="",
        licence=LICENCES[name],
        emotions=tuple(emotion.value for emotion in EMOTION_ORDER),
        conditions=CONDITION_ORDER,
        events={sound.replace("_", " "): 0.5 for sound in kept.sounds},
        temperatures={head: 1.0 for head in HEADS if not untaught.get(head)},
        naturalness=(),
    )
    out.mkdir(parents=True, exist_ok=True)
    export_stem(network, out / "stem.onnx")
    revision = export_heads(network, out / f"{name}.onnx", meaning)
    return replace(meaning, revision=revision)


def export_stem(network: EarNetwork, path: Path, *, exact: bool = False) -> None:
    """Write the stem in eight-bit integers; in floats where it is to be `exact`."""
    energies = torch.zeros(1, 348, BANDS)
    stem = IntegerStem(network.stem, exact=exact)
    onnx.save(
        exported(
            stem,
            (energies,),
            path,
            ["energies"],
            ["frames"],
            {"energies": {1: "bank"}},
            custom_opsets={"com.microsoft": 1},
        ),
        path,
    )


def export_heads(network: EarNetwork, path: Path, meaning: Meaning, *, exact: bool = False) -> str:
    """Write all behind the stem in eight bits a weight, with what its numbers mean; the revision of the weights.

    Args:
        network: trained.
        path: of the ONNX file.
        meaning: its revision is left aside.
        exact: whether large tensors stay as they are.
    """
    frames, statistics, speech = torch.zeros(1, 174, FIRST_WIDTH), torch.zeros(1, STATISTICS), torch.ones(1, 174)
    axes = {"frames": {1: "frames"}, "speech": {1: "frames"}}
    names = ["frames", "statistics", "speech"]
    heads = FusedHeads(network if exact else rounded(network))
    model = exported(heads, (frames, statistics, speech), path, names, list(OUTPUTS), axes)
    if not exact:
        store_in_eight_bits(model)
    return _with_meaning(model, path, asdict(meaning))


def change_meaning(path: Path, **changes: object) -> str:
    """Give the weights of an ear other temperatures, thresholds or naturalness; the new revision.

    Args:
        path: of the ONNX file that `export_heads` wrote.
        changes: fields of `Meaning`.
    """
    model = onnx.load(path)
    given = json.loads(next(entry.value for entry in model.metadata_props if entry.key == META))
    unknown = changes.keys() - given.keys()
    if unknown:
        raise UsageError(f"an ear has no {', '.join(sorted(unknown))}; expected some of {', '.join(given)}.")
    return _with_meaning(model, path, given | changes)


def _with_meaning(model: onnx.ModelProto, path: Path, meaning: Mapping[str, object]) -> str:
    """The revision is that of weights and meaning together: either changes what the ear says."""
    del model.metadata_props[:]
    plain = json.dumps({**meaning, "revision": ""}, ensure_ascii=False, sort_keys=True)
    revision = hashlib.sha256(model.SerializeToString() + plain.encode()).hexdigest()[:12]
    given = {**meaning, "revision": revision}
    helper.set_model_props(model, {META: json.dumps(given, ensure_ascii=False)})
    onnx.save(model, path)
    return revision
