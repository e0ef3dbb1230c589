/* The controls of the page "Try it": numbers, with a slider and a field that follow each other, and lists to choose from. */
"use strict";

const controls = (() => {
  const { make } = shared;

  function written(x) {
    const [plain, power] = [String(x), x.toExponential().replace("e+", "e")];
    return power.length < plain.length ? power : plain;
  }

  /* A number as people write it: 1e9, 1 000, 2^20, 1/3; NaN if it is none. */
  function read(text) {
    const plain = text.replace(/[\s_]/g, ""), [, one, sign, other] = plain.match(/^([\d.]+)([\^/])([\d.]+)$/) ?? [];
    return sign === "^" ? one ** other : sign ? one / other : plain === "" ? NaN : Number(plain);
  }

  /* What is wrong with the value of a control. */
  function fault({ choices, min, max, whole }, value) {
    if (choices || (value >= min && value <= max && (!whole || Number.isInteger(value)))) return "";
    return `${whole ? "An integer" : "A number"} from ${written(min)} to ${written(max)}, please.`;
  }

  /* A box that is ticked while a number follows the others. */
  function follower(id, words, changed) {
    const box = make("input", { type: "checkbox", id: `${id}-follows` });
    box.addEventListener("input", changed);
    return { box, node: make("label", { class: "follows", for: box.id }, box, words) };
  }

  /* A number: its label, a slider and a field, and the place of a message. */
  function quantity(id, { label, min, max, whole, log, follows, rule }, changed) {
    // A logarithmic slider has integer places: a browser cannot reach an end that is not a multiple of the step.
    const places = 400, scale = log ? { min: 0, max: places, step: 1 } : { min, max, step: 0.01 };
    const field = make("input", { type: "text", id, inputmode: "decimal", "aria-describedby": `${id}-fault` });
    const slider = make("input", { type: "range", ...scale, "aria-label": label });
    const message = make("span", { id: `${id}-fault`, class: "fault", role: "alert" });
    const free = follows && follower(id, ` follows n: ${rule}`, changed);
    const tell = () => slider.setAttribute("aria-valuetext", field.value);
    const move = () => {
      const value = read(field.value);
      slider.value = log ? (places * Math.log(value / min)) / Math.log(max / min) : value;
      tell();
    };
    const hold = () => {
      if (free) free.box.checked = false;
      changed();
    };
    slider.addEventListener("input", () => {
      const place = Number(slider.value), value = log ? Number((min * (max / min) ** (place / places)).toPrecision(3)) : place;
      field.value = written(whole ? Math.round(value) : value);
      tell();
      hold();
    });
    field.addEventListener("input", () => {
      move();
      hold();
    });
    return {
      node: make("div", { class: "quantity" }, make("label", { for: id }, label), slider, field, ...(free ? [free.node] : []), message),
      get: () => read(field.value),
      text: () => (free?.box.checked ? "" : field.value),
      /* A number, or a text as it was typed; where there is none, it follows the others, once they are numbers. */
      set(value) {
        if (free) free.box.checked = !value;
        if (!free || value) field.value = typeof value === "number" ? written(value) : value ?? "";
        move();
      },
      follow(values) {
        const value = free?.box.checked ? follows(values) : NaN;
        if (!Number.isFinite(value)) return;
        field.value = written(value);
        move();
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
      follow() {},
      say() {},
      enable() {},
    };
  }

  /* The fields of a panel, by name, and what they hold. */
  const open = (id, table, changed) =>
    Object.fromEntries(Object.entries(table).map(([key, one]) => [key, (one.choices ? choice : quantity)(`${id}-${key}`, one, changed)]));

  return { fault, open, written };
})();
