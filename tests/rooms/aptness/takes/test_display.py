import io
from collections.abc import Sequence

from rich.console import Console

from aptone.rooms.aptness.takes.display import RankingTable
from aptone.rooms.aptness.takes.rank import RankedLine
from aptone.rooms.aptness.takes.ranking import Take, rank_takes
from aptone.types import Line
from tests.tables import for_each

ASPECTS = {
    "emotion": 1.11,
    "rhythm": 2.22,
    "intonation": 3.33,
    "recording_condition": 4.44,
    "paralinguistics": 0.55,
    "naturalness": 1.66,
}


def shown(takes: Sequence[Take], *, width: int) -> str:
    ranked = RankedLine(Line("Get out!"), "en", None, rank_takes(takes), "", {})
    console = Console(file=io.StringIO(), width=width)
    console.print(RankingTable(ranked, "en"))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def takes(name: str, *scores: float) -> list[Take]:
    others = {aspect: 5.0 - value for aspect, value in ASPECTS.items()}
    return [Take(name, scores, asked=len(scores), aspects=ASPECTS), Take("other.opus", (1.0,), asked=1, aspects=others)]


def test_eighty_columns_hold_four_aspects_with_their_figures() -> None:
    # 5.0 less twice the value is how far the takes differ: most in paralinguistics (3.9), condition (3.88), emotion
    # (2.78), and then intonation and naturalness (1.66 and 1.68), of which naturalness is the fourth
    text = shown(takes("keeper-flat.opus", 3.0), width=80)
    (row,) = [row.split() for row in text.splitlines() if "keeper-flat" in row]
    assert row == ["1", "keeper-flat.opus", "3.00", "1.11", "4.44", "0.55", "1.66"]


@for_each("width", [36, 44, 52, 60, 72, 80, 120])
@for_each("scores", [(3.0,), (3.0, 3.2, 3.4)], ids=["once", "repeated"])
def test_no_figure_is_cut_however_narrow_the_terminal(width: int, scores: tuple[float, ...]) -> None:
    name = "a-take-with-a-name-that-is-longer-than-its-column.opus"
    lines = shown(takes(name, *scores), width=width).splitlines()
    assert all(len(line) <= width for line in lines)
    text = "\n".join(lines)
    assert "…" not in text
    heads = " ".join(line for line in lines[: next(place for place, line in enumerate(lines) if "──" in line)])
    figures = [word for word in text.split() if word.replace(".", "").isdigit() and "." in word]
    aspects = sum(head in heads.split() for head in ("emotion", "condition", "words", "naturalness"))
    # each take has its aptness (one in brackets more than once judged is no plain figure) and every aspect of the heads
    assert len([figure for figure in figures if len(figure) == 4]) == 2 * (1 + aspects)
