/** What the pages of the inspector do in a browser, in plain JavaScript; they are readable without it. @module */

/** The slider through a play, and the words of a token under the pointer, the finger or the arrow keys. */
export const inspectScript = `
(() => {
  const make = (name, properties, ...children) => {
    const node = Object.assign(document.createElement(name), properties);
    node.append(...children);
    return node;
  };

  const addSlider = (play) => {
    const cells = [...play.querySelectorAll("[data-turn]")];
    const last = Math.max(0, ...cells.map((cell) => Number(cell.dataset.turn)));
    if (last < 2) return;
    const range = make("input", { type: "range", min: 0, max: last, value: 0 });
    range.setAttribute("aria-label", "Turn of " + play.dataset.name + ", 0 for all");
    const words = make("output", {});
    const button = (text, label, by) => {
      const node = make("button", { type: "button", textContent: text, onclick: () => show(Number(range.value) + by) });
      node.setAttribute("aria-label", label);
      return node;
    };
    const back = button("\\u2039", "Turn before", -1), on = button("\\u203a", "Next turn", 1);
    const show = (turn) => {
      range.value = turn;
      words.textContent = turn === 0 ? "all " + last + " turns" : "turn " + turn + " of " + last;
      range.setAttribute("aria-valuetext", words.textContent);
      back.disabled = turn === 0;
      on.disabled = turn === last;
      for (const cell of cells) cell.hidden = turn !== 0 && Number(cell.dataset.turn) !== turn;
    };
    range.oninput = () => show(Number(range.value));
    show(0);
    play.prepend(make("div", { className: "steps" }, back, range, on, words));
  };
  for (const play of document.querySelectorAll(".play")) addSlider(play);

  const line = make("p", { id: "token" });
  line.setAttribute("role", "status");
  document.querySelector("main").append(line);
  let current;
  const choose = (token) => {
    current?.classList.remove("on");
    current = token;
    if (!token) return line.replaceChildren();
    token.classList.add("on");
    const [id, logp] = token.title.split(" ");
    const p = logp && Math.exp(Number(logp.replace("\\u2212", "-")));
    const strip = token.parentElement;
    const kind = !logp ? "template or observation, masked" : strip.classList.contains("trained")
      ? "sampled, trained"
      : "sampled, not trained";
    line.replaceChildren(
      make("code", { textContent: "\\u201c" + token.textContent + "\\u201d" }),
      " id " + id + (logp ? ", log-probability " + logp + " (p " + p.toFixed(p < 0.01 ? 4 : 2) + ")" : "") + ", " + kind,
    );
  };
  const tokenAt = (event) => event.target.closest(".tokens b");
  document.addEventListener("pointerover", (event) => {
    const token = tokenAt(event);
    if (token) choose(token);
  });
  document.addEventListener("click", (event) => choose(tokenAt(event)));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return choose();
    const strip = document.activeElement;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || !strip?.classList.contains("tokens")) return;
    event.preventDefault();
    const tokens = [...strip.children];
    const at = current?.parentElement === strip ? tokens.indexOf(current) + by : by > 0 ? 0 : tokens.length - 1;
    const token = tokens[Math.min(tokens.length - 1, Math.max(0, at))];
    choose(token);
    token.scrollIntoView({ block: "nearest" });
  });
})();
`;
