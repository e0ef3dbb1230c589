/* The figure of the landing page: at which degrees the network tells two lists apart, for a size, a spike and a head. */
"use strict";

(() => {
  const { HEADS, short, said, summary } = shared;
  const END = 1.25, STEPS = 125; // the axis of κ, which its slider shares
  const BOX = { left: 48, right: 432, top: 24, bottom: 168 };
  const PAPER = { from: 1 / 3, to: 0.45, spike: 32, head: "fixed" };
  const at = (step) => (END * step) / STEPS;
  const across = (kappa) => BOX.left + (Math.min(kappa, END) / END) * (BOX.right - BOX.left);
  const up = (p) => BOX.bottom - p * (BOX.bottom - BOX.top);

  // With more digits of n a threshold next to 1 and the weight of a spike would be the same double.
  const SLIDERS = {
    kappa: { min: 0, max: END, step: END / STEPS, start: 0.4, value: (x) => x,
             words: ({ kappa, n }) => `κ = β / log₂ n = ${kappa.toFixed(2)}: degree β = ${(kappa * Math.log2(n)).toFixed(1)}` },
    n: { min: 1, max: 9, step: 0.25, start: 9, value: (x) => Math.round(10 ** x), words: ({ n }) => `n = ${n.toLocaleString("en")}` },
    spike: { min: 2.25, max: 8, step: 0.25, start: 5, value: (x) => Math.round(2 ** x), words: ({ spike }) => `v = ${spike}, the spike` },
  };

  const written = (text, x, y, anchor = "end") => `<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;
  const bar = (from, to) => `x="${across(from)}" width="${across(to) - across(from)}"`;
  const slider = (name, { min, max, step, start }) => `<div class="${name}"><label for="window-${name}"></label>
    <input type="range" id="window-${name}" min="${min}" max="${max}" step="${step}" value="${start}"></div>`;
  const PAGE = `
    <svg viewBox="0 0 440 226" role="img" aria-label="The probability that the network fires against κ, for a list with a spike and
        for one without. The sentence below says what is seen.">
      <rect class="apart" y="${BOX.top}" height="${BOX.bottom - BOX.top}"/>
      ${[0, 0.5, 1].map((p) => `<path class="grid" d="M${BOX.left} ${up(p)}H${BOX.right}"/>` + written(p, BOX.left - 7, up(p) + 4)).join("")}
      ${[0, 0.25, 0.5, 0.75, 1, 1.25].map((kappa) => written(kappa, across(kappa), BOX.bottom + 17, "middle")).join("")}
      ${written("Pr[the network fires]", 0, 12, "start")}
      <path class="d1" d="M208 8h26"/>${written("with a spike", 240, 12, "start")}
      <path class="d0" d="M330 8h26"/>${written("without one", 362, 12, "start")}
      ${written("n → ∞", BOX.left - 7, 203)}<rect class="limit" y="193" height="12"/>
      <g class="paper">${written("paper", BOX.left - 7, 221)}<rect y="211" height="12" ${bar(PAPER.from, PAPER.to)}/></g>
      <path class="d0 band"/><path class="d1 band"/><path class="d0 line"/><path class="d1 line"/>
      <path class="here"/><circle class="d0" r="5"/><circle class="d1" r="5"/>
    </svg>
    ${Object.entries(SLIDERS).map(([name, one]) => slider(name, one)).join("")}
    <div class="head"><label for="window-head">The head:</label> <select id="window-head">
      ${Object.entries(HEADS).map(([name, words]) => `<option value="${name}">${words}</option>`).join("")}</select></div>
    <output aria-live="polite"></output>
    <figcaption>In the shaded range the network tells two lists apart: it fires at one with a spike, <em>v</em> among 4s, and is silent
      on one without, 1, 8 or 32 scores of 4 among 2s, whichever make it fire most. The bars are the window for ever larger <em>n</em>
      and the paper’s range.</figcaption>`;

  /* What the network does at each κ of the axis, and where it tells the two lists apart. */
  function swept(setting) {
    const found = Array.from({ length: STEPS + 1 }, (_, step) => closedForms.hardest({ ...setting, kappa: at(step) }));
    const apart = found.flatMap(({ d0, d1 }, step) => (said(d0) === "silent" && said(d1) === "fires" ? [at(step)] : []));
    return { found, from: apart[0] ?? 0, to: apart.at(-1) ?? 0 };
  }

  const points = (chances) => chances.map((p, step) => `${across(at(step))} ${up(p)}`);
  const most = ({ fires }) => fires, least = ({ silent }) => 1 - silent; // two bounds where the head asks for columns of one size
  const middle = (answer) => (most(answer) + least(answer)) / 2;

  function sentence(here, { from, to }) {
    const { lower, upper } = here;
    const range = to === 0 ? "there is no such range" : `the range is κ = ${short(from)} ${to === END ? "and above" : `to ${short(to)}`}`;
    const window = lower >= upper ? "there is no window"
      : `the window ${upper === Infinity ? `begins at ${short(lower)} and has no end` : `is from ${short(lower)} to ${short(upper)}`}`;
    return `${summary(here)} At this n ${range}; for ever larger n ${window}.`;
  }

  function open(root) {
    root.innerHTML = PAGE;
    const part = (selector) => root.querySelector(selector);
    const place = (selector, given) => Object.entries(given).forEach(([name, value]) => part(selector).setAttribute(name, value));
    const fill = (selector, from, to) => place(selector, { x: across(from), width: Math.max(0, across(to) - across(from)) });
    let drawn = {};

    function show() {
      const get = ([name, { value }]) => [name, value(Number(part(`#window-${name}`).value))];
      const set = Object.fromEntries(Object.entries(SLIDERS).map(get));
      const setting = { n: set.n, spike: set.spike, head: part("select").value }, key = JSON.stringify(setting);
      if (key !== drawn.key) drawn = { key, ...swept(setting) };
      const here = closedForms.hardest({ ...setting, kappa: set.kappa });
      for (const [name, { words }] of Object.entries(SLIDERS)) {
        part(`.${name} label`).textContent = words(set);
        place(`#window-${name}`, { "aria-valuetext": words(set) });
      }
      fill(".apart", drawn.from, drawn.to);
      fill(".limit", here.lower, here.upper);
      part(".paper").style.visibility = set.spike === PAPER.spike && setting.head === PAPER.head ? "visible" : "hidden";
      for (const list of ["d0", "d1"]) {
        const answers = drawn.found.map((answer) => answer[list]);
        place(`.line.${list}`, { d: `M${points(answers.map(middle)).join("L")}` });
        place(`.band.${list}`, { d: `M${[...points(answers.map(most)), ...points(answers.map(least)).reverse()].join("L")}` });
        place(`circle.${list}`, { cx: across(set.kappa), cy: up(middle(here[list])) });
      }
      place(".here", { d: `M${across(set.kappa)} ${BOX.top}V${BOX.bottom}` });
      part("output").textContent = sentence(here, drawn);
    }

    root.addEventListener("input", show);
    root.hidden = false;
    show();
  }

  addEventListener("DOMContentLoaded", () => {
    const root = document.getElementById("moving-window");
    if (root) open(root);
  });
})();
