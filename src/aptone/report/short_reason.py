"""Why an item got its score, in so few words that a table has room for them."""

from aptone.messages import translate, words
from aptone.report.item_view import ASPECTS, why_no_score, worst_aspect
from aptone.report.names import named
from aptone.report.numbers import UNDEFINED, band
from aptone.types import Entry, Language, language_of_text


def short_why(entry: Entry, score: str, *, language: Language) -> str:
    """The reason for an item without a score; else the aspect that fits worst; without aspects, the rationale.

    Where even that one lies in the upper third of its scale, the line is said as planned.

    Args:
        entry: of the item.
        score: name of the score.
        language: of the words, where the rationale does not set another one.
    """
    if reason := why_no_score(entry, score):
        return translate(reason, language)
    worst = worst_aspect(entry, language=language)
    if worst is None:
        return entry.outcome.rationale
    # What was planned and heard is told in the language of the rationale; so is the sentence around it.
    told_in = language_of_text(entry.outcome.rationale) if entry.outcome.rationale else language
    word = words(told_in, "report")
    if band(worst.score) == "high":  # the ear is never quite sure: a fit of 4.9 is one
        return word("as_planned")
    aspect = word(worst.name) if worst.name in ASPECTS else named(worst.name, told_in)
    return word("worst_aspect", aspect=aspect, planned=worst.planned or UNDEFINED, heard=worst.heard or UNDEFINED)
