"""A word on its way to WordPieces: what the normalizer did, how it was split, what was tried."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.csv_files import Columns
from bertviz_core.figures.tokens import word_search_bars
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.tokens.word_search import WordSearch
from bertviz_core.tokens.wordpieces import Fragment, TextTrace, trace_text
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.address.following import LONGEST, remember_word
from bertviz_core.ui.html import caption, note
from bertviz_core.ui.show import chart, code, table

MOST_DRAWN = 12  # tries: as many as a screen has room for
PHRASES = {
    "clean_text": "drop control characters, make every blank a space",
    "handle_chinese_chars": "put spaces around Chinese characters",
    "strip_accents": "strip accents",
    "lowercase": "lower-case",
}
SPLIT = "split at spaces and punctuation"
FOLLOW = "follow"  # key of the word that is followed
_OFFERED = "_words_offered"
Row = tuple[str, str, str, str, str]


@dataclass(frozen=True, eq=False)
class Followed:
    """The word that is looked at.

    Attributes:
        word: As it was typed; "" where there is none.
        trace: What the tokenizer does with it.
        search: The search for its pieces, of the part that is chosen; None where nothing is left.
        positions: Of its pieces in the text, if it is a word of the text.
    """

    word: str
    trace: TextTrace
    search: WordSearch | None
    positions: Sequence[int]


def choose_word(bert: Bert, typed: InputText, text: TokenizedText) -> Followed:
    """Ask for a word of the text, or any other, and trace it; see also `follow`."""
    words = _words(typed, text)
    with slots.cells("word", 2):
        word = _chosen_word(bert, list(words))
        trace = trace_text(bert, word)
        search = _chosen_search(trace.words) if trace.words else None
    return Followed(word, trace, search, words.get(word, ()))


def follow(typed: InputText, text: TokenizedText, position: int) -> None:
    """Follow the word of a token, as if it had been chosen."""
    inputs.look_at(position)
    for word, positions in _words(typed, text).items():
        if position in positions:
            st.session_state[FOLLOW] = word
            remember_word(typed, text, position)


def _words(typed: InputText, text: TokenizedText) -> dict[str, list[int]]:
    """The words of the text as they were typed, each with the positions of its tokens."""
    texts = [without_lone_surrogates(part) for part in (typed.text, typed.text_pair or "")]
    found: dict[str, list[int]] = {}
    for position, (span, segment) in enumerate(
        zip(text.word_spans(), text.token_type_ids, strict=True)
    ):
        if word := texts[segment][slice(*span)]:
            found.setdefault(word, []).append(position)
    return found


def search_picture(followed: Followed) -> None:
    """Draw the search for the pieces of the word, and say what it came to."""
    if not followed.word.strip():
        note("The text has no word to follow; type one under Options.")
        return
    search = followed.search
    if search is not None and search.try_count:
        _draw_tries(search)
    _say(followed)
    for part in followed.trace.words[:3]:
        _why_unknown(part)


def word_by_steps(bert: Bert, followed: Followed) -> None:
    """List what the tokenizer does with the word, step by step, and every try."""
    if not followed.word.strip():
        note("The text has no word to follow; type one under Options.")
        return
    trace = followed.trace
    rows = [row for fragment in trace.fragments for row in _rows(fragment)]
    titles = ("step", "taken", "before", "after", "changed")
    table({title: [row[i] for row in rows] for i, title in enumerate(titles)}, name="steps")
    caption("A space is shown as ␣. Which steps are taken is a setting of the model's tokenizer.")
    if followed.search is not None:
        table(tries(followed.search), name="tries")
    longest_word = bert.tokenizer.model.max_input_chars_per_word
    code("tokens/word_steps", bert, text=followed.word, longest_word=longest_word, name="steps")


def _chosen_word(bert: Bert, offered: list[str]) -> str:
    """Offer the words of the text, the one with most pieces first; any other can be typed.

    When the text changes, a word that is not in it gives way to the first one offered.
    """
    words = tuple(offered)
    default = max(offered, key=lambda word: _pieces(bert, word), default="")
    inputs.reset_unless(FOLLOW, inputs.is_text, None)
    kept = st.session_state.get(FOLLOW) or st.query_params.get(FOLLOW)
    if kept not in offered:
        if words != st.session_state.get(_OFFERED, words):
            st.session_state[FOLLOW] = default or None
        elif kept is not None:  # typed by the visitor
            offered = [kept, *offered]
    st.session_state[_OFFERED] = words
    chosen = st.selectbox(
        "Word (choose one of the text, or type any)",
        offered,
        index=offered.index(default) if default in offered else None,
        key=FOLLOW,
        accept_new_options=True,
        placeholder="type a word",
        **inputs.BOUND,
    )
    return (chosen or "")[:LONGEST]


def _pieces(bert: Bert, word: str) -> int:
    return len(bert.tokenizer.encode(word, add_special_tokens=False))


def _say(followed: Followed) -> None:
    trace = followed.trace
    if not trace.tokens:
        caption(
            "Nothing is left of <b>{followed_word}</b>: every character was dropped; BERT reads no "
            "token.",
            followed_word=_visible(followed.word.strip()),
            method="searching-for-the-longest-piece",
        )
        return
    lookups = sum(search.try_count for search in trace.words)
    sentence = "<b>{followed_word}</b> → <b>{word_pieces}</b>: "
    if len(trace.words) > 1:
        sentence += f"{SPLIT} into {{parts}} words, then "
    sentence += "{tries} lookup" if lookups == 1 else "{tries} lookups, longest piece first"
    if followed.search is not None and followed.search.try_count > MOST_DRAWN:
        sentence += ", of which {drawn} are drawn"
    caption(
        sentence + ". Filled bars are in the vocabulary, with their ids; hollow ones are not.",
        followed_word=followed.word.strip(),
        word_pieces=" ".join(trace.tokens),
        parts=len(trace.words),
        tries=f"{lookups:,}",
        drawn=MOST_DRAWN,
        method="searching-for-the-longest-piece",
    )


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
    inputs.reset_unless("spell", names.__contains__, names[longest])
    chosen = st.selectbox(
        "Its part to spell out", names, index=longest, key="spell", **inputs.BOUND
    )
    return words[names.index(chosen)]


def _draw_tries(search: WordSearch) -> None:
    drawn = search.tries[:MOST_DRAWN]
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


def tries(search: WordSearch | None) -> Columns:
    """Every piece that was looked up for a word, as a table."""
    found = search.tries if search is not None else ()
    return {
        "try": np.arange(1, len(found) + 1),
        "piece": [tried.piece for tried in found],
        "from character": np.array([tried.start for tried in found], dtype=np.int64),
        "to character": np.array([tried.end for tried in found], dtype=np.int64),
        "in the vocabulary": [tried.token_id is not None for tried in found],
        "token id": [tried.token_id for tried in found],
    }


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
