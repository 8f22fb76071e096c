"""Programs that print a page's numbers, with torch, transformers and scikit-learn alone.

Each is a real one, `SUBJECT/NAME.py`, that is linted and type-checked. It has

1. a sentence that says what it prints,
2. imports,
3. a block of assignments without an empty line in it, with an example that works,
4. the rest, which is shown unchanged.

`fill.filled("SUBJECT/NAME", bert, ...)` puts a page's values into the block. Functions that a
program imports from `shared` are copied into it, so that what a page shows needs nothing else.
Nothing imports a program. Tests run each, filled by its view, without the network.
"""
