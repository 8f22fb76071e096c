"""Pictures of every page for the README, from the real app: `make screenshots`."""

from pathlib import Path

from benchmarks.app_server import ROOT
from scripts import moving_picture
from tests.live_app import PAGES, running_app, running_browser, settled

# Names of the files, and addresses; the map of the token table is the picture of its page.
VIEWS = {path.lower().replace("_", "-") or "home": path for path in PAGES if path != "Methods"}
VIEWS["nearest-neighbors"] += "?q="
# Suffix of the file, size of the window, colour scheme.
LOOKS = (("", (1440, 900), "light"), ("-narrow", (390, 844), "dark"))
PICTURES = ROOT / "docs"


def main() -> None:
    """Write docs/NAME.png, wide and light, docs/NAME-narrow.png, dark, and the moving picture."""
    PICTURES.mkdir(exist_ok=True)
    with running_app() as address, running_browser() as browser:
        print(moving_picture.main(browser, address).relative_to(ROOT))
        for suffix, (width, height), scheme in LOOKS:
            context = browser.new_context(
                base_url=address,
                viewport={"width": width, "height": height},
                color_scheme=scheme,  # type: ignore[arg-type]
            )
            page = context.new_page()
            for name, path in VIEWS.items():
                page.goto(f"/{path}")
                settled(page)
                page.wait_for_selector('[data-testid="stPlotlyChart"] svg', timeout=60_000)
                settled(page)
                page.wait_for_timeout(2000)  # tables are drawn last
                file = Path(PICTURES / f"{name}{suffix}.png")
                page.screenshot(path=file, animations="disabled")
                print(file.relative_to(ROOT))
            context.close()


if __name__ == "__main__":
    main()
