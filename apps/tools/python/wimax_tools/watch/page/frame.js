/* SPDX-License-Identifier: GPL-3.0-or-later
   The frame: its downlink and its uplink each over the whole width, symbols from left to right. Data has the colour of its station. */
"use strict";
const USES = {preamble: "#5c6470", fch: "#2b2f36", maps: "#4c2c92", descriptors: "#b9a7e0", management: "#8a6a2f", data: "#8a8f98", ranging: "#f0c808", contention: "#ffe9a8",
  idle: "#ced4da", gap: "#e9ecef"};
const SCALE_STEPS = [1, 2, 5, 10, 20, 50, 100], MOST_MARKS = 12;

/* Black or white, whichever is easier to read on this. */
function inkOn(colour) {
  const [red, green, blue] = [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16) / 255).map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}

/* Stripes of equal width where a burst carries data of several stations. */
function backgroundOf(colours) {
  if (colours.length === 1) return colours[0];
  return `linear-gradient(to right, ${colours.flatMap((colour, i) => [`${colour} ${100 * i / colours.length}%`, `${colour} ${100 * (i + 1) / colours.length}%`]).join()})`;
}

function block(half, from, symbols, text, colours, title) {
  const made = element("div", text);
  made.style.left = 100 * (from - half.from) / half.symbols + "%";
  made.style.width = 100 * symbols / half.symbols + "%";
  made.style.background = backgroundOf(colours);
  made.style.color = inkOn(colours[0]);
  if (colours.length > 1) made.style.textShadow = "0 0 3px #000, 0 0 2px #000"; // readable on each of them
  made.title = title;
  return made;
}

/* A name that does not fit would be cut: the pointer shows it, and the table below has it. */
function dropCutLabels(place) {
  const cut = [...place.querySelectorAll(".frame div")].filter(one => one.scrollWidth > one.clientWidth);
  for (const one of cut) one.textContent = "";
}

function scaleOf(half) {
  const step = SCALE_STEPS.find(one => half.symbols / one <= MOST_MARKS) || 200, made = element("div", "", "scale");
  made.setAttribute("aria-hidden", "true");
  for (let at = Math.ceil(half.from / step) * step; at < half.from + half.symbols; at += step) {
    const mark = element("b", String(at));
    mark.style.left = 100 * (at - half.from) / half.symbols + "%";
    made.append(mark);
  }
  return made;
}

/* Rows of the table of bursts: direction, symbols, kind, rate, stations. */
function burstRows(cell, frame, nameOf, rateOf) {
  return frame.bursts.map(burst => {
    const from = burst.slot / cell.layout.symbol_slots, who = [...new Set(burst.cids.map(nameOf))];
    return {burst, from, who, cells: [burst.direction, `${figure(from, 1)} to ${figure(from + burst.symbols, 1)}`, burst.kind, rateOf(burst.rate_id), who.join(", ") || "no station"]};
  });
}

function burstBlock(half, row, colourOfName) {
  const {burst, from, who, cells} = row;
  const colours = burst.kind === "data" && who.length ? who.map(name => colourOfName(name) || USES.data) : [USES[burst.kind] || USES.data];
  return block(half, from, burst.symbols, burst.kind === "data" ? who.join(", ") : burst.kind, colours, `symbols ${cells[1]}: ${cells[2]}, ${cells[3]}; ${cells[4]}`);
}

/* Use of symbols by purpose: the mean of the frames since the last picture. */
function usesOf(half, uses) {
  let at = half.from;
  return Object.entries(uses).filter(([, symbols]) => symbols).map(([use, symbols]) => {
    at += symbols;
    return block(half, at - symbols, symbols, use, [USES[use] || USES.data], `${use}, ${figure(symbols, 1)} symbols per frame`);
  });
}

/* `rows`: of burstRows, empty where the program does not report bursts. */
function drawFrame(cell, frame, rows, colourOfName) {
  const made = element("div", "", "halves"), layout = cell.layout, split = layout.ul_start_slot / layout.symbol_slots, all = layout.frame_symbols;
  const fdd = layout.dl_symbols + layout.ul_symbols > all;  // each direction has a carrier and all of the frame
  const halves = {downlink: {from: 0, symbols: fdd ? all : split, key: "dl"}, uplink: {from: split, symbols: fdd ? all : all - split, key: "ul"}};
  for (const [direction, half] of Object.entries(halves)) {
    const bar = element("div", "", "frame"), its = rows.filter(row => row.burst.direction === direction);
    if (frame && direction === "downlink")
      bar.append(block(half, 0, 2, "preamble", [USES.preamble], "downlink preamble, symbols 0 and 1"), block(half, 2, 1, "FCH", [USES.fch], "frame control header, symbol 2"));
    bar.append(...(frame ? its.map(row => burstBlock(half, row, colourOfName)) : cell.symbols ? usesOf(half, cell.symbols[half.key]) : []));
    bar.setAttribute("role", "img");
    bar.setAttribute("aria-label", `${direction}: ` + (its.map(row => row.cells.slice(1).join(" ")).join("; ") || "empty"));
    made.append(element("span", direction), bar, element("span"), scaleOf(half));
  }
  return made;
}

/* Kinds that have their own colour, then the stations. */
function drawLegend(place, stations) {
  const kinds = Object.entries(USES).filter(([use]) => use !== "data" && use !== "idle" && use !== "gap");
  const wanted = [...kinds.map(([use, colour]) => [use === "fch" ? "FCH" : use, colour]), ...stations.map(one => ["data of " + one.name, one.colour])];
  const now = wanted.flat().join("\n");
  if (place.dataset.shown === now) return;
  place.dataset.shown = now;
  place.replaceChildren(...wanted.map(([text, colour]) => {
    const made = element("span", text);
    made.style.background = colour;
    made.style.color = inkOn(colour);
    return made;
  }));
}
