"""The shipped miniature judge beside the built-in one, on the test pairs of the miniature: both as users run them.

    python -m benchmarks.miniature_engine --data MINIATURE                 # on a CPU, some minutes
    python -m benchmarks.miniature_engine --data MINIATURE --model MODEL   # also against the checkpoint on torch

``MINIATURE`` is made by ``aptone train miniature rows``. Every clip goes through the whole runtime of the engine: cut
to its speech, brought to one level, heard by the stem, read and answered from weights in eight bits. Both judges get
the plan of the built-in planner and the same version of the same clip, as in `benchmarks.miniature_rival`, whose
caveats hold: **grades are a formula's, not people's**, and rhythm and intonation in them are what the built-in judge's
own ear measured. Speakers and dialogues of the test part were never trained on. The way of asking that takes longer is
tried on every `REASONED`-th pair, and compared with both others on those.

Time is the processor's, of one thread, as a ratio to the built-in judge on the same clips; weights are loaded before.
With ``--model``, the likeliest replies of the engine are compared with those of its checkpoint on torch in 32 bits,
which hears the same frames. The engine was written with some dev pairs in sight; nothing of it was chosen by figures of
the test part. What was seen of that part while the weights were made is said in `benchmarks.miniature`.
"""

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from aptone.audio import find_speech
from aptone.errors import UnusableReplyError
from aptone.judge import BuiltInJudge, Judge, MiniatureJudge
from aptone.run import Call
from aptone.train.ablation.results import RowResult, acc, difference, figure_of, lcc
from aptone.train.ablation.rows import FULL
from aptone.types import Audio, Estimate, Json, Outcome, dumps
from recipes.miniature.clips import version_of
from recipes.miniature.engine_network import FILES, SHIPPED, load_miniature
from recipes.miniature.engine_writing import TOKENS_FOR_A_SCORE
from recipes.miniature.frames import heard_frames, spoken
from recipes.miniature.material import Material, read_material
from recipes.miniature.pairs import Pair

RESULT = Path(__file__).parent / "results" / "miniature_engine.json"
REASONED = 5
COMPARED = 200
"""Pairs whose likeliest replies are compared with those of torch."""
BUILT_IN, AT_ONCE, REASONING = "built-in judge", "miniature", "miniature, reasoning"


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge said about pairs.

    Args:
        given: scores; NaN where there is none.
        likeliest: the score in its likeliest reply, where it writes any.
        seconds: of the processor, for each clip.
    """

    given: list[float]
    likeliest: list[float]
    seconds: float


def main() -> None:
    """Judge the pairs, print the table and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="made by: aptone train miniature rows")
    parser.add_argument("--model", type=Path, help="checkpoint that was exported, to compare replies with")
    parser.add_argument("--part", choices=("dev", "test"), default="test")
    parser.add_argument("--out", type=Path, default=RESULT)
    arguments = parser.parse_args()
    material = read_material(arguments.data)
    pairs = material.readable(arguments.part)
    record = compared(material, pairs)
    if arguments.model is not None:
        record["eight bits against torch in 32"] = against_torch(
            material, pairs[:: len(pairs) // COMPARED], arguments.model
        )
    arguments.out.write_text(dumps(record) + "\n", encoding="utf-8")
    for line in lines(record):
        print(line)


def compared(material: Material, pairs: Sequence[Pair]) -> dict[str, Any]:
    """Both judges on the pairs, and the reasoning one on some of them."""
    some = pairs[::REASONED]
    built_in, at_once = (judged(judge, material, pairs) for judge in (BuiltInJudge(ear="full"), MiniatureJudge()))
    reasoning = judged(MiniatureJudge(reasoning=True), material, some)
    everywhere = {BUILT_IN: built_in.given, AT_ONCE: at_once.given}
    fewer = {name: given[::REASONED] for name, given in everywhere.items()} | {REASONING: reasoning.given}
    return {
        "weights": {
            "revision": load_miniature(SHIPPED).settings.revision,
            "bytes": sum((SHIPPED / name).stat().st_size for name in FILES),
            "parameters": load_miniature(SHIPPED).settings.parameters,
        },
        "all pairs": figures(pairs, everywhere, against=(BUILT_IN,)),
        f"every {REASONED}th pair": figures(some, fewer, against=(BUILT_IN, AT_ONCE)),
        "processor time of a clip, built-in judge = 1": {
            AT_ONCE: round(at_once.seconds / built_in.seconds, 3),
            REASONING: round(reasoning.seconds / built_in.seconds, 1),
        },
    }


def judged(judge: Judge, material: Material, pairs: Sequence[Pair]) -> Judged:
    """What a judge says about pairs, one after the other."""
    _verdict(judge, pairs[0], heard(material, pairs[0]))  # loads what is loaded once
    given, likeliest, seconds = [], [], 0.0
    for pair in pairs:
        audio = heard(material, pair)
        start = time.process_time()
        outcome = _verdict(judge, pair, audio)
        seconds += time.process_time() - start
        given.append(outcome.scores["aptness"].value if outcome.scores else math.nan)
        first: Any = outcome.evidence.get("likeliest")
        likeliest.append(math.nan if first is None else float(first))
    return Judged(given, likeliest, seconds / len(pairs))


def heard(material: Material, pair: Pair) -> Audio:
    """The version of its clip that a pair is about."""
    return version_of(material.clips[pair.clip], pair.heard, number=pair.version)


def _verdict(judge: Judge, pair: Pair, audio: Audio) -> Outcome:
    try:
        outcome = judge.judge(audio, pair.plans["vote"], replace(pair.sample("vote"), audio=audio), Call())
    except UnusableReplyError as error:
        return Outcome.unscored(error.reason, raw_reply=error.raw_reply)
    assert isinstance(outcome, Outcome)
    return outcome


def figures(pairs: Sequence[Pair], given: dict[str, list[float]], *, against: Sequence[str]) -> dict[str, Any]:
    """LCC and ACC of judges on pairs, and what the last of them has more than others, all with intervals."""
    truth, speakers = np.array([pair.score for pair in pairs]), tuple(pair.speaker for pair in pairs)
    results = {name: RowResult(FULL, name, truth, np.array(scores), speakers) for name, scores in given.items()}
    last = list(results)[-1]
    return {
        "pairs": len(pairs),
        "speakers": len(set(speakers)),
        "judges": {
            name: {"LCC": shown(figure_of(one, lcc)), "ACC": shown(figure_of(one, acc)), "unscored": one.unreadable}
            for name, one in results.items()
        },
        "LCC above": {f"{last} - {name}": shown(difference(results[name], results[last], lcc)) for name in against},
    }


def shown(estimate: Estimate) -> Json:
    """A figure and its interval."""
    return [round(value, 3) for value in (estimate.value, estimate.low, estimate.high)]


def against_torch(material: Material, pairs: Sequence[Pair], model: Path) -> dict[str, Any]:
    """How often the likeliest score of the engine, asked at once, is that of its checkpoint on torch in 32 bits."""
    from aptone.models.local.generation import Placement
    from aptone.models.omni.checkpoint import load_omni
    from aptone.train.judge.evaluate import verdicts
    from recipes.miniature.batches import remembering
    from recipes.miniature.examples import judge_examples, sound_of
    from recipes.miniature.sounds import KeptSounds

    scale = load_miniature(SHIPPED).scale
    frames, places, first = [], {}, 0
    for pair in pairs:
        audio = heard(material, pair)
        frames.append(heard_frames(spoken(audio, find_speech(audio)), scale).astype(np.float16))
        places[sound_of(pair).key] = (first, len(frames[-1]))
        first += len(frames[-1])
    omni = load_omni.__wrapped__(Placement(str(model), device="cpu", precision="float32"))
    omni.switch(gated="auto")
    examples = list(judge_examples(pairs, planned="vote", answered=False))
    remembers = remembering(omni, KeptSounds(np.concatenate(frames), places))
    by_torch = verdicts(remembers, examples, at_once=8, max_tokens=TOKENS_FOR_A_SCORE)
    ours = judged(MiniatureJudge(), material, pairs)
    both = [
        (one.value, one.expected, value, expected)
        for one, value, expected in zip(by_torch, ours.likeliest, ours.given, strict=True)
        if not math.isnan(one.expected) and not math.isnan(expected)
    ]
    apart = np.array([abs(one - other) for one, _, other, _ in both])
    expected_apart = np.array([abs(one - other) for _, one, _, other in both])
    return {
        "pairs": len(both),
        "likeliest score differs": round(float((apart > 0).mean()), 3),
        "by more than 0.5": round(float((apart > 0.5).mean()), 3),
        "expected score apart, mean": round(float(expected_apart.mean()), 4),
        "expected score apart, most": round(float(expected_apart.max()), 4),
    }


def lines(record: dict[str, Any]) -> list[str]:
    """The record as a table."""
    found = [f"weights: {record['weights']}"]
    for name in ("all pairs", f"every {REASONED}th pair"):
        part = record[name]
        found.append(f"{name} ({part['pairs']}, {part['speakers']} speakers)")
        found += [f"  {judge}: {row}" for judge, row in (*part["judges"].items(), *part["LCC above"].items())]
    return [*found, *(f"{name}: {record[name]}" for name in list(record)[3:])]


if __name__ == "__main__":
    main()
