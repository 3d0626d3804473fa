"""Captions that our grammar did not write, end to end: what is read, what is caught, what is refused.

    python -m benchmarks.caption_foreign --data FOLDER_WITH_THE_SETS
    python -m benchmarks.caption_foreign --data FOLDER --captions learn    # what the grammar was made with
    python -m benchmarks.caption_foreign --data FOLDER --captions rare     # 80 a language, asked for rare words
    python -m benchmarks.caption_foreign --data FOLDER --captions own_dev  # 53 a language by who added the last words

``caption_sentences/held_out.LANGUAGE.jsonl`` holds 100 captions a language of clips of speakers that the ear was not
trained on, each with its claims, marked by hand (its README says by whom and how). The grammar's authors have not read
them. The built-in grammar takes each caption apart, the built-in ear verifies what it found:

- *read*: share of the marked claims that a unit makes: the same attribute, the same value (one step apart on one side
  of a scale counts as the same), denied or not; for values beyond the closed sets, a unit in free words on the same
  words of the caption;
- *caught*: share of the false claims that were read and are not verified (false or undecided);
- *refused*: share of the true claims that were read and are not verified, and, beside it, of those that are called
  false. Claims of which the labels cannot tell whether they hold count for neither;
- *perfect*: captions with a false claim whose s_p is 1; beside them, captions of which all that was read holds and
  whose full score is held back, for an unread word that may be a claim or for a claim that the ear only lets pass, and
  captions that are not scored;
- *units*: share of the units that make a marked claim; "furious" also says that the anger is strong, which markers mark
  or not, so that a unit beside a marked claim of the same words counts.
"""

import argparse
import json
import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from aptone.audio import read
from aptone.ear import load_ear
from aptone.ear.claims.verification import Verdict, check_all
from aptone.ear.labelled_clips import read_labels
from aptone.ear.reading import Coverage
from aptone.rooms.caption.data import Unit, known_value
from aptone.rooms.caption.decompose.built_in import take_apart
from aptone.rooms.caption.decompose.readable import coverage_of, too_little
from aptone.rooms.caption.match import entails
from aptone.stats.intervals import wilson_interval
from aptone.types import Language, Perception
from benchmarks.made_with import with_revisions
from recipes.claims.perceptions import FOLDER, Perceptions

HERE = Path(__file__).parent
LANGUAGES: tuple[Language, ...] = ("en", "zh")
GOALS = {"read": 0.88, "caught": 0.85, "refused": 0.10, "perfect": 0}
RATE = 16_000
_NAMES = {("rhythm", "fast-paced"): ("brisk", "high-energy"), ("intonation", "varied"): ("curved",)}
"""Values of the markers that have other names here."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A claim that a caption was marked with; `holds` is ``None`` where the labels cannot tell."""

    words: str
    start: int
    attribute: str
    value: str
    denied: bool
    holds: bool | None


@dataclass(frozen=True, slots=True)
class ForeignCaption:
    """A caption of a clip, which is named by set and file."""

    id: str
    clip: str
    language: Language
    caption: str
    claims: tuple[Marked, ...]


def read_captions(path: Path, language: Language) -> list[ForeignCaption]:
    """Return the captions of a file."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        claims, place = [], 0
        for claim in row["claims"]:
            start = row["caption"].find(claim["words"], place)
            start = start if start >= 0 else row["caption"].find(claim["words"])
            claims.append(Marked(start=start, **claim))
            place = max(place, start)
        found.append(ForeignCaption(row["id"], row["clip"], language, row["caption"], tuple(claims)))
    return found


def makes(unit: Unit, claim: Marked) -> bool:
    """Return True if a unit makes a marked claim."""
    if unit.is_denied != claim.denied:
        return False
    if claim.attribute == "change":
        before, _, after = (part.strip() for part in claim.value.partition("->"))
        return bool(unit.becomes) and _is(unit.value, before, unit) and _is(unit.becomes, after, unit)
    if unit.becomes or unit.attribute != claim.attribute:
        return False
    values = _NAMES.get((claim.attribute, claim.value), (claim.value,))
    for value in values:
        if known_value(unit.attribute, value) is None:
            overlaps = unit.start < claim.start + len(claim.words) and claim.start < unit.end
            return unit.known is None and overlaps
        wanted = Unit("-", unit.attribute, value, "-", 0, 1, is_denied=claim.denied)
        if unit.known is not None and entails(unit, wanted) and unit.is_denied == wanted.is_denied:
            return True
    return False


def _is(value: str, name: str, unit: Unit) -> bool:
    known = known_value(unit.attribute, name)
    return known is not None and known.value == value


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a caption."""

    given: ForeignCaption
    units: tuple[Unit, ...]
    verdicts: tuple[Verdict, ...]
    sure: bool
    covered: Coverage
    unscored: str

    @property
    def all_read_holds(self) -> bool:
        """True if s_p is 1."""
        return not self.unscored and bool(self.units) and all(one is Verdict.TRUE for one in self.verdicts)

    @property
    def is_perfect(self) -> bool:
        """True if s_p is 1: all that was read holds for sure, and nothing is left over that may be a claim."""
        return self.all_read_holds and self.sure and self.covered.is_complete

    def unit_of(self, claim: Marked) -> int | None:
        """Return the unit that makes a claim."""
        return next((number for number, unit in enumerate(self.units) if makes(unit, claim)), None)


def judge(given: ForeignCaption, perception: Perception | None, spoken: str) -> Judged:
    """Take a caption apart and verify it."""
    taken = take_apart(given.caption, language=given.language)
    covered = coverage_of(given.caption, taken, language=given.language)
    verdicts: list[Verdict] = []
    sure = True
    if perception is not None:
        claims = [unit.claim for unit in taken.units]
        checks = check_all([claim for claim in claims if claim], perception, language=spoken or None)
        sure, checked = all(one.is_own for one in checks), iter(checks)
        verdicts = [next(checked).verdict if claim else Verdict.UNDECIDED for claim in claims]
    unscored = too_little(covered, taken.units, given.caption, language=given.language)
    return Judged(given, taken.units, tuple(verdicts), sure, covered, unscored if taken.units else "no claim was read")


def share(hits: int, count: int) -> dict[str, Any]:
    """A share with its interval of 95 % (Wilson)."""
    if not count:
        return {"share": None, "count": 0}
    low, high = wilson_interval(hits, count, confidence=0.95)
    return {"share": round(hits / count, 4), "interval": [round(low, 4), round(high, 4)], "count": count}


def summary(judged: Sequence[Judged]) -> dict[str, Any]:
    """All figures of one language."""
    read_claims: list[bool] = []
    caught: list[bool] = []
    refused: list[Verdict] = []
    by_attribute: dict[str, Counter[str]] = {}
    for one in judged:
        for claim in one.given.claims:
            number = one.unit_of(claim)
            counts = by_attribute.setdefault(f"{'not ' if claim.denied else ''}{claim.attribute}", Counter())
            counts["claims"] += 1
            counts["read"] += number is not None
            read_claims.append(number is not None)
            verdict = None if number is None else one.verdicts[number]
            if claim.holds is False:
                caught.append(verdict is not None and verdict is not Verdict.TRUE)
                counts["false"] += 1
                counts["caught"] += caught[-1]
            elif claim.holds and verdict is not None:
                refused.append(verdict)
                counts["true, read"] += 1
                counts["refused"] += verdict is not Verdict.TRUE
    false = [one for one in judged if any(claim.holds is False for claim in one.given.claims)]
    units = [(one, unit) for one in judged for unit in one.units]
    return {
        "captions": len(judged),
        "read": share(sum(read_claims), len(read_claims)),
        "caught": share(sum(caught), len(caught)),
        "refused": share(sum(one is not Verdict.TRUE for one in refused), len(refused)),
        "called_false": share(sum(one is Verdict.FALSE for one in refused), len(refused)),
        "false_captions": len(false),
        "perfect": sum(one.is_perfect for one in false),
        "held_back": {
            "false captions": sum(one.all_read_holds and not one.is_perfect for one in false),
            "true captions": sum(one.all_read_holds and not one.is_perfect for one in judged if one not in false),
            "true captions with s_p 1": sum(one.is_perfect for one in judged if one not in false),
        },
        "unscored": {
            "false captions": sum(bool(one.unscored) for one in false),
            "true captions": sum(bool(one.unscored) for one in judged if one not in false),
        },
        "coverage": round(sum(one.covered.share for one in judged) / len(judged), 4),
        "units": share(sum(_is_marked(one, unit) for one, unit in units), len(units)),
        "by_attribute": {name: dict(counts) for name, counts in sorted(by_attribute.items())},
    }


def _is_marked(one: Judged, unit: Unit) -> bool:
    """Return True if a unit makes a marked claim, or grades the emotion of one on the same words."""
    for claim in one.given.claims:
        overlaps = unit.start < claim.start + len(claim.words) and claim.start < unit.end
        if makes(unit, claim) or (unit.attribute == "intensity" and claim.attribute == "emotion" and overlaps):
            return True
    return False


def spoken_languages(data: Path, clips: Iterable[str]) -> dict[str, str]:
    """Return the language that is spoken in each clip."""
    sets = sorted({clip.partition("/")[0] for clip in clips})
    return {f"{name}/{clip.path.name}": clip.language for name in sets for clip in read_labels(data / name)}


def evaluate(files: Mapping[Language, Path], data: Path, heard: Perceptions) -> dict[Language, list[Judged]]:
    """Judge the captions of all files."""
    given = {language: read_captions(path, language) for language, path in files.items()}
    spoken = spoken_languages(data, [one.clip for captions in given.values() for one in captions])
    found: dict[Language, list[Judged]] = {}
    for language, captions in given.items():
        found[language] = []
        for one in captions:
            perception = heard(one.clip, partial(read, data / one.clip, rate=RATE), spoken[one.clip])
            found[language].append(judge(one, perception, spoken[one.clip]))
    return found


def shown(entry: Mapping[str, Any]) -> str:
    """A share as text."""
    if not entry["count"]:
        return "-"
    return f"{entry['share']:.3f} [{entry['interval'][0]:.3f}, {entry['interval'][1]:.3f}] of {entry['count']}"


def main() -> None:
    """Judge, print and write the results."""
    parser = argparse.ArgumentParser(description="Captions that our grammar did not write, end to end.")
    parser.add_argument("--data", type=Path, required=True, help="Folder with the sets, each with a labels.csv.")
    parser.add_argument(
        "--captions",
        default="held_out",
        choices=("held_out", "rare", "learn", "near_miss", "own_dev", "own_learn"),
        help="Captions to judge.",
    )
    parser.add_argument("--folder", type=Path, default=HERE / "caption_sentences", help="Folder with the captions.")
    parser.add_argument("--cache", type=Path, default=FOLDER, help="Folder in which perceptions are kept.")
    parser.add_argument("--output", type=Path, help="Result file; by default in benchmarks/results.")
    options = parser.parse_args()
    files = {language: options.folder / f"{options.captions}.{language}.jsonl" for language in LANGUAGES}
    ear = load_ear("full")
    judged = evaluate(files, options.data, Perceptions(ear, options.cache))
    rows = {language: summary(found) for language, found in judged.items()}
    for language, row in rows.items():
        print(f"{language}: {row['captions']} captions, {row['false_captions']} with false claims")
        for name in ("read", "caught", "refused", "called_false", "units"):
            goal = f"   goal {GOALS[name]}" if name in GOALS else ""
            print(f"  {name:13} {shown(row[name])}{goal}")
        print(f"  held back     {row['held_back']}")
        print(f"  perfect       {row['perfect']}   goal 0;  unscored {row['unscored']};  coverage {row['coverage']}")
    record = {
        "what": "captions written by others: claims read, false ones caught, true ones refused, false captions perfect",
        "goals": GOALS,
        "captions": options.captions,
        "languages": rows,
        "versions": {"python": platform.python_version(), "aptone": version("aptone"), "ear": ear.signature},
    }
    name = "caption_foreign" if options.captions == "held_out" else f"caption_foreign_{options.captions}"
    output = options.output or HERE / "results" / f"{name}.json"
    text = json.dumps(with_revisions(record, "ear"), indent=1, sort_keys=True, ensure_ascii=False)
    output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
