"""Streamlit's API for agents, which is off unless whoever runs the app switches it on."""

import json
import re
import urllib.request

from bertviz_core.bert import Bert
from bertviz_core.neighbors import nearest_tokens
from tests.live_app import running_app


def test_an_agent_reads_the_neighbors_of_python(minilm: Bert) -> None:
    asked = {"page": "Nearest_Neighbors", "query_params": {"q": ["python"]}}
    with running_app(STREAMLIT_SERVER_ENABLE_AGENT_API="true") as address:
        request = urllib.request.Request(
            f"{address}/_stcore/agent/interact",
            json.dumps(asked).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read().decode()
    snapshot = json.loads(text)
    found = nearest_tokens(minilm, "python", k=10)
    values = dict(
        re.findall(r'data-name="(\w+)">([^<]*)<', json.dumps(snapshot["tree"]).replace('\\"', '"'))
    )
    assert snapshot["status"] == "ready"
    assert {action["key"] for action in snapshot["actions"]} >= {"q", "k", "metric"}
    assert (values["nearest"], values["score"]) == (found.tokens[0], f"{found.scores[0]:.3f}")
