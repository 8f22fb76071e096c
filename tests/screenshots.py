"""Pictures of every page for the README, from the real app: `make screenshots`."""

from pathlib import Path

from tests.live_app import ROOT, running_app, running_browser, settled

VIEWS = {
    "home": "",
    "input-embeddings": "Input_Embeddings",
    "nearest-neighbors": "Nearest_Neighbors?q=python&q2=snake",
    "word-in-context": "Word_in_Context",
}
SIZES = {"": (1440, 1250), "-narrow": (390, 844)}
PICTURES = ROOT / "docs"


def main() -> None:
    """Write docs/NAME.png in light, docs/NAME-dark.png in dark, and both for a narrow screen."""
    PICTURES.mkdir(exist_ok=True)
    with running_app() as address, running_browser() as browser:
        for suffix, (width, height) in SIZES.items():
            for scheme in ("light", "dark"):
                context = browser.new_context(
                    base_url=address,
                    viewport={"width": width, "height": height},
                    color_scheme=scheme,  # type: ignore[arg-type]
                )
                page = context.new_page()
                for name, path in VIEWS.items():
                    page.goto(f"/{path}")
                    settled(page)
                    if path:
                        page.wait_for_selector('[data-testid="stPlotlyChart"] .ytick text')
                        settled(page)
                    tone = "" if scheme == "light" else "-dark"
                    file = Path(PICTURES / f"{name}{suffix}{tone}.png")
                    page.screenshot(path=file, animations="disabled")
                    print(file.relative_to(ROOT))
                context.close()


if __name__ == "__main__":
    main()
