"""HTML that is well-formed, parsed for tests."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

from aptone.types import Displayed

VOID = {"br", "img", "input", "meta", "link", "hr"}
BLOCKS = {"div", "dl", "ul", "ol", "table", "figure", "section", "p", "details", "pre", "header"}


@dataclass
class Parsed(HTMLParser):
    """Elements with their attributes, and the text, of HTML whose tags are balanced; raises where they are not."""

    markup: str
    elements: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    text: str = ""
    style: str = ""

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.feed(self.markup)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A paragraph that holds a block would be ended by a browser."""
        assert not ("p" in self.open and tag in BLOCKS), f"<{tag}> within <p>"
        assert len(dict(attrs)) == len(attrs), f"<{tag}> has an attribute twice"
        self.elements.append((tag, dict(attrs)))
        self.text += " "
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """As in SVG."""
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Only what was opened last can be closed."""
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag
        self.text += " "

    def handle_data(self, data: str) -> None:
        """Style is no text."""
        if self.open[-1:] == ["style"]:
            self.style += data
        else:
            self.text += data

    @property
    def words(self) -> str:
        """The text on one line, with a space between elements."""
        return " ".join(self.text.split())

    def count(self, tag: str) -> int:
        """Return how many elements of a name there are."""
        return sum(name == tag for name, _ in self.elements)

    def having(self, name: str) -> list[dict[str, str | None]]:
        """Return the attributes of the elements of a class."""
        return [held for _, held in self.elements if name in (held.get("class") or "").split()]


def parse(record: Displayed) -> Parsed:
    """Return the HTML of a record, parsed; its display must not have failed."""
    shown = record._repr_html_()
    assert "The display of this" not in shown, shown[:600]
    return Parsed(shown)
