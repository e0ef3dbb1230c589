/* Two curves of Pr[the network fires] against κ, with a spike (d1) and without one (d0), as the landing page and "Try it" draw
   them. An answer is what closedForms gives for one κ; its two bounds differ where the head asks for columns of one size. */
"use strict";

const curves = (() => {
  const STEPS = 125, ENDS = [1.25, 2.5, 5, 10, 20]; // of the axis of κ, of which each fifth has a number
  const BOX = { left: 48, right: 424, top: 24, bottom: 168 };
  const up = (p) => BOX.bottom - p * (BOX.bottom - BOX.top);
  const words = (text, x, y, anchor = "end") => `<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;

  const most = ({ fires }) => fires, least = ({ silent }) => 1 - silent;
  const middle = (answer) => (most(answer) + least(answer)) / 2;

  /* The drawing without data; `more` is a row below the window that an ever larger n leads to. */
  const drawing = (names, more = "") => `
    <svg class="curves" viewBox="0 0 440 ${more ? 226 : 210}" role="img">
      <rect class="apart" y="${BOX.top}" height="${BOX.bottom - BOX.top}"/>
      ${[0, 0.5, 1].map((p) => `<path class="grid" d="M${BOX.left} ${up(p)}H${BOX.right}"/>` + words(p, BOX.left - 7, up(p) + 4)).join("")}
      <g class="axis"></g>${words("κ", BOX.right + 12, BOX.bottom + 4, "start")}
      ${words("Pr[the network fires]", 0, 12, "start")}
      <path class="d1" d="M208 8h26"/>${words(names.d1, 240, 12, "start")}
      <path class="d0" d="M330 8h26"/>${words(names.d0, 362, 12, "start")}
      ${words("n → ∞", BOX.left - 7, 203)}<rect class="limit" y="193" height="12"/>
      ${more && `<g class="more">${words(more, BOX.left - 7, 221)}<rect y="211" height="12"/></g>`}
      <path class="d0 band"/><path class="d1 band"/><path class="d0 line"/><path class="d1 line"/>
      <path class="here"/><circle class="d0" r="5"/><circle class="d1" r="5"/>
    </svg>`;

  /* Draw into such a drawing, each part when it is known. */
  function open(svg) {
    let end = 0;
    const across = (kappa) => BOX.left + (Math.min(kappa, end) / end) * (BOX.right - BOX.left);
    const place = (part, given) => Object.entries(given).forEach(([name, value]) => svg.querySelector(part).setAttribute(name, value));
    const points = (chances) => chances.map((p, step) => `${across((end * step) / STEPS)} ${up(p)}`);
    const path = (along) => (along.length ? `M${along.join("L")}` : "");
    return {
      axis(to) {
        end = to;
        const marks = [0, 1, 2, 3, 4, 5].map((fifth) => (to * fifth) / 5);
        svg.querySelector(".axis").innerHTML = marks.map((kappa) => words(kappa, across(kappa), BOX.bottom + 17, "middle")).join("");
      },
      fill: (part, from, to) => place(part, { x: across(from), width: Math.max(0, across(to) - across(from)) }),
      lines(found) {
        for (const list of ["d0", "d1"]) {
          const answers = found.map((answer) => answer[list]);
          place(`.line.${list}`, { d: path(points(answers.map(middle))) });
          place(`.band.${list}`, { d: path([...points(answers.map(most)), ...points(answers.map(least)).reverse()]) });
        }
      },
      here(kappa, answers) {
        place(".here", { d: `M${across(kappa)} ${BOX.top}V${BOX.bottom}` });
        for (const list of ["d0", "d1"]) place(`circle.${list}`, { cx: across(kappa), cy: up(middle(answers[list])) });
      },
      say: (label) => svg.setAttribute("aria-label", label),
      busy: (still) => svg.setAttribute("aria-busy", still), // more of the lines is to come
    };
  }

  const at = (step, end) => (end * step) / STEPS;

  /* From which κ to which the network tells the two lists apart, of those found; from 0 to 0 where it never does. */
  function apart(found, end) {
    const right = found.flatMap(({ d0, d1 }, step) => (shared.said(d0) === "silent" && shared.said(d1) === "fires" ? [at(step, end)] : []));
    return [right[0] ?? 0, right.at(-1) ?? 0];
  }

  return { STEPS, ENDS, drawing, open, at, apart };
})();
