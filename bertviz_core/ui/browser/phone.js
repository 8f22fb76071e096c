/* A phone in a hall. What the hall is asked is read from a file, without a run of the page: the server
   answers as soon as that changes. The page runs when something was said, and when there is more to see
   than a question. */
export default function ({ data: packed, parentElement, setTriggerValue }) {
  const box = parentElement.querySelector(".bx-phone");
  box.given = JSON.parse(new TextDecoder().decode(packed));
  box.tell = setTriggerValue;
  if (box.show) return box.show();

  const EVERY = 1000; // milliseconds between two requests, at least
  const MAX_WAIT = 15000; // for an answer, which the server holds back for 8 s (ui/server.py)
  const SPREAD = 5000; // phones that have to run the page do not all do so at once
  let read = null; // [stop, round, what is shown, claim, question, options], as the file last said
  let shown = "";
  let answer = null; // that the hall has not taken yet
  let sayAgain = 0;
  let asking = 0;
  const asked = () => {
    const [stop, round, stage, claim, question, options] = read ?? box.given.state;
    const key = `${stop}-${round}`;
    const isOpen = stop > 0 && stage === "nothing" && !box.given.said.includes(key);
    return { stop, round, claim, question, options, isOpen, key };
  };
  const tell = () => {
    const { stop, round, isOpen, key } = asked();
    if (!isOpen || answer?.key !== key || !box.isConnected) return;
    box.tell("said", [stop, round, answer.text]);
    clearTimeout(sayAgain);
    sayAgain = setTimeout(tell, 4 * EVERY);
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
  const look = async () => {
    // A page that nobody sees waits until it is shown again.
    if (document.hidden) await new Promise((seen) => document.addEventListener("visibilitychange", seen, { once: true }));
    if (!box.isConnected) return;
    const next = performance.now() + EVERY;
    await follow();
    setTimeout(look, next - performance.now());
  };
  const follow = async () => {
    try {
      const folder = location.pathname.replace(/[^/]*$/, "");
      const known = (read ?? box.given.state).slice(0, 3).join("-");
      const signal = AbortSignal.timeout(MAX_WAIT); // a connection may be dead without an error
      const file = await fetch(`${folder}${box.given.notice}?${known}`, { cache: "no-store", signal });
      read = file.ok ? await file.json() : null;
    } catch {
      return; // without a network what was asked last stays
    }
    box.show();
    if (!read || isBehind()) runSoon();
  };
  box.show();
  look();
}

const make = (tag, given) => Object.assign(document.createElement(tag), given);
