"""A fragment of HTML that stands alone in somebody's page: our templates, and the style that they need."""

from functools import cache, partial

import jinja2
from markupsafe import Markup

from aptone.messages import translate, words
from aptone.report.displays.style import fragment_style
from aptone.report.notation import named
from aptone.report.run_report import card_environment
from aptone.types import Language


def fragment(markup: Markup, *, language: Language = "en") -> str:
    """Return markup as a fragment for a notebook: in the style of the report, without a script, complete in itself.

    Classes of the report's style sheets (``eyebrow``, ``byline``, ``tiles``, ``plot``, …) may be used in it. Headings
    should not: notebooks list them among those of their author.

    Args:
        markup: from a template that escapes, or ``Markup(…).format(…)``.

    Raises:
        TypeError: if it is plain text, about which nobody has said that it is safe.
    """
    if not isinstance(markup, Markup):
        raise TypeError(
            f"expected markupsafe.Markup, which says that text in it is escaped, got {type(markup).__name__}."
        )
    style = fragment_style(markup)
    return str(
        Markup('<div class="aptone-display {}" lang="{}"><style>{}</style>{}</div>').format(
            style.name,
            "zh-Hans" if language == "zh" else "en",
            Markup(style.text),  # noqa: S704  (of our own files)
            markup,
        )
    )


def render_display(template: str, /, *, language: Language, room: str = "", **values: object) -> str:
    """Return a template of ours, or of a room's folder ``pages``, filled in as a fragment."""
    filled = _template(template, room).render(
        values,
        language=language,
        word=words(language, "report"),
        translate=partial(translate, language=language),
        named=partial(named, language=language),
    )
    return fragment(Markup(filled), language=language)  # noqa: S704  (from a template that escapes)


@cache
def _template(name: str, room: str) -> jinja2.Template:
    return card_environment(room).get_template(name)
