"""What a visitor should know before reading a map of occurrences: what is not on it, and why."""

from collections.abc import Iterator

from bertviz_core.bert import Bert
from bertviz_core.senses import WordOccurrences
from bertviz_core.senses.occurrences import MAX_SENTENCE
from bertviz_core.senses.vector_files import UNKNOWN
from bertviz_core.views.parts import note
from bertviz_core.views.view import Sentence
from bertviz_core.views.word_senses.mapped import Mapped

NEARLY_ALL = 0.9  # of the lines hold a tab: not by chance


def left_out(bert: Bert, mapped: Mapped, matches: WordOccurrences | None) -> Iterator[Sentence]:
    """Occurrences that are not on the map, and which model made the vectors.

    `matches` is what was found in a text; None for vectors of a file or a corpus.
    """
    count, total = f"{len(mapped.occurrences):,}", f"{mapped.total:,}"
    if matches is not None:
        yield from _of_text(matches)
        if count != total:
            yield note(
                "{left_out} of {total} are left out: the word comes after the first {most} tokens "
                "of its line, or BERT reads none of its characters.",
                left_out=f"{mapped.found.left_out:,}",
                total=total,
                most=bert.max_position_embeddings,
            )
        return
    sample = mapped.corpus_sample
    if sample is None and count != total:
        yield note(
            "The file holds {total} occurrences of “{word}”; the first {count} are on the map.",
            total=total,
            word=mapped.word,
            count=count,
        )
    elif sample is not None and (missing := sample.corpus.occurrences.parts_missing):
        text = "This corpus is not complete: {missing} parts are missing."
        yield note(text, missing=f"{missing:,}")
    if mapped.model == UNKNOWN:
        yield note(
            "The file does not say which model made its vectors; the one in the sidebar does not "
            "matter here."
        )
    elif mapped.model != bert.name:
        yield note(
            f"The vectors in this {'file' if sample is None else 'corpus'} come from "
            "<b>{model}</b>, pooled by {pooling}; the model in the sidebar does not matter here.",
            model=mapped.model,
            pooling=mapped.pooling,
        )


def _of_text(matches: WordOccurrences) -> Iterator[Sentence]:
    """Occurrences beyond the most, the rest of long lines; and what looks like a label."""
    if matches.total > len(matches.occurrences):
        yield note(
            "“{word}” occurs {total} times, in {lines} lines; the first {count} are on the map. "
            "The command <code>bert-explorer occurrences</code> takes all of them.",
            word=matches.word,
            total=f"{matches.total:,}",
            lines=f"{matches.lines:,}",
            count=f"{len(matches.occurrences):,}",
        )
    if matches.shortened:
        yield note(
            "{shortened} of them are in lines of more than {longest} characters; of such a line, "
            "only the part around the word is read and shown.",
            shortened=f"{matches.shortened:,}",
            longest=f"{MAX_SENTENCE:,}",
        )
    if matches.tabbed > 0 and matches.tabbed >= NEARLY_ALL * matches.lines:
        yield note(
            "{tabbed} of {tabbed_of} lines with the word hold a tab, and are read as whole "
            "sentences. If labels come before the tabs, let the first line be “sense”, a tab, "
            "“sentence”.",
            tabbed=f"{matches.tabbed:,}",
            tabbed_of=f"{matches.lines:,}",
        )
