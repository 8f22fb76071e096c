/* The tour and the presenter: keys, where a stop leads, and the look that was chosen. */
(() => {
  if (window.bertvizTour) return;
  window.bertvizTour = true;

  /* Previous and Next follow the arrow keys and a presenter's clicker (PageUp, PageDown). Listened to before anything else on the page: Streamlit 1.67
     lets no key of its own through to a button while a choice has the focus
     (https://github.com/streamlit/streamlit/issues/13112). */
  const ways = { ArrowLeft: "previous", PageUp: "previous", ArrowRight: "next", PageDown: "next" };
  const typing = "input:not([type=radio], [type=checkbox], [type=button]), textarea, select, [contenteditable], .bx-drawing";
  const moving = "[role=radiogroup], [role=slider], [role=tablist], [role=grid], [role=listbox], [role=toolbar]";
  const isTaken = (target, key) => {
    if (!target?.closest) return false;
    if (key.startsWith("Page")) return target.closest("textarea, [role=listbox], [role=grid]");
    // A choice that was clicked on gives the arrows back; one that was reached by keys needs them.
    return target.closest(typing) || (target.closest(moving) && target.matches(":focus-visible"));
  };
  const isOnTour = () => {
    const given = new URLSearchParams(location.search);
    return given.has("tour") || given.has("present");
  };
  addEventListener(
    "keydown",
    (event) => {
      const way = ways[event.key];
      if (!way || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (isTaken(event.target, event.key)) return;
      // Outside of the tour these two scroll the page.
      if (event.key.startsWith("Page") && !isOnTour()) return;
      const step = document.querySelector(`.st-key-tour-${way} button`);
      if (!step || step.disabled) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      step.click();
    },
    true,
  );

  /* The view that settles a stop is scrolled to: the first place that it names and as many others as
     fit below the bar are outlined and brought into sight. What loads above it moves it, so it is brought back for some seconds,
     until somebody scrolls or types. */
  let shown = "";
  let until = 0;
  for (const kind of ["wheel", "touchstart", "keydown", "pointerdown"])
    addEventListener(kind, () => (until = 0), { capture: true, passive: true });
  const outline = document.head.appendChild(document.createElement("style"));
  const aim = () => {
    const { stop = "", targets = "" } = document.querySelector("[data-targets]")?.dataset ?? {};
    const main = document.querySelector('[data-testid="stMain"]');
    const bar = document.querySelector(".st-key-tour-bar")?.getBoundingClientRect();
    const room = innerHeight - (bar?.height ?? 0) - 24;
    const framed = [];
    let [first, last] = [Infinity, -Infinity];
    for (const name of targets.split(" ").filter(Boolean)) {
      const places = [`.st-key-${name}`, `.bx-finding:has([data-name="${name}"])`];
      const place = places.find((selector) => document.querySelector(selector));
      if (!place) continue;
      const box = document.querySelector(place).getBoundingClientRect();
      const [above, below] = [Math.min(first, box.top), Math.max(last, box.bottom)];
      if (framed.length && below - above > room) continue;
      framed.push(place);
      [first, last] = [above, below];
    }
    const rule = framed.length ? `${framed} { outline: 3px solid #d55e00; outline-offset: 5px; }` : "";
    if (outline.textContent !== rule) outline.textContent = rule;
    if (shown !== stop) {
      [shown, until] = [stop, Infinity];
      if (!stop) main?.scrollTo(0, 0); // Home, after the last one
    }
    if (!framed.length || performance.now() > until) return;
    until = Math.min(until, performance.now() + 6000);
    const top = Math.max(bar?.bottom ?? 0, 0) + 16;
    const isSeen = first >= top - 8 && last <= innerHeight - 8;
    const isLanded = Math.abs(first - top) < 8;
    if (isSeen || isLanded) return;
    main?.scrollBy(0, first - top);
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
