/* Light or dark by choice while presenting. Streamlit 1.67 keeps a visitor's choice for each address,
   and a page cannot set it (https://github.com/streamlit/streamlit/issues/14172). Its embed_options
   are no way: every link would have to carry them. Runs whenever the look changes. */
(() => {
  const KEY = "bertviz-look";
  try {
    if ((localStorage.getItem(KEY) ?? "System") === "LOOK_IN_USE") return;
    const folder = location.pathname.replace(/[^/]*$/, "");
    for (const page of "PAGE_NAMES".split(","))
      localStorage.setItem(`stActiveTheme-${folder}${page}-v2`, JSON.stringify("LOOK_IN_USE"));
    localStorage.setItem(KEY, "LOOK_IN_USE");
    location.reload();
  } catch {
    // A browser that keeps nothing stays with the system's look.
  }
})();
