"""Settings of the documentation."""

from importlib.metadata import version as installed_version

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
