// The chips of a text's tokens: what is tapped, or chosen by Enter, goes to the page.
export default function ({ data: packed, parentElement, setTriggerValue }) {
  const data = JSON.parse(new TextDecoder().decode(packed));
  const box = parentElement.querySelector(".bx-chips");
  if (box.shown !== data.chips) box.innerHTML = box.shown = data.chips;
  const chips = [...box.querySelectorAll(".bx-token")];
  if (!data.selected) return;
  const focus = (chip) => {
    for (const other of chips) other.tabIndex = other === chip ? 0 : -1;
  };
  chips.forEach((chip, number) => {
    chip.setAttribute("aria-selected", data.selected.includes(number));
  });
  // Of a row that is swiped, the first chosen word is in view.
  for (const row of box.querySelectorAll(".bx-words"))
    row.scrollLeft = (row.querySelector('[aria-selected="true"]')?.offsetLeft ?? 0) - row.offsetLeft - row.clientWidth / 2;
  if (!box.contains(document.activeElement)) focus(chips[data.selected[0]] ?? chips[0]);
  const tap = (chip) => {
    focus(chip);
    setTriggerValue("tapped", chips.indexOf(chip));
  };
  box.onclick = (event) => {
    const chip = event.target.closest(".bx-token");
    if (chip) tap(chip);
  };
  box.onkeydown = (event) => {
    const at = chips.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: chips.length - 1 }[event.key];
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (to !== undefined) {
      const next = chips[Math.min(Math.max(to, 0), chips.length - 1)];
      focus(next);
      next.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      tap(chips[at]);
    } else {
      return;
    }
    event.preventDefault(); // the page would scroll,
    event.stopPropagation(); // and a link or a button with the same key would be followed
  };
}
