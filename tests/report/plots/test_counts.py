import re

from aptone.report.plots.counts import MOST_BARS, box_figure, count_figure


def test_bars_are_as_long_as_their_counts() -> None:
    figure = count_figure("Rhythm", {"tense": 8, "heavy": 4}, others="{count} others")
    assert figure is not None
    widths = [float(width) for width in re.findall(r'<rect[^>]* width="([\d.]+)"', figure.markup)]
    assert widths[0] == 2 * widths[1]


def test_many_classes_end_in_one_bar_for_the_rest() -> None:
    counts = {f"class {number}": 20 - number for number in range(MOST_BARS + 2)}
    figure = count_figure("Emotion", counts, others="{count} others")
    assert figure is not None
    assert figure.markup.count("<rect") == MOST_BARS + 1
    assert "2 others: 15" in figure.markup  # the last two have 20 - 12 = 8 and 20 - 13 = 7


def test_without_anything_to_count_there_is_no_drawing() -> None:
    assert count_figure("x", {}, others="") is None
    assert count_figure("x", {"a": 0}, others="") is None
    assert box_figure("x", [], x_label="", y_label="") is None


def test_a_box_reaches_from_quartile_to_quartile_and_names_are_escaped() -> None:
    figure = box_figure("x", [("<5>", (0.0, 10.0, 20.0, 30.0, 40.0))], x_label="size", y_label="characters")
    assert figure is not None
    assert "<5>" not in figure.markup
    (box,) = re.findall(r'<rect[^>]* y="([\d.]+)"[^>]* height="([\d.]+)"', figure.markup)
    # the axis ends at 40 and is 290 - 46 - 22 = 222 high: 30 is three quarters up, the box spans half of it
    assert (float(box[0]), float(box[1])) == (22 + 222 / 4, 111.0)
