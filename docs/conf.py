"""Settings of the documentation."""

import re
from importlib.metadata import version as installed_version

from sphinx.application import Sphinx

project = "Aptone"
author = "The Aptone developers"
release = version = installed_version("aptone")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "description"
default_role = "code"
nitpicky = False
html_theme = "furo"
html_title = "Aptone"


def toctrees(index: str) -> str:
    """Hidden toctrees of an index in plain Markdown: each section becomes the caption of the pages that it lists."""
    trees = []
    for section in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        caption, _, body = section.partition("\n")
        pages = re.findall(r"^- \[[^]]+\]\(([\w/-]+)\.md\)", body, flags=re.MULTILINE)
        trees.append("\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```", ""]))
    return "\n".join(trees)


def _add_toctrees(app: Sphinx, name: str, source: list[str]) -> None:
    # A forge shows a toctree as a code block, so the index has none: its own lists say what belongs together.
    if name == app.config.root_doc:
        source[0] = f"{source[0]}\n{toctrees(source[0])}"


def setup(app: Sphinx) -> None:
    """Connect the handler that makes the sidebar from the index."""
    app.connect("source-read", _add_toctrees)
