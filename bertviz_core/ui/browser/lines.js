/* Lines, points and labels on a chart whose points can be selected. In its figure they would make a new
   chart at every click, without its zoom and its selection: Streamlit 1.67 names a chart by its
   figure (https://github.com/streamlit/streamlit/pull/16052 changes that for others only). So the
   page sends them beside it (`beside_chart` of ui/html.py), and they become parts of the chart
   that is there. */
(() => {
  if (window.bertvizLines) return;
  window.bertvizLines = true;

  const ofUs = ({ data, layout }) =>
    JSON.stringify([
      data.filter((trace) => trace.meta === "beside"),
      (layout.shapes ?? []).filter((shape) => shape.name === "beside"),
    ]);
  /* While a chart is being made, or changes, Streamlit may go back to what it had: some tries. */
  const put = (chart, text, tries) => {
    const given = JSON.parse(text);
    const own = chart.data.filter((trace) => trace.meta !== "beside");
    const data = [...own, ...given.data.map((trace) => ({ ...trace, meta: "beside" }))];
    const layout = { ...chart.layout };
    const shapes = given.shapes.map((one) => ({ ...one, name: "beside" }));
    layout.shapes = [...(chart.layout.shapes ?? []).filter((one) => one.name !== "beside"), ...shapes];
    Object.assign(chart, { data, layout });
    chart.emit("plotly_relayout", {}); // Streamlit takes them from the chart, and draws it
    const check = () => {
      if (!tries-- || !chart.isConnected || chart.bertvizLines !== text) return;
      const shapesDrawn = chart._fullLayout?.shapes?.length === layout.shapes.length;
      const allDrawn = shapesDrawn && chart._fullData?.length === data.length;
      const whole = allDrawn && ofUs(chart) === ofUs({ data, layout });
      if (whole) setTimeout(check, 300);
      else put(chart, text, tries);
    };
    setTimeout(check, 300);
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
      const text = given.dataset.lines;
      if (!chart?.emit || !chart.layout || chart.bertvizLines === text) continue;
      if (chart.bertvizLines === undefined) hideWhilePlaying(chart);
      chart.bertvizLines = text;
      put(chart, text, 20);
    }
  };
  new MutationObserver(draw).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ["data-lines"],
  });
  draw();
})();
