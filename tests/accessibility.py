"""What axe-core finds on a page that a browser shows."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

OPTIONS = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
    "resultTypes": ["violations"],
    "preload": False,  # it would load style sheets anew, imported ones from the wrong address
}
# axe 4.12 does not judge text below `opacity`: it becomes a colour meanwhile.
AS_COLORS = """() => {
  window.faded = [];
  for (const faded of document.querySelectorAll("body *")) {
    const opacity = getComputedStyle(faded).opacity;
    if (opacity === "0" || opacity === "1") continue;
    for (const part of [faded, ...faded.querySelectorAll("*")].reverse()) {
      const parts = `${getComputedStyle(part).color} ${100 * opacity}%, transparent`;
      window.faded.push([part, part.style.cssText]);
      part.style.cssText += `; transition: none; color: color-mix(in srgb, ${parts})`;
    }
    faded.style.opacity = 1;
  }
}"""
AXE = Axe().axe_script
AS_BEFORE = "() => window.faded.reverse().forEach(([part, css]) => { part.style.cssText = css; })"


def violations(page: Page) -> list[str]:
    """Breaches of WCAG 2.1, levels A and AA: the rule, the element and why."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    page.evaluate(AS_COLORS)
    found = page.evaluate("async (how) => (await axe.run(how)).violations", OPTIONS)
    page.evaluate(AS_BEFORE)
    return [
        f"{rule['id']} at {node['target'][-1]}: {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]
