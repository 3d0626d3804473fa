"""What an address asks of a list of items: conditions, order and page, read from its query and written into links."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from aptone.run.index import RowFilter

LABEL = "label."
"""Beginning of the parameters that name a label."""
STATES = ("done", "not-needed", "unscored", "failed")
LONGEST_TEXT = 200
LONGEST_VALUE = 300
MOST_LABELS = 12
HIGHEST_PAGE = 1_000_000


@dataclass(frozen=True, slots=True)
class Asked:
    """Conditions on items, their order, and the page of them; what makes no sense is left out, not refused.

    Args:
        sort: as `aptone.run.index.JournalIndex.rows` takes it.
        page: from 1 on.
    """

    text: str = ""
    state: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    score: str = ""
    low: float = math.nan
    high: float = math.nan
    sort: str = ""
    page: int = 1

    @property
    def wanted(self) -> RowFilter:
        """The conditions for the index."""
        states = (self.state,) if self.state else ()
        return RowFilter(self.text, states, self.labels, self.score, self.low, self.high)

    @property
    def is_filtered(self) -> bool:
        """Check that there is a condition."""
        return bool(self.text or self.state or self.labels or self.wanted.has_range)

    def query(self, **changed: object) -> str:
        """The query of an address that asks the same, with some of it changed; with its question mark, or empty."""
        asked = replace(self, **changed) if changed else self  # type: ignore[arg-type]  # names of fields
        pairs = [
            ("text", asked.text),
            ("state", asked.state),
            *((f"{LABEL}{name}", value) for name, value in asked.labels.items()),
            ("score", asked.score if not (math.isnan(asked.low) and math.isnan(asked.high)) else ""),
            ("low", "" if math.isnan(asked.low) else f"{asked.low:g}"),
            ("high", "" if math.isnan(asked.high) else f"{asked.high:g}"),
            ("sort", asked.sort),
            ("page", str(asked.page) if asked.page > 1 else ""),
        ]
        written = urlencode([(name, value) for name, value in pairs if value])
        return f"?{written}" if written else ""


def read_asked(query: QueryParams, *, scores: Sequence[str], orders: Iterable[str] | None = None) -> Asked:
    """Read the query of an address.

    Args:
        scores: names of the scores that items have, the main one first.
        orders: known orders; by default those by score, either way.
    """
    known = [*scores, *(f"-{name}" for name in scores)] if orders is None else list(orders)
    sort, score, page = (_plain(query.get(name, ""), LONGEST_VALUE) for name in ("sort", "score", "page"))
    labels = {
        _plain(name.removeprefix(LABEL), LONGEST_VALUE): _plain(value, LONGEST_VALUE)
        for name, value in query.items()
        if name.startswith(LABEL) and value
    }
    return Asked(
        text=_plain(query.get("text", ""), LONGEST_TEXT),
        state=query.get("state", "") if query.get("state", "") in STATES else "",
        labels=dict(list(labels.items())[:MOST_LABELS]),
        score=score if score in scores else next(iter(scores), ""),
        low=_number(query.get("low", "")),
        high=_number(query.get("high", "")),
        sort=sort if sort in known else "",
        page=min(HIGHEST_PAGE, max(1, int(page))) if page.isascii() and page.isdigit() and len(page) < 9 else 1,
    )


def _plain(text: str, longest: int) -> str:
    """Text that SQLite takes, of a bounded length."""
    return text.encode(errors="replace").decode()[:longest].replace("\0", " ")


def _number(text: str) -> float:
    try:
        number = float(text[:40])
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan
