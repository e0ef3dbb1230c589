/* The page "Try it": what can be set, in a table; what comes of it, from the closed forms; the setting kept in the address. */
"use strict";

(() => {
  const { HEADS, make, short } = shared, { written } = controls;
  const WHOLE = { whole: true, log: true };
  const SOFTMAX = { label: "T, the temperature of softmax beside it", min: 0.01, max: 1000, log: true };
  const RIGHT_ABOUT_ALL = "in long inputs the network, with enough columns, is right whatever the background.";

  /* Where κ stands, for each head of the scores. */
  const PLACES = {
    fixed: ({ lower, upper, hopeless }, kappa) =>
      lower >= upper
        ? "There is no window, because v does not exceed h²/ℓ: at any degree the network is wrong about some background."
      : kappa < hopeless
        ? "κ is below the window, and below 1/log(v/ℓ): in long inputs the network is silent in spite of the spike, whatever the background."
      : kappa < lower ? "κ is below the window: in long inputs the network is silent in spite of the spike, against a background of h."
      : kappa >= upper ? "κ is above the window: in long inputs the network fires at a single h among ℓ, without a spike."
      : `κ is in the window: ${RIGHT_ABOUT_ALL}`,
    falling: ({ lower, upper }, kappa) =>
      lower >= upper
        ? "There is no window, because v does not exceed h²/ℓ."
      : kappa < lower
        ? "κ is below the window: in long inputs any threshold is wrong about a spike against h, or about a background of two levels."
      : kappa >= upper ? "κ is above the window: in long inputs τ is 1 or more, and the network is silent on everything."
      : `κ is in the window: ${RIGHT_ABOUT_ALL}`,
    next: ({ lower }, kappa) =>
      lower === Infinity
        ? "There is no window, because v does not exceed h²/ℓ."
      : kappa <= lower
        ? "κ is below the window: in long inputs the weight of a spike against h does not come as near to 1 as the threshold."
      : `κ is in the window, which has no upper end: ${RIGHT_ABOUT_ALL}`,
    size: ({ lower, upper }, kappa) =>
      lower >= upper
        ? "There is no window, because v does not exceed h²/ℓ."
      : kappa < lower
        ? "κ is below the window: in long inputs the columns are spread in spite of the spike, against a background of h."
      : kappa >= upper ? "κ is above the window: in long inputs a single h among ℓ makes the columns of one size, without a spike."
      : `κ is in the window: ${RIGHT_ABOUT_ALL}`,
  };

  const PANELS = {
    scores: {
      controls: {
        n: { label: "n, how many scores", min: 2, max: 1e12, ...WHOLE },
        kappa: { label: "κ, for the degree β = κ log n", min: 0, max: 4 },
        spike: { label: "v, the spike", min: 0.01, max: 1000, log: true },
        high: { label: "h, the largest score of the background", min: 0.01, max: 1000, log: true },
        low: { label: "ℓ, the least score of the background", min: 0.01, max: 1000, log: true },
        background: { label: "The background", choices: {
          hardest: "the hardest for each dataset", high: "all h", low: "all ℓ",
          mixed: "some h, the others ℓ" } },
        few: { label: "how many of them are h", min: 1, max: closedForms.MOST, ...WHOLE,
               only: ({ background }) => background === "mixed" },
        head: { label: "The head", choices: HEADS },
        tau: { label: "τ, the threshold", min: 0.01, max: 0.99, only: ({ head }) => head === "fixed" },
        m: { label: "m, how many columns", min: 1, max: 1e6, ...WHOLE,
             rule: "C log₂(100 n), with C = 7, and 21 for columns of one size",
             follows: ({ n, head }) => closedForms.columns(n, closedForms.HEADS[head].C) },
        temperature: SOFTMAX,
      },
      wrong: {
        low: ({ low, high }) => low > high && "ℓ must not exceed h.",
        spike: ({ spike, high }) => spike <= high && "The spike must exceed h.",
        few: ({ few, n, background, head }) => background !== "mixed" ? ""
          : few >= n ? "There are only n scores; take fewer than n."
          : head === "size" && few > 1000 ? "For columns of one size, 1000 at most." : "",
        m: ({ m, head }) => head === "size" && m < 2 && "One column is always of one size; take two or more.",
      },
      start: { n: 1e9, kappa: 0.4, spike: 32, high: 4, low: 2, background: "hardest", few: 100, head: "fixed", tau: 0.2,
               temperature: 1 },
      examples: {
        "The paper’s data": {},
        "Just below the window": { kappa: 0.3 },
        "Above the window": { kappa: 1.05 },
        "A higher threshold": { kappa: 0.34, tau: 0.7 },
        "A falling threshold": { kappa: 0.27, head: "falling" },
        "A threshold next to 1": { kappa: 1.2, head: "next" },
        "Columns of one size": { kappa: 0.3, head: "size" },
        "No window": { spike: 7, kappa: 1.05 },
        "Warm softmax": { temperature: 4 },
      },
      answer: answers.judged,
      compute: (given) => given.background === "hardest" ? closedForms.hardest(given)
        : closedForms.scores({ ...given, few: { high: given.n, low: 0, mixed: given.few }[given.background] }),
      cards: { d0: "No spike, dataset 0", d1: "With the spike, dataset 1" },
      weight: "Largest weight",
      about: ({ beta, tau }, { head }) =>
        `β = ${short(beta)}` + (head === "size" ? "" : `, τ = ${tau > 0.999 && tau < 1 ? `1 − ${short(1 - tau)}` : short(tau)}`),
      place: (found, kappa, { head }) => PLACES[head](found, kappa),
      chapter: ({ head, low, high, spike, kappa }) =>
        head === "fixed" ? ["exact_window", { low, high, spike }] : [head === "size" ? "normalised_columns" : "best_threshold", { kappa }],
    },
    tokens: {
      controls: {
        n: { label: "n, how many tokens", min: 2, max: 1e12, ...WHOLE },
        kappa: { label: "κ, for the degree β = κ log n", min: 0, max: 16 },
        a1: { label: "a₁, the excess of the special token in dataset 1", min: 0.01, max: 10, log: true },
        a0: { label: "a₀, its excess in dataset 0", min: 0.01, max: 10, log: true },
        b: { label: "b, the entry of the block columns", min: 0.1, max: 0.9 },
        d: { label: "d, the dimension", min: 4, max: 1e8, ...WHOLE },
        tau: { label: "τ, the threshold", min: 0, max: 12 },
        m: { label: "m, how many columns", min: 1, max: 1e6, ...WHOLE, rule: "7 log₂(100 n)", follows: (given) => closedForms.columns(closedForms.whole(given)) },
        temperature: SOFTMAX,
      },
      wrong: { d: ({ d, n }) => d - 2 > n && "There are n = (d − 2) t tokens, so d must not exceed n + 2." },
      start: { n: 1e12, kappa: 2, a1: 0.7, a0: 0.09, b: 0.5, d: 1002, tau: 0.6, temperature: 1 },
      examples: {
        "The book’s data": {},
        "Just below the window": { kappa: 1.1 },
        "Above the window": { kappa: 9 },
        "A higher threshold": { kappa: 9, tau: 1.3 },
        "Too few dimensions": { d: 12 },
      },
      answer: answers.judged,
      compute: closedForms.tokens,
      cards: { d0: "Dataset 0", d1: "Dataset 1" },
      weight: "Weight of the special token",
      about({ n, beta }, { a0, a1, b }) {
        const [one, zero] = [a1, a0].map((a) => short(Math.log(n) / Math.log1p(a)));
        return `n = (d − 2) t = ${written(n)}, β = ${short(beta)}, c + 0.1 = ${short(1.1 - b)}; ` +
               `the critical degrees log n/log(1 + a) are ${one} for dataset 1 and ${zero} for dataset 0`;
      },
      place: ({ lower, upper }, kappa, { b, tau }) =>
        tau <= 1 - b
          ? "The threshold is not above c, the entry that all tokens share: for long inputs the network fires on both datasets at any degree."
        : lower === Infinity
          ? "The threshold is not below 1 + a₁, the most that dataset 1 can reach: the network is silent on it at any degree."
        : lower >= upper ? "There is no window: a₁ is not larger than a₀."
        : kappa < lower ? "κ is below the window: for long inputs and many dimensions the network is silent on both datasets."
        : kappa >= upper ? "κ is above the window: for long inputs the network fires on both datasets."
        : upper === Infinity
          ? "κ is in the window, which has no upper end: the threshold is not below 1 + a₀, so dataset 0 never reaches it."
        : "κ is in the window: for long inputs and many dimensions the network tells the datasets apart.",
      chapter: ({ a1, a0, b, d }) => ["self_attention_window", { larger: a1, smaller: a0, b, dimension: d }],
    },
    head: {
      controls: {
        head: { label: "The head", choices: Object.fromEntries(Object.entries(realHead.heads).map(
          ([name, { layer, head }]) => [name, `one that ${name}: layer ${layer}, head ${head}`])) },
        query: { label: "The token that asks", choices: Object.fromEntries(realHead.tokens.map(
          (token, place) => [place, `${place + 1}: ${token}`])) },
        rule: { label: "The rule on its scores s", choices: { softmax: "softmax, as it was trained", clipped: "max(0, 1 + s/p)ᵖ",
                                                             shifted: "max(0, 1 + (s − m)/p)ᵖ, m the largest", even: "sᵖ" } },
        p: { label: "p, the degree", min: 1, max: 256, ...WHOLE, only: ({ rule }) => rule !== "softmax" },
      },
      wrong: {
        p: ({ rule, p }) => rule === "even" && p % 2 && "An even degree, please: an odd power keeps the sign of a score.",
      },
      start: { head: "recalls", query: realHead.tokens.length - 1, rule: "softmax", p: 4 },
      examples: {
        "As trained": {},
        "A clipped power": { rule: "clipped" },
        "A higher degree": { rule: "clipped", p: 64 },
        "Below the largest score": { rule: "shifted" },
        "An even power": { rule: "even" },
      },
      answer: answers.readRow,
      chapter: ({ rule }) => ["real_model", rule === "softmax" ? {} : { rule }],
    },
  };

  // A panel

  /* The command that runs the chapter with the numbers of the setting, and a button that copies it. */
  function command() {
    const code = make("code", {}), button = make("button", { type: "button" }, "Copy the papermill command");
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch { // where a page may not write to it
        getSelection().selectAllChildren(code);
      }
    });
    const show = (chapter, given) => {
      const changed = Object.entries(given).map(([name, value]) => ` -p ${name} ${value}`);
      code.textContent = `.venv/bin/papermill notebooks/${chapter}.ipynb out.ipynb${changed.join("")}`;
      button.textContent = "Copy the papermill command";
    };
    return { node: make("div", { class: "command" }, code, button), show };
  }

  function open(name, panel) {
    const root = document.getElementById(`play-${name}`);
    const outcome = make("output", { "aria-live": "polite" }), results = make("div", { class: "results" });
    const hint = make("p", { class: "hint" }), again = command();

    const each = (what) => Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, what(field)]));
    const set = (values) => Object.entries(fields).forEach(([key, field]) => field.set(values[key]));

    const used = ({ only }, values) => !only || only(values);

    /* Whether what a number may follow is within its ends. */
    const leads = (values) => Object.entries(panel.controls).every(([key, control]) =>
      control.follows || !used(control, values) || controls.fault(control, values[key]) === "");

    /* Say at each control what is wrong with it; whether nothing is. */
    function sound(values) {
      return Object.entries(panel.controls).map(([key, control]) => {
        const text = (used(control, values) && (controls.fault(control, values[key]) || panel.wrong[key]?.(values))) || "";
        fields[key].enable(used(control, values));
        fields[key].say(text);
        return text === "";
      }).every(Boolean);
    }

    function show() {
      const before = each((field) => field.get());
      if (leads(before)) for (const field of Object.values(fields)) field.follow(before);
      const values = each((field) => field.get()), right = sound(values);
      const { said, shown, rest } = right ? panel.answer(panel, values)
        : { said: "Nothing is computed until the marked numbers are changed.", shown: [], rest: "" };
      outcome.textContent = said;
      results.replaceChildren(...shown);
      hint.textContent = rest;
      again.node.hidden = !right;
      if (right) again.show(...panel.chapter(values));
    }

    function changed() {
      show();
      const kept = new URLSearchParams({ panel: name, ...each((field) => field.text()) });
      history.replaceState(null, "", `#${kept}`);
    }

    /* The setting in the address, if it is one of this panel. */
    function restore() {
      const kept = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
      if (kept.panel !== name) return;
      set({ ...panel.start, ...kept });
      show();
      root.scrollIntoView();
    }

    const fields = controls.open(name, panel.controls, changed);
    const examples = Object.entries(panel.examples).map(([label, values]) => {
      const button = make("button", { type: "button" }, label);
      button.addEventListener("click", () => {
        set({ ...panel.start, ...values });
        changed();
      });
      return button;
    });
    const setting = make("fieldset", {}, make("legend", {}, "Your setting"), ...Object.values(fields).map(({ node }) => node));
    const given = make("div", { class: "examples", role: "group", "aria-label": "Examples" }, ...examples);
    // The answer stays in sight beside the controls, and only there: it must not cover the examples.
    root.append(given, make("div", {}, setting, outcome), results, hint, again.node);
    root.hidden = false;
    addEventListener("hashchange", restore);
    set(panel.start);
    show();
    restore();
  }

  addEventListener("DOMContentLoaded", () => {
    for (const [name, panel] of Object.entries(PANELS)) open(name, panel);
    document.querySelector(".play-off").remove();
    for (const node of document.querySelectorAll(".play-digits")) node.textContent = closedForms.DIGITS;
  });
})();
