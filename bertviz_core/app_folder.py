"""Where the app's own files lie: app.py, pages/, .streamlit/ and what pages read from docs/.

In a clone, and on a host that reads one, they lie beside the package. A wheel carries them inside
it (`force-include` in pyproject.toml): beside it, in site-packages, they would lie among strangers.
"""

from pathlib import Path

_PACKAGE = Path(__file__).parent
APP_FOLDER = _PACKAGE / "app" if (_PACKAGE / "app").is_dir() else _PACKAGE.parent
