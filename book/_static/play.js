/* The page "Try it": controls made from a table, results from the closed forms, the setting kept in the address. */
"use strict";

(() => {
  const { HEADS, make, short, said, summary } = shared;
  const WHOLE = { whole: true, log: true };
  const RIGHT_ABOUT_ALL = "in long inputs the network is right whatever the background.";

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
      : `κ is in the window: with enough columns, ${RIGHT_ABOUT_ALL}`,
  };

  const PANELS = {
    scores: {
      controls: {
        n: { label: "n, how many scores", min: 2, max: 1e12, ...WHOLE },
        kappa: { label: "κ, for the degree β = κ log n", min: 0, max: 4 },
        spike: { label: "v, the spike", min: 0.01, max: 1000, log: true },
        high: { label: "h, the largest score of the background", min: 0.01, max: 1000, log: true },
        low: { label: "ℓ, the least score of the background", min: 0.01, max: 1000, log: true },
        background: { label: "The background", choices: { high: "all h", low: "all ℓ", mixed: "some h, the others ℓ" } },
        few: { label: "how many of them are h", min: 1, max: closedForms.MOST, ...WHOLE,
               only: ({ background }) => background === "mixed" },
        head: { label: "The head", choices: HEADS },
        tau: { label: "τ, the threshold", min: 0.01, max: 0.99, only: ({ head }) => head === "fixed" },
        m: { label: "m, how many columns", min: 1, max: 1e6, ...WHOLE },
      },
      wrong: {
        low: ({ low, high }) => low > high && "ℓ must not exceed h.",
        spike: ({ spike, high }) => spike <= high && "The spike must exceed h.",
        few: ({ few, n, background, head }) => background !== "mixed" ? ""
          : few >= n ? "There are only n scores; take fewer than n."
          : head === "size" && few > 1000 ? "For columns of one size, 1000 at most." : "",
        m: ({ m, head }) => head === "size" && m < 2 && "One column is always of one size; take two or more.",
      },
      start: { n: 1e9, kappa: 0.4, spike: 32, high: 4, low: 2, background: "high", few: 100, head: "fixed", tau: 0.2,
               m: closedForms.columns(1e9) },
      examples: {
        "The paper’s data": {},
        "Just below the window": { kappa: 0.3 },
        "Above the window": { kappa: 1.05, background: "mixed", few: 1 },
        "A higher threshold": { kappa: 0.34, tau: 0.7 },
        "A falling threshold": { kappa: 0.27, head: "falling" },
        "A threshold next to 1": { kappa: 1.2, head: "next", background: "mixed", few: 1 },
        "Columns of one size": { kappa: 0.3, head: "size", m: closedForms.columns(1e9, 21) },
        "No window": { spike: 7, kappa: 1.05 },
      },
      answer: judged,
      compute: (given) => closedForms.scores({ ...given, few: { high: given.n, low: 0, mixed: given.few }[given.background] }),
      cards: { d0: "No spike, dataset 0", d1: "With the spike, dataset 1" },
      weight: "Largest weight",
      about: ({ beta, tau }, { head }) =>
        `β = ${short(beta)}` + (head === "size" ? "" : `, τ = ${tau > 0.999 && tau < 1 ? `1 − ${short(1 - tau)}` : short(tau)}`),
      place: (found, kappa, { head }) => PLACES[head](found, kappa),
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
        m: { label: "m, how many columns", min: 1, max: 1e6, ...WHOLE },
      },
      wrong: { d: ({ d, n }) => d - 2 > n && "There are n = (d − 2) t tokens, so d must not exceed n + 2." },
      start: { n: 1e12, kappa: 2, a1: 0.7, a0: 0.09, b: 0.5, d: 1002, tau: 0.6, m: closedForms.columns(1e12) },
      examples: {
        "The book’s data": {},
        "Just below the window": { kappa: 1.1 },
        "Above the window": { kappa: 9 },
        "A higher threshold": { kappa: 9, tau: 1.3 },
        "Too few dimensions": { d: 12 },
      },
      answer: judged,
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
      answer: readRow,
    },
  };

  // Numbers, in and out

  function written(x) {
    const [plain, power] = [String(x), x.toExponential().replace("e+", "e")];
    return power.length < plain.length ? power : plain;
  }

  function read(text) {
    const plain = text.replace(/[\s_]/g, ""), power = plain.match(/^10\^(\d+)$/);
    return power ? 10 ** power[1] : plain === "" ? NaN : Number(plain);
  }

  const raised = (text) => text.replace("+", "").replace(/./g, (sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]);
  const scientific = (x) => x.toExponential(3).replace(/e(.*)/, (_, power) => ` · 10${raised(power)}`);

  /* `rest` is 1 - p where it is known to its last digits. */
  function probability(p, rest = 1) {
    if (p < 1e-300) return "below 10⁻³⁰⁰";
    if (rest < 1e-300) return "above 1 − 10⁻³⁰⁰";
    return p < 1e-3 ? scientific(p) : rest < 1e-3 ? `1 − ${scientific(rest)}` : p.toFixed(4);
  }

  /* Two bounds to four places, outwards; they are known to ten. */
  const between = (low, high) => [Math.max(0, Math.floor(low * 1e4 - 1e-6)), Math.min(1e4, Math.ceil(high * 1e4 + 1e-6))]
    .map((places) => (places / 1e4).toFixed(4)).join(" to ");

  function fault({ choices, min, max, whole }, value) {
    if (choices || (value >= min && value <= max && (!whole || Number.isInteger(value)))) return "";
    return `${whole ? "An integer" : "A number"} from ${written(min)} to ${written(max)}, please.`;
  }

  // Controls

  /* A number: its label, a slider and a field that follow each other, and the place of a message. */
  function quantity(id, { label, min, max, whole, log }, changed) {
    // A logarithmic slider has integer places: a browser cannot reach an end that is not a multiple of the step.
    const places = 400, scale = log ? { min: 0, max: places, step: 1 } : { min, max, step: 0.01 };
    const field = make("input", { type: "text", id, inputmode: "decimal", "aria-describedby": `${id}-fault` });
    const slider = make("input", { type: "range", ...scale, "aria-label": label });
    const message = make("span", { id: `${id}-fault`, class: "fault", role: "alert" });
    const tell = () => slider.setAttribute("aria-valuetext", field.value);
    const follow = () => {
      const value = read(field.value);
      slider.value = log ? (places * Math.log(value / min)) / Math.log(max / min) : value;
      tell();
    };
    slider.addEventListener("input", () => {
      const place = Number(slider.value), value = log ? Number((min * (max / min) ** (place / places)).toPrecision(3)) : place;
      field.value = written(whole ? Math.round(value) : value);
      tell();
      changed();
    });
    field.addEventListener("input", () => {
      follow();
      changed();
    });
    return {
      node: make("div", { class: "quantity" }, make("label", { for: id }, label), slider, field, message),
      get: () => read(field.value),
      text: () => field.value,
      set(value) {
        field.value = typeof value === "number" ? written(value) : value;
        follow();
      },
      say(text) {
        if (message.textContent !== text) message.textContent = text; // an alert is read out when it is written
        field.setAttribute("aria-invalid", text !== "");
      },
      enable: (on) => (field.disabled = slider.disabled = !on),
    };
  }

  function choice(id, { label, choices }, changed) {
    const options = Object.entries(choices).map(([value, name]) => make("option", { value }, name));
    const list = make("select", { id }, ...options), get = () => list.value;
    list.addEventListener("input", changed);
    return {
      node: make("div", { class: "quantity" }, make("label", { for: id }, label), list),
      get,
      text: get,
      set: (value) => (list.value = Object.hasOwn(choices, value) ? value : options[0].value),
      say() {},
      enable() {},
    };
  }

  // Results

  const ends = ({ lower, upper }) =>
    lower < upper
      ? `the window is from ${short(lower)} to ${short(upper)}`
      : `there is no window, because its lower end would be ${short(lower)} and its upper end ${short(upper)}`;

  /* The line of κ with both ends of the window, what is between them, and where κ stands. */
  function line({ lower, upper }, kappa) {
    const near = Math.max(kappa, Math.min(lower, upper));
    const shown = [lower, upper].filter((edge) => edge <= 8 * near && edge < Infinity);
    const end = 1.15 * Math.max(kappa, 0.5, ...shown), at = (x) => `left: ${Math.min(100, (100 * x) / end)}%`;
    const drawn = make("div", { class: "line", role: "img", "aria-label": `κ is ${short(kappa)}; ${ends({ lower, upper })}.` });
    const width = `width: ${(100 * (Math.min(upper, end) - lower)) / end}%`;
    if (lower < upper) drawn.append(make("span", { class: "window", style: `${at(lower)}; ${width}` }));
    for (const edge of shown) drawn.append(make("span", { class: "edge", style: at(edge) }, make("span", {}, short(edge))));
    drawn.append(make("span", { class: "here", style: at(kappa) }), make("span", { class: "name", style: at(kappa) }, "κ"));
    return drawn;
  }

  const RIGHT = { d0: "silent", d1: "fires" };

  function card(title, weight, right, found) {
    const word = said(found);
    const [tone, judged] =
      word === "undecided" ? ["open", word]
      : word === right ? ["holds", `${word}, as it should`]
      : ["fails-as-stated", `${word}, wrongly`];
    const facts = [[weight, probability(found.weight)], ...(found.exceeds === undefined
      ? [["The network fires", between(1 - found.silent, found.fires)]]
      : [["One column exceeds τ", probability(found.exceeds)], ["The network fires", probability(found.fires, found.silent)]])];
    const list = make("dl", {}, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
    return make("div", { class: `answer ${tone}` }, make("h3", {}, title), make("p", { class: "word" }, judged), list);
  }

  /* What the panels about the network answer: a sentence, the line and two cards, and the rest. */
  function judged(panel, values) {
    const found = panel.compute(values);
    const cards = Object.entries(panel.cards).map(([key, title]) => card(title, panel.weight, RIGHT[key], found[key]));
    return {
      said: `${summary(found)} ${panel.place(found, values.kappa, values)}`,
      shown: [line(found, values.kappa), ...cards],
      rest: `${panel.about(found, values)}; ${ends(found)}. The chapters take ${found.columns} columns at this n.`,
    };
  }

  /* What a token of the recorded sentence reads: a bar for each token before it and itself. */
  function readRow(panel, { head, query, rule, p }) {
    const given = realHead.heads[head].scores[query], weights = closedForms.row(given, rule, p);
    const most = weights.indexOf(Math.max(...weights)), where = `“${realHead.tokens[most].trim()}”, token ${most + 1}`;
    const support = Math.exp(-weights.reduce((sum, w) => sum + (w > 0 ? w * Math.log(w) : 0), 0));
    const bars = weights.map((weight, place) => make("li", {},
      make("span", {}, realHead.tokens[place]),
      make("span", { class: "bar", style: `width: ${100 * weight}%` }),
      make("span", {}, weight.toFixed(3))));
    return {
      said: weights[most] > 0.5
        ? `More than half of the weight is on ${where}.`
        : `No token has more than half of the weight; most of it, ${weights[most].toFixed(3)}, is on ${where}.`,
      shown: [make("ol", { class: "bars" }, ...bars)],
      rest: `The weights are spread like ${short(support)} equal ones. The scores lie between ${Math.min(...given)} and ` +
            `${Math.max(...given)}.`,
    };
  }

  // A panel

  function open(name, panel) {
    const root = document.getElementById(`play-${name}`);
    const outcome = make("output", { "aria-live": "polite" }), results = make("div", { class: "results" });
    const hint = make("p", { class: "hint" });

    const each = (what) => Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, what(field)]));
    const set = (values) => Object.entries(fields).forEach(([key, field]) => field.set(values[key]));

    /* Say at each control what is wrong with it; whether nothing is. */
    function sound(values) {
      return Object.entries(panel.controls).map(([key, control]) => {
        const used = !control.only || control.only(values);
        const text = (used && (fault(control, values[key]) || panel.wrong[key]?.(values))) || "";
        fields[key].enable(used);
        fields[key].say(text);
        return text === "";
      }).every(Boolean);
    }

    function show() {
      const values = each((field) => field.get());
      results.replaceChildren();
      hint.textContent = "";
      if (!sound(values)) return (outcome.textContent = "Nothing is computed until the marked numbers are changed.");
      const { said, shown, rest } = panel.answer(panel, values);
      outcome.textContent = said;
      results.append(...shown);
      hint.textContent = rest;
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

    const made = (key, control) => (control.choices ? choice : quantity)(`${name}-${key}`, control, changed);
    const fields = Object.fromEntries(Object.entries(panel.controls).map(([key, control]) => [key, made(key, control)]));
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
    root.append(given, setting, outcome, results, hint);
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
