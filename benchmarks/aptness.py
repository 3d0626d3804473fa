"""The built-in planner and judge on proxy benchmarks, beside what knows less.

    python -m benchmarks.aptness --texts TEXTS --data DATA [--without-rival]

`TEXTS` holds ``meld/`` and ``cped/``, `DATA` holds ``ravdess/`` and ``csemotions/``; none of it comes with Aptone. The
benchmarks are made by `aptone.rooms.aptness.build.proxy` with its own settings: English, lines of MELD's test part with
clips of RAVDESS's four test actors; Mandarin, lines of CPED (five TV series that nothing was trained on) with clips of
CSEMOTIONS' two test speakers. **They are proxies: graded by a formula, heard by nobody.** The planner's lines and the
ear's actors are new to them. The judge was fitted on others, but the numbers that the fit leaves alone (the curve of
emotion, the share of intensity, the weights of rhythm and intonation) were set by hand when figures on these actors had
been seen. So had this table when the rival's features were limited to `FARTHEST` deviations, which helps the rival,
when wider cues were asked for, by somebody who did not see the sentences of narration, and when the weight of our own
turns in the planner's calibration of talk was lowered from one to three tenths (recipes/planner/fit_talk.py).

Rows: the judge with the true plan, and with the plan from 0, 5, 10, 15 lines of context. Beside them: a *constant*;
*shuffled audio*, the judge with the clips dealt out at random; *line only*, the mean grade of the planned emotion, and
*clip only*, the mean grade of the acted emotion, weighted by what the ear hears, both learned on another draw with dev
lines and training speakers; *eGeMAPS distance*, how far openSMILE's features of the clip lie from the mean of the
planned emotion over training speakers. LCC is Pearson's correlation with the grades, AUC the share of pairs of a
fitting and a contradicting item that are ordered rightly. Intervals are 95 %, by bootstrap over recordings, since each
is heard in several scenes.
"""

import argparse
import functools
import json
import math
import platform
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.audio import read_ref
from aptone.ear import load_ear
from aptone.ear.labelled_clips import LabelledClip, read_labels
from aptone.judge import BuiltInJudge
from aptone.planner.built_in import BuiltInPlanner
from aptone.planner.labelled_dialogues import Dialogue, read_cped, read_meld
from aptone.rooms.aptness.api import plan_sample
from aptone.rooms.aptness.build.proxy import MANIFEST, build_proxy, sample_items
from aptone.rooms.aptness.build.proxy_grade import Fit, ProxySettings
from aptone.rooms.aptness.data import read_manifest
from aptone.types import AudioRef, Emotion, Perception, Plan, Sample
from benchmarks.ear_rival import extractor
from benchmarks.ear_scores import area_under_curve
from benchmarks.made_with import with_revisions

RESULTS = Path(__file__).parent / "results" / "aptness.json"
CONTEXTS = (0, 5, 10, 15)
DRAWS = 1000
RATE = 16_000
FARTHEST = 3.0
GOALS = {"true plan": {"LCC": 0.65, "AUC": 0.90}, "plan from 15 lines": {"LCC": 0.45}}
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Material:
    """Data of one benchmark."""

    name: str
    read: Callable[..., list[Dialogue]]
    clips: str
    settings: ProxySettings


MATERIALS = (
    Material("English: MELD x RAVDESS", read_meld, "ravdess", ProxySettings()),
    Material("English, equal emotions", read_meld, "ravdess", ProxySettings(emotions="equal")),
    Material("Mandarin: CPED x CSEMOTIONS", read_cped, "csemotions", ProxySettings(items=600)),
)


@dataclass(frozen=True)
class Benchmark:
    """One benchmark, heard."""

    samples: tuple[Sample, ...]
    heard: tuple[Perception, ...]

    @property
    def grades(self) -> Floats:
        """Of the items."""
        return np.array([sample.proxy_score for sample in self.samples])

    @property
    def paths(self) -> list[Path]:
        """Of the clips."""
        return [Path(sample.audio.path) for sample in self.samples if isinstance(sample.audio, AudioRef)]

    def resampled(self) -> Iterator[npt.NDArray[np.int64]]:
        """Items of recordings that are drawn with replacement."""
        names = np.array([sample.ids["recording"] for sample in self.samples])
        groups = [np.flatnonzero(names == name) for name in np.unique(names)]
        generator = np.random.default_rng(1)
        for _ in range(DRAWS):
            yield np.concatenate([groups[one] for one in generator.integers(0, len(groups), len(groups))])


def made(material: Material, texts: Path, data: Path, folder: Path) -> Benchmark:
    """Build a benchmark and hear its clips."""
    clips = [clip for clip in read_labels(data / material.clips) if clip.split == "test"]
    build_proxy(material.read(texts, parts=("test",)), clips, out=folder, settings=material.settings)
    samples = tuple(read_manifest(folder / MANIFEST))
    ear, kept = load_ear("full"), {}
    for sample in samples:
        assert isinstance(sample.audio, AudioRef)
        if sample.audio.path not in kept:
            audio = read_ref(sample.audio, rate=RATE, channel="mix")
            kept[sample.audio.path] = ear.perceive(audio, language=sample.language)
    return Benchmark(samples, tuple(kept[str(path)] for path in Benchmark(samples, ()).paths))


def planned(samples: Sequence[Sample], context: int) -> list[Plan]:
    """The built-in planner's plans from so many lines."""
    planner = BuiltInPlanner(windows=context, replan=True)
    return [plan_sample(sample, planner).plan for sample in samples]


def judged(benchmark: Benchmark, plans: Sequence[Plan], heard: Sequence[Perception]) -> Floats:
    """The judge's scores; NaN where there is none."""
    judge = BuiltInJudge(ear="full")
    outcomes = [
        judge.verdict(perception, plan, sample)
        for perception, plan, sample in zip(heard, plans, benchmark.samples, strict=True)
    ]
    return np.array(
        [outcome.scores["aptness"].value if "aptness" in outcome.scores else math.nan for outcome in outcomes]
    )


@dataclass(frozen=True)
class Elsewhere:
    """Parameters fitted on other data: dev lines, training speakers."""

    by_planned: Mapping[Emotion, float]
    by_acted: Mapping[str, float]


def learned(material: Material, texts: Path, clips: Sequence[LabelledClip]) -> Elsewhere:
    """Mean grades by what the planner says about the line, and by what is acted in the clip."""
    drawn = sample_items(material.read(texts, parts=("dev",)), clips, settings=replace(material.settings, seed=2))
    samples = [
        Sample(
            str(number),
            AudioRef(str(item.clip.path)),
            item.scene.line,
            item.scene.context,
            language=item.scene.language,
        )
        for number, item in enumerate(drawn)
    ]
    emotions = [likeliest(plan) for plan in planned(samples, CONTEXTS[-1])]
    grades = [item.grade for item in drawn]
    return Elsewhere(_means(emotions, grades), _means([item.clip.emotion for item in drawn], grades))


def _means(names: Sequence[Any], values: Sequence[float]) -> dict[Any, float]:
    return {
        name: float(np.mean([value for other, value in zip(names, values, strict=True) if other == name]))
        for name in set(names)
    }


def from_line_alone(benchmark: Benchmark, known: Elsewhere) -> Floats:
    """The mean grade of what the planner says about the line."""
    middle = float(np.mean(list(known.by_planned.values())))
    return np.array(
        [known.by_planned.get(likeliest(plan), middle) for plan in planned(benchmark.samples, CONTEXTS[-1])]
    )


def from_clip_alone(benchmark: Benchmark, known: Elsewhere) -> Floats:
    """The mean grade of the acted emotion, over what the ear hears."""
    middle = float(np.mean(list(known.by_acted.values())))
    return np.array(
        [
            math.fsum(share * known.by_acted.get(name, middle) for name, share in heard.emotion.items())
            if heard.emotion
            else math.nan
            for heard in benchmark.heard
        ]
    )


@functools.cache
def features_of(paths: tuple[Path, ...]) -> Floats:
    """The eGeMAPS functionals of files, [files, 88]."""
    extract = extractor()
    return np.array([extract(path) for path in paths])


def likeliest(plan: Plan) -> Emotion:
    """The emotion of a plan: the one that it names, or the likeliest where it is too unsure to name one."""
    if plan.says_emotion:
        return Emotion.parse(plan.emotion)
    return Emotion.parse(max(plan.emotions, key=lambda name: plan.emotions[name]))


def egemaps(benchmark: Benchmark, plans: Sequence[Plan], clips: Sequence[LabelledClip]) -> Floats:
    """Minus the distance of a clip's standardised features from the mean of the planned emotion's training clips.

    A feature counts as at most `FARTHEST` deviations off: a telephone throws some of them out by hundreds.
    """
    trained = features_of(tuple(clip.path for clip in clips))
    centre, spread = trained.mean(axis=0), np.maximum(trained.std(axis=0), 1e-9)
    means = {
        Emotion.parse(name): ((trained[[clip.emotion == name for clip in clips]] - centre) / spread).mean(axis=0)
        for name in {clip.emotion for clip in clips}
    }
    paths = tuple(sorted(set(benchmark.paths)))
    standardised = np.clip((features_of(paths) - centre) / spread, -FARTHEST, FARTHEST)
    features = dict(zip(paths, standardised, strict=True))
    return np.array(
        [
            -float(np.linalg.norm(features[path] - means[emotion])) if emotion in means else math.nan
            for path, plan in zip(benchmark.paths, plans, strict=True)
            for emotion in [likeliest(plan)]
        ]
    )


def figures(benchmark: Benchmark, given: Floats) -> dict[str, Any]:
    """LCC and AUC with their intervals, and how many items have no score."""
    grades = benchmark.grades
    fit = np.array([sample.ids["fit"] for sample in benchmark.samples])

    def lcc(rows: npt.NDArray[np.int64]) -> float:
        chosen = rows[~np.isnan(given[rows])]
        return float(np.corrcoef(given[chosen], grades[chosen])[0, 1]) if np.ptp(given[chosen]) > 0 else math.nan

    def auc(rows: npt.NDArray[np.int64]) -> float:
        chosen = rows[np.isin(fit[rows], (Fit.FITS, Fit.CONTRADICTS)) & ~np.isnan(given[rows])]
        return area_under_curve(given[chosen], fit[chosen] == Fit.FITS)

    everything = np.arange(grades.size)
    found: dict[str, Any] = {"unscored": int(np.isnan(given).sum())}
    drawn = list(benchmark.resampled())
    for name, statistic in (("LCC", lcc), ("AUC", auc)):
        value = statistic(everything)
        if math.isnan(value):
            found[name] = None
            continue
        ends = np.quantile([statistic(rows) for rows in drawn], (0.025, 0.975))
        found[name] = {"value": round(value, 4), "interval": [round(float(end), 4) for end in ends]}
    return found


def difference(benchmark: Benchmark, first: Floats, second: Floats) -> dict[str, Any]:
    """Return the LCC of the second minus that of the first, with its interval over recordings."""
    grades = benchmark.grades

    def gain(rows: npt.NDArray[np.int64]) -> float:
        kept = rows[~np.isnan(first[rows]) & ~np.isnan(second[rows])]
        one, other = (float(np.corrcoef(given[kept], grades[kept])[0, 1]) for given in (first, second))
        return other - one

    ends = np.quantile([gain(rows) for rows in benchmark.resampled()], (0.025, 0.975))
    value = gain(np.arange(grades.size))
    return {"value": round(value, 4), "interval": [round(float(end), 4) for end in ends]}


def measured(material: Material, arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """All rows of one benchmark."""
    benchmark = made(material, arguments.texts, arguments.data, folder)
    trained = [clip for clip in read_labels(arguments.data / material.clips) if clip.split in ("train", "dev")]
    known = learned(material, arguments.texts, trained)
    true = [sample.plan for sample in benchmark.samples if sample.plan is not None]
    by_context = {context: planned(benchmark.samples, context) for context in CONTEXTS}
    dealt = np.random.default_rng(1).permutation(len(benchmark.heard))
    given = {
        "true plan": judged(benchmark, true, benchmark.heard),
        **{
            f"plan from {context} lines": judged(benchmark, plans, benchmark.heard)
            for context, plans in by_context.items()
        },
        "constant": np.full(len(true), 3.0),
        "shuffled audio, true plan": judged(benchmark, true, [benchmark.heard[place] for place in dealt]),
        "line only": from_line_alone(benchmark, known),
        "clip only": from_clip_alone(benchmark, known),
    }
    if not arguments.without_rival:
        given["eGeMAPS distance, true plan"] = egemaps(benchmark, true, trained)
        given["eGeMAPS distance, plan from 15 lines"] = egemaps(benchmark, by_context[15], trained)
    return {
        "items": len(benchmark.samples),
        "settings": material.settings.as_json(),
        "rows": {name: figures(benchmark, values) for name, values in given.items()},
        "LCC from 0 to 5 lines": difference(benchmark, given["plan from 0 lines"], given["plan from 5 lines"]),
    }


def shown(name: str, row: Mapping[str, Any]) -> str:
    """A row as text."""
    parts = [f"{name:40s}"]
    for what in ("LCC", "AUC"):
        found = row[what]
        parts.append(
            f"{what} undefined              "
            if found is None
            else f"{what} {found['value']:6.3f} [{found['interval'][0]:6.3f}, {found['interval'][1]:6.3f}]"
        )
    return "  ".join([*parts, f"{row['unscored']} unscored"])


def main() -> None:
    """Print every figure and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path, required=True, help="folder with meld/ and cped/")
    parser.add_argument("--data", type=Path, required=True, help="folder with ravdess/ and csemotions/")
    parser.add_argument("--without-rival", action="store_true", help="leave eGeMAPS out, which needs opensmile")
    arguments = parser.parse_args()
    found: dict[str, Any] = {
        "python": platform.python_version(),
        "aptone": version("aptone"),
        "judge": BuiltInJudge(ear="full").signature,
        "planner": BuiltInPlanner().signature,
        "goals": GOALS,
        "benchmarks": {},
    }
    for material in MATERIALS:
        with tempfile.TemporaryDirectory() as folder:
            result = measured(material, arguments, Path(folder))
        found["benchmarks"][material.name] = result
        print(f"\n{material.name} ({result['items']} items)")
        for name, row in result["rows"].items():
            print(shown(name, row))
        gain = result["LCC from 0 to 5 lines"]
        print(
            f"LCC gained from 0 to 5 lines: {gain['value']:.3f} [{gain['interval'][0]:.3f}, {gain['interval'][1]:.3f}]"
        )
    RESULTS.write_text(
        json.dumps(with_revisions(found, "ear", "planner", "judge"), indent=1, ensure_ascii=False) + "\n",
        encoding="utf-8",
    )
    print(f"\n{RESULTS}")


if __name__ == "__main__":
    main()
