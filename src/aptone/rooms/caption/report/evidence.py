"""What the journal says about the units of a caption, read with care: it may come from anywhere."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from aptone.ear.claims.verification import Verdict
from aptone.messages import message
from aptone.report.claim_marks import MarkedText, ShownUnit, marked_text
from aptone.types import Entry, Json, Outcome

MISSED = "missed"
FOUND = "found"
"""What becomes of a unit of the reference."""


@dataclass(frozen=True, slots=True)
class CaptionEvidence:
    """The units behind the scores of a caption.

    Args:
        reference: of the reference; empty where there is none.
        dropped: units that a model gave whose words are not in the text.
        format_failures: answers of a model that were neither yes nor no.
    """

    units: tuple[ShownUnit, ...]
    reference: tuple[ShownUnit, ...] = ()
    dropped: int = 0
    format_failures: int = 0


def caption_evidence(outcome: Outcome) -> CaptionEvidence | None:
    """The units in the evidence of an outcome; ``None`` where it is about no caption, or cannot be read."""
    evidence = outcome.evidence
    if "units" not in evidence or "dropped_units" not in evidence:
        return None
    units = _units(evidence["units"], _verdict)
    reference = _units(evidence.get("reference_units", ()), _missed)
    if units is None or reference is None:
        return None
    return CaptionEvidence(
        units, reference, _count(evidence["dropped_units"]), _count(evidence.get("format_failures", 0))
    )


def caption_marks(entry: Entry, *, longest: int) -> tuple[MarkedText, ...]:
    """Return the texts of an item about a caption, with their units marked; empty for other items.

    Args:
        longest: characters of a text that are shown.
    """
    evidence = caption_evidence(entry.outcome)
    if evidence is None:
        return ()
    given = {"caption": evidence.units, "reference": evidence.reference}
    texts = {name: entry.item.payload.get(name) for name in given}
    return tuple(
        marked_text(name, text, given[name], longest=longest)
        for name, text in texts.items()
        if isinstance(text, str) and text
    )


def caption_notes(outcomes: Iterable[Outcome]) -> tuple[str, ...]:
    """What a reader of scores of captions must know: units that were dropped, and answers that were none."""
    found = [one for outcome in outcomes if (one := caption_evidence(outcome)) is not None]
    units = sum(len(one.units) for one in found)
    dropped, failures = sum(one.dropped for one in found), sum(one.format_failures for one in found)
    notes = []
    if dropped:
        notes.append(message("report.units-dropped", dropped=dropped))
    if failures:
        share = 100.0 * failures / units
        notes.append(message("report.unclear-answers", failures=failures, units=units, share=share))
    return tuple(notes)


def _units(data: Json, state: Callable[[Mapping[str, Json]], str]) -> tuple[ShownUnit, ...] | None:
    if not isinstance(data, Sequence) or isinstance(data, str):
        return None
    found = []
    for one in data:
        if not isinstance(one, Mapping):
            return None
        fact, evidence, start, end = (one.get(name) for name in ("fact", "evidence", "start", "end"))
        measured = one.get("measured", "")
        known = state(one)
        if not (isinstance(fact, str) and isinstance(evidence, str) and isinstance(measured, str) and known):
            return None
        if not (type(start) is int and type(end) is int and 0 <= start < end):
            return None
        found.append(ShownUnit(fact, evidence, start, end, known, measured))
    return tuple(found)


def _verdict(unit: Mapping[str, Json]) -> str:
    given = unit.get("verdict")
    return next((verdict.value for verdict in Verdict if verdict.value == given), "")


def _missed(unit: Mapping[str, Json]) -> str:
    given = unit.get("missed")
    return (MISSED if given else FOUND) if isinstance(given, bool) else ""


def _count(value: Json) -> int:
    return value if type(value) is int and value >= 0 else 0
