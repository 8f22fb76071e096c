"""A matrix of 512 x 512 cosines as a picture: from its arrival in the browser to the paint."""

from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from playwright.sync_api import Page

from benchmarks import base_shaped, report
from benchmarks.app_server import copied_app, running
from benchmarks.browser import chromium, fresh_page

RUNS = 9
ADDRESS = "Positions_and_Segments"
ALONE = """import streamlit as st

from bertviz_core.bert import load_bert
from bertviz_core.figures.matrices import similarity_picture, window_around
from bertviz_core.figures.matrices import similarity_png
from bertviz_core.positions.table import analyse_positions

values = analyse_positions(load_bert("all-MiniLM-L6-v2").tables.position_embeddings).similarity
column = st.slider("Position j", 0, len(values) - 1, 110, key="column")
low, frame = float(values.min()), window_around(100, column, len(values), 64)
png = similarity_png(values, low)
st.plotly_chart(similarity_picture(png, frame, count=len(values), low=low))
"""
LARGE = 100_000  # bytes: only the message with the picture has as many
# Notes when a large message arrives, and when a key is pressed.
SCRIPT = f"""
window.arrivedAt = 0; window.pressedAt = 0;
const now = () => performance.timeOrigin + performance.now();
const Plain = window.WebSocket;
window.WebSocket = class extends Plain {{
  constructor(...given) {{
    super(...given);
    this.addEventListener("message", (event) => {{
      const size = event.data.byteLength ?? event.data.size ?? event.data.length;
      if (size > {LARGE}) window.arrivedAt = now();
    }});
  }}
}};
addEventListener("keydown", () => {{ window.pressedAt = now(); }}, true);
"""
# A moved frame mounts the chart anew: its picture is the one without our mark.
PICTURES = '[...document.querySelectorAll(".js-plotly-plot .im image")]'
MARK = f"() => {PICTURES}.forEach((image) => image.setAttribute('data-old', ''))"
PAINTED = f"""() => bench.timeOf(() => {{
  const found = {PICTURES}.filter((image) => !image.hasAttribute("data-old")
    && (image.getAttribute("href") || image.getAttribute("xlink:href") || "").length > {LARGE});
  return found.length ? found : null;
}})"""


def main() -> None:
    """Print the figures."""
    report.heading("Pictures: 512 x 512 cosines of positions")
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(TemporaryDirectory()))
        base = base_shaped.made_in(scratch / "base")
        whole, alone = copied_app(scratch / "app"), copied_app(scratch / "alone")
        (alone / "app.py").write_text(ALONE, encoding="utf-8")
        browser = stack.enter_context(chromium())
        for name, app, address in (("alone", alone, ""), ("in its page", whole, ADDRESS)):
            server = stack.enter_context(running(app, base_shaped.offered(base)))
            page = stack.enter_context(fresh_page(browser))
            page.add_init_script(SCRIPT)
            page.goto(f"{server.url}/{address}")
            page.evaluate(PAINTED)
            runs = [_move_frame(page) for _ in range(RUNS + 1)][1:]
            painted, since_key = ([run[part] for run in runs] for part in (0, 1))
            report.target(
                f"{name}, arrival to painted", median(painted), "s", most=0.3, spread=painted
            )
            report.figure(f"{name}, key to painted", median(since_key), "s", spread=since_key)


def _move_frame(page: Page) -> tuple[float, float]:
    """Move the frame on the picture by one position; seconds since arrival and since the key."""
    _settle(page)
    page.evaluate(MARK)
    page.locator(".st-key-column input").press("ArrowRight")
    painted = page.evaluate(PAINTED)
    arrived, pressed = page.evaluate("() => [window.arrivedAt, window.pressedAt]")
    if arrived < pressed:
        raise RuntimeError("a picture was painted that did not arrive")
    return (painted - arrived) / 1000, (painted - pressed) / 1000


def _settle(page: Page) -> None:
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
    page.wait_for_timeout(400)


if __name__ == "__main__":
    main()
