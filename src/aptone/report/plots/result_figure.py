"""A table of results as a picture for the report of a run."""

from functools import cache

import jinja2
from markupsafe import Markup

from aptone.report.figures import Figure
from aptone.report.page import new_environment
from aptone.report.result_table import ResultTable


def result_figure(table: ResultTable, *, is_result: bool = True) -> Figure:
    """A table with its title above and its note below it.

    Args:
        table: any.
        is_result: whether it stands at the top of the page.
    """
    markup = Markup(_template().render(table=table.filled))  # noqa: S704  (from a template that escapes)
    return Figure(table.title, markup, note=table.note, is_wide=True, is_result=is_result)


@cache
def _template() -> jinja2.Template:
    return new_environment().get_template("result_table.html.j2")
