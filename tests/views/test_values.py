"""What views say, by name: values worked by hand, known of the model, or of odd inputs.

That a view's numbers are those of transformers is tested for all views in test_programs.py.
"""

import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given as drawn_from
from hypothesis import settings
from hypothesis import strategies as st

from bertviz_core.arrays import cosine
from bertviz_core.bert import Bert, load_bert
from bertviz_core.calibration.word_scales import style_sentences
from bertviz_core.checkpoints.parameters import count_parameters
from bertviz_core.embeddings import input_embeddings
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.errors import ModelUnavailableError, UserInputError, shortened
from bertviz_core.tokens import InputText, tokenize
from bertviz_core.views.declare import all_sections
from bertviz_core.views.input_embeddings.sum_of_parts import sum_of_parts
from bertviz_core.views.inside_the_model.parameters import parameters
from bertviz_core.views.inside_the_model.pooler_and_training import pooler
from bertviz_core.views.nearest_neighbors.nearest_rows import Search
from bertviz_core.views.sentence_vectors.matrix import matrix
from bertviz_core.views.tokens.made_ids import made_ids
from bertviz_core.views.tokens.padding import _padded
from bertviz_core.views.tokens.word_pieces import pieces
from bertviz_core.views.view import View
from tests.data.damage import remove_tensors
from tests.views.reading import PET, PYTHON, drawn, sent
from tests.views.test_programs import given

VIEWS = {one.make.__name__: one for one in all_sections() if one.page != "Home"}
VIEWS |= {f"home.{one.make.__name__}": one for one in all_sections() if one.page == "Home"}
VIEWS["pieces"] = pieces  # of Tokens; Word in Context has one of this name
HAS = re.compile
TEXT = "I love my pet python"
EXAMPLE = {"typed": TEXT, "follow": None, "layer": 6, "others": None}
ALIKE = ("I saw a [dog] today", "I saw a [dog] yesterday")
SEAL = ("A [seal] lay on the ice", "the [seal] of the king on a letter")
AGES = ("How old are you?", "What is your age?", "How are you?", "My train leaves at noon.")
UNRELATED = ("My train leaves at noon.", "She painted the old fence green.")
DOGS, CATS = "dog " * 254, "cat " * 100


def near(number: float) -> Any:
    return pytest.approx(number, abs=0.01)


# View, its inputs, and values of its sentences by name. "table/column" is a column of a table; a
# pattern is searched for, None is a value that is not there. "uses" of words are compared.
VALUES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("home.sums", {"lines": ["word " * 200 + "[awesomesauce]" + " word" * 400, "[awesomesauce]"]},
     {"first": 195, "last": 206, "cut": "93"}),  # of 605 tokens 512 are read
    ("home.paths", {"uses": PYTHON}, {"anchor_1": "snake", "anchor_2": "programming"}),
    ("home.paths", {"uses": (ALIKE,)}, {"case": "no anchors", "cosine": near(0.995)}),
    ("pieces", {"typed": "Sinan loves awesomesauce at the café!"},
     {"tokens": 12, "words": 7, "pieces": 10, "unknown": 0, "added": "[CLS] and [SEP]",
      "followed_word": "awesomesauce", "word_pieces": "awesome ##sau ##ce", "tries": 10}),
    ("pieces", {"typed": ""}, {"special_tokens": "[CLS] [SEP]"}),
    ("pieces", {"typed": InputText("Café Sinan", "[SEP] Zoe🐍")},
     {"words": 4, "pieces": 5, "unknown": 1, "tokens/segment": [*"AAAAABBB"],
      "tokens/as typed": ["", "Café", "Sin", "an", "", "[SEP]", "Zoe🐍", ""]}),
    ("pieces", {"typed": InputText("a [SEP] b", "c")},
     {"typed": "2", "tokens/segment": [*"AAAAABB"]}),  # a typed separator starts no segment
    ("pieces", {"typed": InputText("a", "c")}, {"typed": None}),
    ("pieces", {"typed": "x", "follow": "love🐍"}, {"stuck_at": "🐍", "word_pieces": "[UNK]"}),
    ("pieces", {"typed": "x", "follow": "[SEP]"}, {"word_pieces": "[SEP]", "tries": 0}),
    ("pieces", {"typed": "x", "follow": "\u200b\u0007"}, {"followed_word": "[U+200B][U+0007]"}),
    ("pieces", {"typed": "x", "follow": "z" * 100}, {"drawn": 12}),
    ("pieces", {"typed": "x", "follow": "Café\u00a0中!"},
     {"parts": 3, "tries": 3, "tries/piece": ["cafe"],  # of the word with most tries
      "steps/changed": ["[U+00A0] → ␣", "中 → ␣中␣", "é → e", "C → c", "3 words"],
      "steps/after": ["Café␣中!", "Café␣␣中␣!", "Cafe␣␣中␣!", "cafe␣␣中␣!", "cafe | 中 | !"]}),
    ("made_ids", {"typed": "crème"}, {"rules": "accents kept", "rule": "accents kept", "first": 1,
                                     "given": "[UNK]", "own": "cr", "count": 3}),
    ("made_ids", {"typed": "Crème"}, {"rules": "accents kept", "others": ", or no lower-casing"}),
    *(("made_ids", {"typed": "E = mc²", "ids": ids}, values) for ids, values in {
        "101 1041 1027 11338 10701 102":
            {"first": None, "count": 6, "decoded": "[CLS] e = mc² [SEP]"},
        "tensor([[101, 1041, 1027, 11338, 2475, 102]], device='cuda:0')":
            {"rules": "NFKC", "others": "", "first": 4, "given": "##2", "own": "##²"},
        "{'input_ids': [101, 1041, 1027, 11338, 2475, 102, 0, 0], 'attention_mask': [1, 1, 1]}":
            {"rules": "NFKC and padded to 8",
             "ids/given id": [101, 1041, 1027, 11338, 2475, 102, 0, 0]},
        "BigInt64Array(6) [ 101n, 1041n, 1027n, 11338n, 10701n ]":
            {"rules": "no special token at the end", "first": 5, "given": "(none)"},
        "1041,1027,11338,10701": {"rules": "no special tokens added", "first": 0},
        "[101 1041 1027 -100 99999 5]":
            {"rules": None, "beyond": 2,
             "ids/given token": ["[CLS]", "e", "=", "?", "?", "[unused4]"]},
    }.items()),
    ("padding", {"typed": InputText("cat", "dog"), "pads": 64}, {"tokens": 5}),
    ("padding", {"typed": "cat " * 12, "pads": 9, "model": "tiny"}, {"count": 2}),  # of 16
    ("sum_of_parts", {"typed": InputText("I am Sinan", "She is Zoe"), "position": 2},
     {"first": "[CLS]", "part": "position", "usual": "token", "share": "70%"}),
    ("sum_of_parts", {"typed": "dog " * 600, "tokens": (0, 511)},
     {"drawn": f"{5 * 512 * 384:,}", "all": "602", "room": "512", "cut": "90"}),
    ("layer_norm", {"dim": 7}, {"divided_length": math.sqrt(384)}),
    ("proof", {}, {"count": "2,688", "difference": pytest.approx(0, abs=2e-6)}),
    ("nearest_rows", {"search": Search(("king - man + woman",))},
     {"nearest": "queen", "score": "0.511", "nearest-term": "king", "term-cosine": "0.627"}),
    ("nearest_rows", {"search": Search(("king - man + woman",), metric="dot")},
     {"whole": "0.511", "term-cosine": "0.627"}),  # compared by cosine
    ("nearest_rows", {"search": Search(("king - man + woman",))},
     {"neighbors-1/part of the query": HAS("'left out'")}),
    ("nearest_rows", {"search": Search(("he - man + woman",))},
     {"nearest": "she", "score": "0.620", "nearest-term": "he", "term-cosine": "0.580"}),
    ("nearest_rows", {"search": Search(("dog/" * 60,))},
     {"split": HAS("^.{,123}$"), "query": HAS("^.{,100}$")}),
    ("words_on_axis", {"words": "ant awesomesauce dog elephant small 🐍🐍"},  # small is in a pole
     {"words": "small, 🐍🐍", "words-on-an-axis/tokens": HAS("awesome ##sau ##ce"),
      "words-on-an-axis/word": ["ant", "awesomesauce*", "dog", "elephant"]}),
    *(("words_on_axis", given, {"problem": HAS(problem)}) for given, problem in (
        ({"high": " "}, "second pole"), ({"words": "🐍🐍 small dog cat"}, "Write 3 words"),
    )),
    ("paths", {"uses": PYTHON},
     {"anchor_1": "snake", "anchor_2": "programming", "case": "leans", "numbers_1": "1",
      "one_meaning": "fewer than 5", "same_way": "the same way",
      "leans/leans to": ["snake", "programming"]}),
    # By its cosines each sentence is nearer to stamp; compared, only the letter leans to it.
    ("paths", {"uses": (SEAL, ("stamp", "animal")), "layer": 4},
     {"anchor_1": "animal", "anchor_2": "stamp", "nearer": "stamp"}),
    ("paths", {"uses": (ALIKE,)}, {"case": "no anchors", "beside": near(0.95)}),
    ("paths", {"uses": (ALIKE, ("pet", "car"))},
     {"case": "leans", "one_meaning": HAS("more|[6-9]0")}),
    ("paths", {"uses": ((PET, PET), ("pet", "car"))},
     {"case": "same", "one_meaning": "more than 95"}),
    ("paths", {"uses": ((PET,), ("programming", "snake"))},
     {"case": "one sentence", "anchor_1": "snake", "lean_1": near(0.07)}),
    ("paths", {"uses": ((PET,),)}, {"case": "one alone"}),
    ("paths", {"uses": (PYTHON.sentences, ("Tree", "tree"))}, {"case": "one anchor"}),
    ("paths", {"uses": (PYTHON.sentences, ("python", "snake"))},
     {"case": "no anchors", "anchor": "python", "advice": HAS("one more")}),
    # After the last layer both lean the other way than on average over the layers.
    ("paths", {"uses": (
        ("The [nail] in the board was rusty", "She painted the [nail] on her thumb"),
        ("hammer", "finger"))},
     {"anchor_1": "finger", "same_way": "the other way", "turned": HAS("there")}),
    ("paths", {"uses": (("my [dog]", "a [cat]"),)}, {"case": "two words", "other": "cat"}),
    ("paths", {"uses": (("the [bank] of the river by the [bank]",), ("shore", "money"))},
     {"case": "leans", "numbers_1": "1", "numbers_2": "2"}),
    # Of more than two, every sentence is named; of more than two anchors the two that tell most.
    ("paths", {"uses": (
        (*PYTHON.sentences, "A [python] swallowed a goat", "The [python] script failed"),
        ("day", *PYTHON.anchors))},
     {"case": "leans", "numbers_1": "1 and 3", "numbers_2": "2 and 4", "anchor_1": "snake"}),
    ("paths", {"uses": (("[a] " * 30,), ("word",))}, {"given": 30, "most": 12}),
    ("paths", {"uses": (("I saw a [☃] today",), ("snow", "☂"))}, {"unknown": "☃ and ☂"}),
    ("paths", {"uses": (("dog " * 509 + "[python] " + "dog " * 50,), ("snake",))}, {"cut": "50"}),
    ("influence", {"uses": PYTHON},
     {"strongest": "pet", "cosine": near(0.507), "without": near(0.383)}),
    ("influence", {"uses": PYTHON, "without": "drop"},
     {"strongest": "pet", "without": near(0.357)}),
    ("influence", {"uses": PYTHON, "layer": 0}, {"strongest": None}),
    ("percentiles", {"uses": PYTHON}, {"percentile": None}),  # where nothing was measured
    ("sense_map", {"word": "mouse"},
     {"layer": 3, "ranked": near(80), "as_good": "", "ranked_without": near(75),
      "layer_without": 6}),
    ("score_curve", {"word": "mouse"},
     {"best": 3, "auc_best": near(0.80), "same_sense": "182", "other_sense": "196",
      "chance": near(0.57), "auc_without": near(0.75), "best_without": 6}),
    ("matrix", {"sentences": AGES}, {"first": AGES[0], "second": AGES[1], "cosine": near(0.76)}),
    ("matrix", {"sentences": AGES, "way": "token table"}, {"first": AGES[0], "second": AGES[2]}),
    ("matrix", {"sentences": UNRELATED, "way": "max"}, {"high_news": near(0.74)}),
    ("matrix", {"sentences": (DOGS + CATS, DOGS, "How are you?")},  # 254 beside [CLS] and [SEP]
     {"cut_at": 256}),
    ("matrix", {"sentences": UNRELATED}, {"high_news": near(0.26), "frame": None}),
    ("matrix", {"sentences": tuple(f'"{one}"' for one in UNRELATED)},
     {"high_news": None, "frame": "open or close alike"}),
    ("matrix", {"sentences": tuple(f"{one} - The Times" for one in UNRELATED), "way": "max"},
     {"high_news": None, "frame": "open or close alike"}),
    ("matrix", {"sentences": (DOGS, "How are you?")}, {"tokens": "256", "longest": 45}),
    ("matrix", {"sentences": (DOGS, CATS)}, {"cut_at": None}),
    ("matrix", {"sentences": ("the " * 300, "a cat"), "model": "tiny"}, {"cut_at": None}),
    ("position_table", {"row": 300, "column": 310},
     {"next_door": 511, "count": 512, "most": 299, "least": 217}),
    ("against_sinusoids", {}, {"answer": "No.", "correlation": near(0.43)}),
    ("experiments", {"xa": "the cat " * 20, "xb": "", "change": "shift", "model": "tiny"},
     {"cut": "26", "moved": pytest.approx(0, abs=1e-6)}),  # by 0, which is no change
    ("experiments", {"xa": " ", "xb": "", "change": "zero", "model": "tiny"},
     {"change": "Putting all tokens at position 0", "order": None}),
    ("parameters", {},
     {"total": "22,713,216", "in_matrices": "22,682,112", "share_embedding": "52%",
      "token table": "11,720,448 (52%)", "pooler": HAS("^147,840"),
      "base_total": 109_482_240, "base_in_matrices": 109_360_128}),
    ("training", {},
     {"first": "king", "second": "queen", "words": 7, "positions": 8, "segments": 1,
      "all_words": 30_522, "all_positions": 512, "all_segments": 2}),
]  # fmt: skip
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    *(("made_ids", {"ids": ids}, message) for ids, message in (
        ("[]", "“\\[\\]” is not an id"), ("1.5", "“1.5”"), ("9" * 4000, "…” is not an id"),
        ("tensor([[1, 2], [3, 4]])", "several texts"), ("1 " * 2049, "At most 2,048"))),
    ("padding", {"typed": "cat " * 600}, "."),
    ("paths", {"uses": ((),)}, "."),
    ("paths", {"uses": (("dog " * 600 + "[python]",), ("snake",))}, "beyond the 512 tokens"),
    ("influence", {"uses": (("[python]",), ("snake",))}, "has no word beside “python”"),
    ("experiments", {"xa": " ", "xb": "", "change": "shuffle"}, "nothing to shuffle"),
]  # fmt: skip


def shown(name: str, encoder: Encoder, **inputs: Any) -> View:
    """A view with these inputs; what it needs beside them is an example."""
    section = VIEWS[name]
    return section(**given(section, encoder, **EXAMPLE | inputs))


def named(view: View, name: str) -> Any:
    table, _, column = name.partition("/")
    return view.to_frame(table)[column].tolist() if column else view.values.get(name)


def agrees(value: Any, expected: Any) -> bool:
    if isinstance(expected, re.Pattern):
        return expected.search(str(value)) is not None
    if isinstance(value, str) and not isinstance(expected, str | None):
        value = float(value.replace("−", "-"))
    return bool(value == (pytest.approx(expected) if isinstance(expected, float) else expected))


@pytest.mark.parametrize(("name", "inputs", "expected"), VALUES, ids=lambda row: ascii(row)[:30])
def test_values(
    name: str, inputs: dict[str, Any], expected: dict[str, Any],
    minilm_encoder: Encoder, tiny_encoder: Encoder,
) -> None:  # fmt: skip
    encoder = tiny_encoder if inputs.get("model") == "tiny" else minilm_encoder
    view = shown(name, encoder, **inputs)
    found = {one: named(view, one) for one in expected}
    assert {n: found[n] for n in expected if not agrees(found[n], expected[n])} == {}


@pytest.mark.parametrize(("name", "inputs", "problem"), REFUSED, ids=lambda row: ascii(row)[:30])
def test_what_is_refused(
    name: str, inputs: dict[str, Any], problem: str, minilm_encoder: Encoder
) -> None:
    with pytest.raises(UserInputError, match=problem):
        shown(name, minilm_encoder, **inputs)


def test_numbers_of_the_first_layer_that_are_drawn(minilm: Bert) -> None:
    parts = input_embeddings(minilm, tokenize(minilm, TEXT))
    some = sum_of_parts(minilm, TEXT, tokens=(2, 4))
    assert np.array_equal(drawn(some, "input-embeddings", "z"), parts.word[2:5])


def test_every_parameter_is_the_files(minilm: Bert) -> None:
    view, census = parameters(minilm), count_parameters(minilm.checkpoint)
    (areas,) = sent(view, "parameter-areas")["data"]
    counts = dict(zip(areas["ids"], areas["values"], strict=True))
    assert counts == counts | {one.name: one.count for one in census.parameters}
    inside: Counter[str] = Counter()
    for name, parent in zip(areas["ids"], areas["parents"], strict=True):
        inside[parent] += counts[name]
    assert {name: inside[name] for name in inside if name} == {
        name: count for name, count in counts.items() if name in inside
    }


def test_without_a_pooler(folder: Path) -> None:
    remove_tensors(folder, "pooler.")
    encoder = load_encoder(load_bert(folder))
    assert "pooler" not in parameters(encoder.bert).values
    with pytest.raises(ModelUnavailableError, match="no pooler"):
        pooler(encoder)


@drawn_from(ids=st.lists(st.integers(0, 30521), min_size=1, max_size=30))
@settings(max_examples=50, deadline=None)
def test_ids_are_read_like_transformers(minilm: Bert, library_tokenizer, ids: list[int]) -> None:
    view = made_ids(minilm, "a cat", str(ids))
    assert [one for one in named(view, "ids/given token") if one != "(none)"] == (
        library_tokenizer.convert_ids_to_tokens(ids)
    )
    assert view.values["decoded"] == shortened(library_tokenizer.decode(ids), 300)


def test_pairs_without_a_scale(minilm_encoder: Encoder) -> None:
    """A text longer than all measured ones, and two that close alike."""
    sentences = ("dog " * 50, "My train leaves at noon.", "She left - again", "Is he - again")
    frame = matrix(minilm_encoder, sentences).to_frame()
    assert frame["95% of news below"].notna().tolist() == [False] * 3 + [True, True, False]


@pytest.mark.slow
def test_padding_of_many_sentences_without_the_mask(minilm_encoder: Encoder) -> None:
    """What docs/questions.md says of fewer: the least is not the least of all."""
    sentences = [
        one for style in ("news", "stories", "questions") for one in style_sentences(style)
    ]
    texts = tokenize(minilm_encoder.bert, sentences[::3])
    padded = [_padded(minilm_encoder, text, 4, mask=1) for text in texts]
    means = [
        [states[-1][: len(text)].mean(axis=0) for states, text in zip(each, texts, strict=True)]
        for each in map(minilm_encoder.hidden_states_many, (texts, padded))
    ]
    cosines = cosine(*map(np.stack, means))
    assert (len(texts), cosines.min().round(2), np.median(cosines).round(2)) == (357, 0.88, 0.98)
