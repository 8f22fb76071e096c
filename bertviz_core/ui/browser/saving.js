/* Buttons in the menu of a chart: PNG, SVG, and of a chart that plays a GIF of all its layers. They
   take the place of Plotly's own, which saves one format
   (https://github.com/plotly/plotly.js/issues/4782, seen with Plotly 4.2). */
(() => {
  if (window.bertvizSaving) return;
  window.bertvizSaving = true;

  const CAMERA = ':is(.modebar-btn[data-title*="PNG"], .modebar-btn[data-title="Download plot"]):not([data-format])';
  const BEFORE = "before layer 0"; // of figures/paths.py: where it shows nothing yet
  const LAST = 3; // times as long as the other layers stays the last one of a GIF
  const pen = document.createElement("canvas").getContext("2d");

  /* In letters that every machine has. A saved picture does not have the page's own font, and a wider
     one in its place runs over the edge (https://github.com/plotly/plotly.js/issues/4885, seen with
     Plotly 4.2). */
  const inSystemFont = ({ data, layout }) => ({
    data,
    layout: { ...layout, font: { ...layout.font, family: "Arial, Helvetica, sans-serif" } },
  });
  const optionsOf = (chart, format) => {
    const { width, height } = chart._fullLayout;
    return { ...chart._context.toImageButtonOptions, format, width, height };
  };
  const save = (format) => (chart) => window.Plotly.downloadImage(inSystemFont(chart), optionsOf(chart, format));

  const player = (chart) =>
    chart.layout?.updatemenus?.flatMap((menu) => menu.buttons).find((button) => button.method === "animate");
  const atFrame = (chart, { name, data, layout }) => ({
    data: chart.data.map((trace, number) => ({ ...trace, ...data[number] })),
    layout: {
      ...chart.layout,
      updatemenus: [], // without the button that plays
      // Lines beside a chart (lines.js) are those of the layer in view.
      shapes: chart.layout.shapes?.filter((shape) => shape.name !== "beside"),
      ...layout,
      sliders: chart.layout.sliders?.map((slider) => ({ ...slider, active: Number(name) })),
    },
  });
  const pixels = async (address) => {
    const image = Object.assign(new Image(), { src: address });
    await image.decode();
    Object.assign(pen.canvas, { width: image.width, height: image.height });
    pen.drawImage(image, 0, 0);
    return pen.getImageData(0, 0, image.width, image.height);
  };
  const saveGif = async (chart, button) => {
    if (button.textContent !== "GIF") return; // it is being made
    const stays = player(chart).args[1].frame.duration;
    const frames = chart._transitionData._frames.filter((frame) => frame.group !== BEFORE);
    const options = optionsOf(chart, "png");
    const pictures = async function* () {
      for (const [at, frame] of frames.entries()) {
        button.textContent = `${at + 1}/${frames.length}`;
        const drawn = await window.Plotly.toImage(inSystemFont(atFrame(chart, frame)), options);
        yield [await pixels(drawn), at + 1 < frames.length ? stays : LAST * stays];
      }
    };
    try {
      const href = URL.createObjectURL(await window.bertvizGif(pictures()));
      Object.assign(document.createElement("a"), { href, download: `${options.filename}.gif` }).click();
      setTimeout(() => URL.revokeObjectURL(href), 60_000);
    } finally {
      button.textContent = "GIF";
    }
  };

  const formats = { png: save("png"), svg: save("svg"), gif: saveGif };
  const addButtons = (camera) => {
    const chart = camera.closest(".js-plotly-plot");
    if (!chart) return;
    const buttons = Object.keys(formats).filter((format) => format !== "gif" || player(chart)).map((format) => {
      const button = camera.cloneNode(false);
      button.dataset.format = format;
      button.textContent = format.toUpperCase();
      button.dataset.title = `Download ${format === "gif" ? "all layers" : "plot"} as ${button.textContent}`;
      button.ariaLabel = button.dataset.title;
      button.removeAttribute("data-attr");
      button.onclick = () => formats[format](chart, button);
      return button;
    });
    camera.replaceWith(...buttons);
  };
  new MutationObserver(() => document.querySelectorAll(CAMERA).forEach(addButtons)).observe(
    document.body,
    { childList: true, subtree: true },
  );
})();
