"""Write the tables of docs/links.md, made of the views and of what the pages ask: `make links`."""

import re
from pathlib import Path

from tests import link_keys

LINKS = Path(__file__).parents[1] / "docs" / "links.md"


def as_tables() -> str:
    """What docs/links.md says of every key."""
    parts = []
    of_pages = {title: link_keys.fields_of(title) for title in link_keys.FIELDS}
    for title, fields in {"Every page": link_keys.EVERYWHERE, **of_pages}.items():
        rows = [f"| `{key}` | {about} |" for key, about in fields.items()]
        if rows:
            head = [f"### {title}", "", "| key | what it holds |", "| --- | --- |"]
            parts.append("\n".join([*head, *rows]))
    return "\n\n".join(parts)


if __name__ == "__main__":
    before, _, after = LINKS.read_text(encoding="utf-8").partition("### Every page\n")
    rest = re.search(r"(?m)^## .*", after, re.DOTALL)
    LINKS.write_text(
        before + as_tables() + "\n" + ("\n" + rest[0] if rest else ""), encoding="utf-8"
    )
