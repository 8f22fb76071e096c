"""Programs that print a page's numbers, with torch, transformers and scikit-learn alone.

Each is a function of a file here, linted and type-checked. Its docstring says what it prints. Its
parameters are what a page puts in: `fill.filled("FILE/FUNCTION", bert, ...)` writes them as
assignments, and the body after them. `tokenizer`, `model` and `inputs` are opened as in
`shared.opening`; functions of `shared` that a program uses are copied into it, so that what a page
shows needs nothing else. Nothing imports a program. Tests run each, filled by its view.
"""
