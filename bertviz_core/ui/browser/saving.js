/* Pictures to take home: what is written on them, and their formats. */
(() => {
  if (window.bertvizSaving) return;
  window.bertvizSaving = true;

  const MENU = 34; // of figures/template.py: room above a chart, which its picture does not need
  const CAMERA = ':is(.modebar-btn[data-title*="PNG"], .modebar-btn[data-title="Download plot"]):not([data-format])';
  const BEFORE = "before layer 0"; // of figures/paths.py: where it shows nothing yet
  const LAST = 3; // times as long as the other layers stays the last one of a GIF
  const SYSTEM = "Arial, Helvetica, sans-serif";
  const escape = (text) =>
    text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);
  const pen = document.createElement("canvas").getContext("2d");

  /* A text in lines that are about so many pixels wide; a word that is longer, such as a link, is
     broken. */
  const lines = (text, font, width) => {
    pen.font = font;
    const most = Math.max(1, Math.floor((0.9 * width * text.length) / (pen.measureText(text).width || 1)));
    return text.match(new RegExp(`\\S.{0,${most - 1}}(?=\\s|$)|\\S{${most}}`, "gu")) ?? [];
  };

  /* What a picture says, as text alone: the last finding before it, or the claim of the stop that
     led here with its answer. */
  const messages = (chart) => {
    const bar = document.querySelector(".st-key-tour-bar");
    const claim = bar?.querySelector(".bx-claim");
    if (claim) return [claim, ...bar.querySelectorAll(".bx-answer")];
    const before = [...document.querySelectorAll(".bx-finding")].filter(
      (finding) => finding.compareDocumentPosition(chart) & Node.DOCUMENT_POSITION_FOLLOWING,
    );
    return before.slice(-1);
  };
  const textOf = (part) => {
    const copy = part.cloneNode(true);
    copy.querySelectorAll(".bx-method").forEach((sign) => sign.remove());
    copy.querySelectorAll("br").forEach((end) => end.replaceWith(" "));
    return copy.textContent.replace(/\s+/g, " ").trim();
  };

  /* A chart, or a frame of it, for a picture: with a title, a line that says how it was made, and its
     address; and in letters that every machine has. The page's own font comes with the page, is not in the file,
     and a wider one in its place ran over the edge
     (https://github.com/plotly/plotly.js/issues/4885, seen with Plotly 4.2). */
  const figureOf = (chart, size, { data, layout: own } = chart) => {
    const { made = "", filename, scale } = chart._context.toImageButtonOptions;
    const { margin, font, ...full } = chart._fullLayout;
    const [width, height] = size ?? [full.width, full.height];
    const room = width - 32;
    const small = 12;
    const large = Math.max(16, Math.round(width / 60));
    const head = messages(chart).map(textOf).flatMap((text) => lines(text, `bold ${large}px ${SYSTEM}`, room));
    const url = new URL(location.href);
    if (url.searchParams.has("lecture")) url.searchParams.delete("lecture"); // whoever has it leads the hall
    const link = url.origin + url.pathname + url.search;
    const foot = [made, link].flatMap((text) => lines(text, `${small}px ${SYSTEM}`, room));
    const bold = (line) => `\x3cb>${line}\x3c/b>`; // the sign itself would have this script removed
    const fine = (line) => `\x3cspan style="font-size:${small}px">${line}\x3c/span>`;
    const title = [...head.map(escape).map(bold), ...foot.map(escape).map(fine)].join("\x3cbr>");
    const above = Math.ceil(1.3 * large * (head.length + foot.length)) + 36;
    const menu = Math.min(MENU, margin.t - 4);
    const layout = {
      ...own,
      updatemenus: [], // a button to play is none on paper
      font: { ...own.font, family: SYSTEM },
      title: {
        text: title,
        font: { family: SYSTEM, size: large, color: font.color },
        x: 0,
        xanchor: "left",
        xref: "container",
        y: 1,
        yanchor: "top",
        yref: "container",
        pad: { l: 16, t: 20 },
      },
      margin: { ...own.margin, t: margin.t - menu + above, r: Math.max(margin.r, 16), b: margin.b + 8 },
    };
    return [{ data, layout }, { filename, scale, width, height: size ? height : height - menu + above + 8 }];
  };

  /* The button of a chart that plays: its frames, one a layer, can be saved as a GIF. */
  const player = (chart) =>
    chart.layout?.updatemenus?.flatMap((menu) => menu.buttons).find((button) => button.method === "animate");
  const atFrame = (chart, { name, data, layout }) => ({
    data: chart.data.map((trace, number) => ({ ...trace, ...data[number] })),
    layout: {
      ...chart.layout,
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
    const pictures = async function* () {
      for (const [at, frame] of frames.entries()) {
        button.textContent = `${at + 1}/${frames.length}`;
        const [figure, options] = figureOf(chart, null, atFrame(chart, frame));
        const drawn = await window.Plotly.toImage(figure, { ...options, format: "png" });
        yield [await pixels(drawn), at + 1 < frames.length ? stays : LAST * stays];
      }
    };
    try {
      const href = URL.createObjectURL(await window.bertvizGif(pictures()));
      const download = `${chart._context.toImageButtonOptions.filename}.gif`;
      Object.assign(document.createElement("a"), { href, download }).click();
      setTimeout(() => URL.revokeObjectURL(href), 60_000);
    } finally {
      button.textContent = "GIF";
    }
  };

  /* Plotly's menu saves one format: https://github.com/plotly/plotly.js/issues/4782, seen with
     Plotly 4.2. Further buttons save the same picture as SVG, and as a GIF where it plays. */
  const addButtons = (camera) => {
    const chart = camera.closest(".js-plotly-plot");
    if (!chart || camera.parentElement.querySelector("[data-format]")) return;
    for (const format of player(chart) ? ["gif", "svg"] : ["svg"]) {
      const button = camera.cloneNode(false);
      button.dataset.format = format;
      button.textContent = format.toUpperCase();
      button.dataset.title = `Download ${format === "gif" ? "all layers" : "plot"} as ${button.textContent}`;
      button.ariaLabel = button.dataset.title;
      button.removeAttribute("data-attr");
      camera.after(button);
    }
  };
  addEventListener(
    "click",
    (event) => {
      const slide = event.target.closest?.("[data-slide]");
      const button = slide ?? event.target.closest?.(`.modebar-btn[data-format], ${CAMERA}`);
      if (!button) return;
      const chart = slide
        ? document.querySelector(".st-key-tour-frame .js-plotly-plot")
        : button.closest(".js-plotly-plot");
      if (!chart) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const format = button.dataset.format ?? "png";
      if (format === "gif") return saveGif(chart, button);
      const [figure, options] = figureOf(chart, slide && [1280, 720]);
      window.Plotly.downloadImage(figure, { ...options, format });
    },
    true,
  );
  new MutationObserver(() => document.querySelectorAll(CAMERA).forEach(addButtons)).observe(
    document.body,
    { childList: true, subtree: true },
  );
})();
