"""A program from a function of this folder: its parameters get the values of a view."""

import ast
import re
import sys
import textwrap
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from pprint import pformat
from threading import Lock
from typing import Any, NamedTuple

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
    """Write a program of this folder, "tokens/segments", that needs nothing of this project.

    `values` has one for each parameter but those of the model; `typed` gives texts for `inputs`.
    """
    file, _, title = name.partition("/")
    function = _function(file, title)
    first = _function("shared", "opening")
    values |= {} if typed is None else {"text": typed.text, "text_pair": typed.text_pair}

    lines = {line.partition(" =")[0]: line for line in first.body.splitlines()}
    opened = "\n".join(line for key, line in lines.items() if key in function.comments)
    if "text_pair" not in values:
        opened = opened.replace("text_pair, ", "")
    used = set(re.findall(r"\w+", opened)) | set(function.comments)
    comments = {key: comment for key, comment in first.comments.items() if key in used}
    comments |= {key: one for key, one in function.comments.items() if key not in lines}
    values |= {key: value for key, value in opening(bert).items() if key in comments}
    if set(comments) != set(values):
        raise ValueError(f"{name} takes {list(comments)}; there are values for {list(values)}")
    block = "\n".join(_assignment(key, values[key], one) for key, one in comments.items())

    expressions = [value for value in values.values() if isinstance(value, Expression)]
    names = function.names | set(re.findall(r"\w+", " ".join([opened, *expressions])))
    shared, body = _parsed("shared")
    functions: list[ast.FunctionDef] = []
    for node in reversed(body):  # a function there calls only those above it
        if isinstance(node, ast.FunctionDef) and node.name in names | _names(functions):
            functions.insert(0, node)
    texts = [ast.get_source_segment(shared, node) or "" for node in functions]
    imports = [*_imports(_parsed(file)[1]), *_imports(body)]
    program = "\n\n\n".join([block, *texts]) + ("\n\n\n" if texts else "\n\n")
    program += "\n\n".join(part for part in (opened, function.body) if part)
    return f"{function.heading}\n\n{_used(imports, names | _names(functions))}\n\n{program}\n"


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
    """Where a program finds a checkpoint, without naming a folder of this machine."""
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
        "limit": bert.max_position_embeddings,
    }


@cache
def _parsed(file: str) -> tuple[str, list[ast.stmt]]:
    """Read a file of this folder, once in a process: its source and its statements."""
    source = (ROOM / f"{file}.py").read_text(encoding="utf-8")
    # Up to Python 3.11.7 a garbage collection inside `ast.parse` may let another thread parse, and
    # then the first one fails (python/cpython#106905).
    with _PARSING:
        return source, ast.parse(source).body


class _Function(NamedTuple):
    heading: str
    comments: dict[str, str]  # of each parameter
    body: str  # as a program of its own
    names: set[str]  # that its body uses


@cache
def _function(file: str, name: str) -> _Function:
    source, statements = _parsed(file)
    lines = source.splitlines()
    (node,) = (one for one in statements if isinstance(one, ast.FunctionDef) and one.name == name)
    heading, *body = node.body
    assert heading.end_lineno is not None
    comments = {}
    for parameter in node.args.args:
        code, sign, comment = lines[parameter.lineno - 1].partition("  #")
        comments[parameter.arg] = sign + comment if code.strip() == f"{parameter.arg}," else ""
    parts = (
        lines[heading.lineno - 1 : heading.end_lineno],
        lines[heading.end_lineno : node.end_lineno],
    )
    texts = [textwrap.dedent("\n".join(part)).strip("\n") for part in parts]
    # A function inside it is one of the program's own: two empty lines before it and after it.
    text = re.sub(r"(?m)(^def .*\n(?:(?: .*)?\n)+?)\n(?=\S)", r"\1\n\n", texts[1])
    text = re.sub(r"\n+(?=def )", "\n\n\n", text)
    return _Function(texts[0], comments, text, _names(body))


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
