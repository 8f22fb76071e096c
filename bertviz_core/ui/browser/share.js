/* Share and Embed: the address of the view, and a frame with its picture, to the clipboard. */
(() => {
  if (window.bertvizShare) return;
  window.bertvizShare = true;

  /* The longest text, and the longest address, that a link carries: an emoji takes 12 letters of it,
     and a server refuses what is too long (docs/hosting.md). */
  const TEXT = 2000;
  const ADDRESS = 32000;
  const NOT_IN_FRAMES = /^(present|typed|tour|guess\d+)$/;

  const count = (number) => number.toLocaleString("en");
  const labelOf = (key) =>
    document.querySelector(`.st-key-${CSS.escape(key)} label`)?.textContent.trim() || key;
  const rest = "Shorten it, or take the view as a notebook: its program has the whole text.";

  /* Why an address is no link, in words; "" for one that is. */
  const tooLong = (url) => {
    for (const [key, value] of url.searchParams) {
      const letters = [...value].length;
      if (letters > TEXT) {
        return `Not copied: “${labelOf(key)}” has ${count(letters)} characters, a link carries ${count(TEXT)}. ${rest}`;
      }
    }
    if (url.href.length <= ADDRESS) return "";
    return `Not copied: the address has ${count(url.href.length)} letters, a link carries ${count(ADDRESS)}. ${rest}`;
  };

  const frame = (url) => {
    for (const key of [...url.searchParams.keys()]) if (NOT_IN_FRAMES.test(key)) url.searchParams.delete(key);
    url.searchParams.set("embed", "true");
    const source = url.href.replaceAll("&", "&amp;");
    const title = document.title.replace(/[&<"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
    return `\x3ciframe src="${source}" title="${title}" width="700" height="450" style="border:0">\x3c/iframe>`;
  };

  /* A page that did not come by https may not write to the clipboard; it may copy what is selected. */
  const copied = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const field = document.body.appendChild(document.createElement("textarea"));
      field.value = text;
      field.select();
      const done = document.execCommand("copy");
      field.remove();
      return done;
    }
  };

  addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-share]");
    if (!button) return;
    const status = button.parentElement.querySelector("[role=status]");
    const url = new URL(location.href);
    url.hash = "";
    url.searchParams.delete("lecture"); // whoever has it leads the hall
    const isFrame = button.dataset.share === "frame";
    const problem = tooLong(url);
    const text = isFrame ? frame(url) : url.href;
    status.replaceChildren();
    if (problem) {
      status.textContent = problem;
      return;
    }
    if (await copied(text)) {
      button.focus();
      status.textContent = isFrame ? "Copied: a frame with this picture, for a web page." : "Copied: the address of this view.";
      return;
    }
    const field = document.createElement("input");
    Object.assign(field, { readOnly: true, value: text, ariaLabel: isFrame ? "HTML of the frame" : "Address of this view" });
    status.append("Copy it from here:", field);
    field.select();
  });

  /* In a frame the way back leads to what the frame shows now. */
  addEventListener(
    "click",
    (event) => {
      const back = event.target.closest?.(".bx-back");
      if (!back) return;
      const url = new URL(location.href);
      for (const key of ["embed", "embed_options"]) url.searchParams.delete(key);
      back.href = url;
    },
    true,
  );
})();
