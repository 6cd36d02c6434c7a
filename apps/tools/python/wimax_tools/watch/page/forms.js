/* SPDX-License-Identifier: GPL-3.0-or-later
   Fields of forms, made from the description of the configuration that the server reads from wimax-macd (/fields). The browser marks what is out of
   range; the program decides. */
"use strict";
const FIRST_FIELDS = ["name", "direction", "scheduling", "state", "traffic_priority", "max_sustained_rate_bps", "min_reserved_rate_bps", "max_latency_ms"];
const UNIT_ENDINGS = /_(bps|bytes|octets|ms|us|db|packets|blocks)$/;

function labelOfKey(key) { return key.replace(".", ": ").replace(UNIT_ENDINGS, "").replaceAll("_", " "); }

function controlOf(field) {
  if (field.choices) {
    const made = element("select");
    setOptions(made, [["", ""], ...field.choices.map(one => [one, one])]);
    return made;
  }
  const made = element("input"), number = field.type === "integer" || field.type === "number";
  made.type = number ? "number" : "text";
  if (number) Object.assign(made, {min: field.low, max: field.high, step: field.type === "integer" ? 1 : "any"});
  made.placeholder = field.type === "list" ? field.values.join(", ") : field.default;
  return made;
}

function hintOf(field) {
  const allowed = field.type === "list" ? `${field.values.length} numbers` : field.allowed && !field.choices ? field.allowed : "";
  return [field.help, allowed && "allowed " + allowed, field.default && !field.choices ? "default " + field.default : ""].filter(Boolean).join("; ");
}

function fieldOf(field) {
  const made = element("label", element("span", labelOfKey(field.key)), "field"), control = controlOf(field);
  control.name = field.key;
  control.dataset.type = field.type;
  control.dataset.default = field.default;
  made.title = field.key;
  made.append(control, element("i", field.unit), element("small", hintOf(field)));
  return made;
}

/* The most used fields first, the others in a part that opens. */
function makeFields(place, fields, first) {
  const front = fields.filter(field => first.includes(field.key)).sort((a, b) => first.indexOf(a.key) - first.indexOf(b.key));
  const rest = fields.filter(field => !first.includes(field.key));
  place.replaceChildren(...front.map(fieldOf));
  if (!rest.length) return;
  const more = element("details", element("summary", counted(rest.length, "more parameter"))), inside = element("div", "", "fields");
  inside.append(...rest.map(fieldOf));
  more.append(inside);
  place.append(more);
}

/* What an empty choice means. */
function nameEmptyChoices(place, words) {
  for (const select of place.querySelectorAll("select[data-type]")) select.options[0].text = words(select.dataset.default);
}

function valueOf(control) {
  const text = control.value.trim(), type = control.dataset.type;
  if (type === "flag") return text === "true";
  if (type === "list") return text.split(",").map(Number);
  return type === "text" || type === "choice" || Number.isNaN(Number(text)) ? text : Number(text);
}

/* Values that were entered, keys with a dot as objects in objects. What is as `shown` has it was not entered. */
function entered(place, shown = {}) {
  const all = {};
  for (const control of place.querySelectorAll("[data-type]")) {
    if (control.value === "" || control.value === String(shown[control.name] ?? "")) continue;
    const [key, inner] = control.name.split(".");
    if (inner) (all[key] ||= {})[inner] = valueOf(control); else all[key] = valueOf(control);
  }
  return all;
}

function showValues(place, shown) {
  for (const control of place.querySelectorAll("[data-type]")) {
    control.value = shown[control.name] ?? "";
    if (control.selectedIndex === -1) control.value = ""; // a word that is no choice
  }
}
