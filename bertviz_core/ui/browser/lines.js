/* Lines and labels on a chart whose points can be selected. In its figure they would make a new
   chart at every click, without its zoom and its selection: Streamlit 1.67 names a chart by its
   figure (https://github.com/streamlit/streamlit/pull/16052 changes that for others only). So the
   page sends them beside it (`chart_lines` of ui/html.py), and they become shapes and annotations
   of the chart that is there. */
(() => {
  if (window.bertvizLines) return;
  window.bertvizLines = true;

  /* While a chart is being made, Streamlit may go back to the layout it began with: some tries. */
  const put = (chart, text, tries) => {
    const own = (chart.bertvizOwn ??= [chart.layout.shapes ?? [], chart.layout.annotations ?? []]);
    const [shapes, annotations] = JSON.parse(text).map((given, at) => [...own[at], ...given]);
    chart.layout = { ...chart.layout, shapes, annotations };
    chart.emit("plotly_relayout", {}); // Streamlit takes the layout from the chart, and draws it
    setTimeout(() => {
      const drawn = chart._fullLayout;
      const missing =
        drawn?.shapes?.length !== shapes.length || drawn.annotations?.length !== annotations.length;
      if (missing && tries && chart.isConnected && chart.bertvizLines === text)
        put(chart, text, tries - 1);
    }, 300);
  };
  /* They belong to the layer in view: while points move through others, they would lead nowhere. */
  const hideWhilePlaying = (chart) => {
    const show = (visible) =>
      chart.querySelectorAll(".shapelayer").forEach((layer) => {
        layer.style.visibility = visible ? "" : "hidden";
      });
    chart.on("plotly_animating", () => show(false));
    chart.on("plotly_animated", () => show(true));
  };
  const draw = () => {
    for (const given of document.querySelectorAll("[data-lines]")) {
      const chart = document.querySelector(`.st-key-${given.dataset.chart} .js-plotly-plot`);
      const text = `[${given.dataset.lines},${given.dataset.labels}]`;
      if (!chart?.emit || !chart.layout || chart.bertvizLines === text) continue;
      if (chart.bertvizLines === undefined) hideWhilePlaying(chart);
      chart.bertvizLines = text;
      put(chart, text, 20);
    }
  };
  new MutationObserver(draw).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ["data-lines", "data-labels"],
  });
  draw();
})();
