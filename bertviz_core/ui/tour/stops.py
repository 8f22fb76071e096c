"""The guided tour's twelve stops: a claim, a prediction to make, and the view that settles it."""

from dataclasses import dataclass, field

from bertviz_core.ui import sections


@dataclass(frozen=True)
class Stop:
    """One stop of the tour.

    Attributes:
        claim: What people say about BERT's embeddings.
        settled: What the view shows, told once a prediction was made; numbers are in the view.
        page: Name in its address of the page that settles it.
        inputs: That page's inputs, by key.
        look: Where to look on that page.
    """

    claim: str
    settled: str
    page: str
    look: str
    inputs: dict[str, str | int] = field(default_factory=dict)


GUESSES = ("true", "false")  # the predictions to choose from, at every stop
STOPS = (
    Stop(
        "[CLS] starts as the same vector in every sentence.",
        "True, and to the last bit: the same row of the token table, the same position 0, the same "
        "segment. [SEP] shares its rows too, but stands at another position when the lengths "
        "differ.",
        "Input_Embeddings",
        "The table of rows that are equal at each stage.",
        {"a": "I am Sinan", "b": "She is Zoe", "look": sections.ROWS},
    ),
    Stop(
        "A word that is not in the vocabulary is unknown to BERT.",
        "False: it is cut into the longest pieces that are in the vocabulary. Only a word with a "
        "character that no piece holds becomes [UNK].",
        "Tokens",
        "The search for the longest piece, candidate by candidate.",
        {"a": "awesomesauce", "closer": sections.WORD_STEPS},
    ),
    Stop(
        "The whole embedding layer is one sum and one LayerNorm.",
        "True: three rows are looked up, added and normalized. The proof compares that with the "
        "library's own layer.",
        "Input_Embeddings",
        "The heatmaps from top to bottom, then the proof.",
        {"a": "I love my pet python"},
    ),
    Stop(
        "BERT's position embeddings are the sinusoids of the original Transformer.",
        "False: no row equals its sinusoid, and no rotation of the table makes it one. Positions "
        "that are close came out alike, which the model found by itself. But that is smoothness: "
        "the view shows how much any smooth random table has in common with sinusoids.",
        "Positions_and_Segments",
        "The model's row in the table of likeness, beside those of random tables.",
        {"part": sections.SINUSOIDS},
    ),
    Stop(
        "Segment embeddings are fixed labels, not learned.",
        "False: they are two learned rows like any others, and they have a gradient.",
        "Inside_the_Model",
        "requires_grad, and the gradient of both rows of the segment table.",
        {"inside": sections.TRAINING, "beside": "They are friends"},
    ),
    Stop(
        "BERT-base has 110 million parameters.",
        "Rounded, yes. Counts that differ a little leave out biases and LayerNorm, or the pooler. "
        "A fifth to a half of a BERT is its token table.",
        "Inside_the_Model",
        "The two totals, and the largest block.",
        {"inside": sections.PARAMETERS},
    ),
    Stop(
        "The nearest token of a word is a synonym.",
        "Rarely: nearest are other forms and spellings of it, then words that are used in the "
        "same contexts, opposites among them.",
        "Nearest_Neighbors",
        "The first five bars of each query.",
        {"q": "dog", "q2": "left", "q3": "monday"},
    ),
    Stop(
        "“python” means two things to BERT.",
        "True in its upper layers: the pet moves towards snake, the language towards programming.",
        "Word_in_Context",
        "The two curves of each chart moving apart.",
        {
            "s": "I love my pet [python]\nI love coding in [python]",
            "anchors": "snake, programming",
        },
    ),
    Stop(
        "A word's first vector already knows its sentence.",
        "False: at layer 0 the word is its row, its position and its segment. Here all three are "
        "equal, so it is the same vector in both sentences; from layer 1 on they part.",
        "Word_in_Context",
        "Layer 0 of the curve between the sentences.",
        {
            "s": "My [bank] is a river\nMy [bank] is a building",
            "anchors": "water, money",
            "layer": 0,
        },
    ),
    Stop(
        "BERT's pooled output is its [CLS] vector.",
        "False: a dense layer and tanh stand between. In the original BERT they were trained to "
        "tell whether two sentences follow each other; a model trained for something else may "
        "carry them untrained, and then the page says so.",
        "Inside_the_Model",
        "The cosine between the two.",
        {"inside": sections.POOLER},
    ),
    Stop(
        "A cosine of 0.6 means that two words are alike.",
        "It depends on the layer and the model: in many layers unrelated words already have a "
        "high cosine. So read it on the percentile scale of its layer.",
        "Word_in_Context",
        "How each cosine stands among unrelated pairs, and the mean cosine by layer.",
        {
            "s": "I love my pet [python]\nI love coding in [python]",
            "anchors": "snake, kitchen",
            "layer": 3,
            "deeper": sections.PERCENTILES,
        },
    ),
    Stop(
        "One step of fine-tuning changes every row of the embedding tables.",
        "False for the gradient: it is 0 for every token, position and segment that is not in the "
        "sentence. LayerNorm and all layers above move with every text; and an optimizer with "
        "weight decay shrinks all rows a little.",
        "Inside_the_Model",
        "The rows with a gradient, and the count of those without.",
        {"inside": sections.TRAINING},
    ),
)
