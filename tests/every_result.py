"""One result of each kind, made by the functions that return it."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bertviz_core.arrays import layer_norm
from bertviz_core.bert import Bert, load_bert
from bertviz_core.calibration import Pair, Scales
from bertviz_core.calibration.measuring import calibration_of_pairs
from bertviz_core.checkpoints.parameters import count_parameters
from bertviz_core.checkpoints.tensors import tensor_statistics
from bertviz_core.contextual.attention import agreement_with_changes, word_attention
from bertviz_core.contextual.comparisons import compare_models, compare_poolings
from bertviz_core.contextual.explained import explained_variance
from bertviz_core.contextual.influence import changed_contexts, influence, other_words
from bertviz_core.contextual.lens import nearest_rows_by_layer
from bertviz_core.contextual.neighbors import neighbors_in_context
from bertviz_core.contextual.predictions import predictions_by_layer
from bertviz_core.contextual.words import word_in_context
from bertviz_core.corpus.search import Nearest
from bertviz_core.corpus.shift.changed import changed
from bertviz_core.corpus.shift.measures import shares, shift
from bertviz_core.corpus.shift.resamples import resample
from bertviz_core.corpus.shift.two_groups import Group, TwoGroups
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.dimensions import extreme_tokens
from bertviz_core.embeddings.fresh import against_fresh
from bertviz_core.embeddings.outliers import outlier_dimensions
from bertviz_core.embeddings.rows import compare_rows
from bertviz_core.embeddings.shares import layer_norm_lengths, part_shares, waterfall
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.embedding_layer import dropout_draws, sums_in_all_orders
from bertviz_core.encoder.pooler import pooler_steps
from bertviz_core.encoder.training import backward_pass
from bertviz_core.neighbors import nearest_scores, nearest_tokens, pca_map
from bertviz_core.positions.likeness import likeness_with_baselines
from bertviz_core.positions.segments import compare_segments
from bertviz_core.positions.sinusoids import sinusoidal_table
from bertviz_core.positions.table import analyse_positions
from bertviz_core.result import Result
from bertviz_core.senses import (
    confound_scores,
    find_occurrences,
    group,
    sense_scores,
    sense_vectors,
)
from bertviz_core.senses.projection import layer_frame
from bertviz_core.senses.trust import trust
from bertviz_core.tokens import tokenize
from bertviz_core.tokens.decoding import decode_ids
from bertviz_core.tokens.line_counts import count_lines, count_words
from bertviz_core.tokens.lookup import look_up
from bertviz_core.tokens.segments import segments_two_ways
from bertviz_core.tokens.word_search import search_word
from bertviz_core.tokens.wordpieces import trace_text
from bertviz_core.vector_files.opened import Opened
from bertviz_core.vector_files.sample import Sample
from bertviz_core.vector_files.strata import Strata
from tests.tiny import SENTENCES, write_checkpoint

LINES = (
    *("sense\tsentence", "pet\tmy python sat on the mat", "pet\tthe python, a snake"),
    *("pet\ti love my pet python", "code\tcoding in python!", "code\ta python in the code"),
    "code\tthe king, the python",
)


def results(encoder: Encoder, folder: Path) -> Iterator[Result]:
    """One of each, of the tiny model; `folder` is empty and gets a checkpoint."""
    bert = encoder.bert
    yield from _of_tables(bert)
    yield from _of_words(encoder, folder)
    yield from _of_layers(encoder)
    yield from _of_occurrences(encoder)


def _of_tables(bert: Bert) -> Iterator[Result]:
    text, other = tokenize(bert, "the cat sat on a mat"), tokenize(bert, "the dog")
    parts = input_embeddings(bert, text)
    yield from (text, parts, count_words(bert, text), count_lines(bert, ["the cat", "un dog"]))
    yield from (decode_ids(bert, (4, 8, 5)), look_up(bert, "cat"), search_word(bert, "codings"))
    yield from (trace_text(bert, "the [MASK] sat"), segments_two_ways(bert, text))
    yield from (part_shares(bert, parts), layer_norm_lengths(bert, parts))
    yield from (waterfall(bert, parts, 1, 2), compare_rows(bert, text, other))
    yield from (extreme_tokens(bert, 3, 4), outlier_dimensions(bert, parts, 1.5))
    yield from (against_fresh(bert.tables.position_embeddings, 0.5), bert.vocabulary)
    yield from (nearest_tokens(bert, "king - man + woman", 4), nearest_scores(bert), pca_map(bert))
    yield from (count_parameters(bert.checkpoint), compare_segments(bert))
    yield tensor_statistics(bert.checkpoint, "pooler.dense.weight", 5)
    tables = bert.tables
    yield layer_norm(parts.summed, tables.layer_norm_weight, tables.layer_norm_bias, 1e-12)
    positions = analyse_positions(tables.position_embeddings)
    yield from (positions, positions.by_distance, positions.path)
    compared = likeness_with_baselines(
        tables.position_embeddings, sinusoidal_table(*tables.position_embeddings.shape)
    )
    yield compared


def _of_words(encoder: Encoder, folder: Path) -> Iterator[Result]:
    word = word_in_context(encoder, "i love my pet [python] on a mat")
    anchor = word_in_context(encoder, "coding in [python]")
    away = changed_contexts(encoder, word, "mask")
    changes = influence(word, away, anchor)[-1]
    attention = word_attention(encoder, word)
    own = word.text.input_ids[list(word.token_positions)].tolist()
    heads = agreement_with_changes(
        attention.to_words(other_words(word)), changes, other_words(word), word
    )
    assert heads is not None
    yield from (word, away, attention, heads)
    yield neighbors_in_context(encoder, word, [word.text, anchor.text], np.zeros((3, 8)))
    yield nearest_rows_by_layer(encoder.bert, word.vectors, own, 3)
    with_head = load_bert(write_checkpoint(folder / "with-head", masked_words=True))
    yield predictions_by_layer(with_head, word.vectors, own, 3)
    pooled = compare_poolings([(word, anchor), (anchor, word), (word, word)])
    yield compare_models(pooled[0], pooled[1])


def _of_layers(encoder: Encoder) -> Iterator[Result]:
    text = tokenize(encoder.bert, "the cat sat on a mat")
    yield from (sums_in_all_orders(encoder, text), dropout_draws(encoder, text, 3))
    yield from (pooler_steps(encoder, text), backward_pass(encoder, text, [2], [6]))
    yield explained_variance(encoder, SENTENCES * 2)
    random = np.random.default_rng(1)
    vectors, numbers = random.normal(size=(3, 60, 8)).astype(np.float32), np.arange(60)
    scale = calibration_of_pairs(
        "tiny", zip(vectors, vectors, strict=True), np.triu(np.ones((60, 60), bool), 1),
        (numbers, numbers), sentences=60, vectors=60, means=vectors[:, 0], kind="pairs",
    )  # fmt: skip
    yield from (scale, Scales("tiny", 60, vectors[:, 0], {Pair(False, 1, 2, "mean"): scale}))


def _of_occurrences(encoder: Encoder) -> Iterator[Result]:
    found = find_occurrences(LINES, "python")
    made = sense_vectors(encoder, found.occurrences)
    scores = sense_scores(made.vectors, [one.sense for one in found.occurrences])
    plane = layer_frame(made.vectors[:, 2])
    yield from (found, made, group(made.vectors[:, 2]), plane)
    yield from (scores, scores.auc, scores.auc.chance, trust(made.vectors[:, 2], plane.points))
    yield confound_scores(made.vectors, found.occurrences, encoder.bert, scores)[0]
    numbers = np.arange(6)
    halves = Group("year<1950", numbers[:3], 3), Group("year>=1950", numbers[3:], 9)
    resamples = resample(range(3), range(3))
    vectors = made.vectors[:3, 2], made.vectors[3:, 2]
    compared = shift([vectors], resamples)
    yield from (TwoGroups(*halves, 1), compared, compared.average, changed(*vectors, resamples))
    yield shares(np.array([0, 1, 1, 0, 1, 1]), resamples)
    yield resamples.compare(
        np.concatenate(vectors).astype(np.float64), lambda a, b: np.abs(a - b).mean(axis=-1)
    )
    yield Nearest(numbers, np.linspace(0.9, 0.4, 6, dtype=np.float32), 120, exact=True)
    years = {"year": (1900, 1910, None, 1960, 1970, 1980)}
    opened = Opened("python", {"python": 6}, "tiny", "mean", (0, 1, 2), made, years)
    yield from (Sample(opened, numbers), Strata(("old", "new"), np.array([0, 0, 0, 1, 1, 1])))
