from bertviz_core.corpus.printing import printable, sentence_line


def test_a_terminal_runs_nothing() -> None:
    assert printable("a\x1b[31mred\x07\tb\nc\u202e") == "a\ufffd[31mred\ufffd b c\ufffd"
    assert printable("für 猫 👍") == "für 猫 👍"


def test_the_word_stands_in_brackets() -> None:
    assert sentence_line("We sat on the bank.", 14, 18) == "We sat on the [bank]."
    assert sentence_line("bank", 0, 4, width=2) == "[bank]"


def test_a_long_sentence_is_cut_around_the_word() -> None:
    sentence = "abcdefghij" * 10
    assert sentence_line(sentence, 50, 52, width=12) == "…fghij[ab]cdefg…"
    assert sentence_line(sentence, 0, 2, width=12) == "[ab]cdefghijab…"
    assert sentence_line(sentence, 98, 100, width=12) == "…ijabcdefgh[ij]"
    assert sentence_line(sentence, 96, 98, width=12) == "…ijabcdef[gh]ij"
