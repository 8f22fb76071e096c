"""Every sentence that a visitor may read, by file: `make sentences` prints them for one sitting.

It reads the source: all texts of three words and more that are no docstrings, in what is shown.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHOWN = ("app.py", "pages", "bertviz_core/views", "bertviz_core/ui", "bertviz_core/claims",
         "bertviz_core/calibration/percentiles.py", "bertviz_core/errors.py")  # fmt: skip
FEWEST = 3  # words


def texts(node: ast.AST) -> Iterator[str]:
    """The texts below a node, an f-string as one, without docstrings."""
    if isinstance(node, ast.Constant):
        yield str(node.value) if isinstance(node.value, str) else ""
    elif isinstance(node, ast.JoinedStr):
        yield ast.unparse(node)[2:-1]
    else:
        for child in ast.iter_child_nodes(node):
            if not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)):
                yield from texts(child)


def main() -> None:
    """Print them."""
    for place in SHOWN:
        path = ROOT / place
        for file in [path] if path.suffix else sorted(path.rglob("*.py")):
            found = texts(ast.parse(file.read_text(encoding="utf-8")))
            read = [" ".join(text.split()) for text in found if len(text.split()) >= FEWEST]
            if read:
                print(f"\n{file.relative_to(ROOT)}", *read, sep="\n    ")


if __name__ == "__main__":
    main()
