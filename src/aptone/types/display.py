"""Records that show themselves in notebooks: Jupyter asks the value of a cell for its HTML.

What draws a record stands further up, in the report, in a room or in a plugin. It is found by the entry point in the
group ``aptone.displays`` that is named like the class of the record, or like one that it derives from::

    [project.entry-points."aptone.displays"]
    Pulse = "my_package.display:show_pulse"

and called as ``show_pulse(record, language="en")``; it gives HTML that stands alone, by
`aptone.report.displays.fragment`.
"""

import dataclasses
import html
import itertools
import reprlib
from collections.abc import Mapping
from typing import Any

from aptone.messages import Language, reader_language, words
from aptone.registry import Registry, find_maker

LONGEST_TEXT = 4000
"""Characters of a record as text that a notebook keeps beside its HTML, or shows in the place of it."""

LONGEST_ERROR = 300


class Displayed:
    """Record with a display: a notebook shows it as HTML in the language that ``APTONE_LANG`` names, or in English.

    ``repr(record)`` is not changed by it.
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return the record as HTML; where its display fails, as text, with the error on one line above it."""
        language = reader_language()
        try:
            made = _display_of(type(self))(self, language=language)
            if not isinstance(made, str):
                raise TypeError(f"expected HTML as text, got {type(made).__name__}")
            made.encode()  # a surrogate that stands alone could not be sent to the browser
            return str(made)
        except Exception as error:  # a notebook goes on, whatever somebody's display raises
            return _as_text(self, error, language)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Print the record as IPython does beside the HTML: as `repr`, with what is long left out.

        A notebook stores this text, and that of a run would hold every item.
        """
        printer.text("..." if cycle else brief(self))


def brief(record: object) -> str:
    """Return a record as `repr` does, but with long texts, lists and mappings cut; at most `LONGEST_TEXT` characters.

    >>> brief([1.5, "a", {"b": None}]), len(brief(["word " * 10_000] * 10_000)) < 2000
    ("[1.5, 'a', {'b': None}]", True)
    """
    text = _BRIEF.repr(record)
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 3]}..."


class _Brief(reprlib.Repr):
    """A `repr` whose length and work are bounded, of dataclasses too; mappings keep their order."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 6
        self.maxlist = self.maxtuple = self.maxdict = 6
        self.maxstring = self.maxother = 200

    def repr_dict(self, x: Mapping[object, object], level: int) -> str:
        if x and level <= 0:
            return "{...}"
        pairs = itertools.islice(x.items(), self.maxdict)
        parts = [f"{self.repr1(key, level - 1)}: {self.repr1(value, level - 1)}" for key, value in pairs]
        return "{" + ", ".join([*parts, *(["..."] if len(x) > self.maxdict else [])]) + "}"

    def repr_instance(self, x: Any, level: int) -> str:
        if not dataclasses.is_dataclass(x) or isinstance(x, type):
            return super().repr_instance(x, level)
        name = type(x).__qualname__
        if level <= 0:
            return f"{name}(...)"
        shown = [field.name for field in dataclasses.fields(x) if field.repr]
        return f"{name}({', '.join(f'{field}={self.repr1(getattr(x, field), level - 1)}' for field in shown)})"


_BRIEF = _Brief()


def _display_of(kind: type[object]) -> Any:
    """The function that draws records of a kind, or else of the nearest one that it derives from.

    Raises:
        RegistryError: if there is none, or it cannot be loaded.
        UsageError: if it does not take a language.
    """
    known = Registry("displays", object)
    named = next((one.__name__ for one in kind.__mro__ if one.__name__ in known), kind.__name__)
    return find_maker("displays", "display", named, ("language",))


def _as_text(record: object, error: Exception, language: Language) -> str:
    why = f"{type(error).__name__}: {error}"[:LONGEST_ERROR]
    said = words(language, "types")("display_failed", name=type(record).__name__, why=" ".join(why.split()))
    return f'<div class="aptone-display"><p>{_escaped(said)}</p><pre>{_escaped(brief(record))}</pre></div>'


def _escaped(text: str) -> str:
    """Text for HTML, characters that a browser would obey written as their number."""
    seen = "".join(one if one.isprintable() or one == "\n" else f"⟨U+{ord(one):04X}⟩" for one in text)
    return html.escape(seen)
