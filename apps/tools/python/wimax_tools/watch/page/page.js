/* SPDX-License-Identifier: GPL-3.0-or-later
   The server sends a picture twice a second while this page is open and visible. */
"use strict";
const cinr = new Series(byId("cinr-chart"), 1), goodput = new Series(byId("goodput-chart"), 0);
let socket = null;

/* The selected cell, or all. Names of base stations tell several cells apart. */
function ofChoice(picture) {
  const choice = byId("choice").value, its = row => !choice || row.cell === choice;
  return {...picture, cells: picture.cells.filter(cell => !choice || cell.name === choice), stations: picture.stations.filter(its), flows: picture.flows.filter(its)};
}

function labelOf(cell, name, picture) { return picture.cells.length > 1 && cell ? `${siteOf(cell)} ${name}` : name; }

/* Label with the colour that the station has in frame and charts. */
function stationCell(one, row, picture) {
  const made = element("span"), swatch = element("span", "", "swatch"), name = labelOf(one.cell, one.name, picture);
  swatch.style.background = one.colour;
  made.append(swatch, name);
  if (one.name !== row.mac) made.append(element("small", row.mac));
  return made;
}

function cinrCell(side) {
  const weak = side.cinr_db !== null && side.needs_db !== null && side.cinr_db < side.needs_db;
  return element("span", figure(side.cinr_db, 1) + (weak ? ` (needs ${figure(side.needs_db, 1)})` : ""), weak ? "bad" : "");
}

/* State of the authorization, number and age of the traffic key, messages that failed authentication. */
function privacyCell(privacy) {
  if (!privacy) return "-";
  const made = element("span", privacy.state), key = privacy.key === null ? "" : `key ${privacy.key}, ${figure(privacy.age_s, 0, "s")} old`;
  if (key) made.append(element("small", key));
  if (privacy.dropped) made.append(element("small", counted(privacy.dropped, "unauthentic message"), "bad"));
  return made;
}

function showStations(picture) {
  fill(byId("stations"), ["station", "state", "privacy", "DL CINR, dB", "DL RSSI, dBm", "DL rate", "DL kbit/s", "UL CINR, dB", "UL RSSI, dBm", "UL rate", "UL kbit/s",
    "goodput", "distance", "power left"], picture.stations.map(row => {
    const one = identities.learn(row), good = row.state === "operational", arrived = arrivedKbps(row, one);
    return [stationCell(one, row, picture), element("span", row.state + (row.restriction === "none" ? "" : ", " + row.restriction), good ? "good" : "bad"), privacyCell(row.privacy),
      cinrCell(row.dl), figure(row.dl.rssi_dbm, 1), row.dl.rate || "-", figure(arrived) + (arrived && !row.dl.received ? " sent" : ""), cinrCell(row.ul), figure(row.ul.rssi_dbm, 1),
      row.ul.rate || "-", figure(row.ul.kbps), spark(one.id, (arrived || 0) + (row.ul.kbps || 0), one.colour), figure(row.distance_m, 0, "m"), figure(row.power_left_db, 1, "dB")];
  }));
}

function showFlows(picture) {
  fill(byId("flows"), ["station", "SFID", "name", "direction", "scheduling", "state", "max, bit/s", "reserved, bit/s", "latency, ms", "kbit/s", "queue, bytes",
    "delay, ms", "dropped", ""], picture.flows.map(flow => {
    const choose = element("button", "change");
    Object.assign(choose.dataset, {sfid: flow.sfid, cell: flow.cell});
    choose.setAttribute("aria-label", `change service flow ${flow.sfid}`);
    const drops = Object.entries(flow.drops).map(([cause, packets]) => `${packets} ${cause}`).join(", ");
    return [labelOf(flow.cell, flow.station_name, picture), String(flow.sfid), flow.name || "-", flow.direction, flow.scheduling, flow.state + (flow.refusal ? ": " + flow.refusal : ""),
      flow.max_sustained_rate_bps ? String(flow.max_sustained_rate_bps) : "-", flow.min_reserved_rate_bps ? String(flow.min_reserved_rate_bps) : "-",
      flow.max_latency_ms ? String(flow.max_latency_ms) : "-", figure(flow.kbps), figure(flow.backlog_bytes), figure(flow.delay_ms, 1), drops || "-", choose];
  }));
}

/* By CID, which is unique only within a cell. */
function namesOf(cell, picture) {
  const its = row => row.cell === cell.name;
  const names = new Map([...picture.flows.filter(its).map(flow => [flow.cid, flow.station_name]), ...picture.stations.filter(its).map(one => [one.basic_cid, one.name])]);
  return cid => cid === 0xFFFF ? "all stations" : cid === 0 ? "new stations" : names.get(cid) || "CID " + cid;
}

/* The parts of a cell's frame that stay while bursts change. */
const framePlaces = new Map();
function framePlace(cell) {
  if (!framePlaces.has(cell)) {
    const place = element("div"), words = element("div"), bars = element("div"), details = element("details", element("summary", "bursts as a table")), table = element("table");
    table.append(element("thead"), element("tbody"));
    const scroll = element("div", table, "scroll");
    details.append(scroll);
    place.append(words, bars, details);
    framePlaces.set(cell, {place, words, bars, details, table});
  }
  return framePlaces.get(cell);
}

function showFrames(picture) {
  const places = picture.cells.map(cell => framePlace(cell.name).place);
  if (places.length !== byId("frames").childElementCount || places.some((place, i) => byId("frames").children[i] !== place)) byId("frames").replaceChildren(...places);
  for (const cell of picture.cells) {
    const frame = picture.frames[cell.name], {words, bars, details, table} = framePlace(cell.name);
    const rows = frame ? burstRows(cell, frame, namesOf(cell, picture), rate => picture.rates[rate] || "rate " + rate) : [];
    words.textContent = `${cell.name}, frame ${frame ? frame.frame : cell.frame}: ${figure(1e3 * cell.frame_s, 1)} ms, ${cell.layout.frame_symbols} symbols, ` +
      (frame ? "burst by burst" : "purposes, mean since the last picture");
    bars.replaceChildren(drawFrame(cell, frame, rows, name => (identities.named(name, cell.name) || {}).colour));
    details.hidden = !frame;
    if (details.open) fill(table, ["direction", "symbols", "kind", "rate", "stations"], rows.map(row => row.cells));
  }
  dropCutLabels(byId("frames"));
  drawLegend(byId("frame-legend"), picture.stations.map(row => identities.learn(row)));
}

function showPrograms(picture) {
  fill(byId("programs"), ["program", "state", "late frames", "response, ms: median, 99 %, longest", "headroom, dB", "clipped samples"], picture.programs.map(one =>
    [one.name, element("span", one.answers ? one.kind || "runs" : "does not respond", one.answers ? "good" : "bad"), figure(one.late),
      one.answers_ms ? one.answers_ms.map(ms => figure(ms, 1)).join(", ") : "-",
      element("span", figure(one.headroom_db, 1), one.headroom_db !== null && one.headroom_db <= 0 ? "bad" : ""), figure(one.clipped_samples)]));
  fill(byId("links"), ["link", "SNR, dB"], picture.links.map(one => [one.name, figure(one.snr_db, 1)]));
  setOptions(byId("program"), picture.cells.map(cell => [cell.name, cell.name]));
}

/* Nothing to show while no program responds: what to type instead of empty tables. */
function showIdle(all) {
  const idle = !all.programs.some(one => one.answers);
  document.body.classList.toggle("idle", idle);
  byId("idle-title").textContent = all.programs.length ? `None of ${counted(all.programs.length, "program")} responds` : "No program of a cell is running on this host";
  byId("idle-start").textContent = all.to_type.start;
  byId("idle-status").textContent = all.to_type.status;
  connected(true, idle);
  if (idle) byId("cell").textContent = "";
  return idle;
}

function cellWords(cell) {
  return `${cell.bsid} ${cell.profile || ""}, ${cell.state}, ${counted(cell.registered, "station")}, ${figure(cell.simulated_s, 1)} s`;
}

function show(all) {
  if (showIdle(all)) return;
  setOptions(byId("choice"), [["", "all cells"], ...all.cells.map(cell => [cell.name, `${cell.name} ${cell.bsid}`])]);
  byId("choice-label").hidden = all.cells.length < 2;
  const picture = ofChoice(all);
  byId("cell").textContent = picture.cells.map(cellWords).join("; ");
  showStations(picture);
  showFlows(picture);
  showFrames(picture);
  showPrograms(picture);
  administrate(picture);
  fill(byId("events"), null, picture.events.map(event => [figure(event.simulated_s, 2, "s"), event.program, event.layer, event.text]));
  signalPanel.cellIs(all);
  showCharts(all, picture);
}

/* A line for each station and direction, by the station's address: it stays the same line over a restart. */
function showCharts(all, picture) {
  const ones = all.stations.map(row => [row, identities.learn(row)]), now = Date.now() / 1000;
  const both = (dl, ul) => new Map(ones.flatMap(([row, one]) => [[one.id + " DL", dl(row, one)], [one.id + " UL", ul(row)]]));
  const shown = key => {
    const [id, way] = key.split(" "), one = identities.all[id], choice = byId("choice").value;
    return choice && one.cell !== choice ? {} : {label: `${labelOf(one.cell, one.name, picture)} ${way}`, colour: one.colour, dashed: way === "UL"};
  };
  cinr.add(now, both(row => row.dl.cinr_db, row => row.ul.cinr_db), shown);
  goodput.add(now, both(arrivedKbps, row => row.ul.kbps), shown);
}

function connected(yes, idle = false) {
  const words = !yes ? "not connected" : idle ? "no program responds" : "live", good = yes && !idle;
  if (byId("live").textContent === words) return;
  byId("live").textContent = words;
  byId("live").className = good ? "pill good" : "pill bad";
}

function connect() {
  if (socket || document.hidden) return;
  socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/live");
  socket.onmessage = event => show(JSON.parse(event.data));
  socket.onclose = () => { socket = null; connected(false); setTimeout(connect, 1000); };
}

byId("choice").addEventListener("change", event => event.target.value && signalPanel.receiverOf(event.target.value));
/* A hidden page asks for nothing. */
document.addEventListener("visibilitychange", () => document.hidden ? socket && socket.close() : connect());
connect();
