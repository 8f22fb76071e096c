/* Five things Streamlit leaves open, done once for each browser window. */
(() => {
  if (window.bertvizReady) return;
  window.bertvizReady = true;

  /* Streamlit fetches its charts once the first one arrives. Fetched now, they are there by then;
     where the file has another name, nothing is lost. */
  const main = document.querySelector('script[type="module"][src*="static/js/"]');
  const charts = "CHARTS_FILE";
  if (main && charts) import(new URL(charts, main.src)).catch(() => {});

  /* Before it leaves a page Streamlit pushes the page's address without its query, and Back then
     lands there and shows defaults. That one entry is left out, so Back finds the full address. */
  const push = history.pushState;
  history.pushState = function (state, title, url) {
    const next = new URL(url ?? location.href, location.href);
    const dropsQuery = next.pathname === location.pathname && location.search && !next.search;
    if (!dropsQuery) push.apply(this, arguments);
  };

  /* Links with a key of their own, such as the tour's; silent while something else uses the keys. */
  const busy =
    "input, textarea, select, [contenteditable], [role=slider], [role=radiogroup], [role=tablist], " +
    "[role=grid], [role=listbox], [role=combobox], .js-plotly-plot";
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!event.key.startsWith("Arrow") || event.target.closest?.(busy)) return;
    document.querySelector(`a[data-key="${event.key}"]`)?.click();
  });

  /* On a phone the sidebar lies over the page, and stays there once a page has been chosen. */
  addEventListener("click", (event) => {
    if (innerWidth >= 768 || !event.target.closest?.('[data-testid="stSidebar"] a')) return;
    document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
  });

  /* Plotly's menu saves one format. A second button saves the same picture as SVG. */
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
