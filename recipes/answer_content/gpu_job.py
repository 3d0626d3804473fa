"""Train scorers from the arrays of `recipes.answer_content.arrays` on a GPU, and write the mean of the best.

    python -m recipes.answer_content.gpu_job JOB.npz --plan recipes/answer_content/gpu_plan.json --out OUT

Needs torch and numpy, nothing of Aptone. The plan names the settings of the training on replies (none where trainings
go on from the shipped scorer), and those of each training on graded answers; of those from one start the `best` by dev
questions are averaged, and of these means the best one is kept. Writes ``weights.npz``, in eight bits a weight, and
``log.txt``.
"""

import argparse
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from recipes.answer_content.network import SHIPPED, Embeddings, Scorer, started
from recipes.answer_content.train import (
    Answers,
    AnswerSettings,
    ReplySettings,
    dev_figures,
    mean_of,
    train_on_answers,
    train_on_replies,
)
from recipes.planner.packed_weights import packed, unpacked

NOT_SHIPPED = ("kinds.", "follows.")


def choice(figures: dict[str, float]) -> float:
    """Return what trainings are ranked by: correlations with content and fit, and attacks below honest answers."""
    return figures["content"] + figures["fit"] + figures["below"]


def first_scorers(arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, Scorer]:
    """Return what trainings start from: the planner's encoder, or the scorer that is shipped."""
    shipped = {name.removeprefix(SHIPPED): values for name, values in arrays.items() if name.startswith(SHIPPED)}
    if not shipped:
        return {"encoder": started(arrays, seed=0)}
    scorer = Scorer()
    scorer.load_state_dict(unpacked(shipped), strict=False)
    return {"shipped": scorer}


def main() -> None:
    """Run the trainings of the plan."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arrays", type=Path)
    parser.add_argument("--plan", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=8.0)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    begun = time.monotonic()
    options.out.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []

    def log(line: str) -> None:
        lines.append(f"{time.monotonic() - begun:.0f} s: {line}")
        print(lines[-1], flush=True)
        (options.out / "log.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")

    plan = json.loads(options.plan.read_text(encoding="utf-8"))
    arrays = dict(np.load(options.arrays))
    embeddings = Embeddings(arrays).to(device)
    starts = first_scorers(arrays)
    for name, settings in plan["replies"].items():
        starts[name] = started(arrays, seed=0)
        train_on_replies(starts[name], embeddings, arrays, ReplySettings(**settings), device=device, log=log)
    made: dict[str, list[tuple[float, Scorer]]] = {}
    dev = Answers(arrays, ["dev"], device)
    for number, job in enumerate(plan["answers"]):
        if time.monotonic() - begun > 60 * options.minutes:
            log("no time left")
            break
        given: dict[str, Any] = dict(job)
        start = given.pop("from", "encoder")
        log(f"answers {number + 1}, from {start}: {given}")
        scorer = train_on_answers(starts[start], embeddings, arrays, AnswerSettings(**given), device=device, log=log)
        made.setdefault(start, []).append((choice(dev_figures(scorer, embeddings, dev)), scorer))
    means = {}
    for start, trained in made.items():
        ranked = sorted(trained, key=lambda one: -one[0])[: plan["best"]]
        means[start] = mean_of([scorer for _, scorer in ranked])
        log(f"mean of the best {len(ranked)} from {start}: {dev_figures(means[start], embeddings, dev)}")
    kept = means[max(means, key=lambda start: choice(dev_figures(means[start], embeddings, dev)))]
    weights = packed({name: value for name, value in kept.state_dict().items() if not name.startswith(NOT_SHIPPED)})
    np.savez_compressed(options.out / "weights.npz", **weights)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
