/* Lines, points and labels on a chart whose points can be selected. In its figure they would make a new
   chart at every click, without its zoom and its selection: Streamlit 1.67 names a chart by its
   figure (https://github.com/streamlit/streamlit/pull/16052 changes that for others only). So the
   page sends them beside it (`beside_chart` of ui/html.py), and they become parts of the chart
   that is there. */
(() => {
  if (window.bertvizLines) return;
  window.bertvizLines = true;

  /* What was chosen by a button before stays chosen: what that button does is done at once. */
  const choose = (chart, { data, layout }) => {
    const menu = layout.updatemenus[0];
    menu.active = chart.layout.updatemenus?.[0]?.active ?? 0;
    if (menu.active >= menu.buttons.length) menu.active = 0;
    const [shown, changes, numbers] = menu.buttons[menu.active].args;
    numbers.forEach((number, place) => (data[number].visible = shown.visible[place]));
    for (const [path, value] of Object.entries(changes)) {
      const keys = path.match(/\w+/g);
      const last = keys.pop();
      keys.reduce((part, key) => part[key], layout)[last] = value;
    }
  };
  /* While a chart is being made, Streamlit may go back to what it began with: some tries. */
  const put = (chart, text, tries) => {
    const given = JSON.parse(text);
    const own = chart.data.filter((trace) => trace.meta !== "beside");
    const data = [...own, ...(given.data ?? []).map((trace) => ({ ...trace, meta: "beside" }))];
    const layout = { ...chart.layout, ...given.layout };
    const shapes = (given.layout.shapes ?? []).map((one) => ({ ...one, name: "beside" }));
    layout.shapes = [...(chart.layout.shapes ?? []).filter((one) => one.name !== "beside"), ...shapes];
    if (given.layout.updatemenus) choose(chart, { data, layout });
    Object.assign(chart, { data, layout });
    chart.emit("plotly_relayout", {}); // Streamlit takes them from the chart, and draws it
    const check = () => {
      if (!tries-- || !chart.isConnected || chart.bertvizLines !== text) return;
      const drawn = chart._fullLayout;
      const whole = ["shapes", "updatemenus"].every(
        (kind) => drawn?.[kind]?.length === (layout[kind] ?? []).length,
      );
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
