/* Charts that follow another one, and sentences that do: each has a state for every frame of that
   chart. They change in the browser, as its slider or Play goes on; no page runs again. A chart names
   in `layout.meta` the one it follows. */
(() => {
  if (window.bertvizFrames) return;
  window.bertvizFrames = true;

  const show = (chart, key, name) => {
    if (chart.bertvizShown === name) return;
    chart.bertvizShown = name;
    for (const said of document.querySelectorAll(`[data-follows="${key}"]`))
      said.innerHTML = JSON.parse(said.dataset.frames)[name] ?? said.innerHTML;
    const at_once = { mode: "immediate", transition: { duration: 0 } };
    for (const other of document.querySelectorAll(".js-plotly-plot"))
      if (other.layout?.meta === key)
        window.Plotly?.animate(other, [name], {
          ...at_once,
          frame: { duration: 0, redraw: true },
        }).catch(() => {}); // a later layer has taken its place
  };
  const listen = () => {
    for (const said of document.querySelectorAll("[data-follows]")) {
      const key = said.dataset.follows;
      const chart = document.querySelector(`.st-key-${key} .js-plotly-plot`);
      if (!chart?.on || chart.bertvizFollowed) continue;
      chart.bertvizFollowed = true;
      chart.on("plotly_animatingframe", ({ name }) => show(chart, key, name));
      // Drawn anew by the page, at the layer of the page.
      chart.on("plotly_afterplot", () => {
        const slider = chart.layout?.sliders?.[0];
        if (slider && chart.bertvizShown) show(chart, key, String(slider.active));
      });
    }
  };
  new MutationObserver(listen).observe(document.body, { childList: true, subtree: true });
  listen();
})();
