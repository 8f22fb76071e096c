"""Vectors of the same weights in other software, beside those of transformers in float32."""

from importlib.metadata import version

import numpy as np

from benchmarks.elsewhere import made_files, reference
from benchmarks.elsewhere.environment import TORCH, Software, answers
from bertviz_core.arrays import Exact, unit_rows

# Sentences of one batch, in the order of the file; the shorter ones are padded.
BATCH = 32

# Each program answers {"alone": the mean vector of each sentence by itself, "batch": the same in
# batches}; where a library asks for texts and batches by itself, the second is missing.
BY_IDS = f"""
import numpy as np

def both(states):
    every = given["ids"]
    alone = [states(np.array([ids]), np.ones((1, len(ids)), np.int64))[0].mean(0) for ids in every]
    batch = []
    for start in range(0, len(every), {BATCH}):
        part = every[start : start + {BATCH}]
        longest = max(map(len, part))
        ids = np.array([one + [0] * (longest - len(one)) for one in part])
        mask = np.array([[1] * len(one) + [0] * (longest - len(one)) for one in part])
        found = states(ids, mask)
        batch += [row[: len(one)].mean(0) for row, one in zip(found, part)]
    return {{"alone": alone, "batch": batch}}
"""

ONNXRUNTIME = """
import tempfile, onnxruntime
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process
file = given["onnx"] + "/model.onnx"
settings = {SETTINGS}
with tempfile.TemporaryDirectory() as scratch:
    if settings is not None:
        file, source = scratch + "/quantized.onnx", file
        quantize_dynamic(source, file, **settings)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])

    def states(ids, mask):
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": ids * 0}
        return session.run(None, feed)[0]

    answer = both(states)
"""

CTRANSLATE2 = """
import tempfile, ctranslate2
from ctranslate2.converters import TransformersConverter
with tempfile.TemporaryDirectory() as scratch:
    folder = scratch + "/model"
    TransformersConverter(given["model"]).convert(folder)
    encoder = ctranslate2.Encoder(folder, device="cpu", compute_type="TYPE")

    def states(ids, mask):
        rows = [row[: int(one.sum())].tolist() for row, one in zip(ids, mask)]
        return np.array(encoder.forward_batch(rows).last_hidden_state, np.float32)

    answer = both(states) | {"type": encoder.compute_type}
"""

OPENVINO = """
import openvino
core = openvino.Core()
settings = {"INFERENCE_PRECISION_HINT": "f32"} if FLOAT32 else {}
model = core.compile_model(core.read_model(given["onnx"] + "/model.onnx"), "CPU", settings)

def states(ids, mask):
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": ids * 0}
    return model(feed)[0]

answer = both(states) | {"type": str(model.get_property("INFERENCE_PRECISION_HINT"))}
"""

KERAS_HUB = """
import os
os.environ["KERAS_BACKEND"] = "torch"
import keras_hub
backbone = keras_hub.models.BertBackbone.from_preset(given["model"])

def states(ids, mask):
    feed = {"token_ids": ids, "padding_mask": mask, "segment_ids": ids * 0}
    return backbone.predict(feed, verbose=0)["sequence_output"]

answer = both(states)
"""

LLAMA_CPP = """
import xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path = given[GGUF]
parameters.embedding = True
server = xllamacpp.Server(parameters)

def vector(text):
    return server.handle_embeddings({"input": text})["data"][0]["embedding"]

answer = {"alone": [vector(text) for text in given["texts"]]}
"""

NODE_LLAMA_CPP = """
import { getLlama } from "node-llama-cpp";
const llama = await getLlama({ gpu: false, build: "never", logLevel: "error" });
const model = await llama.loadModel({ modelPath: given[GGUF] });
const context = await model.createEmbeddingContext();
const answer = { alone: [] };
for (const text of given.texts) {
  answer.alone.push(Array.from((await context.getEmbeddingFor(text)).vector));
}
await llama.dispose();
"""

SENTENCE_TRANSFORMERS = """
from sentence_transformers import SentenceTransformer
model = SentenceTransformer(given["model"], device="cpu")
alone = [model.encode(text) for text in given["texts"]]
answer = {"alone": alone, "batch": model.encode(given["texts"], batch_size=32)}
"""

FASTEMBED = """
from fastembed import TextEmbedding
name = "sentence-transformers/all-MiniLM-L6-v2"
model = TextEmbedding(name, specific_model_path=given["onnx"])
alone = [next(model.embed(text)) for text in given["texts"]]
answer = {"alone": alone, "batch": list(model.embed(given["texts"], batch_size=32))}
"""

LANGCHAIN = """
from langchain_huggingface import HuggingFaceEmbeddings
model = HuggingFaceEmbeddings(model_name=given["bare"])
answer = {"alone": [model.embed_query(text) for text in given["texts"]]}
answer["batch"] = model.embed_documents(given["texts"])
"""

TXTAI = """
from txtai.vectors import VectorsFactory
model = VectorsFactory.create({"path": given["bare"], "method": "transformers"}, None)
answer = {"alone": [model.encode([text])[0] for text in given["texts"]]}
answer["batch"] = model.encode(given["texts"])
"""

MODEL2VEC = """
from model2vec.distill import distill
model = distill(given["model"], pca_dims=None)
answer = {"alone": [model.encode(text) for text in given["texts"]]}
"""

TRANSFORMERS_JS = """
import { env, pipeline } from "@huggingface/transformers";
import { basename, dirname } from "node:path";
env.allowRemoteModels = false;
env.localModelPath = dirname(given.onnx);
const extract = await pipeline("feature-extraction", basename(given.onnx), { dtype: "fp32" });
const answer = { alone: [] };
for (const text of given.texts) {
  const vector = await extract(text, { pooling: "mean", normalize: true });
  answer.alone.push(Array.from(vector.data));
}
"""

# Their names on the page, and what quantize_dynamic gets.
_QUANTIZED = {
    "": ("None", ""),
    ", quantize_dynamic": ("{}", "one scale of activations for a whole batch"),
    ", quantize_dynamic(weight_type=QUInt8)": ('{"weight_type": QuantType.QUInt8}', "the same"),
    ", quantize_dynamic(per_channel=True)": ('{"per_channel": True}', "the same"),
    ", quantize_dynamic(reduce_range=True)": ('{"reduce_range": True}', "the same"),
}
_ONNXRUNTIME = [
    Software(
        f"onnxruntime 1.32.0{name}", made_files.ONNX_PACKAGES,
        BY_IDS + ONNXRUNTIME.replace("{SETTINGS}", settings), why,
    )
    for name, (settings, why) in _QUANTIZED.items()
]  # fmt: skip
_CTRANSLATE2 = [
    Software(
        f"CTranslate2 4.8.5, {kind}", ("ctranslate2==4.8.5", TORCH, "transformers==5.23.0"),
        BY_IDS + CTRANSLATE2.replace("TYPE", kind),
    )
    for kind in ("float32", "bfloat16", "int16", "int8")
]  # fmt: skip
_LLAMA_CPP = [
    Software(
        f"llama.cpp (xllamacpp 2026.10.11549), {kind}", ("xllamacpp==2026.10.11549",),
        LLAMA_CPP.replace("GGUF", repr(kind)),
    )
    for kind in ("F32", "Q8_0", "Q4_0")
]  # fmt: skip
_NODE_LLAMA_CPP = [
    Software(
        f"node-llama-cpp 3.21.1, {name}", ("node-llama-cpp@3.21.1",),
        NODE_LLAMA_CPP.replace("GGUF", repr(kind)), why, npm=True,
    )
    for name, kind, why in (
        ("F32", "F32", ""), ("F32 without a pooling key", "no pooling", "not the mean"),
    )
]  # fmt: skip
_OPENVINO = [
    Software(
        f"OpenVINO 2026.4.1{name}", ("openvino==2026.4.1",),
        BY_IDS + OPENVINO.replace("FLOAT32", flag), why,
    )
    for name, flag, why in (
        ("", "False", "computes in bfloat16 where the processor has it"), (", f32", "True", ""),
    )
]  # fmt: skip
_SENTENCE_TRANSFORMERS = ("sentence-transformers==6.2.0", TORCH, "transformers==5.23.0")
_LANGCHAIN = ("langchain-huggingface==1.2.3", "sentence-transformers==6.2.0", TORCH)
_JAVASCRIPT = ("@huggingface/transformers@4.3.2",)
SOFTWARE = (
    *_ONNXRUNTIME,
    Software("sentence-transformers 6.2.0", _SENTENCE_TRANSFORMERS, SENTENCE_TRANSFORMERS),
    Software("fastembed 0.9.1", ("fastembed==0.9.1", "onnxruntime==1.32.0"), FASTEMBED),
    Software("@huggingface/transformers 4.3.2", _JAVASCRIPT, TRANSFORMERS_JS, npm=True),
    Software("langchain-huggingface 1.2.3", _LANGCHAIN, LANGCHAIN, "from weights alone"),
    Software("txtai 9.14.0", ("txtai==9.14.0", TORCH), TXTAI, "from weights alone"),
    *_CTRANSLATE2,
    *_LLAMA_CPP,
    *_NODE_LLAMA_CPP,
    *_OPENVINO,
    Software("keras-hub 0.32.0", ("keras-hub==0.32.0", TORCH), BY_IDS + KERAS_HUB),
    Software(
        "model2vec 0.10.0", ("model2vec[distill,quantization]==0.10.0", TORCH), MODEL2VEC,
        "a table made of the model: no layer of it",
    ),
)  # fmt: skip


def _cosines(a: Exact, b: Exact) -> Exact:
    return (unit_rows(a) * unit_rows(b)).sum(axis=1)


def main() -> None:
    """Print, for each, how near its vectors are to those of transformers."""
    texts = reference.sentences()
    exact = reference.mean_vectors(texts)
    by_tanh = reference.mean_vectors(texts, "gelu_pytorch_tanh")
    given = {
        "model": str(reference.folder()), "texts": texts, "ids": reference.ids(texts),
        "onnx": str(made_files.onnx()), "bare": str(made_files.bare()),
        "F32": str(made_files.gguf()), "Q8_0": str(made_files.gguf("Q8_0")),
        "Q4_0": str(made_files.gguf("Q4_0")),
        "no pooling": str(made_files.gguf(pooling=False)),
    }  # fmt: skip
    print(f"Beside {reference.REFERENCE}, torch {version('torch')}, float32.\n")
    print("| software | cosine, mean | worst | alone and in a batch, worst | length | note |")
    print("| --- | --- | --- | --- | --- | --- |")
    for software, found in answers(SOFTWARE, given):
        alone = np.array(found["alone"], float)
        cosines, lengths = _cosines(alone, exact), np.linalg.norm(alone, axis=1)
        again = ""
        if "batch" in found:
            again = f"{_cosines(alone, np.array(found['batch'], float)).min():.6f}"
        length = "1" if np.allclose(lengths, 1, atol=1e-4) else f"{lengths.mean():.2f}"
        notes = [software.why] if software.why else []
        if (1 - _cosines(alone, by_tanh)).mean() < (1 - cosines).mean() / 2:
            notes.append("GELU by tanh: nearer to that")
        line = [software.name, f"{cosines.mean():.6f}", f"{cosines.min():.6f}", again, length]
        print("|", " | ".join([*line, "; ".join(notes)]), "|", flush=True)
