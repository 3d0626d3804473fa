"""Pictures that a room adds to the report of its runs."""

from dataclasses import dataclass

from markupsafe import Markup


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture above the items, for instance the emotion of two speakers over a dialogue.

    The policy of the page forbids style attributes and scripts, and every address outside it: colours come from the
    classes of the report's style sheet (``axis``, ``grid``, ``bar``, ``tick``, ``label``, …).

    Args:
        title: shown above it, as text.
        markup: the picture as HTML or SVG. Nothing in it is escaped any more, so it has to come from a template with
            autoescape or from ``Markup(…).format(…)``, which escape whatever came from items.
        note: shown below it, as text; what the picture shows, or leaves out.
        is_wide: whether it takes the whole width of the page.
        is_result: whether it is what the run was made for, such as a ranking: those stand at the top of the page.

    Raises:
        TypeError: if the markup is plain text, about which nobody has said that it is safe.

    >>> Figure("Pulse", Markup("<p>{}</p>").format("<b>")).markup
    Markup('<p>&lt;b&gt;</p>')
    """

    title: str
    markup: Markup
    note: str = ""
    is_wide: bool = False
    is_result: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.markup, Markup):
            raise TypeError(
                f"figure {self.title!r}: expected markupsafe.Markup, which says that text in it is escaped, "
                f"got {type(self.markup).__name__}."
            )
