/* SPDX-License-Identifier: GPL-3.0-or-later
   Figures as people read them, and tables. Names come from the air: they are shown as text, never as HTML. */
"use strict";
const byId = id => document.getElementById(id);
const darkScheme = matchMedia("(prefers-color-scheme: dark)");
const colourOf = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const onSchemeChange = work => darkScheme.addEventListener("change", work);
/* Lines of the signal's plots; each is distinct from the card in either scheme. */
const COLOURS = ["#3a8fd0", "#d4351c", "#1a936f", "#e07b1a"];

/* bs.macd and bs.phyd are both of bs. */
const siteOf = program => program.replace(/\.[^.]*$/, "");

function figure(value, digits = 0, unit = "") {
  return value === null || value === undefined ? "-" : Number(value).toFixed(digits) + (unit && " " + unit);
}

function counted(number, noun) { return `${number} ${noun}${number === 1 ? "" : "s"}`; }

function element(name, content = "", className = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (content instanceof Node) made.append(content); else made.textContent = content;
  return made;
}

/* rows: lists of texts or elements. Cells that stay as they were are not touched, so that a selection and the focus stay. */
function fill(table, head, rows) {
  if (head && !table.tHead.rows.length) table.tHead.append(rowOf("th", head));
  const body = table.tBodies[0];
  while (body.rows.length > rows.length) body.deleteRow(-1);
  rows.forEach((cells, i) => {
    if (body.rows.length <= i || body.rows[i].cells.length !== cells.length) {
      const made = rowOf("td", cells);
      if (body.rows.length <= i) body.append(made); else body.rows[i].replaceWith(made);
      return;
    }
    cells.forEach((cell, j) => {
      const there = body.rows[i].cells[j];
      if (!(cell instanceof Node)) { if (there.textContent !== cell || there.childElementCount) there.textContent = cell; }
      else if (there.firstChild !== cell && !(there.firstChild && cell.nodeName !== "CANVAS" && there.firstChild.isEqualNode(cell))) there.replaceChildren(cell);
    });
  });
}

function rowOf(kind, cells) {
  const row = document.createElement("tr");
  cells.forEach(cell => row.append(element(kind, cell)));
  return row;
}

/* names: [value, text]. The selected value stays selected; true if the list differs. */
function setOptions(select, names) {
  const now = [...select.options].map(one => one.value + "\n" + one.text).join("\n"), wanted = names.map(one => one.join("\n")).join("\n");
  if (now === wanted) return false;
  const chosen = select.value;
  select.replaceChildren(...names.map(([value, text]) => Object.assign(element("option", text), {value})));
  if (names.some(([value]) => value === chosen)) select.value = chosen;
  return true;
}
