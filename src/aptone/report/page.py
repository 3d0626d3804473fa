"""Building blocks of HTML pages: templates that escape, style sheets, scripts, and the content security policy."""

import base64
import hashlib
import math
import re
from functools import cache
from importlib import resources

import jinja2
from markupsafe import Markup

from aptone.report.notation import (
    UNDEFINED,
    duration,
    figure,
    group_name,
    key_name,
    one_line,
    score_figure,
    score_name,
    value_figure,
    visible,
)

_VARIABLE = re.compile(r"--([\w-]+):\s*([^;]+);")
_USE = re.compile(r"var\(--([\w-]+)\)")


def new_environment(package: str = "", *, folder: str = "pages") -> jinja2.Environment:
    """Return our templates, with escaping on, and characters that a browser would obey made visible.

    Args:
        package: package with templates of its own in `folder`, such as that of a room.
    """
    loaders: list[jinja2.BaseLoader] = [jinja2.PackageLoader("aptone.report")]
    if package:
        loaders.insert(0, jinja2.PackageLoader(package, folder))
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(loaders),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
    )
    environment.filters.update(
        figure=figure,
        score_figure=score_figure,
        value_figure=value_figure,
        duration=duration,
        one_line=one_line,
        visible=visible,
        group_name=group_name,
        key_name=key_name,
        score_name=score_name,
    )
    environment.globals.update(dash=UNDEFINED, isnan=math.isnan)
    return environment


def render(template: str, /, **values: object) -> Markup:
    """Return one of our templates filled in; it escapes, so that the result may stand in a page."""
    return Markup(_template(template).render(values))  # noqa: S704  (from a template with autoescape)


@cache
def _template(name: str) -> jinja2.Template:
    return new_environment().get_template(name)


def assets(*names: str) -> str:
    """Style sheets or scripts of ours, one after the other: the only text that goes into a page unescaped."""
    folder = resources.files("aptone.report").joinpath("templates")
    return "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)


def palette() -> tuple[dict[str, str], dict[str, str]]:
    """Return the variables of the palette by name, light and dark."""
    light, _, dark = assets("palette.css").partition("@media (prefers-color-scheme: dark)")
    bright = dict(_VARIABLE.findall(light))
    return bright, bright | dict(_VARIABLE.findall(dark))


def drawing_style() -> str:
    """The style of drawings for an SVG file that stands alone, light and dark.

    Colours are written out, because viewers other than browsers know no variables; they take the light ones.
    """
    bright, shaded = palette()
    rules = assets("plots.css")
    at_night = _USE.sub(lambda use: shaded[use.group(1)], rules)
    return f"{_USE.sub(lambda use: bright[use.group(1)], rules)}@media (prefers-color-scheme: dark) {{\n{at_night}}}\n"


def theme_palette() -> str:
    """The colours of our pages, with a switch: ``data-theme`` on the root goes before what the system prefers."""
    bright, shaded = ("".join(f"--{name}: {value}; " for name, value in colours.items()) for colours in palette())
    return (
        assets("palette.css")
        + f':root[data-theme="light"] {{ color-scheme: light; {bright}}}\n'
        + f':root[data-theme="dark"] {{ color-scheme: dark; {shaded}}}\n'
    )


def content_policy(*, style: str, script: str) -> str:
    """A content security policy that allows this style and this script, sound and images in the file, nothing else."""
    return (
        "default-src 'none'; media-src data:; img-src data:; base-uri 'none'; form-action 'none'; "
        f"style-src {_hash(style)}; script-src {_hash(script)}"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"
