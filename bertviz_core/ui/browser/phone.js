/* A phone in a hall. What the hall is asked is read from a file,
   without a run of the page. The page runs when something was said, and when there is more to see than
   a question. */
export default function ({ data: packed, parentElement, setTriggerValue }) {
  const box = parentElement.querySelector(".bx-phone");
  box.given = JSON.parse(new TextDecoder().decode(packed));
  box.tell = setTriggerValue;
  if (box.show) return box.show();

  const EVERY = 2000; // milliseconds; while there is a question to answer, every other time is left out
  const SPREAD = 5000; // phones that have to run the page do not all do so at once
  let read = null; // [stop, round, what is shown, claim, question, options], as the file last said
  let shown = "";
  let answer = null; // that the hall has not taken yet
  let toldAt = 0;
  let asking = 0;
  const asked = () => {
    const [stop, round, stage, claim, question, options] = read ?? box.given.state;
    const key = `${stop}-${round}`;
    const isOpen = stop > 0 && stage === "nothing" && !box.given.said.includes(key);
    return { stop, round, claim, question, options, isOpen, key };
  };
  const tell = () => {
    const { stop, round, isOpen, key } = asked();
    if (!isOpen || answer?.key !== key) return;
    toldAt = performance.now();
    box.tell("said", [stop, round, answer.text]);
  };
  const give = (key) => (text) => {
    if (answer?.key === key) return;
    answer = { key, text };
    box.classList.add("bx-said");
    tell();
  };
  box.show = () => {
    const { round, claim, question, options, isOpen, key } = asked();
    const isKnown = key === box.given.state.slice(0, 2).join("-");
    const after = isOpen ? "" : isKnown ? box.given.after : box.given.look;
    const now = [key, isOpen, options, after].join();
    if (shown === now) return;
    shown = now;
    box.classList.remove("bx-said");
    box.replaceChildren(...(claim ? [make("blockquote", { className: "bx-claim", textContent: claim })] : []));
    box.append(make("div", { innerHTML: after }));
    if (!isOpen) return;
    const line = (textContent) => box.append(make("p", { className: "bx-key", textContent }));
    if (round > 1) line("Again, now that you have seen it:");
    line(question);
    const button = (textContent, onclick) => box.append(make("button", { type: "button", textContent, onclick }));
    if (options) {
      for (const option of options.split("_")) button(option, () => give(key)(option));
    } else {
      const field = make("input", { type: "number", inputMode: "numeric", min: 0, max: 100, required: true, placeholder: "0 to 100", ariaLabel: question });
      box.append(field);
      button("That is my guess", () => field.reportValidity() && give(key)((field.value / 100).toFixed(2)));
    }
  };
  const isBehind = () => String(read) !== String(box.given.state) && !asked().isOpen && read[2] !== "answers";
  const runSoon = () => {
    const run = () => {
      asking = 0;
      if (!read || isBehind()) box.tell("moved", Date.now());
    };
    asking ||= setTimeout(run, Math.random() * SPREAD);
  };
  let times = 0;
  const look = async () => {
    if (!box.isConnected) return;
    times += 1;
    if (times % 2 || !asked().isOpen) await follow();
    setTimeout(look, EVERY);
  };
  const follow = async () => {
    try {
      const folder = location.pathname.replace(/[^/]*$/, "");
      const file = await fetch(`${folder}${box.given.notice}?${Date.now()}`, { cache: "no-store" });
      read = file.ok ? await file.json() : null;
    } catch {
      return; // without a network what was asked last stays
    }
    box.show();
    if (!read || isBehind()) runSoon();
    if (performance.now() - toldAt > 2 * EVERY) tell();
  };
  box.show();
  setTimeout(look, EVERY);
}

const make = (tag, given) => Object.assign(document.createElement(tag), given);
