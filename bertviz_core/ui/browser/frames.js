/* Charts that follow the plane of Word in Context, or the paths of Home: each has a state for every
   layer, and names the plane in `layout.meta`. Plotly's slider and Play move one chart, and Streamlit
   1.67 hears of neither (https://github.com/streamlit/streamlit/issues/8655). Where they come to rest,
   the page's own slider of layers is set, and the page says the rest for that layer; until then its
   finding is faint. That slider is hidden above the finding, but for the keyboard (style.css). */
(() => {
  if (window.bertvizFrames) return;
  window.bertvizFrames = true;

  const REST = 400; // milliseconds
  const AT_ONCE = { mode: "immediate", transition: { duration: 0 }, frame: { duration: 0, redraw: true } };
  const animate = async (chart, name) => {
    try {
      await window.Plotly.animate(chart, [name], AT_ONCE);
      return true;
    } catch {
      return false; // a later layer has taken its place, or it has no frames yet
    }
  };
  const pageSlider = () => document.querySelector(".st-key-layer input[type=range]");
  const show = (chart, name) => {
    const finding = document.querySelector(".st-key-part-at-chosen-layer .bx-finding");
    finding?.toggleAttribute("data-old", name !== pageSlider()?.value);
    if (chart.bertvizShown === name) return;
    chart.bertvizShown = name;
    for (const other of document.querySelectorAll(".js-plotly-plot"))
      if (other.layout?.meta === "chart_plane") animate(other, name);
  };

  const value = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
  const setPage = (chart) => {
    const slider = pageSlider(); // the tour has none
    const moved = slider?.value === chart.bertvizPage && slider.value !== chart.bertvizShown;
    if (!moved || !chart.isConnected) return;
    // To the layer beside it, then one step by a key, which sends it; a pointer would take the focus.
    const to = Number(chart.bertvizShown);
    const key = to > 0 ? "ArrowRight" : "ArrowLeft";
    value.set.call(slider, to > 0 ? to - 1 : 1);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    for (const kind of ["keydown", "keyup"]) slider.dispatchEvent(new KeyboardEvent(kind, { key, bubbles: true }));
  };
  const followPage = async (chart) => {
    const at = pageSlider()?.value;
    if (at === undefined || at === chart.bertvizPage) return;
    if (at === chart.bertvizShown || (await animate(chart, at))) chart.bertvizPage = at;
  };

  const listen = () => {
    const chart = document.querySelector(":is(.st-key-chart_plane, .st-key-chart_paths) .js-plotly-plot");
    const slider = chart?.layout?.sliders?.[0];
    if (!chart?.on || !slider) return;
    if (!chart.bertvizShown) {
      chart.bertvizShown = String(slider.active);
      let rest;
      chart.on("plotly_animatingframe", ({ name }) => {
        clearTimeout(rest);
        show(chart, name);
      });
      chart.on("plotly_animated", () => (rest = setTimeout(setPage, REST, chart)));
      // Drawn anew by the page, at the layer of the page.
      chart.on("plotly_afterplot", () => show(chart, String(chart.layout.sliders[0].active)));
    }
    followPage(chart);
  };
  new MutationObserver(listen).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ["aria-valuetext"],
  });
  listen();
})();
