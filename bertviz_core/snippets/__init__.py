"""Programs that print a page's numbers, with torch, transformers and scikit-learn alone.

Each is a function here. Its parameters are what a page puts in: `fill.filled` writes them as
assignments, and the body after them. `tokenizer`, `model` and `inputs` are opened as in
`shared.opening`, and functions of `shared` are copied into the program. Nothing imports one.
"""
