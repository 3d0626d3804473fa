"""The tables of figures in guides and model cards say what the committed result files say."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tests.tables import for_each

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "aptone"
GUIDES = ROOT / "docs"

Row = tuple[str, Sequence[float]]
"""The first cell of a row, and the figures behind it, in order."""


@cache
def result(name: str) -> Any:
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text(encoding="utf-8"))


def figures(page: Path, label: str) -> list[str]:
    """The figures of the row of a page whose first cell is `label`, as they are written."""
    start = f"| {label} |"
    lines = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith(start)]
    rows = [re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?", line.removeprefix(start)) for line in lines]
    (row,) = filter(None, rows)
    return row


def agrees(written: str, value: float) -> bool:
    """Whether a figure is `value`, rounded to its own digits; result files may have been rounded once before."""
    digits = len(written.partition(".")[2])
    return abs(float(written) - value) <= 0.5 * 10.0**-digits + 6e-5 * max(1.0, abs(value))


def estimate(found: dict[str, Any]) -> list[float]:
    return [found["value"], *found["interval"]]


def aptness() -> Iterator[Row]:
    english, mandarin = (result("aptness")["benchmarks"][name]["rows"] for name in PROXIES)
    for label, name in {
        "true plan": "true plan",
        "plan from 15 lines of context": "plan from 15 lines",
        "plan from 5 lines": "plan from 5 lines",
        "plan from the line alone": "plan from 0 lines",
        "clip only": "clip only",
        "eGeMAPS distance, true plan": "eGeMAPS distance, true plan",
        "eGeMAPS distance, plan from 15 lines": "eGeMAPS distance, plan from 15 lines",
    }.items():
        found = english[name], mandarin[name]
        yield label, [figure for row in found for figure in (*estimate(row["LCC"]), row["AUC"]["value"])]
    for name in ("shuffled audio, true plan", "line only"):
        yield name, [row[name][kind]["value"] for row in (english, mandarin) for kind in ("LCC", "AUC")]


PROXIES = ("English: MELD x RAVDESS", "Mandarin: CPED x CSEMOTIONS")


def ablation() -> Iterator[Row]:
    page = (GUIDES / "train" / "ablation.md").read_text(encoding="utf-8").partition("### Results")[2]
    for number in range(1, 13):
        (what,) = re.findall(rf"^\| {number} \| ([^|]+) \|", page, flags=re.MULTILINE)
        rows = (result("miniature")["rows"][name] for name in (f"{number}", f"{number} expected"))
        yield f"{number} | {what}", [figure for row in rows for figure in estimate(row["LCC"])]


def claims() -> Iterator[Row]:
    for label, name in {
        "sex": "gender",
        "emotion, far flips": "emotion",
        "pitch, sex named": "pitch",
        "pitch, sex not named": "pitch, sex not named",
        "pitch variation": "pitch variation",
        "rate": "tempo",
        "volume": "volume",
        "vocal event, fabricated": "vocal event",
        "vocal event, another than the one that is there": "vocal event exchanged",
    }.items():
        found = result("caption_detection")["rows"][name]
        shares = (found[kind] for kind in ("detected", "false_alarms"))
        yield label, [100 * figure for share in shares for figure in (share["share"], *share["interval"])]


READINGS = {
    "any other, all as likely": "uniform",
    "drawn as often as it occurs": "frequency",
    "that of the same words asked otherwise (pairs)": "twin",
}


def answers() -> Iterator[Row]:
    rows = result("answer_styletalk")["rows"]
    regression = "logistic regression, question and style"
    plain = (regression, f"{regression}, balanced", "table alone")
    for label, reading in READINGS.items():
        judged = (estimate(rows[name][reading]) for name in ("judge, without c_o", "judge, with c_o"))
        yield label, [*(figure for row in judged for figure in row), *(rows[name][reading]["value"] for name in plain)]


def answer_card() -> Iterator[Row]:
    for label, name in {
        "without the answer's words": "judge, without c_o",
        "with the answer's words": "judge, with c_o",
        "logistic regression, question and style": "logistic regression, question and style",
        "the same, classes balanced": "logistic regression, question and style, balanced",
    }.items():
        row = result("answer_styletalk")["rows"][name]
        readings = (*READINGS.values(), "feeling alone, uniform")
        yield label, [figure for reading in readings for figure in estimate(row[reading])]


SETS = ("ravdess", "nemo", "emodb", "csemotions")


def style_card() -> Iterator[Row]:
    rows = result("style")["rows"]
    for label, name in {
        "emotion by prompts, each clip alone, English": "emotion by prompts, {}, en",
        "the same, Mandarin prompts": "emotion by prompts, {}, zh",
        "among all clips of the set, English": "emotion by prompts among all clips, {}, en",
        "own above flipped: emotion": "own against flipped, emotion, {}, en",
        "own above flipped: sex": "own against flipped, sex, {}, en",
        "own above flipped: pitch, made by WORLD": "own against flipped, pitch, {}, en",
        "own above flipped: rate, made by WORLD": "own against flipped, rate, {}, en",
        "corpus left out: emotion by prompts, alone": "left out, emotion by prompts, {}, en",
        "corpus left out: the same, among all clips": "left out, emotion by prompts among all clips, {}, en",
        "corpus left out: own above flipped, emotion": "left out, own against flipped, emotion, {}, en",
    }.items():
        found = (rows[name.format(corpus)] for corpus in SETS if name.format(corpus) in rows)
        yield label, [row[kind] for row in found for kind in ("share", "low", "high")]


def planner_card() -> Iterator[Row]:
    kinds = ("tag", "stage", "narrated", "tricky", "far", "implicit")
    for language, label in {"en": "English", "zh": "Mandarin"}.items():
        names = {
            "planner": "planner",
            "its encoder alone": "encoder alone",
            "TF-IDF with logistic regression": "tf-idf",
            "its explicit reader alone": "explicit reader alone",
            "commonest emotion": "commonest",
        }
        before = {"the planner before": "planner before (b4ee1ba)"}
        for part, title, rows in (("scenes", label, names | before), ("fresh", f"{label}, fresh", names)):
            for name, row in rows.items():
                told = result("planner")[language][part]["table"][row]
                figures_told = [told["all"], *told["interval"], *(told[kind] for kind in kinds), told["clearly_wrong"]]
                yield f"{title}: {name}", figures_told
        sources = result("planner_sources").get(language, {})
        for name, row in sources.items():
            yield f"{label}: {name}", [row[part] for part in ("scenes", "contrast", "books")]
    for label, part, name in (
        ("novels of unseen authors, tag in the text, six emotions, mean recall", "novels", "mean_recall"),
        ("calibration error on test scenes", "scenes", "calibration_error"),
        ("calibration error on fresh scenes", "fresh", "calibration_error"),
    ):
        yield label, [result("planner")[language][part][name] for language in ("en", "zh")]


def ear_card() -> Iterator[Row]:
    rows = {row["task"]: row for section in result("ear")["sections"].values() for row in section["rows"]}
    for label, name in {
        "RAVDESS, 8 emotions, unweighted recall": "emotion, ravdess, 8 classes",
        "EmoDB, 7 emotions": "emotion, emodb, 7 classes",
        "CSEMOTIONS, 7 emotions (leaks, see below)": "emotion, csemotions, 7 classes",
        "nEMO, 6 emotions": "emotion, nemo, 6 classes",
        "high against low arousal, RAVDESS, area under the curve": (
            "high against low arousal, ravdess, area under the curve"
        ),
        "strong over normal intensity, RAVDESS, pairs": "strong over normal intensity, ravdess, pairs",
    }.items():
        row = rows[name]
        ours, runs = row["ours"], row["runs"]
        told = [row["plain"]["value"], *(ours[kind] for kind in ("value", "low", "high")), runs["mean"]["value"]]
        yield label, [*told, min(runs["each"]), max(runs["each"])]
    for corpus in ("RAVDESS (English)", "EmoDB (German)", "CSEMOTIONS (Mandarin)", "nEMO (Polish)"):
        name = corpus.partition(" ")[0].lower()
        row = rows[f"shared emotions, {name} left out"]
        mean, each = row["runs"]["mean"], row["runs"]["each"]
        yield corpus, [row["plain"]["value"], mean["value"], mean["low"], mean["high"], min(each), max(each)]


def ear_references() -> Iterator[Row]:
    for corpus in ("RAVDESS", "EmoDB", "CSEMOTIONS", "nEMO"):
        found = result("ear_reference")["left out"][corpus.lower()]
        names = ("alone", "self", "eight", "worst emotion, alone", "worst emotion, self")
        yield f"{corpus}, in short", [found[name][0] for name in names]


TABLES: list[tuple[Path, Callable[[], Iterator[Row]]]] = [
    (GUIDES / "rooms" / "built-in-judge.md", aptness),
    (GUIDES / "train" / "ablation.md", ablation),
    (GUIDES / "rooms" / "claims.md", claims),
    (GUIDES / "rooms" / "answer-judge.md", answers),
    (SOURCE / "rooms" / "answer" / "weights" / "README.md", answer_card),
    (SOURCE / "rooms" / "style" / "weights" / "README.md", style_card),
    (SOURCE / "planner" / "weights" / "README.md", planner_card),
    (SOURCE / "ear" / "weights" / "README.md", ear_card),
    (SOURCE / "ear" / "weights" / "README.md", ear_references),
]


@for_each(("page", "table"), TABLES, ids=lambda part: getattr(part, "__name__", getattr(part, "name", "")))
def test_a_table_says_what_its_result_file_says(page: Path, table: Callable[[], Iterator[Row]]) -> None:
    for label, expected in table():
        written = figures(page, label)[: len(expected)]  # goals may stand behind
        assert len(written) == len(expected), label
        assert all(map(agrees, written, expected)), f"{label}: {written}, but {expected}"


@for_each("card", sorted(SOURCE.rglob("weights/**/README.md")), ids=lambda card: card.parents[1].name)
def test_weights_are_as_large_as_their_card_says(card: Path) -> None:
    rows = re.findall(
        r"^\| `([\w.]+)` \|.*\| ([\d.]+) (MB|kB) \|", card.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert rows
    for name, written, unit in rows:
        assert agrees(written, (card.parent / name).stat().st_size / {"MB": 1e6, "kB": 1e3}[unit]), name


def test_figures_that_are_off_by_one_in_the_last_digit_do_not_agree() -> None:
    assert agrees("0.19", 0.1948)
    assert not agrees("0.20", 0.1948)
    assert agrees("23", 23.3)
    assert not agrees("21", 23.3)
