"""Vectors of texts by other software, from the same weights; runs without this project.

`python recipe_makers.py MODEL_FOLDER TEXTS.json OUT.npz`: of each maker, by its name,
float32 (layers, ways, n, hidden_size): mean, mean without [CLS] and [SEP], [CLS], [SEP], max at
each layer that the software gives, the last one last. `benchmarks/recipes.py` makes the
environment. What cannot be installed or run is left out, and printed.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

COMPARED = 20  # texts whose float32 hidden states are compared with transformers'


def pooled(states: Any) -> Any:
    """(layers, seq_len, hidden_size) in the five ways: (layers, 5, hidden_size)."""
    states = np.asarray(states, np.float32)
    inner = states[:, 1:-1] if states.shape[1] > 2 else states
    ways = (states.mean(1), inner.mean(1), states[:, 0], states[:, -1], states.max(1))
    return np.stack(ways, axis=1)


def by_onnxruntime(folder: str, texts: list[str], at: Path) -> Iterator[tuple[str, Any]]:
    """Exported by torch; its float32 run is compared with transformers' hidden states."""
    import onnxruntime as ort  # type: ignore[import-not-found]
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic  # type: ignore[import-not-found]
    from transformers import BertModel, BertTokenizer

    tokenizer = BertTokenizer.from_pretrained(folder)
    model = BertModel.from_pretrained(folder, attn_implementation="eager").eval()

    class AllStates(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.bert = model

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            run = self.bert(input_ids, attention_mask, token_type_ids, output_hidden_states=True)
            return torch.stack(run.hidden_states)

    names = ["input_ids", "attention_mask", "token_type_ids"]
    example = tokenizer(["two texts", "of one batch, padded"], padding=True, return_tensors="pt")
    axes = {name: {0: "batch", 1: "tokens"} for name in names} | {
        "states": {1: "batch", 2: "tokens"}
    }
    path = at / "float32.onnx"
    with torch.no_grad():
        torch.onnx.export(
            AllStates().eval(), tuple(example[name] for name in names), str(path),
            input_names=names, output_names=["states"], dynamic_axes=axes, dynamo=False,
        )  # fmt: skip

    def run(session: Any, batch: list[str]) -> list[Any]:
        inputs = tokenizer(batch, padding=True, truncation=True, return_tensors="np")
        (states,) = session.run(None, {name: inputs[name].astype(np.int64) for name in names})
        lengths = inputs["attention_mask"].sum(1)
        return [states[:, row, :length] for row, length in enumerate(lengths)]

    options = ort.SessionOptions()
    options.intra_op_num_threads = 1

    def opened(path: Path) -> Any:
        return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    session = opened(path)
    worst = 0.0
    for text in texts[:COMPARED]:
        with torch.no_grad():
            inputs = tokenizer(text, truncation=True, return_tensors="pt")
            library = torch.stack(model(**inputs, output_hidden_states=True).hidden_states)
        worst = max(worst, float(np.abs(run(session, [text])[0] - library[:, 0].numpy()).max()))
    print(
        f"onnxruntime {ort.__version__}, float32: at most {worst:.1e} from transformers", flush=True
    )
    variants: dict[str, Any] = {
        "default": {},
        "uint8": {"weight_type": QuantType.QUInt8},
        "per channel": {"per_channel": True},
        "reduce_range": {"reduce_range": True},
    }
    for name in ("float32", *variants):
        quantized = at / f"{name}.onnx"
        if name in variants:
            quantize_dynamic(path, quantized, **variants[name])
        session = opened(quantized)
        yield f"onnxruntime {name}", [pooled(run(session, [text])[0]) for text in texts]
        if name == "default":
            batches = [texts[first : first + 8] for first in range(0, len(texts), 8)]
            yield (
                f"onnxruntime {name}, batches of 8",
                [pooled(states) for batch in batches for states in run(session, batch)],
            )


def by_ctranslate2(folder: str, texts: list[str], at: Path) -> Iterator[tuple[str, Any]]:
    import ctranslate2  # type: ignore[import-not-found]
    from transformers import BertTokenizer

    tokenizer = BertTokenizer.from_pretrained(folder)
    ids = [tokenizer(text, truncation=True)["input_ids"] for text in texts]
    converter = ctranslate2.converters.TransformersConverter(folder)
    for kind in ("float32", "bfloat16", "int16", "int8"):
        converter.convert(str(at / kind), quantization=kind)
        try:
            encoder = ctranslate2.Encoder(str(at / kind), compute_type=kind, intra_threads=1)
        except ValueError as error:  # this processor does not compute in it
            print(f"ctranslate2 {kind} is left out: {error}", flush=True)
            continue
        vectors = []
        for each in ids:
            states = encoder.forward_batch([each]).last_hidden_state
            states = states.to(ctranslate2.DataType.float32)
            vectors.append(pooled(np.array(states)))
        yield f"ctranslate2 {kind}", vectors


def by_llama_cpp(folder: str, texts: list[str], at: Path) -> Iterator[tuple[str, Any]]:
    import gguf  # type: ignore[import-not-found]
    import xllamacpp  # type: ignore[import-not-found]
    from gguf.quants import quantize  # type: ignore[import-not-found]
    from safetensors.numpy import load_file

    config = json.loads((Path(folder) / "config.json").read_text())
    words = (Path(folder) / "vocab.txt").read_text(encoding="utf-8").splitlines()
    weights = load_file(Path(folder) / "model.safetensors")
    table = gguf.get_tensor_name_map(gguf.MODEL_ARCH.BERT, config["num_hidden_layers"])
    types = gguf.GGMLQuantizationType
    for kind in (types.F32, types.Q8_0, types.Q4_0):
        path = at / f"{kind.name}.gguf"
        writer = gguf.GGUFWriter(path, "bert")
        writer.add_context_length(config["max_position_embeddings"])
        writer.add_embedding_length(config["hidden_size"])
        writer.add_feed_forward_length(config["intermediate_size"])
        writer.add_block_count(config["num_hidden_layers"])
        writer.add_head_count(config["num_attention_heads"])
        writer.add_layer_norm_eps(config["layer_norm_eps"])
        writer.add_causal_attention(False)
        writer.add_tokenizer_model("bert")
        writer.add_token_type_count(config["type_vocab_size"])
        shown = [
            word if word.startswith("[") and word.endswith("]")
            else word[2:] if word.startswith("##") else "\u2581" + word
            for word in words
        ]  # fmt: skip
        writer.add_token_list(shown)
        writer.add_token_types(
            [3 if word.startswith("[") and len(word) > 1 else 1 for word in words]
        )
        for name, add in {
            "[CLS]": writer.add_bos_token_id, "[SEP]": writer.add_sep_token_id,
            "[PAD]": writer.add_pad_token_id, "[UNK]": writer.add_unk_token_id,
            "[MASK]": writer.add_mask_token_id,
        }.items():  # fmt: skip
            add(words.index(name))
        for name, values in weights.items():
            if "pooler" in name or "position_ids" in name:
                continue
            new = table.get_name(name, (".weight", ".bias"))
            values = values.astype(np.float32)
            if values.ndim == 2 and "position" not in name and "token_type" not in name:
                writer.add_tensor(new, quantize(values, kind), raw_dtype=kind)
            else:
                writer.add_tensor(new, values)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        ways = {}
        for pooling in ("MEAN", "CLS", "LAST"):
            params = xllamacpp.CommonParams()
            params.model.path = str(path)
            params.embedding = True
            params.pooling_type = getattr(
                xllamacpp.llama_pooling_type, f"LLAMA_POOLING_TYPE_{pooling}"
            )
            params.n_ctx = params.n_batch = params.n_ubatch = 512
            params.n_parallel = 1
            params.cpuparams.n_threads = 1
            server = xllamacpp.Server(params)
            answers = [server.handle_embeddings({"input": text}) for text in texts]
            # Beyond 512 tokens it answers with an error.
            none = [{"embedding": [np.nan] * config["hidden_size"]}]
            ways[pooling] = [one.get("data", none)[0]["embedding"] for one in answers]
            del server
        # What it does not give is NaN.
        mean, cls, last = (np.array(ways[pooling], np.float32) for pooling in ways)
        gap = np.full_like(mean, np.nan)
        yield f"llama.cpp {kind.name}", np.stack([mean, gap, cls, last, gap], 1)[:, None]


def by_model2vec(folder: str, texts: list[str], at: Path) -> Iterator[tuple[str, Any]]:
    from model2vec.distill import distill  # type: ignore[import-not-found]

    vectors = distill(folder, pca_dims=None).encode(texts)
    yield "model2vec", np.repeat(vectors[:, None, None], 5, axis=2)


MAKERS: tuple[Callable[[str, list[str], Path], Iterator[tuple[str, Any]]], ...] = (
    *(by_onnxruntime, by_ctranslate2, by_llama_cpp, by_model2vec),
)


def main() -> None:
    """Write the vectors of all makers that run."""
    folder, texts, out = sys.argv[1:4]
    given = json.loads(Path(texts).read_text(encoding="utf-8"))
    made = {}
    for maker in MAKERS:
        if sys.argv[4:] and maker.__name__ not in sys.argv[4:]:
            continue
        with tempfile.TemporaryDirectory() as at:
            try:
                for name, vectors in maker(folder, given, Path(at)):
                    made[name] = np.stack(vectors).astype(np.float32).transpose(1, 2, 0, 3)
                    print(f"{name}: {made[name].shape}", flush=True)
            except Exception as error:  # another version, or none for this machine
                print(f"{maker.__name__} is left out: {error!r:.300}", flush=True)
    np.savez(out, **made)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
