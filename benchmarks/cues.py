"""Coverage and errors of the built-in planner's cues on sentences of narration.

    python -m benchmarks.cues --data TEXTS --before before.py

Sentences as novelists write them, by kind and language: those that the phrases were written with
(``tests/planner/reading/cue_sentences``), and as many that were put away before (``benchmarks/cue_sentences``). One
hand wrote both and, after them, the phrases, so the second figure is kinder than a stranger's text would be; 137 of 152
were understood when they were first tried. A sentence counts as understood if the first cue of its kind is the one
meant.

False alarms: sentences that deny, imagine or speak of something else; two pages of prose in which nobody speaks; and
every line of MELD, CPED and StyleTalk (``TEXTS`` holds them; none comes with Aptone), once as what they are, lines with
a role, where only the line before the target counts, and once as if they had none, as lines of subtitles do.

``--before`` is an earlier ``cues.py``: ``git show 11a2de6:src/aptone/planner/cues.py > before.py``.
"""

import argparse
import csv
import importlib.util
import json
import platform
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from aptone.planner.reading.cues import cues
from aptone.types import Intonation, Language, Line, RecordingCondition, Rhythm
from benchmarks.made_with import with_revisions

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "cues.json"
SEEN = HERE.parent / "tests" / "planner" / "reading" / "cue_sentences"
HELD_OUT = HERE / "cue_sentences"
VALUES = {str(value): value for closed in (Rhythm, Intonation, RecordingCondition) for value in closed}
TARGETS: dict[str, str] = {"en": "All right", "zh": "好"}
STARTS = 7
"""Fresh interpreters in which the first call is timed."""
Finder = Callable[..., Sequence[Any]]


def rows(path: Path) -> list[list[str]]:
    """The columns of a file."""
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]


def around(find: Finder, narration: str, language: str, role: str = "") -> list[Any]:
    """The values of the cues in a narration before a line."""
    return [cue.value for cue in find([Line(narration, role)], Line(TARGETS[language], "Ann"), language=language)]


def kind(name: str) -> str:
    """Return the name of a row of the table."""
    value = VALUES[name]
    return name if isinstance(value, RecordingCondition) else type(value).__name__.lower()


def recall(find: Finder, path: Path) -> dict[str, Any]:
    """Understood of all, by language and kind."""
    understood: Counter[str] = Counter()
    counted: Counter[str] = Counter()
    for language, name, narration in rows(path):
        wanted = VALUES[name]
        first = next((one for one in around(find, narration, language) if type(one) is type(wanted)), None)
        for key in (f"{language} {kind(name)}", language, "all"):
            counted[key] += 1
            understood[key] += first is wanted
    return {key: f"{understood[key]}/{counted[key]}" for key in sorted(counted)}


def alarms(find: Finder, path: Path) -> dict[str, str]:
    """Sentences with a cue of all, by language; none of them should have one."""
    counted = Counter(language for language, _ in rows(path))
    wrong = Counter(language for language, narration in rows(path) if around(find, narration, language))
    return {language: f"{wrong[language]}/{counted[language]}" for language in sorted(counted)}


def dialogues(folder: Path) -> dict[str, tuple[Language, list[str]]]:
    """The lines of the three sets."""

    def column(files: Iterable[str], name: str) -> list[str]:
        found: list[str] = []
        for file in files:
            with (folder / file).open(encoding="utf-8-sig", newline="") as stream:
                found += [row[name].strip() for row in csv.DictReader(stream)]
        return [text for text in found if text]

    styletalk = ("styletalk/train.csv", "styletalk/eval.csv")
    return {
        "meld": ("en", column(("meld/train.csv", "meld/dev.csv", "meld/test.csv"), "Utterance")),
        "cped": ("zh", column(("cped/valid.csv", "cped/test.csv"), "Utterance")),
        "styletalk": ("en", column(styletalk, "curr_text") + column(styletalk, "res_text")),
    }


def per_thousand(find: Finder, language: Language, lines: Sequence[str], *, role: str) -> dict[str, float]:
    """Lines with a cue in the line before, of a thousand: any, and one about the recording."""
    found = [around(find, line, language, role) for line in lines]
    recorded = sum(any(isinstance(value, RecordingCondition) for value in values) for values in found)
    return {
        "any": round(1000.0 * sum(map(bool, found)) / len(lines), 2),
        "recording_condition": round(1000.0 * recorded / len(lines), 2),
    }


def measure(find: Finder, data: Path | None) -> dict[str, Any]:
    """Everything about one set of cues."""
    record: dict[str, Any] = {
        "understood": {
            "sentences that the phrases were written with": recall(find, SEEN / "positives.tsv"),
            "sentences put away before": recall(find, HELD_OUT / "held_out.tsv"),
        },
        "false_alarms": {
            "sentences that the phrases were written with": alarms(find, SEEN / "negatives.tsv"),
            "sentences put away before": alarms(find, HELD_OUT / "held_out_negatives.tsv"),
            "prose in which nobody speaks": alarms(find, HELD_OUT / "quiet_prose.tsv"),
        },
    }
    if data is not None:
        record["false_alarms_per_1000_lines"] = {
            name: {
                "lines": len(lines),
                "with_roles": per_thousand(find, language, lines, role="Bob"),
                "without_roles": per_thousand(find, language, lines, role=""),
            }
            for name, (language, lines) in dialogues(data).items()
        }
    return record


def cold_start(language: Language) -> float:
    """CPU milliseconds of the import and the first call in a fresh interpreter, the least of some."""
    narration = "他低声说。" if language == "zh" else "She whispered."
    code = (
        "import time, aptone.planner.votes; from aptone.types import Line; began = time.process_time(); "
        "from aptone.planner.reading.cues import cues; "
        f"cues([Line({narration!r})], Line('x', 'A'), language={language!r}); "
        "print(1000 * (time.process_time() - began))"
    )
    run = [sys.executable, "-c", code]
    return min(float(subprocess.run(run, check=True, capture_output=True, text=True).stdout) for _ in range(STARTS))


def microseconds(narrations: Sequence[tuple[str, Language]], *, role: str) -> float:
    """CPU time of a call."""
    began = time.process_time()
    for narration, language in narrations:
        cues([Line(narration, role)], Line(TARGETS[language], "Ann"), language=language)
    return round(1e6 * (time.process_time() - began) / len(narrations), 1)


def earlier(path: Path) -> Finder:
    """The `cues` of an earlier file."""
    spec = importlib.util.spec_from_file_location("earlier_cues", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path}: expected a Python file with a function `cues`.")
    module = importlib.util.module_from_spec(spec)
    sys.modules["earlier_cues"] = module
    spec.loader.exec_module(module)
    found: Finder = module.cues
    return found


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description="What the cues of the built-in planner understand.")
    parser.add_argument("--data", type=Path, help="Folder with meld/, cped/ and styletalk/.")
    parser.add_argument("--before", type=Path, help="An earlier cues.py.")
    parser.add_argument("--output", type=Path, default=RESULTS, help="Result file.")
    options = parser.parse_args()
    narrations: list[tuple[str, Language]] = [
        (narration, "zh" if language == "zh" else "en") for language, _, narration in rows(SEEN / "positives.tsv")
    ]
    record: dict[str, Any] = {"python": platform.python_version(), "now": measure(cues, options.data)}
    if options.before:
        record["before"] = measure(earlier(options.before), options.data)
    record["cpu"] = {
        "first_call_with_import_ms": {"en": round(cold_start("en"), 1), "zh": round(cold_start("zh"), 1)},
        "narration_us": microseconds(
            [(f"{text} {number}", code) for number, (text, code) in enumerate(narrations)], role=""
        ),
        "line_with_role_us": microseconds(narrations, role="Bob"),
    }
    print(json.dumps(record, indent=1, ensure_ascii=False))
    options.output.write_text(
        json.dumps(with_revisions(record, "planner"), indent=1, sort_keys=True, ensure_ascii=False) + "\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
