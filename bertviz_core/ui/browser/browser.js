/* What Streamlit 1.67 leaves open, done once for each browser window. Each part names where it is
   asked for upstream: what a newer version does by itself can go. */
(() => {
  if (window.bertvizReady) return;
  window.bertvizReady = true;

  /* Back. Streamlit 1.67 gives fields the values of the entry (https://github.com/streamlit/streamlit/pull/16998)
     but makes too many entries. On the way to another page it writes that page's query to the
     address of the old one (https://github.com/streamlit/streamlit/pull/9049): here only another
     page makes an entry, or another stop of the tour, whose page then follows. */
  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);
  let shown;
  let leaving = false;
  let stepped = false;
  const stop = (url) => new URL(url).searchParams.get("tour");
  const write = (make, url) => {
    make({ ours: true }, "", url);
    shown = new URL(location.href);
  };
  history.replaceState = (_state, _title, url) => write(replace, url);
  history.pushState = (_state, _title, url) => {
    const to = new URL(url ?? "", location.href);
    const isOther = to.pathname !== location.pathname;
    const isStep = !isOther && !leaving && stop(to) !== stop(location);
    if (isOther) leaving = false;
    if (!leaving) write(isStep || (isOther && !stepped) ? push : replace, url);
    stepped = isStep || (stepped && !isOther);
  };
  write(replace, location.href);
  addEventListener(
    "click",
    (event) => {
      const link = event.target.closest?.('a[data-testid="stPageLink-NavLink"]');
      const here = !event.ctrlKey && !event.metaKey && !event.shiftKey; // and not in a new tab
      leaving = Boolean(link) && here && new URL(link.href).pathname !== location.pathname;
      if (leaving) stepped = false;
    },
    true,
  );
  /* Streamlit takes values that are the fields' defaults out of the address before this script is
     there, and makes an entry of what stood in it (https://github.com/streamlit/streamlit/issues/16055
     asks to leave them in). Back goes past such entries. Heard before Streamlit hears of it. */
  const past = (event) => {
    const isEarlier = !event.state?.ours && location.pathname === shown.pathname && !location.hash;
    if (!isEarlier) return;
    event.stopImmediatePropagation();
    history.back();
  };
  addEventListener("popstate", past, true);
  /* After Back from a page that has the same field, Streamlit 1.67 drops its value from the address
     (`populate_from_query_string`; no upstream issue known): such a page is loaded anew. */
  addEventListener("popstate", () => {
    const before = shown;
    shown = new URL(location.href);
    const both = [...shown.searchParams.keys()].some((key) => before.searchParams.has(key));
    if (before.pathname !== shown.pathname && both) location.reload();
  });

  /* A line that opens what is below it in the same container; see style.css. The line of inputs
     is made anew, closed, when one of them changes: the container tells. */
  document.addEventListener("click", (event) => {
    const line = event.target.closest?.(".bx-fold > summary")?.parentElement;
    const box = line?.closest('[class*="st-key-options-"], [class*="st-key-inputs-"]');
    if (!box) return;
    event.preventDefault();
    line.open = box.toggleAttribute("data-open");
  });

  /* A section is below the switch that opens it, often below the edge of the screen. What takes
     long after a click in a section is brought into sight, until somebody scrolls: one wait may follow another. */
  let clicked = null;
  let brought = null;
  addEventListener(
    "click",
    (event) => (clicked = event.target.closest?.('[class*="st-key-part-sections"]')),
    true,
  );
  new MutationObserver(() => {
    const work = clicked?.querySelector('.bx-at-work, [data-testid="stProgress"]');
    if (!work || work === brought) return;
    brought = work;
    work.scrollIntoView({ block: "nearest" });
  }).observe(document.body, { childList: true, subtree: true });
  for (const kind of ["wheel", "touchmove"])
    addEventListener(kind, () => (clicked = null), { capture: true, passive: true });

  /* An address with a section opens at it, presenting at its finding. What loads above moves it, so it
     is brought back until some seconds after the page has run, or until somebody scrolls, types or
     points. */
  const opened = new URLSearchParams(location.search);
  let until = Infinity;
  const bring = () => {
    if (performance.now() > until) return brings.disconnect();
    const finding = opened.has("present") && document.querySelector(".st-key-section ~ * .bx-finding");
    const at = (finding || document.querySelector(".st-key-section"))?.getBoundingClientRect();
    if (!at) return;
    const isRunning = document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState === "running";
    if (!isRunning) until = Math.min(until, performance.now() + 6000);
    document.querySelector('[data-testid="stMain"]')?.scrollBy(0, at.top - (finding ? 16 : 64));
  };
  const brings = new MutationObserver(bring);
  if (opened.has("section")) brings.observe(document.body, { childList: true, subtree: true });
  for (const kind of ["wheel", "touchstart", "keydown", "pointerdown"])
    addEventListener(kind, () => brings.disconnect(), { capture: true, passive: true, once: true });

  /* On a phone the sidebar lies over the page, and stays there once a page has been chosen. Streamlit
     1.67 closes it for its own list of pages (https://github.com/streamlit/streamlit/pull/4841), not
     for links of `st.page_link` (near: https://github.com/streamlit/streamlit/issues/12065). */
  addEventListener("click", (event) => {
    if (innerWidth >= 768 || !event.target.closest?.('[data-testid="stSidebar"] a')) return;
    document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
  });

  /* A finger that swipes over a chart scrolls the page; Plotly would zoom, and on a phone nobody came
     past a chart (https://github.com/plotly/plotly.js/issues/2844, seen with Plotly 4.2 in Streamlit 1.67). A tap
     still shows a number: the browser tells of it as of a mouse. */
  addEventListener(
    "touchstart",
    (event) => {
      if (event.touches.length === 1 && event.target.closest?.(".js-plotly-plot .draglayer")) {
        event.stopPropagation();
      }
    },
    { capture: true, passive: true },
  );
})();
