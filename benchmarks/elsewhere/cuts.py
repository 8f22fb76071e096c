"""At which token other software cuts a long text, or what it does instead."""

from typing import Any

from benchmarks.elsewhere import made_files, reference
from benchmarks.elsewhere.environment import TORCH, Software, answers

# Every word of the text is one token. A program answers {"ids": what the tokenizer made of it} or
# {"words": how many words the vector depends on}, found by changing one word after the other.
WORDS, SEP = 700, 102
BY_CHANGE = """
def words_read(vector):
    import numpy as np
    words = given["text"].split()
    whole, low, high = np.array(vector(given["text"])), 0, len(words)
    while low < high:  # the first word that can be changed and nothing happens
        middle = (low + high) // 2
        changed = [*words[:middle], "stone", *words[middle + 1:]]
        same = np.allclose(vector(" ".join(changed)), whole, rtol=0, atol=1e-6)
        low, high = (low, middle) if same else (middle + 1, high)
    return low
"""

TRANSFORMERS = """
from transformers import AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained(given["model"])
answer = {"ids": tokenizer(given["text"], ASKED verbose=False).input_ids}
"""

TOKENIZERS = """
from tokenizers import Tokenizer
answer = {"ids": Tokenizer.from_file(given["model"] + "/tokenizer.json").encode(given["text"]).ids}
"""

SENTENCE_TRANSFORMERS = """
from sentence_transformers import SentenceTransformer
model = SentenceTransformer(given["model"], device="cpu")
answer = {"words": words_read(model.encode)}
"""

FASTEMBED = """
from fastembed import TextEmbedding
name = "sentence-transformers/all-MiniLM-L6-v2"
model = TextEmbedding(name, specific_model_path=given["onnx"])
answer = {"words": words_read(lambda text: next(model.embed(text)))}
"""

LANGCHAIN = """
from langchain_huggingface import HuggingFaceEmbeddings
model = HuggingFaceEmbeddings(model_name=given[FOLDER])
answer = {"words": words_read(model.embed_query)}
"""

TXTAI = """
from txtai.vectors import VectorsFactory
model = VectorsFactory.create({"path": given[FOLDER], "method": METHOD}, None)
answer = {"words": words_read(lambda text: model.encode([text])[0])}
"""

MODEL2VEC = """
from model2vec.distill import distill
model = distill(given["model"], pca_dims=None)
answer = {"words": words_read(model.encode)}
"""

LLAMA_CPP = """
import xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path = given["gguf"]
parameters.embedding = True
server = xllamacpp.Server(parameters)
found = server.handle_embeddings({"input": given["text"]})
if "error" in found:
    answer = {"error": found["error"]["message"]}
else:
    answer = {"words": len(given["text"].split())}
"""

TRANSFORMERS_JS = """
import { AutoTokenizer, env } from "PACKAGE";
import { basename, dirname } from "node:path";
env.allowRemoteModels = false;
env.localModelPath = dirname(given.model);
const tokenizer = await AutoTokenizer.from_pretrained(basename(given.model));
const cut = tokenizer(given.text, { truncation: true });  // as the pipeline calls it
const answer = { ids: Array.from(cut.input_ids.data, Number) };
"""

FLAIR = """
from flair.data import Sentence
from flair.embeddings import TransformerWordEmbeddings
model = TransformerWordEmbeddings(given["bare"], layers="-1", allow_long_sentences=True)
sentence = Sentence(given["text"].split())
model.embed(sentence)
answer = {"vectors": len([word for word in sentence if word.embedding.abs().sum() > 0])}
"""

SPACY = """
import spacy, spacy_transformers
nlp = spacy.blank("en")
spans = {"@span_getters": "spacy-transformers.strided_spans.v1", "window": 128, "stride": 96}
model = {"@architectures": "spacy-transformers.TransformerModel.v3", "name": given["bare"]}
nlp.add_pipe("transformer", config={"model": model | {"get_spans": spans}})
nlp.initialize()
windows = nlp(given["text"])._.trf_data.tokens["input_ids"]
answer = {"windows": list(windows.shape)}
"""


def _transformers(asked: str) -> str:
    return TRANSFORMERS.replace("ASKED", asked)


def _javascript(package: str) -> str:
    return TRANSFORMERS_JS.replace("PACKAGE", package)


_V5 = ("transformers==5.23.0",)
_ST = ("sentence-transformers==6.2.0", TORCH, "transformers==5.23.0")
_LANGCHAIN = ("langchain-huggingface==1.2.3", "sentence-transformers==6.2.0", TORCH)
_JS = ("@huggingface/transformers@4.3.2",)
SOFTWARE = (
    Software("transformers 5.23.0", _V5, _transformers("")),
    Software("transformers 5.23.0, truncation=True", _V5, _transformers("truncation=True,")),
    Software("tokenizers 0.23.3, from the file", _V5, TOKENIZERS),
    Software("sentence-transformers 6.2.0", _ST, BY_CHANGE + SENTENCE_TRANSFORMERS),
    Software(
        "langchain-huggingface 1.2.3",
        _LANGCHAIN,
        BY_CHANGE + LANGCHAIN.replace("FOLDER", "'model'"),
    ),
    Software(
        "langchain-huggingface 1.2.3, weights alone",
        _LANGCHAIN,
        BY_CHANGE + LANGCHAIN.replace("FOLDER", "'bare'"),
    ),
    Software(
        "txtai 9.14.0",
        ("txtai==9.14.0", TORCH),
        BY_CHANGE + TXTAI.replace("FOLDER", "'model'").replace("METHOD", "'transformers'"),
    ),
    Software("fastembed 0.9.1", ("fastembed==0.9.1", "onnxruntime==1.32.0"), BY_CHANGE + FASTEMBED),
    Software(
        "@huggingface/transformers 4.3.2", _JS, _javascript(_JS[0].rpartition("@")[0]), npm=True
    ),
    Software("llama.cpp, xllamacpp 2026.10.11549", ("xllamacpp==2026.10.11549",), LLAMA_CPP),
    Software(
        "model2vec 0.10.0",
        ("model2vec[distill,quantization]==0.10.0", TORCH),
        BY_CHANGE + MODEL2VEC,
    ),
    Software("flair 0.15.1", ("flair==0.15.1", TORCH), FLAIR),
    Software("spacy-transformers 1.4.0", ("spacy-transformers==1.4.0", TORCH), SPACY),
)


def main() -> None:
    """Print, for each, how much of a long text it reads."""
    given = {
        "model": str(reference.folder()), "bare": str(made_files.bare()),
        "onnx": str(made_files.onnx()), "gguf": str(made_files.gguf()),
        "text": " ".join(["tree"] * WORDS),
    }  # fmt: skip
    print(f"Of a text of {WORDS} words, each one token.\n")
    print("| software | reads | note |")
    print("| --- | --- | --- |")
    for software, found in answers(SOFTWARE, given):
        print(f"| {software.name} | {_in_words(found)} | {software.why} |", flush=True)


def _in_words(found: dict[str, Any]) -> str:
    match found:
        case {"ids": ids}:
            whole = " (all)" if len(ids) == WORDS + 2 else ""
            return f"{len(ids)} tokens{whole}{'' if ids[-1] == SEP else ', the last not [SEP]'}"
        case {"words": words}:  # with [CLS] and [SEP]
            return f"{words + 2} tokens" if words < WORDS else f"{words} words (all)"
        case {"vectors": words}:
            return f"{words} words (all), in parts" if words == WORDS else f"{words} words"
        case {"windows": [windows, tokens]}:
            return f"{windows} windows of {tokens} tokens"
    return f"an error: {found['error']}"
