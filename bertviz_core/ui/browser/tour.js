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

  /* Each stop begins at its claim; Home, after the last one, at its top. */
  let shown = "";
  const begin = () => {
    const claim = document.querySelector(".bx-claim")?.textContent ?? "";
    if (claim === shown) return;
    shown = claim;
    document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
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
      begin();
    });
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  addEventListener("resize", look);
  look();
})();
