"""From text to WordPiece tokens, and how each token came about."""

from bertviz_core.tokens.tokenized_text import InputText, TokenizedText, tokenize

__all__ = ["InputText", "TokenizedText", "tokenize"]
