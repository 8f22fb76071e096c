"""The segment of each token: by its text, and by counting [SEP]."""

from bertviz_core.bert import Bert
from bertviz_core.tokens import tokenize
from bertviz_core.tokens.segments import segments_two_ways


def test_segments_follow_from_the_text(minilm: Bert) -> None:
    reading = segments_two_ways(minilm, tokenize(minilm, "a [SEP] b", "c"))
    assert reading.by_text.tolist() == [0, 0, 0, 0, 0, 1, 1]
    assert reading.by_counting.tolist() == [0, 0, 0, 1, 1, 2, 2]
    assert reading.typed == (2,)
    assert reading.differing == 4
    assert reading.without_row == 2
    plain = segments_two_ways(minilm, tokenize(minilm, "a", "c"))
    assert plain.differing == plain.without_row == 0
    assert plain.typed == ()
    one, two = tokenize(minilm, "a [SEP] b"), tokenize(minilm, "a", "b")
    assert one.input_ids.tolist() == two.input_ids.tolist()
    assert one.token_type_ids.tolist() == [0] * 5
    assert two.token_type_ids.tolist() == [0, 0, 0, 1, 1]
