/* The figure of the landing page: at which degrees the network tells two lists apart, for a size, a spike and a head. */
"use strict";

(() => {
  const { HEADS, short, summary } = shared;
  const { STEPS, ENDS: [END] } = curves; // the axis of κ, which its slider shares
  const PAPER = { from: 1 / 3, to: 0.45, spike: 32, head: "fixed" };

  // With more digits of n a threshold next to 1 and the weight of a spike would be the same double.
  const SLIDERS = {
    kappa: { min: 0, max: END, step: END / STEPS, start: 0.4, value: (x) => x,
             words: ({ kappa, n }) => `κ = β / log₂ n = ${kappa.toFixed(2)}: degree β = ${(kappa * Math.log2(n)).toFixed(1)}` },
    n: { min: 1, max: 9, step: 0.25, start: 9, value: (x) => Math.round(10 ** x), words: ({ n }) => `n = ${n.toLocaleString("en")}` },
    spike: { min: 2.25, max: 8, step: 0.25, start: 5, value: (x) => Math.round(2 ** x), words: ({ spike }) => `v = ${spike}, the spike` },
  };

  const slider = (name, { min, max, step, start }) => `<div class="${name}"><label for="window-${name}"></label>
    <input type="range" id="window-${name}" min="${min}" max="${max}" step="${step}" value="${start}"></div>`;
  const PAGE = `
    ${curves.drawing({ d1: "with a spike", d0: "without one" }, "paper")}
    ${Object.entries(SLIDERS).map(([name, one]) => slider(name, one)).join("")}
    <div class="head"><label for="window-head">The head:</label> <select id="window-head">
      ${Object.entries(HEADS).map(([name, words]) => `<option value="${name}">${words}</option>`).join("")}</select></div>
    <output aria-live="polite"></output>
    <figcaption>In the shaded range the network tells two lists apart: it fires at one with a spike, <em>v</em> among 4s, and is silent
      on one without, 1, 8 or 32 scores of 4 among 2s, whichever make it fire most. The bars are the window for ever larger <em>n</em>
      and the paper’s range.</figcaption>`;

  function sentence(here, [from, to]) {
    const { lower, upper } = here;
    const range = to === 0 ? "there is no such range" : `the range, of probabilities above 0.99, is κ = ${short(from)} ${to === END ? "and above" : `to ${short(to)}`}`;
    const window = lower >= upper ? "there is no window"
      : `the window ${upper === Infinity ? `begins at ${short(lower)} and has no end` : `is from ${short(lower)} to ${short(upper)}`}`;
    return `${summary(here)} At this n ${range}; for ever larger n ${window}.`;
  }

  function open(root) {
    root.innerHTML = PAGE;
    const part = (selector) => root.querySelector(selector), drawn = curves.open(part("svg"));
    drawn.axis(END);
    drawn.fill(".more rect", PAPER.from, PAPER.to);
    drawn.say("The probability that the network fires against κ, for a list with a spike and for one without. " +
              "The sentence below says what is seen.");
    let swept = {};

    function show() {
      const get = ([name, { value }]) => [name, value(Number(part(`#window-${name}`).value))];
      const set = Object.fromEntries(Object.entries(SLIDERS).map(get));
      const setting = { n: set.n, spike: set.spike, head: part("select").value }, key = JSON.stringify(setting);
      if (key !== swept.key) {
        const found = Array.from({ length: STEPS + 1 }, (_, step) => closedForms.papers({ ...setting, kappa: curves.at(step, END) }));
        swept = { key, range: curves.apart(found, END) };
        drawn.lines(found);
        drawn.fill(".apart", ...swept.range);
      }
      const here = closedForms.papers({ ...setting, kappa: set.kappa });
      for (const [name, { words }] of Object.entries(SLIDERS)) {
        part(`.${name} label`).textContent = words(set);
        part(`#window-${name}`).setAttribute("aria-valuetext", words(set));
      }
      drawn.fill(".limit", here.lower, here.upper);
      part("svg").classList.toggle("papers", set.spike === PAPER.spike && setting.head === PAPER.head);
      drawn.here(set.kappa, here);
      part("output").textContent = sentence(here, swept.range);
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
