/* The tour and the presenter: keys, where a stop leads, and the look that was chosen. */
(() => {
  if (window.bertvizTour) return;
  window.bertvizTour = true;

  /* Previous and Next follow the arrow keys and a presenter's clicker (PageUp, PageDown). Listened to before anything else on the page: Streamlit 1.67
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
     fit below the bar are outlined and brought into sight. What loads above it moves it, so it is brought back until some seconds after the page has run,
     or until somebody scrolls or types. Where they are further apart than the screen is high, what lies between them is left out,
     until somebody scrolls. */
  let shown = "";
  let until = 0;
  for (const kind of ["wheel", "touchstart", "keydown", "pointerdown"])
    addEventListener(kind, () => (until = 0), { capture: true, passive: true });
  let left = ""; // the stop at which it is left out
  const between = () => document.querySelectorAll('[data-testid="stMain"] :is([data-testid="stElementContainer"], [data-testid="stLayoutWrapper"]:has(> [data-testid="stExpander"]))');
  const leaveOut = (places) => {
    const tail = places.reduce((a, b) => (a.compareDocumentPosition(b) & 4 ? b : a), places[0]);
    const head = places.reduce((a, b) => (a.compareDocumentPosition(b) & 2 ? b : a), places[0]);
    for (const one of between()) {
      const isInside = head?.compareDocumentPosition(one) & 4 && one.compareDocumentPosition(tail) & 4;
      const isOut = Boolean(isInside) && !places.some((place) => one.contains(place) || place.contains(one));
      if (isOut !== one.hasAttribute("data-left-out")) one.toggleAttribute("data-left-out", isOut);
    }
  };
  const bringBack = ({ key }) => {
    if (!left || (key && !["Tab", "ArrowDown", "ArrowUp", "End", " "].includes(key))) return;
    left = "seen";
    leaveOut([]);
  };
  for (const kind of ["wheel", "touchmove", "keydown"])
    addEventListener(kind, bringBack, { capture: true, passive: true });
  const outline = document.head.appendChild(document.createElement("style"));
  const aim = () => {
    const { stop = "", targets = "" } = document.querySelector("[data-targets]")?.dataset ?? {};
    const main = document.querySelector('[data-testid="stMain"]');
    const bar = document.querySelector(".st-key-tour-bar")?.getBoundingClientRect();
    const room = innerHeight - (bar?.height ?? 0) - 24;
    const wanted = [];
    for (const name of targets.split(" ").filter(Boolean)) {
      const places = [`.st-key-${name}`, `.bx-finding:has([data-name="${name}"])`];
      wanted.push(...places.filter((selector) => document.querySelector(selector)).slice(0, 1));
    }
    const all = (places) => [...document.querySelectorAll(places)];
    const boxOf = (places) => {
      const boxes = all(places).map((place) => place.getBoundingClientRect());
      return { top: Math.min(...boxes.map((box) => box.top)), bottom: Math.max(...boxes.map((box) => box.bottom)) };
    };
    const far = wanted.length && boxOf(wanted).bottom - boxOf(wanted).top;
    if (shown !== stop) left = "";
    if (!left && far > room) left = stop;
    const kept = left && left === stop && wanted.length ? all(wanted) : [];
    if (kept.length || document.querySelector("[data-left-out]")) leaveOut(kept);
    const framed = [];
    let [first, last] = [Infinity, -Infinity];
    for (const place of wanted) {
      const box = boxOf(place);
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
    const isRunning = document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState === "running";
    if (!framed.length || performance.now() > until) return;
    if (!isRunning) until = Math.min(until, performance.now() + 6000);
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
