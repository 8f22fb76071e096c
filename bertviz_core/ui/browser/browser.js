/* What Streamlit 1.67 leaves open, done once for each browser window. Each part names where it is
   asked for upstream: what a newer version does by itself can go. */
(() => {
  if (window.bertvizReady) return;
  window.bertvizReady = true;

  /* Streamlit 1.67 fetches its charts once the first one arrives. Fetched now, they are there by
     then: heatmaps stand 5 to 13 % sooner (benchmarks/start.py). Where the file has another name,
     nothing is lost. https://github.com/streamlit/streamlit/issues/5798 */
  const main = document.querySelector('script[type="module"][src*="static/js/"]');
  const charts = "CHARTS_FILE";
  if (main && charts) import(new URL(charts, main.src)).catch(() => {});

  /* Back, seen with Streamlit 1.67: https://github.com/streamlit/streamlit/issues/13853
     On the way to another page Streamlit also writes that page's query to the address of the old
     one, or its address twice, and each becomes an entry that Back leads to. Here only another page
     makes an entry. And after Back, a field that both pages have shows its default: such a page is
     loaded anew from its address. */
  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);
  let shown = new URL(location.href);
  let leaving = false;
  const write = (state, title, url) => {
    const next = new URL(url ?? location.href, location.href);
    if (next.pathname !== location.pathname) {
      leaving = false;
      push({ ...state, ours: true }, title, url);
    } else if (!leaving) {
      replace({ ...state, ours: true }, title, url);
    }
    shown = new URL(location.href);
  };
  history.pushState = write;
  history.replaceState = (state, title, url) => {
    replace({ ...state, ours: true }, title, url);
    shown = new URL(location.href);
  };
  replace({ ...history.state, ours: true }, "", location.href);
  addEventListener(
    "click",
    (event) => {
      const link = event.target.closest?.('a[data-testid="stPageLink-NavLink"]');
      const here = !event.ctrlKey && !event.metaKey && !event.shiftKey; // and not in a new tab
      leaving = Boolean(link) && here && new URL(link.href).pathname !== location.pathname;
    },
    true,
  );
  /* Streamlit takes values that are the fields' defaults out of the address before this script is
     there, and makes an entry of what stood in it. Back would lead to it, and it would be mended
     again: so Back goes past such entries. Heard before Streamlit hears of it. */
  const past = (event) => {
    const isEarlier = !event.state?.ours && location.pathname === shown.pathname && !location.hash;
    if (!isEarlier) return;
    event.stopImmediatePropagation();
    history.back();
  };
  addEventListener("popstate", past, true);
  addEventListener("popstate", () => {
    const before = shown;
    shown = new URL(location.href);
    const both = [...shown.searchParams.keys()].some((key) => before.searchParams.has(key));
    if (before.pathname !== shown.pathname && both) location.reload();
  });

  /* What runs again while somebody types is a part of the page. A link beside that part, as in the
     tour, takes the sentence from the links among the fields, which were made with them. */
  addEventListener(
    "click",
    (event) => {
      const link = event.target.closest?.('.bx a[target="_self"]');
      const fresh = document.querySelector('[class*="st-key-panel-"] .bx a[href*="typed="]');
      const typed = fresh && new URL(fresh.href).searchParams.get("typed");
      if (!link || !typed || link.closest('[class*="st-key-panel-"]')) return;
      const url = new URL(link.href);
      url.searchParams.set("typed", typed);
      link.href = url;
    },
    true,
  );

  /* A line that opens what stands below it in the same container; see style.css. The line of inputs
     is made anew, closed, when one of them changes: the container tells. */
  document.addEventListener("click", (event) => {
    const line = event.target.closest?.(".bx-fold > summary")?.parentElement;
    const box = line?.closest('[class*="st-key-options-"], [class*="st-key-inputs-"]');
    if (!box) return;
    event.preventDefault();
    line.open = box.toggleAttribute("data-open");
  });

  /* A section stands below the switch that opens it, often below the edge of the screen. What takes
     long after a click in a section is brought into sight, once; the rest stays where it is. */
  let clicked = null;
  addEventListener(
    "click",
    (event) => (clicked = event.target.closest?.('[class*="st-key-part-sections"]')),
    true,
  );
  new MutationObserver(() => {
    const work = clicked?.querySelector('.bx-at-work, [data-testid="stProgress"]');
    if (!work) return;
    clicked = null;
    work.scrollIntoView({ block: "nearest" });
  }).observe(document.body, { childList: true, subtree: true });

  /* On a phone the sidebar lies over the page, and stays there once a page has been chosen. Streamlit
     1.67 closes it for its own list of pages (https://github.com/streamlit/streamlit/pull/4841), not
     for links of `st.page_link`. */
  addEventListener("click", (event) => {
    if (innerWidth >= 768 || !event.target.closest?.('[data-testid="stSidebar"] a')) return;
    document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
  });

  /* A finger that swipes over a chart scrolls the page; Plotly would zoom, and on a phone nobody came
     past a chart (https://github.com/plotly/plotly.js/issues/2844, seen with Streamlit 1.67). A tap
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
