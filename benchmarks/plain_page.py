"""A plain Streamlit page with as much on it as a page of the app: a script, run by `rerun.py`.

What it shows is read from the files beside it that have its name: a `.json` with the number of
fields and of links, and the traces of all charts, and an `.arrow` with the largest table. It links
to the pages in `pages/`.
"""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pyarrow as pa
import streamlit as st


@st.cache_resource
def content(script: Path) -> dict[str, Any]:
    """What the page of the app showed."""
    known: dict[str, Any] = json.loads(script.with_suffix(".json").read_text(encoding="utf-8"))
    known["traces"] = with_arrays(known["traces"])
    known["table"] = None
    if (table := script.with_suffix(".arrow")).exists():
        known["table"] = pa.ipc.open_stream(table.read_bytes()).read_pandas()
    return known


def with_arrays(value: Any) -> Any:
    """Turn Plotly's base64 back into arrays, wherever they stand."""
    if isinstance(value, list):
        return [with_arrays(part) for part in value]
    if not isinstance(value, dict):
        return value
    if "bdata" not in value:
        return {name: with_arrays(part) for name, part in value.items()}
    array = np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"])
    return array.reshape([int(size) for size in value.get("shape", str(array.size)).split(",")])


def changed(trace: dict[str, Any], text: str) -> dict[str, Any]:
    """The trace with other numbers for another text, so that nothing is known from before."""
    for name in ("z", "y", "x"):
        values = trace.get(name)
        if isinstance(values, np.ndarray) and values.dtype.kind == "f":
            return trace | {name: values * values.dtype.type(1 + len(text) / 1000), "name": text}
    return trace | {"name": text}


def changed_table(table: pd.DataFrame, text: str) -> pd.DataFrame:
    """The table with another first number."""
    numbers = [column for column in table if table[column].dtype.kind == "f"]
    return table.assign(**{str(numbers[0]): table[numbers[0]] + len(text)}) if numbers else table


known = content(Path(__file__))
st.set_page_config(page_title="Plain", layout="wide")
with st.sidebar:
    for page in sorted(Path("pages").glob("*.py"))[: known["links"]]:
        st.page_link(f"pages/{page.name}", label=page.stem)
st.title("Plain")
text = st.text_input("Text", "", key="text")
for i in range(1, known["fields"]):
    st.text_input(f"Field {i}", "", key=f"field{i}")
if known["traces"]:
    traces = [changed(trace, text) for trace in known["traces"]]
    st.plotly_chart(go.Figure({"data": traces, "layout": {"height": 600}}), key="figure")
if known["table"] is not None:
    st.dataframe(changed_table(known["table"], text), hide_index=True)
