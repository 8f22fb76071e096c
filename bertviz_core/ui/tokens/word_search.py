"""A word on its way to WordPieces: what the normalizer did, how it was split, what was tried."""

import unicodedata

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.figures.tokens.word_search import word_search_bars
from bertviz_core.snippets.tokens import word_steps_code
from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.tokens.wordpieces import Fragment, TextTrace, WordSearch, trace_text
from bertviz_core.ui import inputs
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.show import chart, code, table

MOST_DRAWN = 40
PHRASES = {
    "clean_text": "drop control characters, make every blank a space",
    "handle_chinese_chars": "put spaces around Chinese characters",
    "strip_accents": "strip accents",
    "lowercase": "lower-case",
}
_OFFERED = "_words_offered"


def word_by_steps(bert: Bert, first: str, second: str | None) -> None:
    """Ask for a word and follow it from what was typed to its pieces."""
    word = _chosen_word(bert, without_lone_surrogates(f"{first} {second or ''}").split())
    if not word.strip():
        note("The text has no word to follow; type one into the field above.")
        return
    trace = trace_text(bert, word)
    _journey(word, trace)
    _steps_table(trace)
    if trace.words:
        _words_and_search(trace.words)
    code(lambda: word_steps_code(bert, word), name="steps")


def _chosen_word(bert: Bert, words: list[str]) -> str:
    """Offer the words of the text, the one with most pieces first; any other can be typed."""
    offered = list(dict.fromkeys(words))
    default = max(offered, key=lambda one: _pieces(bert, one), default="")
    before = st.session_state.get(_OFFERED, ())
    kept = st.session_state.get("follow") or st.query_params.get("follow")
    if kept is not None and kept not in offered:
        if kept in before:  # a word of the text as it was; the text has changed
            st.session_state["follow"] = default or None
        else:  # typed by the visitor: stays whatever the text is
            offered = [kept, *offered]
    st.session_state[_OFFERED] = tuple(dict.fromkeys(words))
    chosen = st.selectbox(
        "Word (choose one of the text, or type any)",
        offered,
        index=offered.index(default) if default in offered else None,
        key="follow",
        accept_new_options=True,
        placeholder="type a word",
        **inputs.BOUND,
    )
    return (chosen or "")[: inputs.LONGEST]


def _pieces(bert: Bert, word: str) -> int:
    return len(bert.tokenizer.encode(word, add_special_tokens=False))


def _journey(word: str, trace: TextTrace) -> None:
    tries = sum(len(one.tries) for one in trace.words)
    if not trace.tokens:
        finding("Nothing of it is left: every character was dropped, and BERT reads no token.")
        return
    finding(
        "{word} → <b>{pieces}</b>: {split}{tries} {looks} into the vocabulary.",
        word=word.strip(),
        pieces=" ".join(trace.tokens),
        split=(
            f"split at blanks and signs into {len(trace.words)} words, then "
            if len(trace.words) > 1
            else ""
        ),
        tries=f"{tries:,}",
        looks="look" if tries == 1 else "looks",
    )
    for one in trace.words[:3]:
        _why_unknown(one)


def _why_unknown(search: WordSearch) -> None:
    if search.too_long:
        note(
            "“{start}…” has {length} characters. Words of more than {longest} are not searched: "
            "they become {unknown}.",
            start=search.word[:12],
            length=f"{len(search.word):,}",
            longest=search.longest,
            unknown=search.tokens[0],
        )
    elif search.stuck_at is not None:
        note(
            "From {char} on, no piece of the vocabulary fits, not even one character. Then the "
            "whole word <b>{word}</b> becomes <b>{unknown}</b>, also what was found before.",
            char=_named(search.word[search.stuck_at]),
            word=search.word,
            unknown=search.tokens[0],
        )


def _steps_table(trace: TextTrace) -> None:
    import pandas as pd

    rows = []
    for part in trace.fragments:
        if part.special is not None:
            rows.append(
                ("a special token, typed out: taken as it is", "yes", *[part.special] * 2, "")
            )
            continue
        for step in part.steps:
            rows.append(
                (
                    PHRASES.get(step.name, step.name),
                    "yes" if step.on else "not by this model",
                    _visible(step.before),
                    _visible(step.after),
                    ", ".join(f"{_named(a)} → {_named(b)}" for a, b in step.changes),
                )
            )
        rows.append(_split_row(part))
    frame = pd.DataFrame(rows, columns=["step", "taken", "before", "after", "changed"])
    table(frame, name="steps")
    st.caption(
        "A space is shown as ␣. Which steps are taken is a setting of the model's tokenizer."
    )


def _split_row(part: Fragment) -> tuple[str, str, str, str, str]:
    before = part.steps[-1].after if part.steps else part.text
    words = [search.word for search in part.words]
    said = f"{len(words)} words" if len(words) != 1 else "1 word"
    return ("split at blanks and signs", "yes", _visible(before), " | ".join(words), said)


def _words_and_search(words: tuple[WordSearch, ...]) -> None:
    import pandas as pd

    search = words[0]
    if len(words) > 1:
        names = [f"{number} {one.word}" for number, one in enumerate(words, start=1)]
        longest = max(range(len(words)), key=lambda i: len(words[i].tries))
        if st.session_state.get("spell") not in (None, *names):
            st.session_state["spell"] = names[longest]
        chosen = st.selectbox(
            "Its part to spell out", names, index=longest, key="spell", **inputs.BOUND
        )
        search = words[names.index(chosen)]
    if not search.tries:
        return
    st.text("Longest match first: each try, until a piece is in the vocabulary")
    drawn = search.tries[:MOST_DRAWN]
    spans = np.array([(one.start, one.end) for one in drawn], dtype=np.int64)
    found = [one for one in search.tries if one.token_id is not None]
    chart(
        word_search_bars(
            search.word[: int(spans[:, 1].max())],
            [one.piece for one in drawn],
            spans,
            [one.token_id for one in drawn],
        ),
        alt=f"{len(drawn)} pieces tried in {search.word}, each a bar over its characters, the "
        "longest first from the left; in the vocabulary are "
        + (", ".join(f"{one.piece} ({one.token_id})" for one in found) or "none of them")
        + ".",
        name="word-search",
    )
    st.caption(
        "Filled: in the vocabulary, with its id. Hollow: not in it; the next try is one shorter."
    )
    if len(search.tries) > len(drawn):
        note(
            "The first {drawn} of {all} tries are drawn; all are in the table.",
            drawn=len(drawn),
            all=f"{len(search.tries):,}",
        )
    frame = pd.DataFrame(
        {
            "try": np.arange(1, len(search.tries) + 1),
            "piece": [one.piece for one in search.tries],
            "from character": [one.start for one in search.tries],
            "to character": [one.end for one in search.tries],
            "in the vocabulary": [one.token_id is not None for one in search.tries],
            "id": pd.array([one.token_id for one in search.tries], dtype="Int64"),
        }
    )
    table(frame, name="tries", height=min(38 + 35 * len(frame), 388))


def _visible(text: str) -> str:
    """The text with its blanks and invisible characters to be seen."""
    return "".join("␣" if c == " " else c if c.isprintable() else f"[{_point(c)}]" for c in text)


def _named(text: str) -> str:
    """A character for a list of changes: combining and invisible ones by their number."""
    if not text:
        return "nothing"
    return "".join(
        f"[{_point(c)}]" if unicodedata.combining(c) or not c.isprintable() else _visible(c)
        for c in text
    )


def _point(char: str) -> str:
    return f"U+{ord(char):04X}"
