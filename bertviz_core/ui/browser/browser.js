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
      push(state, title, url);
    } else if (!leaving) {
      replace(state, title, url);
    }
    shown = new URL(location.href);
  };
  history.pushState = write;
  history.replaceState = (state, title, url) => {
    replace(state, title, url);
    shown = new URL(location.href);
  };
  addEventListener(
    "click",
    (event) => {
      const link = event.target.closest?.('a[data-testid="stPageLink-NavLink"]');
      const here = !event.ctrlKey && !event.metaKey && !event.shiftKey; // and not in a new tab
      leaving = Boolean(link) && here && new URL(link.href).pathname !== location.pathname;
    },
    true,
  );
  addEventListener("popstate", () => {
    const before = shown;
    shown = new URL(location.href);
    const both = [...shown.searchParams.keys()].some((key) => before.searchParams.has(key));
    if (before.pathname !== shown.pathname && both) location.reload();
  });

  /* Links with a key of their own, such as the tour's; silent while something else uses the keys.
     Streamlit 1.67 gives keys to buttons alone:
     https://github.com/streamlit/streamlit/issues/13112 */
  const busy =
    "input, textarea, select, [contenteditable], [role=slider], [role=radiogroup], [role=tablist], " +
    "[role=grid], [role=listbox], [role=combobox], .js-plotly-plot";
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!event.key.startsWith("Arrow") || event.target.closest?.(busy)) return;
    document.querySelector(`a[data-key="${event.key}"]`)?.click();
  });

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

  /* Plotly's menu saves one format: https://github.com/plotly/plotly.js/issues/4782, seen with
     Streamlit 1.67. A second button saves the same picture as SVG. */
  const addSvgButton = (camera) => {
    const chart = camera.closest(".js-plotly-plot");
    if (!chart || camera.parentElement.querySelector(".save-svg")) return;
    const button = camera.cloneNode(false);
    button.classList.add("save-svg");
    button.setAttribute("data-title", "Download plot as SVG");
    button.setAttribute("aria-label", "Download plot as SVG");
    button.removeAttribute("data-attr");
    button.textContent = "SVG";
    button.addEventListener("click", (event) => {
      event.stopPropagation();
      const options = chart._context.toImageButtonOptions;
      const format = options.format;
      options.format = "svg";
      camera.click();
      options.format = format;
    });
    camera.after(button);
  };
  const camera = '.modebar-btn[data-title*="PNG"]:not(.save-svg), .modebar-btn[data-title="Download plot"]:not(.save-svg)';
  new MutationObserver(() => document.querySelectorAll(camera).forEach(addSvgButton)).observe(
    document.body,
    { childList: true, subtree: true },
  );
})();
