"""The headline: the tokens of a text, and the search for the pieces of one of its words."""

from collections import Counter

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.figures.tokens import word_search_bars
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.tokens.word_search import WordSearch
from bertviz_core.tokens.wordpieces import TextTrace, trace_text
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, note, picture, program, say, table, truncated
from bertviz_core.views.sentences import joined
from bertviz_core.views.tokens.word_steps import (
    NO_WORD,
    SPLIT,
    hardest_word,
    named,
    visible,
)
from bertviz_core.views.view import Chips, Part, Sentence, View

MOST_DRAWN = 12  # tries: as many as a screen has room for
METHOD = "searching-for-the-longest-piece"


@view("tokens, and a word's pieces", page="Tokens", rank=0)
def pieces(bert: Bert, typed: InputText, follow: str | None = None) -> View:
    """The tokens of a text, and every piece that was looked up for one of its words."""
    text = typed.tokenize(bert)
    words = text.as_typed(typed, words=True)
    word = hardest_word(bert, words) if follow is None else follow
    trace = trace_text(bert, word)
    own = tuple(position for position, one in enumerate(words) if one and one == word)
    return View(
        _counts(bert, text),
        Chips(text, own, "follow", by_word=True, typed=typed),
        truncated(text),
        _search(word, trace) if word.strip() else note(NO_WORD),
        table(
            lambda: {**text.columns(), "as typed": text.as_typed(typed)},
            name="tokens",
            fold="Table",
        ),
        program(PROGRAM, bert, typed, name="tokens"),
    )


def unknown_id(bert: Bert) -> int:
    """The row of the unknown token."""
    model = bert.tokenizer.model
    return int(model.token_to_id(model.unk_token))


def _counts(bert: Bert, text: TokenizedText) -> Sentence:
    """How many tokens the text became, and how far its words were split."""
    rows = list(zip(text.token_type_ids, text.word_ids, text.input_ids, text.tokens, strict=True))
    words = len({(segment, word) for segment, word, _, _ in rows if word is not None})
    inside = [token_id for _, word, token_id, _ in rows if word is not None]
    unknown = inside.count(unknown_id(bert))
    added = Counter(token for _, word, _, token in rows if word is None)
    method = "pieces-and-tokens"
    if not words:
        return say(
            "No words yet: BERT sees only <b>{special_tokens}</b>. Type a text above.",
            special_tokens=" ".join(text.tokens),
            method=method,
        )
    return say(
        "<b>{tokens:,}</b> tokens: <b>{words:,}</b> {noun} in <b>{pieces:,}</b> {pieces_noun} "
        "({pieces_per_word:.2f} per word)"
        + (", plus {added}." if added else ".")
        + (" {unknown:,} {verb} [UNK]: tap one to see why." if unknown else ""),
        method=method,
        tokens=len(text),
        words=words,
        noun="word or mark" if words == 1 else "words and marks",
        pieces=len(inside),
        pieces_noun="piece" if len(inside) == 1 else "pieces",
        pieces_per_word=len(inside) / words,
        added=joined(f"{n} {token}" if n > 1 else token for token, n in added.items()),
        unknown=unknown,
        verb="is" if unknown == 1 else "are",
    )


def _search(word: str, trace: TextTrace) -> list[Part]:
    """The search of the word with most tries, as bars, and what came of it."""
    if not trace.tokens:
        return [
            caption(
                "BERT reads nothing of <b>{followed_word}</b>: the tokenizer drops all its "
                "characters.",
                followed_word=visible(word.strip()),
                method=METHOD,
            )
        ]
    drawn = max(trace.words, key=lambda search: search.try_count, default=None)
    lookups = sum(search.try_count for search in trace.words)
    sentence = "<b>{followed_word}</b> → <b>{word_pieces}</b>: "
    if len(trace.words) > 1:
        sentence += f"{SPLIT} into {{parts}} words, then "
    sentence += "{tries:,} lookup" if lookups == 1 else "{tries:,} lookups, longest first"
    if drawn is not None and drawn.try_count > MOST_DRAWN:
        sentence += ", of which {drawn} are drawn"
    return [
        *(_bars(drawn) if drawn is not None and drawn.try_count else []),
        caption(
            sentence + ". Filled bars are in the vocabulary.",
            followed_word=word.strip(),
            word_pieces=" ".join(trace.tokens),
            parts=len(trace.words),
            tries=lookups,
            drawn=MOST_DRAWN,
            method=METHOD,
        ),
        *[why for search in trace.words if (why := _why_unknown(search))][:3],
    ]


def _bars(search: WordSearch) -> list[Part]:
    drawn = search.tries[:MOST_DRAWN]
    spans = np.array([(tried.start, tried.end) for tried in drawn], dtype=np.int64)
    found = ", ".join(f"{match.piece} ({match.token_id})" for match in search.matches)
    return [
        picture(
            word_search_bars(
                search.word[: int(spans[:, 1].max())],
                [tried.piece for tried in drawn],
                spans,
                [tried.token_id for tried in drawn],
            ),
            alt=f"{len(drawn)} pieces tried in {search.word}, each a bar over its characters, the "
            f"longest first from the left; in the vocabulary are {found or 'none of them'}.",
            name="word-search",
        )
    ]


def _why_unknown(search: WordSearch) -> Sentence | None:
    if search.too_long:
        return note(
            "“{start}…” has {length:,} characters. A word of more than {longest} becomes "
            "{unknown_token}.",
            start=search.word[:12],
            length=len(search.word),
            longest=search.longest,
            unknown_token=search.tokens[0],
        )
    if search.stuck_at is None:
        return None
    return note(
        "The vocabulary has no piece for {stuck_at}. So the whole word <b>{unknown_word}</b> "
        "becomes <b>{unknown_token}</b>, with the pieces before it.",
        stuck_at=named(search.word[search.stuck_at]),
        unknown_word=search.word,
        unknown_token=search.tokens[0],
    )


PROGRAM = '''
"""Every token of a text: id, segment, first and last character, word, and attention_mask."""

text = ...
text_pair = ...  # or None
tokenizer = ...
inputs = tokenizer(text, text_pair, truncation=True, return_offsets_mapping=True)
tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"])
for position, token in enumerate(tokens):
    start, end = inputs["offset_mapping"][position]
    segment = "AB"[inputs["token_type_ids"][position]]
    word, mask = inputs.word_ids()[position], inputs["attention_mask"][position]
    print(position, token, inputs["input_ids"][position], segment, start, end, word, mask)
'''
