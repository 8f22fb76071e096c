"""Checkpoints that are odd, or damaged: what transformers gives, or a sentence with the file."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.catalog import OfferedModel, offered_models
from bertviz_core.checkpoints.checkpoint import INDEX, MAX_SHARDS, MODULES, SETTINGS, WEIGHTS
from bertviz_core.checkpoints.ready import why_unavailable
from bertviz_core.checkpoints.settings import MAX_LAYERS
from bertviz_core.contextual import word_in_context
from bertviz_core.contextual.occlusion import masked, occluded_contexts
from bertviz_core.embeddings import input_embeddings
from bertviz_core.encoder import load_encoder
from bertviz_core.errors import BertvizError
from bertviz_core.tokens import InputText, tokenize
from bertviz_core.ui import html
from bertviz_core.views.inside_the_model.norms import token_norms
from bertviz_core.views.nearest_neighbors.nearest_rows import Search, nearest_rows
from bertviz_core.views.tokens.made_ids import made_ids
from bertviz_core.views.tokens.word_pieces import pieces
from bertviz_core.views.word_in_context.comparison import not_read
from tests.data.damage import (
    POSITIONS,
    WORDS,
    Tensors,
    change_json,
    change_settings,
    change_tensor,
    change_weights,
    failure,
)
from tests.data.odd_checkpoints import (
    ODD,
    SAME,
    as_numbers,
    in_shards,
    named,
    of_sentence_transformers,
)
from tests.tokens.test_wordpieces import traced_tokens, words_of
from tests.views.reading import run_filled
from tests.views.test_programs import compare_programs

TEXTS = (
    *("the cat sat on the mat", "The Dog loves zebras!", "snakes, the king and <e1> or <e2>"),
    *("[MASK] dog [SEP] cat [UNK] </s>", "dog " * 40, "pythón 猫", ""),
    *("Hund 猫猫, hund", "собака Собака Hundé"),
)
OPTIONS = "tokenizer_config.json"


@pytest.mark.parametrize("name", ODD)
def test_ids_and_hidden_states_are_those_of_transformers(name: str, folder: Path) -> None:
    import torch
    from transformers import AutoTokenizer

    ODD[name](folder)
    encoder = load_encoder(load_bert(folder))
    bert = encoder.bert
    reference = AutoTokenizer.from_pretrained(folder)
    limit = {"truncation": True, "return_token_type_ids": True}
    limit |= {"max_length": bert.max_position_embeddings}
    for text in TEXTS:
        expected = reference(text, **limit)
        if not expected["input_ids"]:
            with pytest.raises(BertvizError, match="no token"):
                tokenize(bert, text)
            continue
        tokenized = tokenize(bert, text)
        assert tokenized.input_ids.tolist() == expected["input_ids"], text
        assert tokenized.token_type_ids.tolist() == expected["token_type_ids"], text
        if bert.type_vocab_size > 1:
            both = tokenize(bert, text, "a cat")
            theirs = reference(text, "a cat", **limit)
            assert both.input_ids.tolist() == theirs["input_ids"], text
            assert both.token_type_ids.tolist() == theirs["token_type_ids"], text
        pieces = [piece.strip() for piece in words_of(bert, text)]
        assert traced_tokens(bert, text) == pieces, text
        states = encoder.hidden_states(tokenized)
        np.testing.assert_array_equal(encoder.embedding_layer(tokenized), states[0])
        assert np.abs(input_embeddings(bert, tokenized).output - states[0]).max() < 1e-5
        with torch.inference_mode():
            last = encoder.model(input_ids=torch.tensor([expected["input_ids"]]))[0][0].numpy()
        assert np.abs(states[-1] - last).max() < 1e-5


PROGRAM = '''
"""What a reader runs."""

tokenizer, model, inputs = ...
with torch.no_grad():
    states = model(**inputs, output_hidden_states=True).hidden_states
'''


@pytest.mark.parametrize("name", SAME)
def test_the_same_model_in_another_form(
    name: str, folder: Path, tiny_folder: Path, tiny: Bert, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ready, with the tokens of the plain one and the library's hidden states in float32."""
    import torch
    from transformers import AutoTokenizer, BertModel

    kind, change = SAME[name]
    as_numbers(kind)(folder)
    change(folder)
    monkeypatch.setenv("BERTVIZ_MODELS", f"mine={folder}")
    assert why_unavailable(offered_models()["mine"]) is None
    encoder = load_encoder(load_bert("mine"))
    bert = encoder.bert
    assert bert.layer_norm_eps == 1e-12
    assert bert.vocabulary.tokens == tiny.vocabulary.tokens
    for text in TEXTS:
        assert tokenize(bert, text).tokens == tokenize(tiny, text).tokens
    tokenized = tokenize(bert, TEXTS[0])
    states = encoder.hidden_states(tokenized)
    np.testing.assert_array_equal(encoder.embedding_layer(tokenized), states[0])
    model = BertModel.from_pretrained(tiny_folder).to(getattr(torch, kind)).float().eval()
    inputs = AutoTokenizer.from_pretrained(tiny_folder)(TEXTS[0], return_tensors="pt")
    with torch.inference_mode():
        expected = torch.cat(model(**inputs, output_hidden_states=True).hidden_states)
    np.testing.assert_allclose(states, expected, atol=2e-6)
    np.testing.assert_array_equal(
        bert.tables.word_embeddings, model.embeddings.word_embeddings.weight.detach()
    )
    _, names = run_filled(PROGRAM, bert, text=TEXTS[0], text_pair=None)
    assert names["states"][-1].dtype == torch.float32
    np.testing.assert_allclose(torch.cat(names["states"]), expected, atol=2e-6)


ROLES = ("[UNK]", "[MASK]", {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}, "##s")
OTHER_ROLES = {  # unknown words, words taken away, all special tokens, a piece
    "roberta_like_names": (
        "<unk>", "<mask>", {"<pad>", "<unk>", "<cls>", "<sep>", "<mask>"}, "##s",
    ),
    "other_names_of_special_tokens": (
        "<unk>", "[MASK]", {"[PAD]", "<unk>", "[CLS]", "</s>", "[MASK]"}, "##s",
    ),
    "no_mask_in_tokeniz": ("[UNK]", None, ROLES[2] - {"[MASK]"}, "##s"),
    "no_cls_in_special": ("[UNK]", "[MASK]", ROLES[2] - {"[CLS]"}, "##s"),
    "another_prefix": (*ROLES[:3], "@@s"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER_ROLES)
def test_tokens_go_by_their_role_not_by_their_name(name: str, folder: Path) -> None:
    ODD[name](folder)
    encoder = load_encoder(load_bert(folder))
    bert = encoder.bert
    words = bert.vocabulary
    unknown, mask, special, piece = OTHER_ROLES[name]
    assert (words.unknown, words.mask) == (unknown, mask)
    assert {words.tokens[row] for row in np.flatnonzero(words.is_special)} == special
    subwords = [words.tokens[row] for row in np.flatnonzero(words.is_subword)]
    assert (subwords[0], len(subwords)) == (piece, 5)
    word = word_in_context(encoder, "my [cat] sat")
    if mask:
        expected = (*word.text.tokens[:1], mask, *word.text.tokens[2:])
        assert masked(bert, word.text, (1,)).tokens == expected
        assert occluded_contexts(encoder, word).total == 2
    else:
        with pytest.raises(BertvizError, match="drop the words instead"):
            occluded_contexts(encoder, word)
    typed = InputText(f"zebra cats sat {word.text.tokens[-1]}")
    view = pieces(bert=bert, typed=typed)
    assert (view.values["unknown"], view.values["unknown_token"]) == (1, unknown)
    assert (view.values["separator"], view.values["typed"]) == (word.text.tokens[-1], "5")
    (told,) = not_read(bert, [(typed.text, typed.tokenize(bert))])
    assert told.values == {"token": unknown, "unknown": "zebra"}
    chips = {html._kind(words, row, 1) for row in np.flatnonzero(words.is_special)}
    assert chips == {"bx-unknown", "bx-special bx-typed"}
    assert html._kind(words, words.ids["cat"], 1) == "bx-hue1"
    for shown in (
        view,
        token_norms(bert=bert),
        made_ids(bert=bert, typed="zebra Cats sat", ids="1 3 5"),
        nearest_rows(bert=bert, search=Search(("cat",), keep="subwords")),
    ):
        compare_programs(shown, encoder)


def written(name: str, content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(content)


def cut(folder: Path) -> None:
    (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes()[:-1])


def index(**weight_map: object) -> Callable[[Path], None]:
    """Weights in several files, whose index names some tensors in other files than it did."""

    def change(folder: Path) -> None:
        in_shards(folder)
        named = json.loads((folder / INDEX).read_text())["weight_map"]
        change_json(folder / INDEX, weight_map=named | weight_map)

    return change


def without_a_shard(folder: Path) -> None:
    in_shards(folder)
    next(folder.glob("model-00002-of-*")).unlink()


def overlapping_shards(folder: Path) -> None:
    in_shards(folder)
    last = max(folder.glob("model-*.safetensors"))
    save_file(load_file(last) | {POSITIONS: np.zeros((16, 8), np.float32)}, last)


def beside(prefix: str, other: str) -> Callable[[Path], None]:
    """Another BERT in the same file."""

    def twice(tensors: Tensors) -> Tensors:
        return {f"{at}{name}": t.copy() for at in (prefix, other) for name, t in tensors.items()}

    return lambda folder: change_weights(folder, twice)


def lora(prefix: str, base: str) -> Callable[[Path], None]:
    """The weights that peft keeps of an adapter, and with `base` those of the model below it."""

    def change(folder: Path) -> None:
        query = "encoder.layer.0.attention.self.query"
        parts = {
            f"{prefix}{query}.lora_{part}.weight": np.ones((2, 2), np.float32) for part in "AB"
        }
        below = load_file(folder / WEIGHTS) if base else {}
        named = {n.replace(query, f"{query}.base_layer"): t for n, t in below.items()}
        save_file({f"{prefix}{n}": t for n, t in named.items()} | parts, folder / WEIGHTS)

    return change


def module_at(path: object) -> Callable[[Path], None]:
    """A folder of sentence-transformers whose first module is elsewhere."""

    def change(folder: Path) -> None:
        of_sentence_transformers(folder)
        (folder / "0_Transformer").rename(folder.parent / "outside")
        (folder / MODULES).write_text(json.dumps([{"path": path}]))

    return change


def roberta_of_2019(folder: Path) -> None:
    SAME["no model_type"][1](folder)
    named("roberta.")(folder)


# What is wrong, and the file or the setting that the sentence names.
DAMAGED: dict[str, tuple[Callable[[Path], object], str]] = {
    "settings that are cut off": (
        written(SETTINGS, b'{"model_type": "bert"'),
        f"{SETTINGS} .*line 1 column 22",
    ),
    "a comma too many in the settings": (
        written(SETTINGS, b'{\n "a": 1,\n "b": [2],\n}'),
        f"{SETTINGS} .*line [34]",  # of the comma, or after it
    ),
    "a comma too few in the settings": (
        written(SETTINGS, b'{\n "a": 1\n "b": 2}'),
        f"{SETTINGS} .*line 3 column 2",
    ),
    "settings with a mark": (written(SETTINGS, b"\xef\xbb\xbf{}"), f"{SETTINGS} .*BOM.*line 1"),
    "settings in UTF-16": (written(SETTINGS, "{}".encode("utf-16")), f"{SETTINGS} .*position 0"),
    "settings in a list": (written(SETTINGS, b"[]"), f"{SETTINGS} .*a JSON object"),
    "a comma too many beside the tokenizer": (
        written(OPTIONS, b'{"do_lower_case": true,}'),
        f"{OPTIONS}: .*line 1 column 2[34]",
    ),
    **{
        f"settings of {kind}": (
            written(SETTINGS, b'{"model_type": "%s"}' % kind.encode()),
            f"“{kind}”; expected “bert”: .*{reason}",
        )
        for kind, reason in (
            ("distilbert", "no segment table and no pooler"),
            ("gpt2", "another way"),
        )
    },
    "a RoBERTa without model_type": (roberta_of_2019, "no embeddings.word_embeddings.weight"),
    **{
        f"two models, {prefix!r} and {other!r}": (
            beside(prefix, other),
            f"“{prefix}{WORDS}” and “{other}{WORDS}”; expected one BERT",
        )
        for prefix, other in (("doc_encoder.", "query_encoder."), ("", "bert."), ("a.bert.", "b."))
    },
    "an adapter in place of the weights": (
        lora("base_model.model.bert.", ""),
        f"no {WORDS}.*an adapter of peft.*merge_and_unload",
    ),
    "an adapter that is not merged": (
        lora("base_model.model.bert.", "with it"),
        "no encoder.layer.0.attention.self.query.weight.*an adapter of peft.*merge_and_unload",
    ),
    **{
        f"a first module at {path!r}": (module_at(path), f"no {SETTINGS}|no {WEIGHTS}")
        for path in ("../outside", "..", "/etc", "a/../../outside", "", 5, None, ["a"], "a" * 300)
    },
    "weights that are cut off": (cut, WEIGHTS),
    "a layer less than config.json says": (
        lambda folder: change_settings(folder, num_hidden_layers=3),
        "no encoder.layer.2.attention",
    ),
    "a file of the weights that is missing": (without_a_shard, "no model-00002-of-"),
    "a tensor in two files": (overlapping_shards, f"both hold {POSITIONS}"),
    **{
        f"an index that names {name!r}": (index(x=name), f"{INDEX} .*of this folder")
        for name in (
            *("../model-1.safetensors", "/etc/passwd.safetensors", "a\\b.safetensors", ""),
            *("model-1.bin", "a\n.safetensors", 5, ["a"], "a" * 300),
        )
    },
    "an index of too many files": (
        index(**{f"x{n}": f"m{n}.safetensors" for n in range(MAX_SHARDS)}),
        f"at most {MAX_SHARDS}",
    ),
    "an index without names": (written(INDEX, b'{"weight_map": {}}'), INDEX),
    "an index that is cut off": (written(INDEX, b"{"), INDEX),
    "another number of rows": (lambda f: change_settings(f, vocab_size=41), r"\(41, 8\)"),
    "weights of whole numbers": (
        lambda folder: change_tensor(folder, WORDS, lambda t: t.astype(np.int8)),
        "in I8",
    ),
    "another size inside": (lambda f: change_settings(f, intermediate_size=24), r"\(24, 8\)"),
    "not a number": (lambda folder: change_tensor(folder, WORDS, lambda t: t * np.nan), WORDS),
    "a tokenizer of another model": (
        lambda folder: change_json(folder / OPTIONS, tokenizer_class="RobertaTokenizer"),
        "RobertaTokenizer",
    ),
    "more tokens than rows": (
        lambda folder: change_json(folder / "added_tokens.json", zebra=40),
        "'zebra' has id 40",
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_file_that_cannot_be_read_is_named(name: str, folder: Path) -> None:
    damage, said = DAMAGED[name]
    damage(folder)
    if "an index" in name:  # which is not read beside model.safetensors
        (folder / WEIGHTS).unlink(missing_ok=True)
    failure(folder, said)
    if name != "not a number":  # for that all weights are read
        assert why_unavailable(OfferedModel("mine", folder=folder)) is not None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("num_hidden_layers", layers) for layers in (0, "2", True, MAX_LAYERS + 1)),
        *(("num_attention_heads", heads) for heads in (0, 5, -12, "12", None)),
        *(("layer_norm_eps", eps) for eps in ("x", float("inf"), float("nan"), -1.0)),
        ("intermediate_size", 0),
        *(("hidden_act", name) for name in ("prelu", "none", None)),
        ("is_decoder", True),
        ("initializer_range", "x"),
    ],
)
def test_a_number_that_does_not_fit(name: str, value: object, folder: Path) -> None:
    change_settings(folder, **{name: value})
    with pytest.raises(BertvizError, match=f"gives {name} as "):
        load_bert(folder)
