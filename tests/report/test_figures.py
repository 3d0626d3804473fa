from typing import cast

import pytest
from markupsafe import Markup

from aptone.report.figures import Figure


def test_a_figure_keeps_its_markup_and_its_note() -> None:
    figure = Figure("Pulse", Markup("<svg></svg>"), "two speakers")
    assert (figure.title, figure.markup, figure.note) == ("Pulse", "<svg></svg>", "two speakers")


def test_plain_text_is_no_markup() -> None:
    with pytest.raises(TypeError, match=r"figure 'Pulse': expected markupsafe.Markup, .* got str"):
        Figure("Pulse", cast(Markup, "<svg></svg>"))
