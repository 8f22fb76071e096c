/* Pictures to take home: what is written on them, and their formats. */
(() => {
  if (window.bertvizSaving) return;
  window.bertvizSaving = true;

  const MENU = 34; // of figures/template.py: room above a chart, which its picture does not need
  const CAMERA = '.modebar-btn[data-title*="PNG"]:not(.save-svg), .modebar-btn[data-title="Download plot"]:not(.save-svg)';
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

  /* Saves a chart in a format, with a title, a line that says how it was made, and its address; and
     in letters that every machine has. The page's own font comes with the page, is not in the file,
     and a wider one in its place ran over the edge
     (https://github.com/plotly/plotly.js/issues/4885, seen with Plotly 4.2). */
  const save = (chart, format, size) => {
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
      ...chart.layout,
      updatemenus: [], // a button to play is none on paper
      font: { ...chart.layout.font, family: SYSTEM },
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
      margin: { ...chart.layout.margin, t: margin.t - menu + above, r: Math.max(margin.r, 16), b: margin.b + 8 },
    };
    window.Plotly.downloadImage(
      { data: chart.data, layout },
      { format, filename, scale, width, height: size ? height : height - menu + above + 8 },
    );
  };

  /* Plotly's menu saves one format: https://github.com/plotly/plotly.js/issues/4782, seen with
     Plotly 4.2. A second button saves the same picture as SVG. */
  const addSvgButton = (camera) => {
    const chart = camera.closest(".js-plotly-plot");
    if (!chart || camera.parentElement.querySelector(".save-svg")) return;
    const button = camera.cloneNode(false);
    button.classList.add("save-svg");
    button.setAttribute("data-title", "Download plot as SVG");
    button.setAttribute("aria-label", "Download plot as SVG");
    button.removeAttribute("data-attr");
    button.textContent = "SVG";
    camera.after(button);
  };
  addEventListener(
    "click",
    (event) => {
      const slide = event.target.closest?.("[data-slide]");
      const button = slide ?? event.target.closest?.(`.save-svg, ${CAMERA}`);
      if (!button) return;
      const chart = slide
        ? document.querySelector(".st-key-tour-frame .js-plotly-plot")
        : button.closest(".js-plotly-plot");
      if (!chart) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      save(chart, button.matches(".save-svg") ? "svg" : "png", slide && [1280, 720]);
    },
    true,
  );
  new MutationObserver(() => document.querySelectorAll(CAMERA).forEach(addSvgButton)).observe(
    document.body,
    { childList: true, subtree: true },
  );
})();
