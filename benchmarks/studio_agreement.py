"""Time of the studio's agreement page: 5,000 items, five raters each.

Two tasks: ``s3bench`` (a scale and a closed question, 24 raters of whom five rate an item) and ``ceaeval-d`` (fifteen
dimensions, five raters). Answers are drawn by a seed: texts from the words of feeling and a few common answers, as
annotators write them. The first call loads the text vectors; the second is what a page costs that refreshes itself. As
a rival the point estimates alone (Krippendorff's alpha by ``krippendorff``, ICC(2,1) by ``pingouin``) of the first
question are computed from the same rows in the same run. All times are CPU seconds; values are compared, too.

    python -m benchmarks.studio_agreement
"""

import json
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import krippendorff
import numpy as np
import pandas
import pingouin

from aptone.lexicon.feelings import feeling_words
from aptone.ratings.tasks import task_template, with_items
from aptone.studio.agreement.controls import icc_figures
from aptone.studio.agreement.items import answers_to, as_number, complete_block, rating_table
from aptone.studio.agreement.overview import AgreementReport, agreement_report
from aptone.types import AudioRef, Control, Json, Rating, RatingItem, RatingTask
from benchmarks.made_with import with_revisions

RESULTS = Path(__file__).parent / "results" / "studio_agreement.json"
ITEMS, RATERS_AN_ITEM, SEED = 5000, 5, 0
COMMON = ("none", "normal", "无", "breathing", "footsteps", "telephone", "a sigh", "rain")


def main() -> None:
    """Time both tasks, print the figures and write them."""
    found = {
        "items": ITEMS,
        "raters_an_item": RATERS_AN_ITEM,
        "machine": platform.machine(),
        "python": platform.python_version(),
        "tasks": {"s3bench": timed("s3bench", people=24), "ceaeval-d": timed("ceaeval-d", people=5)},
    }
    RESULTS.write_text(json.dumps(with_revisions(found), indent=1) + "\n", encoding="utf-8")
    for name, figures in found["tasks"].items():  # type: ignore[attr-defined]
        print(name, json.dumps(figures))


def timed(name: str, *, people: int) -> dict[str, Any]:
    """CPU seconds of the first and the second report and of the rivals, and whether the values agree."""
    task, ratings = simulated_ratings(name, people=people)
    report, first = clocked(lambda: agreement_report(task, ratings))
    again, second = clocked(lambda: agreement_report(task, ratings))
    assert again.controls == report.controls or name == "ceaeval-d"  # NaN differs from itself
    control = task.controls[0]
    given = answers_to(control, ratings, read=as_number)
    whole = rating_table(given)
    alpha, alpha_seconds = clocked(
        lambda: krippendorff.alpha(reliability_data=whole.table.T, level_of_measurement="interval")
    )
    block = complete_block(whole)
    long = pandas.DataFrame(
        [
            {"item": item, "rater": rater, "value": block.table[row, column]}
            for row, item in enumerate(block.items)
            for column, rater in enumerate(block.raters)
        ]
    )
    table, icc_seconds = clocked(
        lambda: pingouin.intraclass_corr(long, targets="item", raters="rater", ratings="value").set_index("Type")
    )
    rival_icc = float(table.iloc[[kind in ("ICC2", "ICC(A,1)") for kind in table.index]]["ICC"].iloc[0])
    ours = figures_of(report, control)
    return {
        "controls": len(task.controls),
        "ratings": len(ratings),
        "first_seconds": round(first, 3),
        "again_seconds": round(second, 3),
        "rival_point_estimates_of_one_question_seconds": round(alpha_seconds + icc_seconds, 3),
        "again_over_rival": round(second / (alpha_seconds + icc_seconds), 2),
        "alpha": [round(ours["alpha"], 6), round(float(alpha), 6)],
        "icc_2_1": [round(icc_figures(given)["icc_2_1"].estimate.value, 6), round(rival_icc, 6)],
    }


def figures_of(report: AgreementReport, control: Control) -> dict[str, float]:
    """The values of one question, by measure."""
    one = next(one for one in report.controls if one.control == control.name)
    return {name: figure.estimate.value for name, figure in one.figures.items()}


def clocked(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result, and the CPU seconds that it took."""
    began = time.process_time()
    result = work()
    return result, time.process_time() - began


def simulated_ratings(name: str, *, people: int) -> tuple[RatingTask, list[Rating]]:
    """A task of 5,000 items, and five ratings of each."""
    generator = np.random.default_rng(SEED)
    template = task_template(name)
    fields: dict[str, Json] = {"story": {"lines": [{"text": "a", "role": "", "clip": ""}], "target": 0}}
    fields |= {"context": ["a", "b"], "line": "b", "boundaries": [0, 1], "description": "x"}
    audio = {shown.name: AudioRef("a.wav") for shown in template.shown if shown.kind == "audio"}
    items = [RatingItem(f"i{n}", audio, fields, {"judge_score": float(n % 6)}) for n in range(ITEMS)]
    feelings = [*feeling_words("en"), *feeling_words("zh")]
    ratings = []
    for item in items:
        quality = generator.uniform(0, 5)
        for rater in generator.permutation(people)[:RATERS_AN_ITEM]:
            answers = {one.name: answer(one, quality, feelings, generator) for one in template.controls}
            ratings.append(Rating(name, item.id, f"r{rater:02}", answers, seconds=float(generator.uniform(5, 60))))
    return with_items(template, items), ratings


def answer(control: Control, quality: float, feelings: list[str], generator: np.random.Generator) -> Json:
    """One answer to a question, as somebody might give it."""
    if control.kind == "scale":
        steps = round((quality + generator.normal(0, 0.7) - control.low) / control.step)
        return float(np.clip(control.low + steps * control.step, control.low, control.high))
    if control.kind == "choice":
        return control.choices[int(generator.integers(len(control.choices)))].value
    if control.kind == "boundaries":
        return [round(float(generator.uniform(0, 0.2)), 2), round(float(generator.uniform(2, 2.3)), 2)]
    if control.kind == "edit":
        mark = ".!"[int(generator.integers(2))]
        return (
            ["The night had come over the hills.", f"She did not answer him at once{mark}"]
            if (control.prefill == "context")
            else f"Where have you been all this time{mark}"
        )
    if control.agreement == "vad":
        return " turning into ".join(feelings[int(n)] for n in generator.integers(len(feelings), size=2))
    return COMMON[int(generator.integers(len(COMMON)))]


if __name__ == "__main__":
    main()
