"""A word on its way to WordPieces: each step of the tokenizer, and every piece it looks up."""

import unicodedata
from collections.abc import Iterator, Sequence

from bertviz_core.bert import Bert
from bertviz_core.csv_files import Columns
from bertviz_core.tokens import InputText
from bertviz_core.tokens.wordpieces import Fragment, TextTrace, trace_text
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, note, program, table
from bertviz_core.views.view import View

NO_WORD = "The text has no word to follow; type one under Options."
PHRASES = {
    "clean_text": "drop control characters, make every blank a space",
    "handle_chinese_chars": "put spaces around Chinese characters",
    "strip_accents": "strip accents",
    "lowercase": "lower-case",
}
SPLIT = "split at spaces and punctuation"
TITLES = ("step", "taken", "before", "after", "changed")
MOST_LISTED = 5_050  # tries: as many as a word of 100 characters has


@view("a word, step by step", page="Tokens", rank=10)
def word_steps(bert: Bert, typed: InputText, follow: str | None = None) -> View:
    """What the tokenizer changes in a word, how it splits it, and every piece it looks up."""
    words = typed.tokenize(bert).as_typed(typed, words=True)
    word = hardest_word(bert, words) if follow is None else follow
    if not word.strip():
        return View(note(NO_WORD))
    trace = trace_text(bert, word)
    rows = [row for fragment in trace.fragments for row in _rows(fragment)]
    longest = bert.tokenizer.model.max_input_chars_per_word
    lookups = sum(search.try_count for search in trace.words)
    cut = "The table has the first {listed:,} of {lookups:,} lookups."
    return View(
        table(
            {title: [row[i] for row in rows] for i, title in enumerate(TITLES)},
            name="steps",
            presented=True,
        ),
        caption("A space is shown as ␣. The model's tokenizer sets the steps."),
        table(tries_of(trace), name="tries"),
        note(cut, lookups=lookups, listed=MOST_LISTED) if lookups > MOST_LISTED else [],
        program(PROGRAM, bert, text=word, longest_word=longest, name="steps"),
    )


def hardest_word(bert: Bert, words: Sequence[str]) -> str:
    """The word that becomes most pieces, the first one of equals; "" if there is none."""
    offered = [word for word in dict.fromkeys(words) if word]
    encode = bert.tokenizer.encode
    return max(offered, key=lambda word: len(encode(word, add_special_tokens=False)), default="")


def tries_of(trace: TextTrace) -> Columns:
    """Every piece that was looked up, word by word, up to a number."""
    tries = [(search.word, one) for search in trace.words for one in search.tries[:MOST_LISTED]]
    tries = tries[:MOST_LISTED]
    return {
        "try": range(1, len(tries) + 1),
        "in the word": [word for word, _ in tries],
        "piece": [one.piece for _, one in tries],
        "from character": [one.start for _, one in tries],
        "to character": [one.end for _, one in tries],
        "in the vocabulary": [one.token_id is not None for _, one in tries],
        "token id": [one.token_id for _, one in tries],
    }


def _rows(fragment: Fragment) -> Iterator[tuple[str, ...]]:
    if fragment.special is not None:
        typed = "a special token, typed out: it skips all steps"
        yield typed, "yes", fragment.special, fragment.special, ""
        return
    for step in fragment.steps:
        yield (
            PHRASES.get(step.name, step.name),
            "yes" if step.on else "not by this model",
            visible(step.before),
            visible(step.after),
            ", ".join(f"{named(a)} → {named(b)}" for a, b in step.changes),
        )
    before = fragment.steps[-1].after if fragment.steps else fragment.text
    words = [search.word for search in fragment.words]
    count = "1 word" if len(words) == 1 else f"{len(words)} words"
    yield SPLIT, "yes", visible(before), " | ".join(words), count


def visible(text: str) -> str:
    """The text with its blanks and invisible characters to be seen."""
    return "".join("␣" if c == " " else c if c.isprintable() else f"[{_point(c)}]" for c in text)


def named(text: str) -> str:
    """A character for a list of changes: combining and invisible ones by their number."""
    if not text:
        return "nothing"
    return "".join(
        f"[{_point(c)}]" if unicodedata.combining(c) or not c.isprintable() else visible(c)
        for c in text
    )


def _point(char: str) -> str:
    return f"U+{ord(char):04X}"


PROGRAM = '''
"""A text after normalization, and every piece that WordPiece tries in its words."""

text = ...
longest_word = ...  # characters; a longer word is unknown
tokenizer = ...
backend = tokenizer.backend_tokenizer
vocabulary = tokenizer.get_vocab()
normalized = backend.normalizer.normalize_str(text)
print("normalized:", repr(normalized))

for word, _ in backend.pre_tokenizer.pre_tokenize_str(normalized):
    pieces: list[str] = []
    start = 0
    while start < len(word) <= longest_word:
        for end in range(len(word), start, -1):  # the longest first
            piece = ("##" if start else "") + word[start:end]
            print("try", piece, vocabulary.get(piece))
            if piece in vocabulary:
                pieces.append(piece)
                start = end
                break
        else:  # not even one character fits: the whole word is unknown
            pieces = []
            break
    print(word, "->", *(pieces or ["[UNK]"]))
'''
