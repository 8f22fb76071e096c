"""The tokens of the text: how far its words were split, and all that is known of each token."""

from bertviz_core.bert import Bert
from bertviz_core.csv_files import Columns
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.tokens.line_counts import count_words
from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.tokens.wordpieces import trace_text
from bertviz_core.ui.html import finding, joined


def word_counts(bert: Bert, typed: InputText, text: TokenizedText) -> None:
    """Say how many tokens the text became, and how far its words were split."""
    counts = count_words(bert, text)
    if not counts.words:
        finding(
            "No word: BERT reads <b>{special_tokens}</b> alone. Type a text above.",
            special_tokens=" ".join(text.tokens),
            method="pieces-and-tokens",
        )
        return
    finding(
        "<b>{tokens}</b> tokens: <b>{words}</b> {noun} in <b>{pieces}</b> {pieces_noun} "
        "({pieces_per_word} per word)"
        + (", plus {added}." if None in text.word_ids else ".")
        + (" {unknown} {verb} [UNK]: {reasons}." if counts.unknown else ""),
        method="pieces-and-tokens",
        tokens=f"{len(text):,}",
        words=f"{counts.words:,}",
        noun="word or punctuation mark" if counts.words == 1 else "words and punctuation marks",
        pieces=f"{counts.pieces:,}",
        pieces_noun="piece" if counts.pieces == 1 else "pieces",
        pieces_per_word=f"{counts.pieces_per_word:.2f}",
        added=_added(text) if None in text.word_ids else "",
        unknown=f"{counts.unknown:,}",
        verb="is" if counts.unknown == 1 else "are",
        reasons=_reasons_unknown(bert, typed) if counts.unknown else "",
    )


def _added(text: TokenizedText) -> str:
    """The tokens around the words: "[CLS] and 2 [SEP]"."""
    special = [
        token for token, word in zip(text.tokens, text.word_ids, strict=True) if word is None
    ]
    counts = {token: special.count(token) for token in special}
    return joined(f"{count} {token}" if count > 1 else token for token, count in counts.items())


def _reasons_unknown(bert: Bert, typed: InputText) -> str:
    """Why words of the text, with what was cut off at its end, become [UNK]."""
    model = bert.tokenizer.model
    longest = model.max_input_chars_per_word
    trace = trace_text(bert, f"{typed.text} {typed.text_pair or ''}")
    phrases = {
        "not covered": "a word with a part that fits no piece of the vocabulary, as a whole",
        "too long": f"a word of more than {longest} characters, which is not searched",
        "typed": "a token that was typed into the text",
    }
    return joined(phrases[reason] for reason, _ in trace.reasons_unknown(model.unk_token))


def all_tokens(typed: InputText, text: TokenizedText) -> Columns:
    """Every token with all that is known of it, as a table."""
    texts = [without_lone_surrogates(part) for part in (typed.text, typed.text_pair or "")]
    spans = zip(text.token_type_ids.tolist(), text.offsets.tolist(), text.word_ids, strict=True)
    return {
        **text.columns(),
        "stands for": [
            "" if word is None else texts[segment][start:end]
            for segment, (start, end), word in spans
        ],
    }
