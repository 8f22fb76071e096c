"""From text to WordPiece tokens, and how each token came about."""

from bertviz_core.tokens.tokenized_text import TokenizedText, tokenize

__all__ = ["TokenizedText", "tokenize"]
