/* The tour and the presenter: keys, where a stop leads, and the look that was chosen. */
(() => {
  if (window.bertvizTour) return;
  window.bertvizTour = true;

  /* Previous and Next follow the arrow keys and a presenter's clicker (PageUp, PageDown), on Home
     as buttons, on a view as links. Listened to before anything else on the page: Streamlit 1.67
     lets no key of its own through to a button while a choice has the focus
     (https://github.com/streamlit/streamlit/issues/13112). */
  const ways = { ArrowLeft: "previous", PageUp: "previous", ArrowRight: "next", PageDown: "next" };
  const typing = "input:not([type=radio], [type=checkbox], [type=button]), textarea, select, [contenteditable]";
  const moving = "[role=radiogroup], [role=slider], [role=tablist], [role=grid], [role=listbox], [role=toolbar]";
  const isTaken = (target, key) => {
    if (!target?.closest) return false;
    if (key.startsWith("Page")) return target.closest("textarea, [role=listbox], [role=grid]");
    // A choice that was clicked on gives the arrows back; one that was reached by keys needs them.
    return target.closest(typing) || (target.closest(moving) && target.matches(":focus-visible"));
  };
  const isOnTour = () => {
    const given = new URLSearchParams(location.search);
    return given.has("tour") || given.has("stop") || given.has("present");
  };
  addEventListener(
    "keydown",
    (event) => {
      const way = ways[event.key];
      if (!way || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (isTaken(event.target, event.key)) return;
      // Outside of the tour these two scroll the page.
      if (event.key.startsWith("Page") && !isOnTour()) return;
      const step = document.querySelector(`a[data-step="${way}"], .st-key-tour-${way} button`);
      if (!step || step.disabled) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      step.click();
    },
    true,
  );

  /* A view that a stop led to is scrolled to its target, which gets an outline. What loads above it
     moves it, so it is brought back for some seconds, until somebody scrolls or types. */
  const loaded = new URL(performance.getEntriesByType("navigation")[0]?.name ?? location.href);
  let aiming = loaded.searchParams.has("tour") || loaded.searchParams.has("stop");
  const rest = () => (aiming = false);
  for (const kind of ["wheel", "touchstart", "keydown", "pointerdown"])
    addEventListener(kind, rest, { capture: true, passive: true });
  let found = false;
  const outline = document.head.appendChild(document.createElement("style"));
  const aim = () => {
    const names = document.querySelector("[data-targets]")?.dataset.targets?.split(" ") ?? [];
    const places = names.map((name) => [`.st-key-${name}`, `.bx-finding:has([data-name="${name}"])`]);
    const target = places.flat().find((selector) => document.querySelector(selector));
    const framed = names[0] === "tour" ? "" : target; // Home's own box has a border
    const rule = framed ? `${framed} { outline: 3px solid #d55e00; outline-offset: 5px; }` : "";
    if (outline.textContent !== rule) outline.textContent = rule;
    if (!aiming || !target) return;
    if (!found) setTimeout(rest, 6000);
    found = true;
    const box = document.querySelector(target).getBoundingClientRect();
    const bar = document.querySelector(".st-key-tour-bar")?.getBoundingClientRect();
    const top = Math.max(bar?.bottom ?? 0, 0) + 16;
    const isSeen = box.top >= top - 8 && box.bottom <= innerHeight;
    const isLanded = Math.abs(box.top - top) < 8;
    if (isSeen || isLanded) return;
    document.querySelector('[data-testid="stMain"]')?.scrollBy(0, box.top - top);
  };

  /* Light or dark by choice while presenting. Streamlit 1.67 keeps a visitor's choice for each
     address by itself, and a page cannot set it (https://github.com/streamlit/streamlit/issues/14172);
     the address and the style that came with the page decide. */
  const LOOK = "bertviz-look";
  const wear = () => {
    const given = new URLSearchParams(location.search).get("present");
    const named = given === "light" || given === "dark" ? given : "system";
    const style = getComputedStyle(document.documentElement).getPropertyValue("--bx-look").trim();
    if (named !== style) return; // one of both is on its way
    try {
      if ((localStorage.getItem(LOOK) ?? "system") === named) return;
      if (named === "system") localStorage.removeItem(LOOK);
      else localStorage.setItem(LOOK, named);
      const folder = location.pathname.replace(/[^/]*$/, "");
      for (const page of "PAGE_NAMES".split(",")) {
        const key = `stActiveTheme-${folder}${page}-v2`;
        if (named === "system") localStorage.removeItem(key);
        else localStorage.setItem(key, JSON.stringify(named === "dark" ? "Dark" : "Light"));
      }
      location.reload();
    } catch {
      // A browser that keeps nothing stays with the system's look.
    }
  };

  let asked = 0;
  const look = () => {
    if (asked) return;
    asked = requestAnimationFrame(() => {
      asked = 0;
      wear();
      aim();
    });
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  addEventListener("resize", look);
  look();
})();
