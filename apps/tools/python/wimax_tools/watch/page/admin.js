/* SPDX-License-Identifier: GPL-3.0-or-later
   Changes: the programs check them, and what they say is shown as they say it. */
"use strict";

function tokenNow() { return byId("token").value; }

async function request(method, path, body) {
  const reply = await fetch(path, {method, headers: {Authorization: "Bearer " + tokenNow()}, body: body && JSON.stringify(body)});
  return reply.json();
}

function say(answer) {
  const bad = "error" in answer, lines = bad ? answer.error : answer.done;
  byId("answer").className = bad ? "bad" : "good";
  byId("answer").textContent = lines.join("\n");
}

async function change(key, value) {
  try {
    say(await request("POST", "change", {program: byId("program").value, key, value, write: byId("write").checked}));
  } catch (fault) { say({error: ["the server does not answer: " + fault.message]}); }
}

/* KEY=VALUE, the value in JSON or a text as it stands: as with wimax flows. */
function parameters(text) {
  const all = {};
  for (const line of text.split("\n").filter(one => one.trim())) {
    const at = line.indexOf("=");
    if (at < 1) throw new Error(`'${line}': KEY=VALUE is wanted`);
    const [key, value] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    try { all[key] = JSON.parse(value); } catch { all[key] = value; }
  }
  return all;
}

function onSubmit(id, work) {
  byId(id).addEventListener("submit", event => {
    event.preventDefault();
    try { work(event.target.elements); } catch (fault) { say({error: [fault.message]}); }
  });
}

function flowValue(form) {
  const verb = form.verb.value, value = verb === "delete" ? {} : parameters(form.parameters.value);
  if (verb === "add") value.station = form.station.value.trim(); else value.sfid = Number(form.sfid.value);
  return value;
}

onSubmit("flow-form", form => change("flows." + form.verb.value, flowValue(form)));
onSubmit("station-form", form => change("stations." + form.verb.value, {mac: form.station.value.trim()}));
onSubmit("profile-form", form => change("profile", parameters(form.parameters.value)));
onSubmit("file-form", async form => say(await request("PUT", "file", {program: byId("program").value, text: form.text.value})));
byId("file-show").addEventListener("click", async () => {
  const answer = await request("GET", "file");
  if ("error" in answer) return say(answer);
  byId("file-form").elements.text.value = answer.done;
});
byId("token-form").addEventListener("submit", event => event.preventDefault());
byId("token").value = new URLSearchParams(location.hash.slice(1)).get("token") || "";

/* A row that is clicked fills the form. */
function chooseFlow(flow) {
  const form = byId("flow-form").elements;
  byId("program").value = flow.cell;
  form.sfid.value = flow.sfid;
  form.station.value = flow.station;
  form.parameters.value = ["max_sustained_rate_bps", "min_reserved_rate_bps", "max_latency_ms", "traffic_priority"]
    .filter(key => flow[key]).map(key => `${key}=${flow[key]}`).join("\n");
  byId("admin").scrollIntoView();
}
