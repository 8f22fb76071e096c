// The chips of a text's tokens: what is tapped, or chosen by Enter, goes to the page.
export default function ({ data: packed, parentElement, setTriggerValue }) {
  const data = JSON.parse(new TextDecoder().decode(packed));
  const box = parentElement.querySelector(".bx-chips");
  if (box.shown !== data.chips) box.innerHTML = box.shown = data.chips;
  if (!data.selected) return;
  const chips = [...box.querySelectorAll(".bx-token")];
  const reach = (chip) => chips.forEach((other) => (other.tabIndex = other === chip ? 0 : -1));
  chips.forEach((chip, number) => chip.setAttribute("aria-selected", data.selected.includes(number)));
  // Of a row that is swiped, the first chosen word is in view.
  for (const row of box.querySelectorAll(".bx-words"))
    row.scrollLeft = (row.querySelector('[aria-selected="true"]')?.offsetLeft ?? 0) - row.offsetLeft - row.clientWidth / 2;
  if (!box.contains(document.activeElement)) reach(chips[data.selected[0]] ?? chips[0]);
  const tap = (chip) => {
    reach(chip);
    setTriggerValue("tapped", chips.indexOf(chip));
  };
  box.onclick = (event) => {
    const chip = event.target.closest(".bx-token");
    if (chip) tap(chip);
  };
  box.onkeydown = (event) => {
    const at = chips.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: chips.length - 1 }[event.key];
    const isTap = event.key === "Enter" || event.key === " ";
    if (at < 0 || (to === undefined && !isTap) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault(); // the page would scroll,
    event.stopPropagation(); // and a link or a button with the same key would be followed
    if (isTap) return tap(chips[at]);
    reach(chips[to] ?? chips[at]);
    chips[to]?.focus();
  };
}
