/* SPDX-License-Identifier: GPL-3.0-or-later
   What changes with time, kept in the browser as long as it watches; and the frame. */
"use strict";
const KEPT = 600; // pictures: five minutes
const HEIGHT = 220; // of a chart, in pixels of the page
const SPARK_KEPT = 120, SPARK_WIDTH = 90; // pictures: a minute

class Series {
  constructor(place, digits) { this.place = place; this.digits = digits; this.times = []; this.lines = new Map(); this.plot = null; this.names = ""; }

  /* values: by key; `shown`: of a key the name of its line, empty where it is not shown. */
  add(time, values, shown) {
    this.times.push(time);
    for (const key of values.keys()) if (!this.lines.has(key)) this.lines.set(key, new Array(this.times.length - 1).fill(null));
    for (const [key, line] of this.lines) line.push(values.has(key) ? values.get(key) : null);
    if (this.times.length > KEPT) { this.times.shift(); for (const line of this.lines.values()) line.shift(); }
    for (const [key, line] of this.lines) if (line.every(value => value === null)) this.lines.delete(key);
    /* One that had no base station for a while had another key then: one name is one line. */
    const named = new Map();
    for (const [key, line] of this.lines) {
      const label = shown(key), other = named.get(label);
      if (label) named.set(label, other ? line.map((value, i) => value ?? other[i]) : line);
    }
    this.draw([...named].map(([label, line]) => ({label, line})));
  }

  draw(shown) {
    const names = shown.map(one => one.label).join("\n"), data = [this.times, ...shown.map(one => one.line)], width = this.place.clientWidth;
    if (this.plot && this.plot.width !== width) this.plot.setSize({width, height: HEIGHT});
    if (this.plot && names === this.names) return this.plot.setData(data);
    if (this.plot) this.plot.destroy();
    this.names = names;
    const series = shown.map(({label}, i) => ({label, stroke: COLOURS[i % COLOURS.length], width: 1.5,
      value: (_, value) => figure(value, this.digits)}));
    this.plot = new uPlot({width, height: HEIGHT, series: [{label: "time"}, ...series], legend: {live: true},
      axes: [{}, {size: 60}]}, data, this.place);
  }
}

const sparks = new Map();
/* The last minute of goodput, both ways; a canvas of each station that stays. */
function spark(key, kbps) {
  if (!sparks.has(key)) {
    const made = element("canvas", "", "spark");
    [made.width, made.height] = [SPARK_WIDTH, 22];
    sparks.set(key, {canvas: made, values: []});
  }
  const one = sparks.get(key), pen = one.canvas.getContext("2d");
  one.values.push(kbps || 0);
  if (one.values.length > SPARK_KEPT) one.values.shift();
  const most = Math.max(1, ...one.values);
  pen.clearRect(0, 0, SPARK_WIDTH, 22);
  pen.strokeStyle = COLOURS[0];
  pen.beginPath();
  one.values.forEach((value, i) => pen.lineTo(i * SPARK_WIDTH / SPARK_KEPT, 21 - 20 * value / most));
  pen.stroke();
  return one.canvas;
}

const USES = {fch: "#33415c", preamble: "#7d8597", maps: "#4c2c92", descriptors: "#4c2c92", management: "#b58840", data: "#1d70b8", ranging: "#d4351c", contention: "#f47738",
  idle: "#ced4da", gap: "#e9ecef"};

function block(symbols, of, from, text, colour, title) {
  const made = element("div", text);
  made.style.left = 100 * from / of + "%";
  made.style.width = 100 * symbols / of + "%";
  made.style.background = colour;
  made.title = title;
  return made;
}

/* Burst by burst where the base station tells; else how much of the frame each purpose took, on average. */
function drawFrame(cell, frame, nameOf, rateOf) {
  const made = element("div", "", "frame"), all = cell.layout.frame_symbols;
  const ulStart = cell.layout.ul_start_slot / cell.layout.symbol_slots;
  if (frame) {
    made.append(block(2, all, 0, "", USES.preamble, "downlink preamble, symbols 0..1"), block(1, all, 2, "", USES.fch, "frame prefix, symbol 2"));
    for (const burst of frame.bursts) {
      const from = burst.slot / cell.layout.symbol_slots, who = [...new Set(burst.cids.map(nameOf))].join(", ");
      made.append(block(burst.symbols, all, from, who || burst.kind, USES[burst.kind],
        `${burst.direction}, symbols ${figure(from, 1)} to ${figure(from + burst.symbols, 1)}: ${burst.kind}, ${rateOf(burst.rate_id)}; ${who || "nobody"}`));
    }
  } else if (cell.symbols) {
    for (const [direction, start] of [["dl", 0], ["ul", ulStart]]) {
      let at = start;
      for (const [use, symbols] of Object.entries(cell.symbols[direction])) {
        if (!symbols) continue;
        made.append(block(symbols, all, at, use, USES[use] || "#888", `${direction}: ${use}, ${figure(symbols, 1)} symbols a frame`));
        at += symbols;
      }
    }
  }
  return made;
}
