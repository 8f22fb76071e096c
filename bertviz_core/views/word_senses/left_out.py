"""What a visitor should know before reading a map of occurrences: what is not on it, and why."""

from bertviz_core.bert import Bert
from bertviz_core.senses import WordOccurrences
from bertviz_core.senses.occurrences import LONGEST_SENTENCE
from bertviz_core.vector_files.opened import UNKNOWN
from bertviz_core.views.parts import note
from bertviz_core.views.view import Sentence
from bertviz_core.views.word_senses.mapped import Mapped

NEARLY_ALL = 0.9  # of the lines hold a tab: not by chance


def left_out(bert: Bert, mapped: Mapped, matches: WordOccurrences | None) -> list[Sentence]:
    """Occurrences that are not on the map, and which model made the vectors.

    `matches` is what was found in a text; None for vectors of a file or a corpus.
    """
    return _of_source(bert, mapped) if matches is None else _of_text(bert, mapped, matches)


def _of_text(bert: Bert, mapped: Mapped, matches: WordOccurrences) -> list[Sentence]:
    """Occurrences beyond the most, the rest of long lines; and what looks like a label."""
    notes = []
    if matches.total > len(matches.occurrences):
        notes.append(
            note(
                "“{word}” occurs {total} times, in {lines} lines; the first {count} are on the "
                "map. The command <code>bert-explorer occurrences</code> takes all of them.",
                word=matches.word,
                total=f"{matches.total:,}",
                lines=f"{matches.lines:,}",
                count=f"{len(matches.occurrences):,}",
            )
        )
    if matches.shortened:
        notes.append(
            note(
                "{shortened} of them are in lines of more than {longest} characters; of such a "
                "line, only the part around the word is read and shown.",
                shortened=f"{matches.shortened:,}",
                longest=f"{LONGEST_SENTENCE:,}",
            )
        )
    if matches.tabbed > 0 and matches.tabbed >= NEARLY_ALL * matches.lines:
        notes.append(
            note(
                "{tabbed} of {tabbed_of} lines with the word hold a tab, and are read as whole "
                "sentences. If labels come before the tabs, let the first line be “sense”, a tab, "
                "“sentence”.",
                tabbed=f"{matches.tabbed:,}",
                tabbed_of=f"{matches.lines:,}",
            )
        )
    if missing := mapped.total - len(mapped.occurrences):
        notes.append(
            note(
                "{left_out} of {total} are left out: the word comes after the first {most} tokens "
                "of its line, or BERT reads none of its characters.",
                left_out=f"{missing:,}",
                total=f"{mapped.total:,}",
                most=bert.max_position_embeddings,
            )
        )
    return notes


def _of_source(bert: Bert, mapped: Mapped) -> list[Sentence]:
    notes, sample = [], mapped.corpus_sample
    if sample is not None:
        if missing := sample.corpus.occurrences.parts_missing:
            text = "This corpus is not complete: {missing} parts are missing."
            notes.append(note(text, missing=f"{missing:,}"))
    elif len(mapped.occurrences) != mapped.total:
        notes.append(
            note(
                "The file holds {total} occurrences of “{word}”; the first {count} are on the map.",
                total=f"{mapped.total:,}",
                word=mapped.word,
                count=f"{len(mapped.occurrences):,}",
            )
        )
    if mapped.model == UNKNOWN:
        notes.append(
            note(
                "The file does not say which model made its vectors; the one in the sidebar does "
                "not matter here."
            )
        )
    elif mapped.model != bert.name:
        notes.append(
            note(
                f"The vectors in this {'file' if sample is None else 'corpus'} come from "
                "<b>{model}</b>, pooled by {pooling}; the model in the sidebar does not matter "
                "here.",
                model=mapped.model,
                pooling=mapped.pooling,
            )
        )
    return notes
