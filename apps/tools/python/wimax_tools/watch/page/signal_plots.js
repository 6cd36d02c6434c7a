/* SPDX-License-Identifier: GPL-3.0-or-later
   Spectrum, waterfall, constellation and channel. Drawn in the pixels of the screen, again with each answer. */
"use strict";
const FFT_SIZE = 256, OUTER_CARRIER = 100; // 8.3.2
const WATERFALL_S = 60, ROWS = 120, MOST_DB = 80; // of the colours
const VIRIDIS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
const MOST_AMPLITUDE = 1.5; // of the constellation, whose mean power is 1

function mixed(share) {
  const at = Math.min(Math.max(share, 0), 0.9999) * (VIRIDIS.length - 1), i = Math.floor(at);
  return VIRIDIS[i].map((from, j) => Math.round(from + (at - i) * (VIRIDIS[i + 1][j] - from)));
}

const tensAround = (_, low, high) => low === null ? [-120, -20] : [10 * Math.floor(low / 10), Math.max(10 * Math.ceil(high / 10), 10 * Math.floor(low / 10) + 20)];

/* Dashed, where the used carriers end. */
function drawEdges(plot) {
  const pen = plot.ctx, edge = plot.edgeMhz;
  if (!edge) return;
  pen.save();
  pen.strokeStyle = colourOf("--faint");
  pen.setLineDash([4, 4]);
  for (const mhz of [-edge, edge]) {
    const x = plot.valToPos(mhz, "x", true);
    pen.beginPath();
    pen.moveTo(x, plot.bbox.top);
    pen.lineTo(x, plot.bbox.top + plot.bbox.height);
    pen.stroke();
  }
  pen.restore();
}

class SpectrumPlot {
  constructor(place) {
    this.plot = new uPlot({width: place.clientWidth, height: 220, legend: {show: false}, cursor: {y: false},
      scales: {x: {time: false}, y: {range: tensAround}}, hooks: {draw: [drawEdges]},
      series: [{}, {stroke: COLOURS[0], width: 1.5, points: {show: false}}],
      axes: [axis({label: "MHz from the centre", labelSize: 20, size: 40}), axis({label: "dBm", labelSize: 20, size: 50})]}, [[], []], place);
  }

  show(levels, sampleRateHz) {
    this.plot.edgeMhz = (OUTER_CARRIER + 0.5) / FFT_SIZE * sampleRateHz / 1e6;
    this.plot.setData([levels.map((_, i) => (i / levels.length - 0.5) * sampleRateHz / 1e6), levels]);
  }
}

/* Carriers that the burst hasn't have no figure. The second antenna is there in STC zones. */
class ChannelPlot {
  constructor(place) {
    const line = (stroke, scale) => ({stroke, scale, width: 1.5, points: {show: false}});
    this.carriers = Array.from({length: 2 * OUTER_CARRIER + 1}, (_, i) => i - OUTER_CARRIER);
    this.plot = new uPlot({width: place.clientWidth, height: 220, legend: {show: false}, cursor: {y: false},
      scales: {x: {time: false}, dbm: {range: tensAround}, rad: {range: [-Math.PI, Math.PI]}},
      series: [{}, line(COLOURS[0], "dbm"), line(COLOURS[2], "dbm"), line("#e07b1a88", "rad"), line("#b5884088", "rad")],
      axes: [axis({label: "carrier", labelSize: 20, size: 40}), axis({scale: "dbm", label: "dBm", stroke: COLOURS[0], labelSize: 20, size: 50}),
        axis({scale: "rad", side: 1, label: "phase, rad", stroke: COLOURS[3], labelSize: 20, size: 40, grid: {show: false}})]},
    [[], [], [], [], []], place);
  }

  show(channels) {
    const of = (i, what) => channels[i] ? channels[i][what] : this.carriers.map(() => null);
    this.plot.setData([this.carriers, of(0, "power_dbm"), of(1, "power_dbm"), of(0, "phase_rad"), of(1, "phase_rad")]);
  }
}

/* A canvas in pixels of the screen; its pen. */
function cleared(canvas) {
  const ratio = devicePixelRatio || 1;
  [canvas.width, canvas.height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
  const pen = canvas.getContext("2d");
  pen.font = `${12 * ratio}px system-ui, sans-serif`;
  return [pen, ratio];
}

class Waterfall {
  constructor(canvas) {
    this.canvas = canvas;
    this.rows = []; // {time_s, levels}, the latest last
    this.picture = element("canvas");
    [this.picture.width, this.picture.height] = [FFT_SIZE, ROWS];
    byId("waterfall-colours").style.background =
      `linear-gradient(to right, ${VIRIDIS.map(colour => `rgb(${colour.join()})`).join()})`;
  }

  clear() { this.rows = []; }

  add(time_s, levels) {
    this.rows.push({time_s, levels});
    while (this.rows[0].time_s < time_s - WATERFALL_S) this.rows.shift();
  }

  /* Colours from the least to the most of the minute, in steps of 5 dB. */
  range() {
    const all = this.rows.flatMap(row => [Math.min(...row.levels), Math.max(...row.levels)]);
    const high = 5 * Math.ceil(Math.max(...all) / 5);
    return [Math.max(5 * Math.floor(Math.min(...all) / 5), high - MOST_DB), high];
  }

  /* `box`: of the spectrum's plot, so that both frequency axes are aligned. */
  draw(box) {
    const [low, high] = this.range(), now = this.rows.at(-1).time_s;
    const image = new ImageData(FFT_SIZE, ROWS);
    this.rows.forEach((row, i) => {
      const nextAge = i + 1 < this.rows.length ? now - this.rows[i + 1].time_s : -1;
      const line = Math.floor((now - row.time_s) * ROWS / WATERFALL_S);
      const first = Math.max(Math.floor(nextAge * ROWS / WATERFALL_S) + 1, line - 2, 0); // small gaps are no gaps
      for (let y = first; y <= line && y < ROWS; ++y)
        row.levels.forEach((level, x) => image.data.set([...mixed((level - low) / (high - low)), 255], 4 * (y * FFT_SIZE + x)));
    });
    this.picture.getContext("2d").putImageData(image, 0, 0);
    const [pen, ratio] = cleared(this.canvas), margin = 10 * ratio, height = this.canvas.height - 2 * margin;
    pen.imageSmoothingEnabled = false;
    pen.fillStyle = colourOf("--soft");
    pen.fillRect(box.left, margin, box.width, height);
    pen.drawImage(this.picture, box.left, margin, box.width, height);
    pen.fillStyle = colourOf("--ink");
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const age of [0, 20, 40, 60])
      pen.fillText(age ? `-${age} s` : "now", box.left - 6 * ratio, margin + height * age / WATERFALL_S);
    byId("waterfall-low").textContent = `${low} dBm`;
    byId("waterfall-high").textContent = `${high} dBm`;
  }
}

/* Levels of an axis by modulation, 8.3.3.4.2; mean power 1. */
function idealPoints(rateId) {
  if (rateId === 0) return [[1, 0], [-1, 0]];
  const levels = rateId <= 2 ? [-1, 1] : rateId <= 4 ? [-3, -1, 1, 3] : [-7, -5, -3, -1, 1, 3, 5, 7];
  const scale = Math.sqrt(2 * levels.reduce((sum, level) => sum + level * level, 0) / levels.length);
  return levels.flatMap(i => levels.map(q => [i / scale, q / scale]));
}

/* points: I and Q in turn, in thousandths. */
function drawConstellation(canvas, points, rateId) {
  const [pen, ratio] = cleared(canvas), size = canvas.height, middle = [canvas.width / 2, size / 2];
  const at = (i, q) => [middle[0] + i * size / 2 / MOST_AMPLITUDE, middle[1] - q * size / 2 / MOST_AMPLITUDE];
  pen.strokeStyle = colourOf("--line");
  pen.strokeRect(middle[0] - size / 2 + 0.5, 0.5, size - 1, size - 1);
  for (const [from, to] of [[[-MOST_AMPLITUDE, 0], [MOST_AMPLITUDE, 0]], [[0, -MOST_AMPLITUDE], [0, MOST_AMPLITUDE]]]) {
    pen.beginPath();
    pen.moveTo(...at(...from));
    pen.lineTo(...at(...to));
    pen.stroke();
  }
  pen.fillStyle = colourOf("--faint");
  pen.fillText("I", at(MOST_AMPLITUDE, 0)[0] - 10 * ratio, middle[1] - 4 * ratio);
  pen.fillText("Q", middle[0] + 4 * ratio, 14 * ratio);
  pen.beginPath();
  pen.rect(middle[0] - size / 2, 0, size, size);
  pen.clip();
  pen.fillStyle = COLOURS[0] + "aa";
  const dot = 3 * ratio;
  for (let k = 0; k < points.length; k += 2) {
    const [x, y] = at(points[k] / 1000, points[k + 1] / 1000);
    pen.fillRect(x - dot / 2, y - dot / 2, dot, dot);
  }
  pen.strokeStyle = COLOURS[1];
  for (const point of idealPoints(rateId)) {
    const [x, y] = at(...point), arm = 4 * ratio;
    pen.beginPath();
    pen.moveTo(x - arm, y);
    pen.lineTo(x + arm, y);
    pen.moveTo(x, y - arm);
    pen.lineTo(x, y + arm);
    pen.stroke();
  }
}
