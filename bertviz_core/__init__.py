"""Everything the BERT embedding explorer computes and draws; the pages only ask and show.

Data and imports go one way:

    text -> tokens -> embeddings -> neighbors
               \\-> encoder -> contextual
                                  \\-> figures -> ui -> pages

- `catalog` and `checkpoint` turn a model's name into its files, `download` fetches missing ones.
- `bert.load_bert` opens settings, vocabulary and the embedding tables, without torch.
- `tokens`, `embeddings`, `query`, `neighbors` work on those tables with NumPy alone.
- `encoder` is the only module that imports torch and transformers; what leaves it is NumPy float32.
- `marks` and `contextual` find a word in its sentence and compare its vectors.
- `snippets` writes the plain torch / transformers code that reproduces a page's numbers.
- `figures` turns arrays and labels into Plotly figures; `ui` is what the pages share in Streamlit.

`tests/test_layers.py` holds every module to this direction.
"""
