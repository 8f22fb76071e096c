"""What "what made this vector?" asks for, and the search for the way."""

import hashlib

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.contextual.recipes import Recipes, recipes_of_pairs
from bertviz_core.senses.text_vectors import text_vectors
from bertviz_core.shared.models import SharedEncoder, models
from bertviz_core.shared.turns import encoder_queue
from bertviz_core.ui import fields, page, senses, state
from bertviz_core.ui.html import note
from bertviz_core.ui.jobs import Job
from bertviz_core.views.sentence_vectors.matrix import texts_and_vectors
from bertviz_core.views.sentence_vectors.recipe import Brought

PASTED = "brought"  # key of the field of numbers, which no address has
KINDS = ["npz", "npy", "json", "jsonl", "txt", "application/octet-stream"]
ABOUT = (
    '`np.savez(file, texts=..., vectors=...)`, JSON such as `[{"text": ..., "vector": [...]}]`, '
    "or `np.save(file, vector)` for the first sentence; up to 500 texts."
)


def ask_vectors(bert: Bert, text: str) -> Brought:
    """Ask for the vector of a text, or for a file of texts and theirs; find what made them."""
    with page.panel("brought") as folded:
        source = fields.choice("Vector from", ("numbers", "a file"), key="vectorfrom")
        folded.append(f"a vector from {source}")
        if source == "numbers":
            mean = texts_and_vectors(SharedEncoder(bert), (text,))[1]["mean"][-1, 0]
            # As stores keep int8: whole numbers from -127 to 127.
            example = " ".join(map(str, np.rint(127 * mean / np.abs(mean).max()).astype(int)))
            state.propose(PASTED, example)
            label = "Numbers of the first sentence's vector (in this session, not in the address)"
            # Streamlit 1.67 takes nothing of a text that is longer than `max_chars`, silently.
            numbers = st.text_area(
                label, example, key=PASTED, max_chars=100_000, height=84, persist_state="session"
            )
            content = (numbers or "").encode(errors="replace")
        else:
            most = senses.MAX_VECTORS_MB
            label = f"NPZ, NPY or JSON, up to {most} MB"
            upload = senses.ask_file(label, key="pairs", kinds=KINDS, megabytes=most, help=ABOUT)
            content = upload.getvalue() if upload else b""
    if not content:
        note("Give a vector, or a file of texts and vectors, to see here what made it.")
        st.stop()
    if source == "numbers" and content == example.encode():
        note("An example, in whole numbers as stores keep int8. Put your own in its place.")

    key = (bert.checkpoint, bert.stamp, hashlib.sha256(content).digest())
    given = senses.once_in_turn(
        ("brought", text, *key), lambda _: text_vectors(content, text, bert)
    )

    def work(job: Job) -> Recipes:
        with encoder_queue.turn():
            encoder = models.encoder(bert.name)
        return recipes_of_pairs(encoder, *given[:2], progress=job.report, turn=encoder_queue.turn)

    return given, senses.result_of_job(
        ("recipes", given.texts, *key), "The search", "Running BERT …", "texts", work
    )
