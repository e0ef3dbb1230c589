/* What the page "Try it" answers to a setting: a sentence, and curves, cards or bars. */
"use strict";

const answers = (() => {
  const { make, short, said, summary } = shared;

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

  const ends = ({ lower, upper }) =>
    lower < upper
      ? `the window is from ${short(lower)} to ${short(upper)}`
      : `there is no window, because its lower end would be ${short(lower)} and its upper end ${short(upper)}`;

  /* The curves of a panel. They are computed a few steps at a time, so that the page answers meanwhile. */
  function moving(panel) {
    const node = make("div", { class: "moving" });
    node.innerHTML = curves.drawing({ d1: "dataset 1", d0: "dataset 0" });
    const drawn = curves.open(node.firstElementChild);
    let setting;

    async function sweep(mine, given, end) {
      const found = [], pause = () => new Promise(requestAnimationFrame);
      drawn.busy(true);
      drawn.fill(".apart", 0, 0); // that of another setting
      for (let until = performance.now() + 12; found.length <= curves.STEPS; ) {
        found.push(panel.compute({ ...given, kappa: curves.at(found.length, end) }));
        if (performance.now() < until) continue;
        drawn.lines(found);
        await pause();
        if (mine !== setting) return;
        until = performance.now() + 12;
      }
      drawn.lines(found);
      drawn.fill(".apart", ...curves.apart(found, end));
      drawn.busy(false);
    }

    function show({ kappa, ...given }, found) {
      const near = Math.max(kappa, Math.min(found.lower, found.upper) || 0);
      const furthest = Math.max(...[kappa, found.lower, found.upper].filter((x) => x <= 8 * near && x < Infinity));
      const end = curves.ENDS.find((one) => one >= 1.1 * furthest) ?? curves.ENDS.at(-1), mine = JSON.stringify([given, end]);
      drawn.axis(end);
      drawn.fill(".limit", found.lower, found.upper);
      drawn.here(kappa, found);
      drawn.say(`The probability that the network fires, against κ. κ is ${short(kappa)}; ${ends(found)}.`);
      if (mine !== setting) sweep((setting = mine), given, end);
    }

    return { node, show };
  }

  const RIGHT = { d0: "silent", d1: "fires" };

  /* All the weight as one bar: what the scores of each kind have of it. */
  function shares(classes) {
    const present = classes.filter(([, count]) => count > 0).map(([name, count, weight]) => ({ name, count, share: count * weight }));
    const called = ({ name, count }) => (count === 1 ? `one ${name}` : `${count.toLocaleString("en")} ${name} together`);
    const legend = present.map((one) => `${called(one)}: ${one.share.toFixed(3)}`).join("; ");
    const parts = present.map(({ share }) => make("span", { style: `width: ${100 * share}%` }));
    return [make("div", { class: "shares", "aria-hidden": "true" }, ...parts), make("p", {}, `Weight of ${legend}`)];
  }

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
    return make("div", { class: `answer ${tone}` }, make("h4", {}, title), make("p", { class: "word" }, judged), ...shares(found.classes), list);
  }

  /* What the panels about the network answer: a sentence, the curves, two cards and those of softmax, and the rest. */
  function judged(panel, { temperature, ...values }) {
    const found = panel.compute(values), beside = panel.compute({ ...values, temperature });
    const row = (rule, both) => [make("h3", {}, rule),
      ...Object.entries(panel.cards).map(([key, title]) => card(title, panel.weight, RIGHT[key], both[key]))];
    panel.moving ??= moving(panel);
    panel.moving.show(values, found);
    const taken = values.m === found.columns ? "" : ` The chapters take ${found.columns} columns at this n.`;
    return {
      said: `${summary(found)} ${panel.place(found, values.kappa, values)}`,
      shown: [panel.moving.node, ...row(`The power, of degree β = ${short(found.beta)}`, found),
              ...row(`Softmax of the same scores, at temperature ${short(temperature)}`, beside)],
      rest: `${panel.about(found, values)}; ${ends(found)}.${taken}`,
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
      rest: `The weights are spread like ${short(support)} equal ones. The scores lie between ${short(Math.min(...given))} and ` +
            `${short(Math.max(...given))}.`,
    };
  }

  return { judged, readRow };
})();
