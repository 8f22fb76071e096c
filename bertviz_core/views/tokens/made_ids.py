"""What made these ids: another program's below the model's own, and the rules behind them."""

import re
from inspect import getsource
from itertools import zip_longest
from typing import Annotated, Any

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.tokens import InputText, id_rules
from bertviz_core.views.declare import view
from bertviz_core.views.fields import TextLine
from bertviz_core.views.parts import Sentence
from bertviz_core.views.view import View, caption, joined, note, program, say, table, verdict

EXAMPLES = ("accents kept", "no lower-casing", "no special tokens added")
TITLES = ("position", "id", "token", "given id", "given token")
BEFORE, DRAWN = 4, 16  # positions before the first difference, and in all
NAMED = 3  # sets of rules


@view("what made these ids?", page="Tokens", rank=20)
def made_ids(
    bert: Bert,
    typed: InputText,
    ids: Annotated[
        str, TextLine("Ids of text A from another program", placeholder="[101, 7592, 102]")
    ] = "",
) -> View:
    """Which rules make the ids that another program gave for text A."""
    text = typed.text
    made = {rule: id_rules.ids_by(bert, text, (rule,)) for rule in ("", *EXAMPLES)}
    example = next((rule for rule in EXAMPLES if made[rule] != made[""]), "")
    given = _read(ids) if ids.strip() else made[example]
    found = id_rules.rules_of(bert, text, given)
    tokens: dict[int | None, str] = {**dict(enumerate(bert.vocabulary.tokens)), None: "(none)"}
    pairs = zip_longest(found.own.tolist(), given)
    rows = [(at, a, tokens[a], b, tokens.get(b, "?")) for at, (a, b) in enumerate(pairs)]
    inside = [one for one in given if one in tokens]
    added = id_rules.special_ids(bert)
    rules = [*found.rules[0]] if found.rules else []
    return View(
        []
        if ids.strip()
        else note("No ids yet. An example: <b>{rule}</b>.", rule=example or "its own"),
        _finding(found, rows),
        _drawn(len(rows) if found.first is None else found.first, rows),
        caption(
            "The given ids are in the lower row. As text: “{decoded}”."
            + (" {beyond} are beyond the vocabulary." if len(inside) < len(given) else ""),
            decoded=shortened(bert.tokenizer.decode(inside, skip_special_tokens=False), 300),
            beyond=len(given) - len(inside),
        ),
        table(dict(zip(TITLES, zip(*rows, strict=True), strict=True)), name="ids", fold="Table"),
        program(PROGRAM, bert, name="ids", text=text, ids=given, rules=rules, added=added),
    )


def _finding(found: id_rules.IdRules, rows: list[tuple[Any, ...]]) -> Sentence:
    """Which rules make the ids, and where these begin to differ."""
    sets = [joined(one) for one in found.rules]
    others = [f", or {one}" for one in (*sets[1:NAMED], f"{len(sets) - NAMED} more")]
    template = "No rule that is known here makes these <b>{count}</b> ids of the text."
    if found.first is None:
        template = "These are the model's own <b>{count}</b> ids."
    elif sets:
        template = "These <b>{count}</b> ids are the text read otherwise: <b>{rules}</b>{others}."
        template += " This text cannot tell which." if len(sets) > 1 else ""
    if found.first is not None:
        template += " The first that differs is at position <b>{first}</b>: {given}, not {own}."
    return say(
        template,
        method="what-made-these-ids",
        rules=sets[0] if sets else None,
        others="".join(others[: len(sets) - 1]),
        count=len(found.given),
        first=found.first,
        own=rows[found.first or 0][2],
        given=rows[found.first or 0][4],
    )


def _drawn(first: int, rows: list[tuple[Any, ...]]) -> Sentence:
    """The ids around the first difference: the model's own, and the given ones below."""
    template, values = "", dict[str, Any]()
    for at, *both in rows[max(first - BEFORE, 0) :][:DRAWN]:
        kind = "bx-special" if at < first else "bx-unknown" if at == first else ""
        chip = f'<span class="bx-token {kind}">{{ROW_{at}}}<small>{{ROW_id_{at}}}</small></span>'
        pair = chip.replace("ROW", "own") + chip.replace("ROW", "given")
        template += f'<span class="bx-word bx-pair">{pair}</span>'
        names = (f"own_id_{at}", f"own_{at}", f"given_id_{at}", f"given_{at}")
        values |= dict(zip(names, ("–" if one is None else one for one in both), strict=True))
    return verdict(f'<div class="bx-tokens">{template}</div>', **values)


def _read(typed: str) -> list[int]:
    """Ids as programs print them: apart by blanks or commas, as a list, an array or a tensor."""
    listed = re.search(r"\[([^][]*)\](\s*,?\s*\[)?", typed.partition("input_ids")[2] or typed)
    if listed and listed[2]:
        raise UserInputError("These are ids of several texts. Paste those of one.")
    words = re.findall(r"[^\s,;]+", listed[1] if listed else typed)
    wrong = [word for word in words or [typed] if not re.fullmatch(r"-?[0-9]{1,9}n?", word)]
    if wrong:
        raise UserInputError(f"“{shortened(wrong[0], 24)}” is not an id; paste whole numbers.")
    return [int(word.rstrip("n")) for word in words]  # JavaScript writes 101n


PROGRAM = '''
"""The ids of a text by other rules than those of its tokenizer."""

text = ...
rules = ...
ids = ...  # those of another program
added = ...  # what the tokenizer puts before a text, and behind it
tokenizer = ...


FUNCTIONS

backend = tokenizer.backend_tokenizer
longest = max(map(len, tokenizer.get_vocab()))
words = words_of(text, rules, backend)
made = [one for word in words for one in pieces_of(word, rules, backend, longest)]
made = ended(made, *added, rules)
print("the tokenizer:", *tokenizer(text, truncation=True)["input_ids"])
print("by the rules:", *made)
print("the given ids:", made == ids[: len(made)])
'''
_FUNCTIONS = (id_rules.words_of, id_rules.pieces_of, id_rules.ended)
PROGRAM = PROGRAM.replace("FUNCTIONS", "\n\n".join(getsource(one) for one in _FUNCTIONS))
