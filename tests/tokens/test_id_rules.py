"""Rules by which other software reads a text, against the tokenizers library and by hand."""

import json
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers
from tokenizers.normalizers import BertNormalizer

from bertviz_core.bert import Bert, load_bert
from bertviz_core.errors import UserInputError
from bertviz_core.tokens.id_rules import GROUPS, ids_by, rules_of

TEXTS = [
    "Crème brûlée costs 5 € at the naïve Café Zoë!", "Dvořák and Škoda, Ελλάδα and Йод",
    "ΟΔΥΣΣΕΥΣ and ΣΙΣΥΦΟΣ met.", "We don't know; it can't be, she cannot.",
    "E = mc² and H₂O, No. №5",
    "Die Straße ist groß, GROẞ!", "서울은 한국의 수도이다", "हिंदी में BERT", "தமிழ் மொழி", "மொழி ok",
    "hello [SEP] world [MASK].", "the[MASK] and [CLS]", "so\xadft hy\xadphen and zero\u200bwidth",
    "a\u2009b\u00a0c\td", "Tokyo東京Tokyo and 中国", "ﬁrst oﬃce, deﬁnition", "１２３ and ①",
    "ACGT" * 26, "word " + "яблоко" * 9, "привет " * 3 + "мир" * 20, "it's John's (e.g. this)",
    "I ❤ NLP 🐍 and cafe\u0301", "Việt Nam", "السلام عليكم", "שלום בְּרֵאשִׁית", "ไทย BERT น้ำ",
    "İstanbul, ISTANBUL", "naïve 한국 Zürich", "The Cat sat on the mat.", "x\u0301\u0302 Å ñ",
]  # fmt: skip
# What real programs gave; each is as its documentation has it but for what the name says.
MEASURED = [
    ("@huggingface/tokenizers 0.2.0", "ΟΔΥΣΣΕΥΣ",
     [101, 1169, 29722, 29735, 29733, 29733, 29723, 29735, 19579, 102], "a final sigma as ς"),
    ("llama.cpp, 2026.10", "서울", [101, 1461, 29999, 102],
     "accents and vowel signs lost (Korean and Indian ones)"),
    ("llama.cpp, 2026.10", "हिंदी में BERT", [101, 1339, 29861, 1331, 14324, 102],
     "accents and vowel signs lost (Korean and Indian ones)"),
    ("tensorflow-text 2.20.1, lower_case", "SO₄²⁻", [101, 2061, 20958, 22543, 102], "NFKC"),
    ("tensorflow-text 2.20.1, lower_case", "GROẞ", [101, 7977, 102], "case folding"),
    ("tensorflow-text 2.20.1", "New York City is large", [101, 100, 100, 100, 2003, 2312, 102],
     "no lower-casing"),
    ("@xenova/transformers 2.17.2", "संस्कृतम्", [101, 100, 102],
     "accents U+0300 to U+036F stripped only"),
    ("onnxruntime-extensions 0.15.2", "Dvořák", [101, 1040, 6767, 100, 102],
     "accents kept + pieces before an unknown one kept"),
    ("pytorch-pretrained-bert 0.6.2", "[MASK].", [101, 1031, 7308, 1033, 1012, 102],
     "typed special tokens known between blanks only"),
    ("blingfire 0.1.8", "so\xadft hy\xadphen", [2061, 3027, 1044, 2100, 6887, 2368],
     "control characters between words + no special tokens added"),
    ("curated-transformers 2.0.1, strip_accents", "a\u2009b", [101, 100, 102],
     "control characters kept"),
]  # fmt: skip
GREEDY = {"max_input_chars_per_word": 10_000}
WITH_SETTINGS: dict[str, dict[str, Any]] = {
    "": {},
    "accents kept": {"normalizer": BertNormalizer(strip_accents=False)},
    "no lower-casing": {"normalizer": BertNormalizer(strip_accents=True, lowercase=False)},
    "Chinese characters not set apart": {"normalizer": BertNormalizer(handle_chinese_chars=False)},
    "NFKC": {"normalizer": normalizers.Sequence([normalizers.NFKC(), BertNormalizer()])},
    "accents U+0300 to U+036F stripped only": {"normalizer": normalizers.Sequence([
        normalizers.NFD(), normalizers.Replace(Regex("[\u0300-\u036f]"), ""),
        BertNormalizer(strip_accents=False),
    ])},
    "words split at blanks only": {"pre_tokenizer": pre_tokenizers.WhitespaceSplit()},
    "no word limit": GREEDY,
    "typed special tokens read as words": {"encode_special_tokens": True},
}  # fmt: skip


def joined(sets: tuple[tuple[str, ...], ...]) -> list[str]:
    return [" + ".join(rules) for rules in sets]


@pytest.mark.parametrize("rule", WITH_SETTINGS)
def test_a_rule_is_a_setting_of_the_library(minilm: Bert, rule: str) -> None:
    other = Tokenizer.from_str(minilm.tokenizer.to_str())
    for name, value in WITH_SETTINGS[rule].items():
        setattr(other.model if name in GREEDY else other, name, value)
    for text in TEXTS:
        assert ids_by(minilm, text, (rule,)) == other.encode(text).ids, text


@pytest.mark.parametrize(("program", "text", "ids", "rules"), MEASURED, ids=lambda one: None)
def test_what_real_programs_do(
    minilm: Bert, program: str, text: str, ids: list[int], rules: str
) -> None:
    found = rules_of(minilm, text, ids)
    assert rules in joined(found.rules), program
    assert all(ids_by(minilm, text, one) == ids for one in found.rules)


def test_of_rules_that_cannot_be_told_apart_all_are_named(minilm: Bert) -> None:
    found = rules_of(minilm, "É", [101, 100, 102])
    assert {"accents kept", "no lower-casing"} <= set(joined(found.rules))
    assert (found.first, found.own.tolist()) == (1, [101, 1041, 102])


def shortest(bert: Bert, text: str, rules: tuple[str, ...]) -> list[str]:
    """Of some rules those that these ids need: the smallest sets that make them."""
    ids = ids_by(bert, text, rules)
    for size in range(len(rules) + 1):
        sets = [one for one in combinations(rules, size) if ids_by(bert, text, one) == ids]
        if sets:
            return joined(tuple(sets))
    raise AssertionError


def test_the_rule_that_was_used_is_named(minilm: Bert) -> None:
    """Of every rule alone, and of pairs that occur together, in at least 95% of the texts."""
    pairs = [
        ("NFKC", "case folding"), ("accents kept", "no lower-casing"),
        ("NFKC", "word limit in bytes"),
        ("accents kept", "pieces before an unknown one kept"), ("NFKC", "no special tokens added"),
        ("typed special tokens read as words", "no special tokens added"),
    ]  # fmt: skip
    alone = [(rule,) for group in GROUPS for rule in group]
    right = []
    for rules in (*alone, *pairs):
        for text in TEXTS:
            ids = ids_by(minilm, text, rules)
            found = rules_of(minilm, text, ids)
            if found.first is not None:
                named = {frozenset(one.split(" + ")) for one in joined(found.rules)}
                used = {frozenset(one.split(" + ")) for one in shortest(minilm, text, rules)}
                right.append(bool(named & used))
    assert len(right) > 150
    assert sum(right) / len(right) >= 0.95


@pytest.mark.parametrize(("rules", "ids"), [
    (["cut at 128 tokens"], [101, *[2773] * 126, 102]),
    (["no special token at the end + cut at 256 tokens"], [101, *[2773] * 255]),
    (["padded to 40 + cut at 20 tokens", "cut at 20 tokens + padded to 40"],
     [101, *[2773] * 18, 102, *[0] * 20]),
    (["no special tokens added + not cut"], [2773] * 600),
    (["no special tokens added + cut at 512 tokens"], [2773] * 512),
])  # fmt: skip
def test_what_is_done_at_the_ends(minilm: Bert, rules: list[str], ids: list[int]) -> None:
    (made,) = joined(rules_of(minilm, "word " * 600, ids).rules)
    assert made in rules


def test_the_models_own_ids_need_no_rule(minilm: Bert) -> None:
    for text in ("", "word " * 600, "[SEP]"):
        own = minilm.tokenizer.encode(text).ids
        found = rules_of(minilm, text, own[:511] + own[-1:] if len(own) > 512 else own)
        assert (found.first, found.rules) == (None, ())
    whole = rules_of(minilm, "word " * 600, [101, *[2773] * 600, 102])
    assert (whole.first, joined(whole.rules)) == (511, ["not cut"])


def test_ids_of_something_else(minilm: Bert) -> None:
    found = rules_of(minilm, "the cat", [101, 1996, 3899, 102])
    assert (found.first, found.rules) == (2, ())
    assert rules_of(minilm, "the cat", []).rules == ()
    assert rules_of(minilm, "the cat", [-1, 99999]).first == 0


def test_a_model_with_capitals(folder: Path) -> None:
    """Its own rules are others, so it is lower-casing that makes a difference."""
    options = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps(options | {"do_lower_case": False}))
    bert = load_bert(folder)
    ids = [bert.vocabulary.ids[one] for one in ("[CLS]", "the", "cat", "[SEP]")]
    assert joined(rules_of(bert, "The cat", ids).rules)[0] == "lower-casing"
    unknown = bert.vocabulary.ids["[UNK]"]
    assert rules_of(bert, "The cat", [ids[0], unknown, *ids[2:]]).first is None


def test_long_and_hostile_texts_are_bounded(minilm: Bert) -> None:
    odd = " ".join(TEXTS)
    for text in (odd * 8, "é" * 5000, "a" * 10_000, "[SEP]" * 1000, "1\u0301" * 2500):
        started = time.monotonic()
        assert rules_of(minilm, text[:10_000], [101, 5, 102]).rules == ()
        assert time.monotonic() - started < 20
    for text, ids in (("a" * 10_001, [1]), ("a", [1] * 2049), ("a", [2**31])):
        with pytest.raises(UserInputError, match="At most 2,048 ids"):
            rules_of(minilm, text, ids)
    with pytest.raises(TypeError, match="whole numbers"):
        rules_of(minilm, "a", ["1"])  # type: ignore[list-item]
