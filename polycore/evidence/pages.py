"""Claims as a page shows them: HTML from their records."""

import html
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["address", "as_html", "compared", "shown"]

LONGEST = 300  # characters of a value that a page shows; the ledger has it whole


def address(name: str) -> str:
    """Where the site shows a name of the core: on the page of its wing, or, outside the wings, on
    the one of the programs; from any page.

    >>> address("polycore.theory.sums.SUM_MONOTONE")
    '../book/api_theory.html#polycore.theory.sums.SUM_MONOTONE'
    >>> address("polycore.checks.real")
    '../book/api.html#polycore.checks.real'
    """
    wing = name.split(".")[1:-2]
    return f"../book/{'_'.join(['api', *wing])}.html#{name}"


def as_html(record: Mapping[str, Any], proofs: str = "") -> str:
    """A claim, from its record: verdict, finding, evidence in a table, its proofs step by step, and
    what was rejected.
    """
    mark = {True: "passed", False: "failed", None: "undecided"}
    if record["verdict"] == "answered":
        mark = {True: "yes", False: "no", None: "not decided"}

    def row(item):
        cells = (
            html.escape(item["what"]),
            item["kind"],
            mark[item["passed"]],
            shown(item),
        )  # long values last
        return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"

    rows = "".join(map(row, record["evidence"]))
    rejected = (control for control in record["controls"] if control["rejected"])
    wrong = "".join(
        f"<li>{html.escape(control['what'])}: {compared(control)}</li>" for control in rejected
    )
    said = "".join(
        f"<p>{html.escape(text)}</p>"
        for text in (record["scope"]["says"], record["finding"])
        if text
    )
    heading = f"{record['verdict']}, {record['scope']['is']}"
    return (
        f"<div class='verdict {record['verdict']}'>"
        f"<p><strong>{html.escape(record['label'])}: {heading.replace('-', ' ')}</strong></p>{said}"
        f"<table><thead><tr><th>evidence</th><th>kind</th><th>result</th><th>value</th></tr></thead><tbody>{rows}</tbody></table>{proofs}"
        f"<p>Wrong versions that the same checks rejected:</p><ul>{wrong}</ul></div>"
    )


def compared(control: Mapping[str, Any]) -> str:
    """What a wrong version's check compared, in words."""
    check = control["compared"]
    case = "" if check["what"] == control["what"] else f"{html.escape(check['what'])} is "
    return case + shown(check)


def shown(item: Mapping[str, Any]) -> str:
    """The value of a piece of evidence with its error and its bound, as HTML."""
    value, kind = item["value"], item["kind"]
    if kind == "proof":
        *given, conclusion = re.split(r",\\ | \\vdash ", value.strip("$"))
        rows = [r",\ ".join(given[k : k + 2]) for k in range(0, len(given), 2)]
        lines = r" \\ ".join([*rows, rf"\quad\vdash\ {conclusion}" if rows else conclusion])
        values = re.split(r",\\ ", item.get("because", "").strip("$"))
        met = f"<br>hypotheses met at {', '.join(map(_math, values))}" if any(values) else ""
        return _math(rf"\begin{{array}}{{l}} {lines} \end{{array}}") + met
    text = _brief(value)
    if kind == "monte-carlo":
        text += " in [{:.4g}, {:.4g}]".format(*item["interval"])
    elif item.get("tolerance"):
        text += f" ± {max(item['tolerance']) if isinstance(value, list) else item['tolerance']:.2g}"
    words = {
        "equals": "=",
        "differs_from": "≠",
        "at_least": "≥",
        "at_most": "≤",
        "above": ">",
        "below": "<",
    }
    bounds = item.get("bound", {})
    limits = [f"{words[name]} {_brief(bounds[name])}" for name in words if name in bounds]
    link = ", each " if "equals" in bounds else " and "  # so many cases, and the bound of every one
    text += f"; wanted {link.join(limits)}" if limits else ""
    if kind == "monte-carlo":
        alarm, missed = (f"{item[name]:g}" for name in ("false_alarm", "false_pass"))
        rates = (
            f"both error rates {alarm}"
            if alarm == missed
            else f"false rejection {alarm}, false acceptance {missed}"
        )
        text += f"; {item['trials']:,} trials, {rates}"
    return html.escape(text + (f" ({item['because']})" if "because" in item else ""))


def _math(formula):
    return rf"<span class='math notranslate nohighlight'>\({html.escape(formula)}\)</span>"


def _brief(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(_brief, value)) + "]"
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= LONGEST else text[:LONGEST] + " …"
