"""A word on its way to WordPieces: what the normalizer did, how it was split, what was tried."""

import unicodedata
from collections.abc import Iterator

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.figures.tokens import word_search_bars
from bertviz_core.tokens import InputText
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
SPLIT = "split at spaces and punctuation"
_OFFERED = "_words_offered"
Row = tuple[str, str, str, str, str]


def word_by_steps(bert: Bert, typed: InputText) -> None:
    """Ask for a word and follow it from what was typed to its pieces."""
    texts = without_lone_surrogates(f"{typed.text} {typed.text_pair or ''}")
    word = _chosen_word(bert, texts.split())
    if not word.strip():
        note("The text has no word to follow; type one into the field above.")
        return
    trace = trace_text(bert, word)
    _say(word, trace)
    _steps_table(trace)
    if trace.words:
        search = _chosen_search(trace.words)
        if search.try_count:
            _draw_tries(search)
    longest_word = bert.tokenizer.model.max_input_chars_per_word
    code("tokens/word_steps", bert, text=word, longest_word=longest_word, name="steps")


def _chosen_word(bert: Bert, words: list[str]) -> str:
    """Offer the words of the text, the one with most pieces first; any other can be typed."""
    offered = list(dict.fromkeys(words))
    default = max(offered, key=lambda word: _pieces(bert, word), default="")
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


def _say(word: str, trace: TextTrace) -> None:
    if not trace.tokens:
        finding(
            "Nothing of it is left: every character was dropped, and BERT reads no token.",
            method="searching-for-the-longest-piece",
        )
        return
    tries = sum(search.try_count for search in trace.words)
    sentence = "{word} → <b>{word_pieces}</b>: "
    if len(trace.words) > 1:
        sentence += f"{SPLIT} into {{parts}} words, then "
    finding(
        sentence + ("{tries} piece was tried." if tries == 1 else "{tries} pieces were tried."),
        word=word.strip(),
        word_pieces=" ".join(trace.tokens),
        parts=len(trace.words),
        tries=f"{tries:,}",
        method="searching-for-the-longest-piece",
    )
    for search in trace.words[:3]:
        _why_unknown(search)


def _why_unknown(search: WordSearch) -> None:
    if search.too_long:
        note(
            "“{start}…” has {length} characters. Words of more than {longest} are not searched: "
            "they become {unknown_token}.",
            start=search.word[:12],
            length=f"{len(search.word):,}",
            longest=search.longest,
            unknown_token=search.tokens[0],
        )
    elif search.stuck_at is not None:
        note(
            "From {stuck_at} on, no piece of the vocabulary fits, however short. Then "
            "the whole word <b>{unknown_word}</b> becomes <b>{unknown_token}</b>; the pieces found "
            "before are dropped, and no other way to cut it is tried.",
            stuck_at=_named(search.word[search.stuck_at]),
            unknown_word=search.word,
            unknown_token=search.tokens[0],
        )


def _steps_table(trace: TextTrace) -> None:
    rows = [row for fragment in trace.fragments for row in _rows(fragment)]
    titles = ("step", "taken", "before", "after", "changed")
    table({title: [row[i] for row in rows] for i, title in enumerate(titles)}, name="steps")
    st.caption(
        "A space is shown as ␣. Which steps are taken is a setting of the model's tokenizer."
    )


def _rows(fragment: Fragment) -> Iterator[Row]:
    if fragment.special is not None:
        typed = "a special token, typed out: taken as it is"
        yield typed, "yes", fragment.special, fragment.special, ""
        return
    for step in fragment.steps:
        yield (
            PHRASES.get(step.name, step.name),
            "yes" if step.on else "not by this model",
            _visible(step.before),
            _visible(step.after),
            ", ".join(f"{_named(a)} → {_named(b)}" for a, b in step.changes),
        )
    before = fragment.steps[-1].after if fragment.steps else fragment.text
    words = [search.word for search in fragment.words]
    count = "1 word" if len(words) == 1 else f"{len(words)} words"
    yield SPLIT, "yes", _visible(before), " | ".join(words), count


def _chosen_search(words: tuple[WordSearch, ...]) -> WordSearch:
    """The search to spell out: of the only word, or of the one chosen, the longest at first."""
    if len(words) == 1:
        return words[0]
    names = [f"{number} {search.word}" for number, search in enumerate(words, start=1)]
    longest = max(range(len(words)), key=lambda i: words[i].try_count)
    if st.session_state.get("spell") not in (None, *names):
        st.session_state["spell"] = names[longest]
    chosen = st.selectbox(
        "Its part to spell out", names, index=longest, key="spell", **inputs.BOUND
    )
    return words[names.index(chosen)]


def _draw_tries(search: WordSearch) -> None:
    tries = search.tries
    st.text("Longest match first: each try, until a piece is in the vocabulary")
    drawn = tries[:MOST_DRAWN]
    spans = np.array([(tried.start, tried.end) for tried in drawn], dtype=np.int64)
    chart(
        word_search_bars(
            search.word[: int(spans[:, 1].max())],
            [tried.piece for tried in drawn],
            spans,
            [tried.token_id for tried in drawn],
        ),
        alt=f"{len(drawn)} pieces tried in {search.word}, each a bar over its characters, the "
        "longest first from the left; in the vocabulary are "
        + (
            ", ".join(f"{match.piece} ({match.token_id})" for match in search.matches)
            or "none of them"
        )
        + ".",
        name="word-search",
    )
    st.caption(
        "Filled: in the vocabulary, with its id. Hollow: not in it; the next try is one shorter."
    )
    if len(tries) > len(drawn):
        note(
            "The first {drawn} of {all} tries are drawn; all are in the table.",
            drawn=len(drawn),
            all=f"{len(tries):,}",
        )
    table(
        {
            "try": np.arange(1, len(tries) + 1),
            "piece": [tried.piece for tried in tries],
            "from character": [tried.start for tried in tries],
            "to character": [tried.end for tried in tries],
            "in the vocabulary": [tried.token_id is not None for tried in tries],
            "id": [tried.token_id for tried in tries],
        },
        name="tries",
    )


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
