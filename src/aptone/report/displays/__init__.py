"""Records as HTML for notebooks: in the style of the report, bounded in size, asking nothing of the network."""

from aptone.report.displays.fragment import fragment, render_display

__all__ = ["fragment", "render_display"]
