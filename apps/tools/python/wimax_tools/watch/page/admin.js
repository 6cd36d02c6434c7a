/* SPDX-License-Identifier: GPL-3.0-or-later
   Changes: the programs check them, and the page shows their answers word by word. */
"use strict";
const STATION_WORDS = {reset: "RES-CMD: the station starts again", deregister: "DREG-CMD 0: the station leaves this channel and tries another",
  silence: "DREG-CMD 1: the station listens and sends nothing", suspend: "DREG-CMD 2: the station sends management messages only", resume: "DREG-CMD 3: normal operation"};
const flowForm = byId("flow-form"), flowFields = flowForm.querySelector(".fields"), profileFields = byId("profile-form").querySelector(".fields");
const SERVICES = {BE: "best_effort", nrtPS: "nrtps", rtPS: "rtps", ertPS: "ertps", UGS: "ugs"}; // as statuses and as the configuration name them
let shownFlow = {}; // values of the flow that the form shows, by key
let known = {flows: [], stations: []};

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
  } catch (fault) { say({error: ["the server does not respond: " + fault.message]}); }
}

function onSubmit(id, work) {
  byId(id).addEventListener("submit", event => {
    event.preventDefault();
    try { work(event.target.elements); } catch (fault) { say({error: [fault.message]}); }
  });
}

function flowValue(form) {
  const verb = form.verb.value, value = verb === "delete" ? {} : entered(flowFields, verb === "change" ? shownFlow : {});
  if (verb === "change" && !Object.keys(value).length) throw new Error("nothing to change: enter a new value in one of the fields");
  if (verb !== "add" && !form.sfid.value) throw new Error("no service flow is selected");
  if (verb === "add") value.station = form.station.value; else value.sfid = Number(form.sfid.value);
  return value;
}

/* Fields that the action does not need are hidden. */
function showVerb() {
  const verb = flowForm.elements.verb.value;
  for (const part of flowForm.querySelectorAll("[data-verbs]")) part.hidden = !part.dataset.verbs.split(" ").includes(verb);
  nameEmptyChoices(flowFields, value => verb === "change" ? "unchanged" : "default: " + value);
  showFlow();
}

function showFlow() {
  const form = flowForm.elements, flow = form.verb.value === "change" && known.flows.find(one => String(one.sfid) === form.sfid.value && one.cell === byId("program").value);
  shownFlow = flow ? Object.fromEntries(FIRST_FIELDS.filter(key => flow[key]).map(key => [key, flow[key]])) : {};
  if (flow) shownFlow.scheduling = SERVICES[flow.scheduling] || "";
  showValues(flowFields, shownFlow);
}

/* The lists of stations and service flows follow the picture; what is selected stays. */
function administrate(picture) {
  known = picture;
  const cell = byId("program").value, of = row => row.cell === cell;
  const stations = picture.stations.filter(of).map(one => [one.mac, one.name === one.mac ? one.mac : `${one.name} ${one.mac}`]);
  setOptions(byId("station-form").elements.station, stations);
  setOptions(flowForm.elements.station, stations);
  const before = flowForm.elements.sfid.value;
  setOptions(flowForm.elements.sfid, picture.flows.filter(of).map(flow => [String(flow.sfid), `${flow.sfid} ${flow.name || ""} ${flow.direction} of ${flow.station_name}`]));
  if (flowForm.elements.sfid.value !== before) showFlow();
}

async function describeFields() {
  const fields = await (await fetch("fields")).json();
  makeFields(flowFields, fields.flow, FIRST_FIELDS);
  makeFields(profileFields, fields.profile, fields.profile.map(field => field.key));
  nameEmptyChoices(profileFields, () => "unchanged");
  if (!fields.flow.length) for (const place of [flowFields, profileFields]) place.textContent = "The page could not read the fields: wimax-macd is missing on this host.";
  showVerb();
}

function showStationWords() { byId("station-help").textContent = STATION_WORDS[byId("station-form").elements.verb.value]; }

onSubmit("flow-form", form => change("flows." + form.verb.value, flowValue(form)));
onSubmit("station-form", form => change("stations." + form.verb.value, {mac: form.station.value}));
onSubmit("profile-form", () => {
  const value = entered(profileFields);
  if (!Object.keys(value).length) throw new Error("nothing to change: enter a new value in one of the fields");
  change("profile", value);
});
onSubmit("file-form", async form => say(await request("PUT", "file", {program: byId("program").value, text: form.text.value})));
byId("file-show").addEventListener("click", async () => {
  const answer = await request("GET", "file");
  if ("error" in answer) return say(answer);
  byId("file-form").elements.text.value = answer.done;
});
flowForm.elements.verb.addEventListener("change", showVerb);
flowForm.elements.sfid.addEventListener("change", showFlow);
byId("program").addEventListener("change", () => { administrate(known); showFlow(); });
byId("station-form").elements.verb.addEventListener("change", showStationWords);
byId("token-form").addEventListener("submit", event => event.preventDefault());
byId("token").value = new URLSearchParams(location.hash.slice(1)).get("token") || "";
showStationWords();
describeFields();

/* The button of a row puts its service flow into the form. */
byId("flows").addEventListener("click", event => {
  const {sfid, cell} = event.target.dataset;
  if (!sfid) return;
  byId("program").value = cell;
  flowForm.elements.verb.value = "change";
  administrate(known);
  flowForm.elements.sfid.value = sfid;
  showVerb();
  byId("admin").scrollIntoView();
  flowForm.elements.sfid.focus({preventScroll: true});
});
