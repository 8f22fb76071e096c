const make = (tag, given, ...inside) => {
  const made = Object.assign(document.createElement(tag), given);
  made.append(...inside);
  return made;
};

/* A guess that is drawn: how much of a bar, a point on a plane, or words in an order. Nothing is
   marked before the first tap or key; the arrow keys move a mark, from zero at first. */
const drawGuess = (box, axes, words, give) => {
  const MINE = "That is my guess";
  let guess = [];
  const say = () => give(guess.map((one) => one.toFixed?.(2) ?? one).join("_"));
  const ready = make("button", { type: "button", className: "bx-drawn", textContent: MINE, disabled: true, onclick: say });

  const plane = () => {
    const picture = make("div", { className: axes.length > 1 ? "bx-plane" : "bx-part-bar", tabIndex: 0, role: "slider", ariaLabel: axes.join(" and "), ariaValueText: "no mark yet" });
    const mark = (values) => {
      guess = values.slice(0, axes.length).map((value) => Math.min(Math.max(value, 0), 1));
      guess.forEach((value, axis) => picture.style.setProperty(axis ? "--bx-y" : "--bx-x", value));
      picture.dataset.said = picture.ariaValueText = guess.map((value) => (axes.length > 1 ? value.toFixed(2) : `${Math.round(100 * value)}%`)).join(" and ");
      picture.ariaValueNow = guess[0];
      ready.textContent = `${MINE}: ${picture.ariaValueText}`;
      ready.disabled = false;
    };
    const follow = ({ clientX, clientY }) => {
      const area = picture.getBoundingClientRect();
      mark([(clientX - area.left) / area.width, (area.bottom - clientY) / area.height]);
    };
    picture.onpointerdown = (event) => {
      picture.setPointerCapture(event.pointerId);
      follow(event);
    };
    picture.onpointermove = (event) => picture.hasPointerCapture(event.pointerId) && follow(event);
    picture.onkeydown = (event) => {
      const by = { ArrowRight: [0.02, 0], ArrowLeft: [-0.02, 0], ArrowUp: [0, 0.02], ArrowDown: [0, -0.02] }[event.key];
      if (!by) return;
      event.preventDefault();
      const [x = 0, y = 0] = guess;
      mark(axes.length > 1 ? [x + by[0], y + by[1]] : [x + by[0] + by[1]]);
    };
    return make("div", { className: "bx-axes" }, make("span", { textContent: axes[1] ?? "0%" }), picture, make("span", { textContent: axes.length > 1 ? axes[0] : "100%" }));
  };
  const order = () => {
    const bars = make("ol", { className: "bx-order" }, ...words.map(() => make("li", {})));
    const chips = words.map((word) =>
      make("button", {
        type: "button",
        textContent: word,
        ariaPressed: "false",
        onclick: () => {
          guess = guess.includes(word) ? guess.filter((one) => one !== word) : [...guess, word];
          chips.forEach((chip) => (chip.ariaPressed = String(guess.includes(chip.textContent))));
          [...bars.children].forEach((bar, place) => (bar.textContent = guess[place] ?? ""));
          ready.disabled = guess.length < words.length;
        },
      }),
    );
    return make("div", {}, make("div", { className: "bx-words" }, ...chips), bars);
  };
  box.replaceChildren(words.length ? order() : plane(), ready);
};

export default function ({ data: packed, parentElement, setTriggerValue }) {
  const text = new TextDecoder().decode(packed);
  const { axes, words } = JSON.parse(text);
  const box = parentElement.querySelector(".bx-drawing");
  box.give = (guess) => setTriggerValue("drawn", guess);
  if (box.shown === text) return;
  box.shown = text;
  drawGuess(box, axes, words, (guess) => box.give(guess));
}
