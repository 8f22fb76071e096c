"""Everything the BERT embedding explorer computes and draws; the pages only ask and show.

Data and imports go one way:

    text -> tokens -> embeddings -> neighbors
               \\-> encoder -> contextual -> calibration, senses, projection
                                                  \\-> figures -> ui -> pages

- `catalog` and `checkpoint` turn a model's name into its files, `download` fetches missing ones.
- `bert.load_bert` opens settings, vocabulary and the embedding tables, without torch.
- `tokens` cuts a text into WordPieces; `wordpieces`, `lookup`, `decoding`, `pair_segments` and
  `batches` show how that came about.
- `embeddings` adds up the embedding layer; `parts`, `waterfall`, `outliers`, `rows` and
  `dimensions` take it apart.
- `query` and `neighbors` search the token table.
- `positions`, `sinusoids`, `likeness` and `segment_table` are about the two small tables.
- `census` and `tensor_statistics` read the header and the tensors of a checkpoint's file.
- `encoder` alone imports torch and transformers; what leaves it is NumPy float32. Hidden states
  need torch only, the library's own modules (the proof, the pooler, gradients) transformers too.
- `marks` and `contextual` find a word in its sentence and compare its vectors; `influence`,
  `lens`, `context_neighbors` and `agreement` ask why they are as they are.
- `calibration` says what a cosine is worth; `senses` and `projection` map many occurrences of a
  word; `sense_pairs` compares cosines with people's judgements.
- `snippets` writes the plain torch / transformers code that reproduces a page's numbers.
- `figures` turns arrays and labels into Plotly figures; `ui` is what the pages share in Streamlit.

`tests/test_layers.py` holds every module to this direction.
"""
