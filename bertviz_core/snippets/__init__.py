"""The code that reproduces a page's numbers, with torch, transformers and scikit-learn alone.

One file a page. Every snippet starts from a line `checkpoint = "..."`, prints its result, and is
run by the tests.
"""
