"""What a link may carry.

Data alone: docs/links.md shows it, and tests hold every page to it. In a key `#` stands for a
number. A key means the same on all pages that have it: its value goes along from page to page.
"""

from bertviz_core.views.declare import all_sections

# What each key holds, on every page and on one.
EVERYWHERE = {
    "model": "the model, by its name in the sidebar",
    "present": "presenter mode: light, dark, or 1 for the look of the system",
    "typed": "the sentence that goes along to the pages that show one",
    "embed": "true: one picture, for a frame of another site",
    "embed_options": "light_theme or dark_theme, for such a frame",
    "tour": "the stop of the tour that led here",
    "stop": "the stop of the tour that Home shows",
    "seen": "stops of the tour that were seen: 1.4",
    "guess#": "what was guessed at a stop of the tour",
}
FIELDS: dict[str, dict[str, str]] = {
    "Home": {"a": "the sentence", "token": "position of the token that is looked at"},
    "Tokens": {
        "a": "text A",
        "b": "text B",
        "follow": "the word whose pieces are searched",
        "closer": "the section that is open",
        "spell": "the part of the word that is spelled out",
        "lookup": "what is looked up in the vocabulary",
        "ids": "token ids to turn into text",
        "texts": "many texts, one per line",
    },
    "Input Embeddings": {
        "a": "sentence A",
        "b": "sentence B",
        "token": "position of the token that is looked at",
    },
    "Nearest Neighbors": {
        "q": "the query",
        "q2": "the second query",
        "q3": "the third query",
        "k": "how many neighbours",
        "metric": "the similarity measure",
        "keep": "which tokens are shown",
        "unused": "whether [unused] rows are included",
        "own": "whether the query's own rows are included",
        "wider": "the section that is open",
        "mapby": "how the map places its points",
        "mapcolor": "how the map colours them",
        "find": "a token to find on the map",
    },
    "Word in Context": {
        "s": "the sentences, one per line",
        "anchors": "the anchor words",
        "pooling": "how the pieces of a word become one vector",
        "tap": "whether a tap marks a word",
        "layer": "the layer",
        "across": "the anchor across, of more than two",
        "up": "the anchor upwards",
        "deeper": "the section that is open",
        "target": "the word that is followed",
        "against": "what it is compared with",
        "without": "what each other word is replaced by",
        "head": "the attention head",
        "heads": "what the map of all heads shows",
        "centre": "whether the mean is taken away",
        "second": "the second model",
    },
    "Word Senses": {
        "from": "where the occurrences come from",
        "set": "the word of a prepared set",
        "senseword": "the word to look for in a text",
        "lines": "lines with the word",
        "fileword": "the word of an uploaded file",
        "filecolumn": "the column that colours it",
        "corpus": "the corpus",
        "corpusword": "its word",
        "spread": "the column that its sample is spread over",
        "map": "how points are placed",
        "colour": "what colours them",
        "pooling": "how the pieces of a word become one vector",
        "groups": "how many groups",
        "layer": "the layer",
        "near": "number of the occurrence that is looked at",
        "senses": "the section that is open",
        "anyword": "whether nearest occurrences may be of another word",
        "shiftby": "the column that makes two groups",
        "shiftof": "the first group",
        "shiftat": "the number below which the first group is",
    },
    "Positions and Segments": {},
    "Inside the Model": {},
    "Methods": {},
}


def fields_of(page: str) -> dict[str, str]:
    """What every key of a page holds: those that the page asks for, then those of its views."""
    here = FIELDS[page]
    views = [section for section in all_sections() if section.page == page]
    views.sort(key=lambda section: (section.rank, section.label))  # not as they were imported
    if any(section.rank for section in views):
        here = here | {"section": "the section that is open"}
    for section in views:
        here = here | {field.key: field.holds for field in section.fields.values()}
    return here


# Folds that stand open with the value true: a table of numbers, or the program that prints them.
FOLDS: dict[str, tuple[str, ...]] = {
    "Home": ("code-one_token",),
    "Tokens": (
        *("all-tokens", "code-tokens", "code-steps", "code-vocabulary", "code-ids"),
        *("code-pair-segments", "code-lines"),
    ),
    "Input Embeddings": (),
    "Nearest Neighbors": (
        *("table-#", "table-map", "code-neighbors-#", "code-token_map", "code-table-ruler"),
    ),
    "Word in Context": (
        *("similarity-numbers", "matrix-numbers", "influence-numbers", "attention-numbers"),
        *("head-numbers", "neighbors-numbers"),
        *("scale-numbers", "anisotropy-numbers", "poolings-numbers", "second-numbers"),
        *("lens-numbers", "predictions-numbers", "pieces-numbers", "self-similarity-numbers"),
        *("code-context", "code-influence", "code-attention", "code-lens"),
        *("code-predictions", "code-context-neighbors", "code-percentile-scale"),
        *("code-anisotropy", "code-pieces", "code-second-model"),
    ),
    "Word Senses": (
        *("occurrence-numbers", "score-numbers", "cheaper-numbers", "layer-numbers"),
        *("sample-numbers", "shift-numbers", "code-shift", "code-senses", "code-scores"),
    ),
    "Positions and Segments": (),
    "Inside the Model": (),
    "Methods": (),
}
