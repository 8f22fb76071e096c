"""Views: what the pages show, each a function whose signature is its form; see `declare.view`.

A view computes with the core, draws with `figures`, and returns a `View` of plain data: sentences,
pictures, tables and the program that prints the same numbers. The app renders it; in a notebook it
shows itself. One folder a page, one file a view or a few on one subject.
"""
