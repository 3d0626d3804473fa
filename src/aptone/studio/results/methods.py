"""Methods paragraph of a listening test, with its numbers, in both languages: ready for a paper."""

from collections.abc import Sequence

from aptone.messages import LANGUAGES, message, translate
from aptone.ratings.listening_tests import LOW_ANCHOR, MID_ANCHOR
from aptone.studio.results.power_note import POWER
from aptone.studio.results.report import SystemResult, TestReport
from aptone.types import Estimate

MOST_NAMED = 12
"""Systems or differences that the paragraph names one by one."""


def methods_paragraph(report: TestReport) -> dict[str, str]:
    """Map language to the paragraph: design, people, analysis, results, and what the test could have found."""
    sentences = [*_design(report), *_analysis(report), *_results(report)]
    spaces = {"en": " ", "zh": ""}
    return {language: spaces[language].join(translate(one, language) for one in sentences) for language in LANGUAGES}


def _design(report: TestReport) -> list[str]:
    tested = [one for one in report.systems if not one.role]
    systems = len(tested) or len({name for one in report.abx for name in (one.first, one.second)})
    sizes = {"people": report.people, "ratings": report.ratings, "items": report.items, "systems": systems}
    kind = "best-worst" if report.unit == "best-worst" else report.test
    if report.test == "aptness" and report.unit == "place":
        kind = "aptness-rank"
    sentences: list[str] = [message("studio.methods-size", **sizes), message(f"studio.methods-{kind}")]
    if report.test == "mushra":
        names = [one.system for one in report.systems if one.role and one.role != "reference"]
        known = [name for name in (LOW_ANCHOR, MID_ANCHOR) if name in names]
        known += [name for name in names if name not in known]
        if known:
            sentences.append(message("studio.methods-anchors", names=", ".join(known)))
    if report.set_aside:
        rule = "studio.methods-screened-mushra" if report.test == "mushra" else "studio.methods-screened"
        sentences.append(message(rule, count=len(report.set_aside)))
    else:
        sentences.append(message("studio.methods-nobody-excluded"))
    return sentences


def _analysis(report: TestReport) -> list[str]:
    if report.abx:
        return [message("studio.methods-binomial", count=len(report.abx))]
    sentences: list[str] = [message("studio.methods-crossed")]
    means = [one.mean for one in report.systems]
    if any(report.low == one.low < one.value or one.value < one.high == report.high for one in means):
        sentences.append(message("studio.methods-cut", low=f"{report.low:g}", high=f"{report.high:g}"))
    if report.pairs:
        sentences.append(message("studio.methods-holm", count=len(report.pairs)))
    if report.unit == "best-worst":
        sentences.append(message("studio.methods-max-diff"))
    elif report.unit == "share" and len(report.systems) > 2:
        sentences.append(message("studio.methods-bradley-terry"))
    return sentences


def _results(report: TestReport) -> list[str]:
    digits = 1 if report.high - report.low > 20 else 2
    sentences: list[str] = [
        message(
            "studio.methods-abx-result",
            first=one.first,
            second=one.second,
            hits=one.hits,
            trials=one.trials,
            share=100 * one.share.value,
            low=100 * one.share.low,
            high=100 * one.share.high,
            p=_p(one.adjusted),
        )
        for one in report.abx[:MOST_NAMED]
    ]
    if report.systems:
        means = "; ".join(f"{one.system} {_estimate(one.mean, digits)}" for one in _named(report.systems))
        sentences.append(message("studio.methods-means", means=means))
    if report.pairs:
        found = [one for one in report.pairs if one.significant]
        sentences.append(message("studio.methods-significant", count=len(found), all=len(report.pairs)))
        for pair in found[:MOST_NAMED]:
            better, worse = (pair.second, pair.first) if pair.difference.value > 0 else (pair.first, pair.second)
            difference = pair.difference if pair.difference.value > 0 else _negated(pair.difference)
            sentences.append(
                message(
                    "studio.methods-better",
                    better=better,
                    worse=worse,
                    difference=_estimate(difference, digits),
                    p=_p(pair.adjusted),
                )
            )
    if report.power.smallest == report.power.smallest:
        sentences.append(
            message("studio.methods-power", smallest=f"{report.power.smallest:.{digits}f}", power=100 * POWER)
        )
    return sentences


def _named(systems: Sequence[SystemResult]) -> Sequence[SystemResult]:
    return [one for one in systems if one.mean.is_defined][:MOST_NAMED]


def _negated(one: Estimate) -> Estimate:
    return Estimate(-one.value, -one.high, -one.low, one.count, one.confidence, one.method, one.reason)


def _estimate(one: Estimate, digits: int) -> str:
    """Write a number with its interval.

    >>> _estimate(Estimate(3.456, 3.1, 3.8, 20), 2)
    '3.46 [3.10, 3.80]'
    """
    interval = "" if one.low != one.low else f" [{one.low:.{digits}f}, {one.high:.{digits}f}]"
    return f"{one.value:.{digits}f}{interval}"


def _p(value: float) -> str:
    """Write a p-value as papers do.

    >>> _p(0.0004), _p(0.0312)
    ('p < 0.001', 'p = 0.031')
    """
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"
