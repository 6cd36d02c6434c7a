/* SPDX-License-Identifier: GPL-3.0-or-later
   A picture comes twice a second while this page is open and seen. */
"use strict";
const cinr = new Series(byId("cinr-chart"), 1), goodput = new Series(byId("goodput-chart"), 0);
let socket = null;

/* The cell that is chosen, or all. Several are told apart by the names of their base stations. */
function ofChoice(picture) {
  const choice = byId("choice").value, its = row => !choice || row.cell === choice;
  return {...picture, cells: picture.cells.filter(cell => !choice || cell.name === choice), stations: picture.stations.filter(its), flows: picture.flows.filter(its)};
}

function labelOf(cell, name, picture) { return picture.cells.length > 1 && cell ? `${siteOf(cell)} ${name}` : name; }

function cinrCell(side) {
  const weak = side.cinr_db !== null && side.needs_db !== null && side.cinr_db < side.needs_db;
  return element("span", figure(side.cinr_db, 1) + (weak ? ` (needs ${figure(side.needs_db, 1)})` : ""), weak ? "bad" : "");
}

/* What has a TEK: its number and age. */
function privacyCell(privacy) {
  if (!privacy) return "-";
  const key = privacy.key === null ? "" : `, key ${privacy.key} of ${figure(privacy.age_s, 0, "s")}`;
  return element("span", privacy.state + key + (privacy.dropped ? `, ${privacy.dropped} dropped` : ""), privacy.dropped ? "bad" : "");
}

function showStations(picture) {
  fill(byId("stations"), ["station", "state", "privacy", "DL CINR, dB", "DL RSSI, dBm", "DL rate", "DL kbit/s", "UL CINR, dB", "UL RSSI, dBm", "UL rate", "UL kbit/s",
    "goodput", "distance", "power left"], picture.stations.map(one => {
    const good = one.state === "operational";
    return [labelOf(one.cell, one.name, picture) + (one.name === one.mac ? "" : " " + one.mac),
      element("span", one.state + (one.restriction === "none" ? "" : ", " + one.restriction), good ? "good" : "bad"), privacyCell(one.privacy),
      cinrCell(one.dl), figure(one.dl.rssi_dbm, 1), one.dl.rate || "-", figure(one.dl.kbps) + (one.dl.kbps && !one.dl.received ? " sent" : ""), cinrCell(one.ul), figure(one.ul.rssi_dbm, 1),
      one.ul.rate || "-", figure(one.ul.kbps), spark(`${one.cell} ${one.mac}`, (one.dl.kbps || 0) + (one.ul.kbps || 0)),
      figure(one.distance_m, 0, "m"), figure(one.power_left_db, 1, "dB")];
  }));
}

function showFlows(picture) {
  fill(byId("flows"), ["station", "SFID", "name", "direction", "scheduling", "state", "most, bit/s", "reserved, bit/s", "latency, ms", "kbit/s", "queue, bytes",
    "delay, ms", "dropped", ""], picture.flows.map(flow => {
    const choose = element("button", "choose");
    choose.addEventListener("click", () => chooseFlow(flow));
    const drops = Object.entries(flow.drops).map(([cause, packets]) => `${packets} ${cause}`).join(", ");
    return [labelOf(flow.cell, flow.station_name, picture), String(flow.sfid), flow.name || "-", flow.direction, flow.scheduling, flow.state + (flow.refusal ? ": " + flow.refusal : ""),
      flow.max_sustained_rate_bps ? String(flow.max_sustained_rate_bps) : "-", flow.min_reserved_rate_bps ? String(flow.min_reserved_rate_bps) : "-",
      flow.max_latency_ms ? String(flow.max_latency_ms) : "-", figure(flow.kbps), figure(flow.backlog_bytes), figure(flow.delay_ms, 1), drops || "-", choose];
  }));
}

/* By CID, which each cell has of its own. */
function namesOf(cell, picture) {
  const its = row => row.cell === cell.name;
  const names = new Map([...picture.flows.filter(its).map(flow => [flow.cid, flow.station_name]), ...picture.stations.filter(its).map(one => [one.basic_cid, one.name])]);
  return cid => cid === 0xFFFF ? "all" : cid === 0 ? "who comes" : names.get(cid) || "CID " + cid;
}

function showFrames(picture) {
  byId("frames").replaceChildren(...picture.cells.flatMap(cell => {
    const frame = picture.frames[cell.name], nameOf = namesOf(cell, picture);
    const line = `${cell.name}, frame ${frame ? frame.frame : cell.frame}: ${figure(1e3 * cell.frame_s, 1)} ms, ${cell.layout.frame_symbols} symbols, ` +
      (frame ? "burst by burst" : "purposes, mean since the last picture");
    return [element("div", line), drawFrame(cell, frame, nameOf, rate => picture.rates[rate] || "rate " + rate)];
  }));
  if (byId("frame-legend").childElementCount) return;
  byId("frame-legend").append(...Object.entries(USES).map(([use, colour]) => {
    const made = element("span", use);
    made.style.background = colour;
    if (use === "idle" || use === "gap") made.style.color = "#1c2430";
    return made;
  }));
}

function showPrograms(picture) {
  fill(byId("programs"), ["program", "is", "late frames", "answers, ms: half, 99 %, all", "headroom, dB", "clipped samples"], picture.programs.map(one =>
    [one.name, element("span", one.answers ? one.kind || "runs" : "does not answer", one.answers ? "good" : "bad"), figure(one.late),
      one.answers_ms ? one.answers_ms.map(ms => figure(ms, 1)).join(", ") : "-",
      element("span", figure(one.headroom_db, 1), one.headroom_db !== null && one.headroom_db <= 0 ? "bad" : ""), figure(one.clipped_samples)]));
  fill(byId("links"), ["link", "SNR, dB"], picture.links.map(one => [one.name, figure(one.snr_db, 1)]));
  setOptions(byId("program"), picture.cells.map(cell => [cell.name, cell.name]));
}

function show(all) {
  setOptions(byId("choice"), [["", "all cells"], ...all.cells.map(cell => [cell.name, `${cell.name} ${cell.bsid}`])]);
  byId("choice-label").hidden = all.cells.length < 2;
  const picture = ofChoice(all);
  byId("cell").textContent = picture.cells.map(cell =>
    `${cell.bsid} ${cell.profile || ""}, ${cell.state}, ${cell.registered} stations, ${figure(cell.simulated_s, 1)} s`).join("; ");
  showStations(picture);
  showFlows(picture);
  showFrames(picture);
  showPrograms(picture);
  fill(byId("events"), null, picture.events.map(event => [figure(event.simulated_s, 2, "s"), event.program, event.layer, event.text]));
  signalPanel.cellIs(all);
  const both = what => new Map(all.stations.flatMap(one => ["dl", "ul"].map(way => [`${one.cell || ""}\n${one.name} ${way.toUpperCase()}`, one[way][what]])));
  const shown = key => {
    const [cell, name] = key.split("\n"), choice = byId("choice").value;
    return !choice || cell === choice ? labelOf(cell, name, picture) : "";
  };
  const now = Date.now() / 1000;
  cinr.add(now, both("cinr_db"), shown);
  goodput.add(now, both("kbps"), shown);
}

function connected(yes) {
  byId("live").textContent = yes ? "live" : "not connected";
  byId("live").className = yes ? "good" : "bad";
}

function connect() {
  if (socket || document.hidden) return;
  socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/live");
  socket.onmessage = event => { connected(true); show(JSON.parse(event.data)); };
  socket.onclose = () => { socket = null; connected(false); setTimeout(connect, 1000); };
}

byId("choice").addEventListener("change", event => event.target.value && signalPanel.receiverOf(event.target.value));
/* Who doesn't look costs nothing. */
document.addEventListener("visibilitychange", () => document.hidden ? socket && socket.close() : connect());
connect();
