"""How Sphinx makes the site."""

import os

project = html_title = "BERT embedding explorer"
extensions = ["myst_parser", "sphinx_copybutton", "sphinx_design"]
extensions += ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
default_role = "py:obj"
highlight_language = "none"
autodoc_member_order = "bysource"
myst_enable_extensions = ["attrs_inline", "colon_fence"]
myst_heading_anchors = 4
html_baseurl = os.environ.get("BERTVIZ_SITE", "")  # the site's own address
html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["style.css", "site.css"]
html_js_files = ["looks.js", ("pictures.js", {"defer": "defer"})]
html_logo = html_favicon = "_static/icon.svg"
html_copy_source = html_show_sourcelink = False
html_context = {"default_mode": "auto"}
html_sidebars: dict[str, list[str]] = {"index": [], "gallery/index": []}
html_theme_options = {
    "logo": {"text": project},
    "secondary_sidebar_items": {"docs/*": ["page-toc"], "reference/*": ["page-toc"]},
    **{"footer_start": [], "footer_end": []},
}
