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
      // Streamlit writes the address of Home as "", which `link.href` takes for the page itself.
      leaving = Boolean(link) && here && link.getAttribute("href") !== location.pathname.split("/").pop();
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
    if (before.pathname !== shown.pathname && both) location.replace(shown); // as it is before that
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

  /* A section is below the switch that opens it, often below the edge of the screen. Opened by a tap, by
     an address or by Back, its finding and picture are brought into sight, with the switch where all
     fit. What loads above moves them, so they are brought back until somebody scrolls, types or
     points. (Streamlit 1.67 scrolls to headings of an address alone.) */
  const SWITCH = ".st-key-section";
  let brings = false;
  const bring = () => {
    const way = brings && document.querySelector(SWITCH);
    if (!way) return;
    const inside = (part) => document.querySelector(`${SWITCH} ~ * :is(${part})`);
    const finding = inside(".bx-finding");
    const picture = inside('[data-testid="stPlotlyChart"]') ?? finding ?? way.parentElement;
    const [above, first, last] = [way, finding ?? way, picture].map((part) => part.getBoundingClientRect());
    const margin = isGiven("present") ? 16 : 64;
    if (first.top >= margin && last.bottom <= innerHeight) return;
    const { top } = last.bottom - above.top + margin > innerHeight ? first : above;
    document.querySelector('[data-testid="stMain"]').scrollBy(0, top - margin);
  };
  const isGiven = (key) => new URLSearchParams(location.search).has(key);
  const bringAddressed = () => (brings = isGiven("section"));
  new MutationObserver(bring).observe(document.body, { childList: true, subtree: true });
  for (const kind of ["wheel", "touchstart", "keydown", "pointerdown"])
    addEventListener(kind, () => (brings = false), { capture: true, passive: true });
  addEventListener(
    "click",
    ({ target }) => {
      const card = target.closest?.("[role=option]") && document.querySelector('.st-key-card [aria-expanded="true"]');
      const part = target.closest?.('[class*="st-key-part-sections"]');
      brings ||= Boolean(card || (part && target.closest(`${SWITCH}, [data-testid="stButton"]`)));
    },
    true,
  );
  addEventListener("popstate", bringAddressed);
  bringAddressed();

  /* On a phone the sidebar lies over the page, and stays there once a page has been chosen. Streamlit
     1.67 closes it for its own list of pages (https://github.com/streamlit/streamlit/pull/4841), not
     for links of `st.page_link` (near: https://github.com/streamlit/streamlit/issues/12065). */
  addEventListener("click", (event) => {
    if (innerWidth >= 768 || !event.target.closest?.('[data-testid="stSidebar"] a')) return;
    document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
  });

  /* A finger that swipes over a chart scrolls the page; Plotly would drag, and on a phone nobody came
     past a chart (https://github.com/plotly/plotly.js/issues/2844, seen with Plotly 4.2). Its `dragmode`
     of false does it too, but for the mouse as well, which drags maps and wide heatmaps. A tap still
     shows a number: the browser tells of it as of a mouse. */
  const pass = (event) => event.target.closest?.(".js-plotly-plot .draglayer") && event.stopPropagation();
  addEventListener("touchstart", pass, { capture: true, passive: true });
})();
