/* Draws the pictures of a page, one after the other, in the reader's scheme. */
const root = document.documentElement;
const figures = document.querySelectorAll("figure[aria-label]");
const draw = async () => {
  for (const figure of figures) {
    const spec = JSON.parse(figure.querySelector("script").textContent);
    spec.layout.template = SITE.looks[root.dataset.theme];
    await Plotly.newPlot(figure.firstElementChild, { ...spec, config: SITE.config });
    await new Promise(requestAnimationFrame);
  }
};
const plotly = document.createElement("script");
plotly.src = document.currentScript.src.replace("pictures", "plotly.min");
plotly.onload = () => {
  draw();
  new MutationObserver(draw).observe(root, { attributeFilter: ["data-theme"] });
};
if (figures.length) document.head.append(plotly);
