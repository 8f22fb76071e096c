"""The headline: the tokens of a text, and how one of its words becomes pieces, step by step."""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.errors import shortened
from bertviz_core.figures.bars import word_search_bars
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.tokens.wordpieces import WordSearch, WordTrace, trace_word
from bertviz_core.views.declare import view
from bertviz_core.views.parts import Chips, Part, Picture, Sentence
from bertviz_core.views.view import (
    View,
    caption,
    joined,
    note,
    picture,
    program,
    say,
    table,
    truncated,
)

METHOD = "searching-for-the-longest-piece"
MAX_DRAWN = 12  # tries: as many as a screen has room for
PHRASES = {
    "clean_text": "drop control characters, make every blank a space",
    "handle_chinese_chars": "put spaces around Chinese characters",
    "strip_accents": "strip accents",
    "lowercase": "lower-case",
}
SPLIT = "split at spaces and punctuation"


@view("tokens, and a word's pieces", page="Tokens", rank=0)
def pieces(bert: Bert, typed: InputText, follow: str | None = None) -> View:
    """The tokens of a text, and the steps by which one of its words becomes pieces."""
    text = typed.tokenize(bert)
    words = text.as_typed(typed, words=True)
    word = hardest_word(bert, words) if follow is None else follow
    positions = tuple(position for position, each in enumerate(words) if each and each == word)
    steps: list[Part] = [note("The text has no word to follow.")]
    if word.strip():
        steps = _word_steps(trace_word(bert, word))
    return View(
        _counts(bert, text),
        Chips(text, positions, "follow", by_word=bert.vocabulary, typed=typed),
        truncated(text),
        _typed_separators(text),
        steps,
        table(
            lambda: {**text.columns(), "as typed": text.as_typed(typed)},
            name="tokens",
            fold="Table",
        ),
        program(
            TOKENS_PROGRAM,
            bert,
            typed,
            word=word,
            longest_word=bert.tokenizer.model.max_input_chars_per_word,
            name="tokens",
        ),
    )


def hardest_word(bert: Bert, words: Sequence[str]) -> str:
    """The word that becomes most pieces, the first one of equals; "" if there is none."""
    offered = [word for word in dict.fromkeys(words) if word]
    encode = bert.tokenizer.encode
    return max(offered, key=lambda word: len(encode(word, add_special_tokens=False)), default="")


def _counts(bert: Bert, text: TokenizedText) -> Sentence:
    """How many tokens the text became, and how far its words were split."""
    rows = list(zip(text.word_ids, text.input_ids, text.tokens, strict=True))
    words = text.word_count
    inside = [token_id for word, token_id, _ in rows if word is not None]
    unknown = inside.count(bert.vocabulary.ids[bert.vocabulary.unknown])
    added = Counter(token for word, _, token in rows if word is None)
    method = "pieces-and-tokens"
    if not words:
        return say(
            "No words yet: BERT sees only <b>{special_tokens}</b>. Type a text above.",
            special_tokens=" ".join(text.tokens),
            method=method,
        )
    all_words = words + text.truncated_words
    return say(
        ("<b>{words:,}</b> " if words == all_words else "<b>{words:,}</b> of {all_words:,} ")
        + "{noun} became <b>{pieces:,}</b> {pieces_noun}"
        + ("; with {added}, <b>{tokens:,}</b> tokens." if added else ".")
        + (" {unknown:,} {verb} {unknown_token}: tap one to see why." if unknown else ""),
        method=method,
        tokens=len(text),
        words=words,
        all_words=all_words,
        noun="word or mark" if all_words == 1 else "words and marks",
        pieces=len(inside),
        pieces_noun="piece" if len(inside) == 1 else "pieces",
        added=joined(f"{n} {token}" if n > 1 else token for token, n in added.items()),
        unknown=unknown,
        unknown_token=bert.vocabulary.unknown,
        verb="is" if unknown == 1 else "are",
    )


def _typed_separators(text: TokenizedText) -> list[Sentence]:
    """Say that a [SEP], or what it is called, that was typed does not begin segment B."""
    separator = text.tokens[-1]  # unless the tokenizer adds none
    inside = zip(text.tokens, text.word_ids, strict=True)
    typed = [i for i, (token, word) in enumerate(inside) if token == separator and word is not None]
    if not typed or text.word_ids[-1] is not None:
        return []
    return [
        note(
            "The typed {separator} at position <b>{typed}</b> starts no segment: only the text in "
            "field B is segment B.",
            separator=separator,
            typed=shortened(", ".join(map(str, typed)), 24),
        )
    ]


def _word_steps(trace: WordTrace) -> list[Part]:
    """The search for the pieces of a word, as bars; why it is unknown; all steps as a table."""
    titles = ("step", "taken", "before", "after", "changed")
    steps = table(
        dict(zip(titles, zip(*_rows(trace), strict=True), strict=True)),
        name="steps",
        fold="The word, step by step (␣ is a space)",
    )
    word = trace.typed.strip()
    if not trace.tokens:
        return [
            caption(
                "BERT reads nothing of <b>{followed_word}</b>: the tokenizer drops all its "
                "characters.",
                followed_word=visible(word),
                method=METHOD,
            ),
            steps,
        ]
    lookups = sum(len(search.tries) for search in trace.searches)
    sentence = "<b>{followed_word}</b> → <b>{word_pieces}</b>: "
    if len(trace.searches) > 1:
        sentence += f"{SPLIT} into {{parts}} words, then "
    sentence += "{tries:,} lookup" if lookups == 1 else "{tries:,} lookups, longest first"
    bars: list[Part] = []
    tries: list[Part] = []
    if lookups:
        search = max(trace.searches, key=lambda search: len(search.tries))
        sentence += ", of which {drawn} are drawn" if len(search.tries) > MAX_DRAWN else ""
        bars = [_search_bars(search)]
        tries = [table(search.columns, name="tries", fold=f"All lookups in {search.word}")]
    finding = caption(
        sentence + ". Filled bars are in the vocabulary.",
        followed_word=word,
        word_pieces=" ".join(trace.tokens),
        parts=len(trace.searches),
        tries=lookups,
        drawn=MAX_DRAWN,
        method=METHOD,
    )
    unknown = [why for search in trace.searches if (why := _why_unknown(search))]
    return [*bars, finding, *unknown[:3], steps, *tries]


def _search_bars(search: WordSearch) -> Picture:
    tries = search.tries[:MAX_DRAWN]
    spans = np.array([(tried.start, tried.end) for tried in tries], dtype=np.int64)
    matches = ", ".join(f"{match.piece} ({match.token_id})" for match in search.matches)
    figure = word_search_bars(
        search.word[: int(spans[:, 1].max())],
        [tried.piece for tried in tries],
        spans,
        [tried.token_id for tried in tries],
    )
    alt = (
        f"{len(tries)} pieces tried in {search.word}, each a bar over its characters, the "
        f"longest first from the left; in the vocabulary are {matches or 'none of them'}."
    )
    return picture(figure, alt=alt, name="word-search")


def _why_unknown(search: WordSearch) -> Sentence | None:
    if len(search.word) > search.longest:
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
        stuck_at=named_characters(search.word[search.stuck_at]),
        unknown_word=search.word,
        unknown_token=search.tokens[0],
    )


def _rows(trace: WordTrace) -> Iterator[tuple[str, ...]]:
    if trace.special is not None:
        typed = "a special token, typed out: it skips all steps"
        yield typed, "yes", trace.special, trace.special, ""
        return
    for step in trace.steps:
        yield (
            PHRASES.get(step.name, step.name),
            "yes" if step.on else "not by this model",
            visible(step.before),
            visible(step.after),
            ", ".join(f"{named_characters(a)} → {named_characters(b)}" for a, b in step.changes),
        )
    parts = [search.word for search in trace.searches]
    count = "1 word" if len(parts) == 1 else f"{len(parts)} words"
    yield SPLIT, "yes", visible(trace.normalized), " | ".join(parts), count


def visible(text: str, numbered: str = "CZ") -> str:
    """The text with its blanks and what is invisible to be seen; `numbered` are classes of Unicode.

    What Python's tables do not know yet (Cn), such as new emoji, is none of them.
    """
    kinds = (unicodedata.category(c) for c in text)
    return "".join(
        "␣" if c == " " else f"[U+{ord(c):04X}]" if kind[0] in numbered and kind != "Cn" else c
        for c, kind in zip(text, kinds, strict=True)
    )


def named_characters(text: str) -> str:
    """A character for a list of changes: combining and invisible ones by their number."""
    return visible(text, "CZM") or "nothing"


TOKENS_PROGRAM = '''
"""The tokens of a text, and every piece that is looked up in the vocabulary for one word."""

text = ...
text_pair = ...  # or None
word = ...  # the word that is followed
longest_word = ...  # characters; a longer word is unknown
tokenizer = ...
how = {"return_offsets_mapping": True, "return_token_type_ids": True}
inputs = tokenizer(text, text_pair, truncation=True, **how)
tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"])
for position, token in enumerate(tokens):
    start, end = inputs["offset_mapping"][position]
    segment = "AB"[inputs["token_type_ids"][position]]
    number, mask = inputs.word_ids()[position], inputs["attention_mask"][position]
    print(position, token, inputs["input_ids"][position], segment, start, end, number, mask)

backend = tokenizer.backend_tokenizer
vocabulary = tokenizer.get_vocab()
normalized = backend.normalizer.normalize_str(word)
print("normalized:", repr(normalized))
for part, _ in backend.pre_tokenizer.pre_tokenize_str(normalized):
    pieces: list[str] = []
    start = 0
    while start < len(part) <= longest_word:
        for end in range(len(part), start, -1):  # the longest first
            piece = (backend.model.continuing_subword_prefix if start else "") + part[start:end]
            print("try", piece, vocabulary.get(piece))
            if piece in vocabulary:
                pieces.append(piece)
                start = end
                break
        else:  # not even one character fits: the whole word is unknown
            pieces = []
            break
    print(part, "->", *(pieces or [tokenizer.unk_token]))
'''
