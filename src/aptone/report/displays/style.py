"""Style of a fragment in a page of others: the rules of the report that it needs, confined to it.

A notebook is one page with many fragments and a style sheet of its own. So the rules stand in ``@scope``, whose root
has a class that is made of them: they reach neither the notebook nor a fragment with other rules. What the notebook
says about tables, lists and paragraphs is undone by ``all: revert``, and the selectors outweigh those of Jupyter (two
classes and two elements, ``.jp-RenderedHTMLCommon tbody tr:nth-child(odd)``) by three times ``:scope``. The window is
that of the notebook, so widths are asked of the fragment.
"""

import hashlib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache

from aptone.report.page import assets, palette

SHEETS = ("plots.css", "report.css", "claims.css", "hearing.css", "displays.css")

FRESH = "all: initial; :where(:not(svg, svg *)) { all: revert; }"
"""Undoes what the page says about the fragment and all within it, but for drawings, whose attributes are style, too."""

_COMMENT = re.compile(r"/\*.*?\*/", flags=re.DOTALL)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_BLOCK = re.compile(r"(?P<condition>@media[^{]+)\{(?P<rules>(?:[^{}]+\{[^{}]*\}\s*)*)\}|(?P<rule>[^{}]+\{[^{}]*\})")
_WIDTH = re.compile(r"@media (?=\((?:min|max)-width)")
_PAGE = re.compile(r"(?<![\w.#-])(?::root|body)(?![\w-])")
_OUTER_COMMA = re.compile(r",(?![^()]*\))")
_STATE = re.compile(r":not\([^()]*\)|::?[\w-]+(?:\([^()]*\))?|\[[^\]]*\]")
_NAME = re.compile(r"[.#]?[A-Za-z][\w-]*")
_TAG = re.compile(r"<([A-Za-z][\w-]*)")
_CLASS = re.compile(r"""\sclass=(?:"([^"]*)"|'([^']*)')""")
_USE = re.compile(r"var\(--([\w-]+)\)")


@dataclass(frozen=True, slots=True)
class Rule:
    """Selectors with one block of declarations, and the condition that they stand under; empty for none."""

    selectors: tuple[str, ...]
    declarations: str
    condition: str = ""


@dataclass(frozen=True, slots=True)
class ScopedStyle:
    """A style sheet for elements within one that has both classes, ``aptone-display`` and `name`."""

    name: str
    text: str


def fragment_style(markup: str) -> ScopedStyle:
    """Return the style sheet of a fragment: rules whose elements and classes it has, and the colours that they use."""
    present = {
        *_TAG.findall(markup),
        *(f".{name}" for names in _CLASS.findall(markup) for name in "".join(names).split()),
    }
    lines = list(_lines(present))
    used = {name for line in lines for name in _USE.findall(line)}
    colours = "".join(f"--{name}: {value};" for name, value in _colours().items() if name in used)
    rules = "\n".join([colours, FRESH, *lines])
    name = f"s{hashlib.sha256(rules.encode()).hexdigest()[:8]}"
    return ScopedStyle(name, f"@scope (.aptone-display.{name}) {{ :scope:scope:scope {{\n{rules}\n}} }}")


def _lines(present: Collection[str]) -> Iterator[str]:
    condition = ""
    for rule in report_rules():
        selectors = [selector for selector in rule.selectors if _applies(selector, present)]
        if not selectors:
            continue
        if rule.condition != condition:
            yield ("}" if condition else "") + (f"{rule.condition} {{" if rule.condition else "")
            condition = rule.condition
        yield f"{', '.join(selectors)} {{{rule.declarations}}}"
    if condition:
        yield "}"


@cache
def report_rules() -> tuple[Rule, ...]:
    """Return the rules of the report's sheets in their order; ``&`` stands for the page, which is the fragment now."""
    found: list[Rule] = []
    for block in _BLOCK.finditer(_COMMENT.sub("", assets(*SHEETS))):
        condition = _WIDTH.sub("@container ", (block["condition"] or "").strip())
        for selectors, declarations in _RULE.findall(block["rules"] or block["rule"]):
            parts = tuple(_PAGE.sub("&", one).strip() for one in _OUTER_COMMA.split(selectors))
            found.append(Rule(parts, " ".join(declarations.split()), condition))
    return tuple(found)


def _applies(selector: str, present: Collection[str]) -> bool:
    if selector.startswith("@"):  # how a page is printed
        return False
    return "&" in selector or all(name in present for name in _NAME.findall(_STATE.sub("", selector)))


@cache
def _colours() -> dict[str, str]:
    """The palette, each colour as its light and its dark form: the one that counts is that of the notebook."""
    light, dark = palette()
    return {
        name: value if dark[name] == value else f"light-dark({value}, {dark[name]})" for name, value in light.items()
    }
