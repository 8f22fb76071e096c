/* Charts that follow the plane of Word in Context, or the paths of Home: each has a state for every
   layer, and names the plane in `layout.meta`. They change in the browser, as its slider or Play goes on. Where it comes
   to rest, the page's own slider of layers is set, and the page says the rest for that layer; until
   then its finding is faint. That slider is hidden above the finding, but for the keyboard
   (style.css). */
(() => {
  if (window.bertvizFrames) return;
  window.bertvizFrames = true;

  const REST = 400; // milliseconds
  const animate = async (chart, name) => {
    try {
      const frame = { duration: 0, redraw: true };
      await window.Plotly.animate(chart, [name], { mode: "immediate", transition: { duration: 0 }, frame });
      return true;
    } catch {
      return false; // a later layer has taken its place, or it has no frames yet
    }
  };
  const pageSlider = () => document.querySelector(".st-key-layer input[type=range]");
  const show = (chart, name) => {
    document
      .querySelector(".st-key-part-at-chosen-layer .bx-finding")
      ?.toggleAttribute("data-old", name !== pageSlider()?.value);
    if (chart.bertvizShown === name) return;
    chart.bertvizShown = name;
    for (const other of document.querySelectorAll(".js-plotly-plot"))
      if (other.layout?.meta === "chart_plane") animate(other, name);
  };

  const writeValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  const setPage = (chart) => {
    const slider = pageSlider();
    const moved = slider?.value === chart.bertvizPage && slider.value !== chart.bertvizShown;
    if (!slider || !moved || !chart.isConnected) return; // the tour has no slider of its own
    // To the layer beside it, then one step by a key: Streamlit 1.67 sends a slider's value as a key
    // or the pointer goes up.
    const up = Number(chart.bertvizShown) > 0;
    writeValue.call(slider, Number(chart.bertvizShown) + (up ? -1 : 1));
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    for (const kind of ["keydown", "keyup"])
      slider.dispatchEvent(
        new KeyboardEvent(kind, { key: up ? "ArrowRight" : "ArrowLeft", bubbles: true }),
      );
  };
  const followPage = async (chart) => {
    const at = pageSlider()?.value;
    if (at === undefined || at === chart.bertvizPage) return;
    if (at === chart.bertvizShown || (await animate(chart, at))) chart.bertvizPage = at;
  };

  /* A tap on what carries an address in its own `meta` opens it. */
  const open = ({ points }) => {
    const to = points[0]?.data.meta;
    if (to) location.assign(to);
  };

  const listen = () => {
    for (const one of document.querySelectorAll('[class*="st-key-chart_bands"] .js-plotly-plot, .st-key-chart_paths .js-plotly-plot'))
      if (one.on && !one.bertvizOpens) {
        one.bertvizOpens = true;
        one.on("plotly_click", open);
      }
    const chart = document.querySelector(":is(.st-key-chart_plane, .st-key-chart_paths) .js-plotly-plot");
    const slider = chart?.layout?.sliders?.[0];
    if (chart?.on && slider) {
      if (!chart.bertvizFollowed) {
        chart.bertvizFollowed = true;
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
    }
    const drawn = (name) => Boolean(document.querySelector(`.st-key-chart_${name}`));
    document
      .querySelector(".st-key-part-slim-plane-layer")
      ?.toggleAttribute("data-alone", drawn("curves") && !drawn("plane"));
  };
  new MutationObserver(listen).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ["aria-valuetext"],
  });
  listen();
})();
