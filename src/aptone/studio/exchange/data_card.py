"""Data card of a dataset of ratings: what was asked of whom, on which terms, and how far people agree."""

import re
from dataclasses import dataclass

from aptone.studio.agreement.controls import ControlAgreement
from aptone.studio.agreement.items import CountedRatings
from aptone.studio.agreement.overview import agreement_report
from aptone.studio.exchange.rows import Split
from aptone.types import RatingTask

NOT_STATED = "Not stated."


@dataclass(frozen=True, slots=True)
class Statements:
    """What the people who ran a study state about it; an empty one is said to be missing.

    Args:
        consent: text that people agreed to.
        consent_version: its version, where it is the text of the project; 0 for one from elsewhere.
        payment: what they were paid.
        demographics: who they are, as they stated it.
    """

    licence: str = ""
    consent: str = ""
    payment: str = ""
    demographics: str = ""
    consent_version: int = 0


def data_card(task: RatingTask, counted: CountedRatings, items: int, split: Split | None, stated: Statements) -> str:
    """Return the card in Markdown; texts of the task and of people are escaped."""
    people = len({rating.rater for rating in counted.ratings})
    lines = [
        f"# {_one_line(task.title.get('en', task.name))}",
        "",
        f"{len(counted.ratings)} ratings of {items} items by {people} people, collected with the studio of Aptone "
        f"(task `{task.name}`). People appear under pseudonyms.",
        "",
        "`items` has one row an item: clips, what was shown, the answer to each question (what an adjudicator decided, "
        "or else the mean of scales and times and the most frequent of all else) and every rating that counts under "
        "`annotations`. `ratings` has one row a rating, also those that do not count, with the reason.",
    ]
    if counted.set_aside:
        lines += ["", f"Ratings of {len(counted.set_aside)} people do not count, by the rules of the task."]
    if split is not None:
        lines += ["", f"Train and test share no {', '.join(split.keys)}."]
    questions = [f"- `{one.name}`: {_one_line(one.label.get('en', ''))}" for one in task.controls]
    lines += ["", "## Questions", "", *questions, "", "## Agreement", "", *_agreement(task, counted), ""]
    for title, text in {
        "Consent": stated.consent,
        "Payment": stated.payment,
        "People": stated.demographics,
        "Licence": stated.licence,
    }.items():
        lines += [f"## {title}", "", _quoted(text) if text.strip() else NOT_STATED, ""]
        if title == "Consent" and stated.consent_version:
            lines += [
                f"This is version {stated.consent_version}, which stood when the dataset was written; "
                "`consent_version` in `ratings` is the version that each person agreed to.",
                "",
            ]
    return "\n".join(lines)


def _agreement(task: RatingTask, counted: CountedRatings) -> list[str]:
    """Return a table of the headline figures, corrected for chance, with their intervals."""
    report = agreement_report(task, list(counted.ratings))
    rows = [_row(one) for one in report.controls if one.main]
    if not rows:
        return ["Too few answers."]
    heading = [
        "| question | measure | value | 95 % interval | items | raters |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    return [*heading, *rows, "", "0 is what random answers give, 1 is perfect."]


def _row(one: ControlAgreement) -> str:
    figure = one.figures[one.main]
    estimate = figure.estimate
    value = f"{estimate.value:.2f}" if estimate.is_defined else "–"
    interval = f"{estimate.low:.2f} to {estimate.high:.2f}" if estimate.low == estimate.low else "–"
    word = f" ({one.word})" if one.word else ""
    return f"| `{one.control}` | {one.main} | {value}{word} | {interval} | {estimate.count} | {figure.raters} |"


def _quoted(text: str) -> str:
    """Return a text of several lines as a quotation."""
    return "\n".join(f"> {_one_line(line)}" for line in text.strip().splitlines())


def _one_line(text: str) -> str:
    """Escape a text of a task for Markdown, on one line."""
    return re.sub(r"([\\`*_\[\]<>&])", r"\\\1", " ".join(text.split()))
