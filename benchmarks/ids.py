"""How often the rules that made ids are among those that *What made these ids?* names.

    python -m benchmarks.ids texts.json

The file holds a list of texts, or of objects with a "text". Each is read by each rule and by pairs
that occur together; where the ids differ from the model's own, the rules are looked for.
"""

import json
import sys
from itertools import combinations
from pathlib import Path

from bertviz_core.bert import Bert, load_bert
from bertviz_core.tokens.id_rules import GROUPS, Rules, ids_by, rules_of

TOGETHER: list[Rules] = [
    ("NFKC", "case folding"),
    ("accents kept", "no lower-casing"),
    ("NFKC", "word limit in bytes"),
    ("accents kept", "pieces before an unknown one kept"),
    ("NFKC", "no special tokens added"),
    ("typed special tokens read as words", "no special tokens added"),
]
ALL: list[Rules] = [*((rule,) for group in GROUPS for rule in group), *TOGETHER]


def is_named(bert: Bert, text: str, rules: Rules) -> bool | None:
    """Whether these rules, or those of them that matter here, are named; None: no difference."""
    ids = ids_by(bert, text, rules)
    found = rules_of(bert, text, ids)
    if found.first is None:
        return None
    sizes = range(len(rules) + 1)
    needed = [one for size in sizes for one in combinations(rules, size)]
    shortest = next(one for one in needed if ids_by(bert, text, one) == ids)
    return any(set(one) == set(shortest) for one in found.rules)


def main() -> None:
    bert = load_bert("all-MiniLM-L6-v2")
    listed = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    texts = [one if isinstance(one, str) else one["text"] for one in listed]
    total: list[bool] = []
    for rules in ALL:
        named = [one for text in texts if (one := is_named(bert, text, rules)) is not None]
        print(f"{sum(named):4} of {len(named):4}  {' + '.join(rules)}")
        total += named
    print(f"{sum(total)} of {len(total)}: {sum(total) / len(total):.1%}")


if __name__ == "__main__":
    main()
