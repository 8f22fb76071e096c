"""A program from a template: its block of assignments gets the values of a view."""

import ast
import re
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from pprint import pformat
from threading import Lock
from typing import Any

from bertviz_core.bert import Bert
from bertviz_core.tokens import InputText
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

ROOM = Path(__file__).parent
SHARED = "bertviz_core.snippets.shared"
WIDTH = 96
Imports = list[ast.Import | ast.ImportFrom]
_PARSING = Lock()


class Expression(str):
    """A value that is written into the program without quotes."""

    __slots__ = ()


def filled(name: str, bert: Bert, typed: InputText | None = None, /, **values: Any) -> str:
    """Fill a template: a program that needs nothing of this project.

    Args:
        name: Path of the template without its ending, "tokens/segments".
        bert: The checkpoint in use; it gives `checkpoint`, `revision` and `longest`.
        typed: A text that gives `text` and `text_pair`, or None.
        values: A value for each other name of the template's block: None, a text, a number, or a
            list, tuple or dict of these. A text is quoted, whatever is in it.
    """
    heading, imports, block, rest, nodes = _parts(name)
    values |= {key: value for key, value in opening(bert).items() if key in block}
    values |= {} if typed is None else {"text": typed.text, "text_pair": typed.text_pair}
    if set(block) != set(values):
        raise ValueError(f"{name} assigns {sorted(block)}; there are values for {sorted(values)}")
    assigned = "\n".join(_assignment(key, values[key], comment) for key, comment in block.items())
    functions, needed = _shared(imports)
    gap = "\n\n\n" if functions or rest.startswith(("def ", "class ")) else "\n\n"
    program = "\n\n\n".join([assigned, *(text for text, _ in functions)]) + gap + rest
    expressions = [value for value in values.values() if isinstance(value, Expression)]
    names = _names([*nodes, *(node for _, node in functions)])
    names |= set(re.findall(r"\w+", " ".join(expressions)))
    return f"{heading}\n\n{_used([*imports, *needed], names)}\n\n{program}\n"


def drawing_of(name: str) -> str:
    """What draws the numbers of a program, with its names, in a notebook; "" if nothing does."""
    source, body = _parsed("drawings")
    wanted = name.replace("/", "_")
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == wanted:
            function = ast.get_source_segment(source, node) or ""
            given = ", ".join(argument.arg for argument in node.args.args)
            stays = 'config={"showSendToCloud": False, "plotlyServerURL": ""}'
            call = f"{node.name}({given}).show({stays})"
            return f"{_used(_imports(body), _names([node]))}\n\n\n{function}\n\n\n{call}"
    return ""


def opening(bert: Bert) -> dict[str, Any]:
    """Where a program finds a checkpoint, without naming a folder of this machine.

    `checkpoint` is a folder of an installed package, a name on the Hugging Face hub, or a folder
    that the reader has to put in; `revision` is the pinned commit, or None; `longest` is how many
    tokens the model can take.
    """
    found = bert.checkpoint
    checkpoint = found.repo_id or f"path/to/{bert.name}"
    if found.source == "package":
        package = found.folder.parent.name
        checkpoint = Expression(f'distribution("{package}").locate_file("{package}/model")')
    elif found.source == "cache":  # named as the cache names it, so that it is found offline
        checkpoint = found.folder.parents[1].name.removeprefix("models--").replace("--", "/")
    return {
        "checkpoint": checkpoint,
        "revision": found.revision,
        "longest": bert.max_position_embeddings,
    }


@cache
def _parsed(file: str) -> tuple[str, list[ast.stmt]]:
    """Read a file of this folder, once in a process: its source and its statements.

    One thread at a time: up to Python 3.11.7 a garbage collection inside `ast.parse` may let
    another thread parse, and then the first one fails (python/cpython#106905).
    """
    source = (ROOM / f"{file}.py").read_text(encoding="utf-8")
    with _PARSING:
        return source, ast.parse(source).body


def _parts(name: str) -> tuple[str, Imports, dict[str, str], str, list[ast.stmt]]:
    """A template's first comment, imports, names with their comments, the rest and its nodes."""
    source, (heading, *body) = _parsed(name)
    lines, imports = source.splitlines(), _imports(body)
    block: dict[str, str] = {}
    end = body[len(imports)].lineno - 1
    for node in body[len(imports) :]:
        if not isinstance(node, ast.Assign) or node.lineno != end + 1:
            break  # the block ends at the first empty line
        assert node.end_lineno is not None
        end = node.end_lineno
        comment = lines[end - 1].encode()[node.end_col_offset :].decode()
        block[ast.unparse(node.targets[0])] = comment
    rest = "\n".join(lines[end:]).strip()
    return (
        "\n".join(lines[: heading.end_lineno]),
        imports,
        block,
        rest,
        [node for node in body if node.lineno > end],
    )


def _assignment(name: str, value: Any, comment: str) -> str:
    """An assignment, over several lines where the value is long."""
    plain = _plain(value)
    if isinstance(plain, Expression):
        return f"{name} = {plain}{comment}"
    numbers = isinstance(plain, list) and all(isinstance(item, int) for item in plain)
    text = pformat(plain, width=WIDTH - len(name) - 3, compact=numbers, sort_dicts=False)
    return f"{name} = " + text.replace("\n", "\n" + " " * (len(name) + 3)) + comment


def _plain(value: Any) -> Any:
    """The value with texts that any encoding can carry."""
    if type(value) is str:
        return without_lone_surrogates(value)
    if type(value) in (list, tuple):
        return type(value)(_plain(item) for item in value)
    if type(value) is dict:
        return {_plain(key): _plain(item) for key, item in value.items()}
    if type(value) in (Expression, bool, int, float, type(None)):
        return value
    raise TypeError(f"{type(value).__name__} cannot be written into a program: {value!r}")


def _shared(imports: Imports) -> tuple[list[tuple[str, ast.FunctionDef]], Imports]:
    """The functions of shared.py that a template imports, and all imports of shared.py."""
    source, body = _parsed("shared")
    wanted = {
        alias.name
        for node in imports
        if isinstance(node, ast.ImportFrom) and node.module == SHARED
        for alias in node.names
    }
    functions = [
        (ast.get_source_segment(source, node) or "", node)
        for node in body
        if isinstance(node, ast.FunctionDef) and node.name in wanted
    ]
    return functions, _imports(body)


def _imports(body: list[ast.stmt]) -> Imports:
    return [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]


def _names(nodes: Iterable[ast.stmt]) -> set[str]:
    """The names that some statements use."""
    return {one.id for node in nodes for one in ast.walk(node) if isinstance(one, ast.Name)}


def _used(imports: Imports, names: set[str]) -> str:
    """The imports that a program with these names needs, in the usual order."""
    wanted: dict[tuple[bool, bool, str], set[str]] = {}
    for node in imports:
        from_module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            if from_module == SHARED or (alias.asname or alias.name).split(".")[0] not in names:
                continue
            module = from_module or ast.unparse(alias)
            foreign = module.split(".")[0].split(" ")[0] not in sys.stdlib_module_names
            key = (foreign, bool(from_module), module)
            wanted.setdefault(key, set()).add(ast.unparse(alias))
    written: dict[bool, list[str]] = {False: [], True: []}  # of the standard library; of others
    for (foreign, is_from, module), bound in sorted(wanted.items()):
        line = f"from {module} import {', '.join(sorted(bound))}" if is_from else f"import {module}"
        written[foreign].append(line)
    return "\n\n".join("\n".join(group) for group in written.values() if group)
