/* SPDX-License-Identifier: GPL-3.0-or-later
   Figures over time, stored in the browser while it shows the page. */
"use strict";
const KEPT = 600; // pictures: five minutes
const HEIGHT = 220; // of a chart, in pixels of the page
const SPARK_KEPT = 120, SPARK_WIDTH = 90; // pictures: a minute
const UPLINK_DASH = [6, 4];

/* Axes in the colours of the page's scheme. */
function axis(more = {}) {
  const line = colourOf("--grid");
  return {stroke: colourOf("--ink"), grid: {stroke: line, width: 1}, ticks: {stroke: line, width: 1}, ...more};
}

class Series {
  constructor(place, digits) {
    Object.assign(this, {place, digits, times: [], lines: new Map(), plot: null, names: ""});
    onSchemeChange(() => { this.names = ""; });
  }

  /* values: by key; `shown`: of a key {label, colour, dashed}, or null where it is not shown. */
  add(time, values, shown) {
    this.times.push(time);
    for (const key of values.keys()) if (!this.lines.has(key)) this.lines.set(key, new Array(this.times.length - 1).fill(null));
    for (const [key, line] of this.lines) line.push(values.has(key) ? values.get(key) : null);
    if (this.times.length > KEPT) { this.times.shift(); for (const line of this.lines.values()) line.shift(); }
    for (const [key, line] of this.lines) if (line.every(value => value === null)) this.lines.delete(key);
    this.draw([...this.lines].map(([key, line]) => ({line, ...shown(key)})).filter(one => one.label));
  }

  draw(shown) {
    if (!shown.length) return this.clear();
    const names = shown.map(one => one.label + one.colour).join("\n"), data = [this.times, ...shown.map(one => one.line)], width = this.place.clientWidth;
    if (this.plot && this.plot.width !== width) this.plot.setSize({width, height: HEIGHT});
    if (this.plot && names === this.names) return this.plot.setData(data);
    if (this.plot) this.plot.destroy();
    this.place.replaceChildren();
    this.names = names;
    const series = shown.map(({label, colour, dashed}) => ({label, stroke: colour, dash: dashed ? UPLINK_DASH : undefined, width: 2, spanGaps: false, points: {show: false},
      value: (_, value) => figure(value, this.digits)}));
    this.plot = new uPlot({width, height: HEIGHT, series: [{label: "time"}, ...series], legend: {live: true}, axes: [axis(), axis({size: 60})]}, data, this.place);
  }

  clear() {
    if (this.plot) this.plot.destroy();
    this.plot = null;
    this.place.replaceChildren(element("div", "no figures yet", "chart-empty"));
  }
}

const sparks = new Map();
/* The last minute of goodput, both ways; each station has one canvas. */
function spark(key, kbps, colour) {
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
  pen.strokeStyle = colour;
  pen.lineWidth = 1.5;
  pen.beginPath();
  one.values.forEach((value, i) => pen.lineTo(i * SPARK_WIDTH / SPARK_KEPT, 21 - 20 * value / most));
  pen.stroke();
  return one.canvas;
}
