/* What both pages that compute in the browser use: elements, numbers in words, and what the network answers. */
"use strict";

const shared = (() => {
  const HEADS = { fixed: "a fixed threshold, as the paper’s", falling: "a threshold that falls with n", next: "a threshold next to 1",
                  size: "columns of one size" };

  function make(tag, properties, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }

  const short = (x) => (x === Infinity ? "∞" : String(Number(x.toPrecision(4))).replace("-", "−"));

  const said = ({ fires, silent }) => (fires < 0.01 ? "silent" : silent < 0.01 ? "fires" : "undecided");

  function summary({ d0, d1 }) {
    const [zero, one] = [said(d0), said(d1)];
    if (zero === "undecided" || one === "undecided") return "Here the network gives no clear answer.";
    if (zero === one) return `Here the network ${zero === "fires" ? "fires" : "is silent"} on both.`;
    return zero === "silent" ? "Here the network tells the two apart." : "Here the network has it the wrong way round.";
  }

  return { HEADS, make, short, said, summary };
})();
