/* SPDX-License-Identifier: GPL-3.0-or-later
   A station is identified by its address. Its name, cell and colour stay known when its base station or its own program restarts. */
"use strict";
/* Okabe and Ito's colours, distinguishable with any kind of colour vision; the last two are lighter and darker greys. */
const STATION_COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7b5ea7", "#8a8f98"];

class Identities {
  constructor() { this.known = new Map(); this.all = []; }

  /* One line of a picture's stations; the answer has name, cell and colour. */
  learn(row) {
    const key = this.keyOf(row);
    if (!this.known.has(key)) this.add(key, row);
    const one = this.known.get(key);
    if (row.name !== row.mac) one.name = row.name;
    one.cell = row.cell || one.cell;
    one.reports ||= row.dl.received || row.program !== null;
    return one;
  }

  add(key, row) {
    const id = this.all.length;
    this.all.push({id, key, mac: row.mac, name: row.mac, cell: row.cell, colour: STATION_COLOURS[id % STATION_COLOURS.length], reports: false});
    this.known.set(key, this.all[id]);
  }

  /* A station without a base station is the one of its address that was known before; several cells may have one address. */
  keyOf(row) {
    if (row.cell) {
      const key = `${row.cell}\n${row.mac}`, lone = this.known.get("\n" + row.mac);
      if (lone && !this.known.has(key)) this.known.set(key, Object.assign(lone, {key}));
      this.known.delete("\n" + row.mac);
      return key;
    }
    const before = [...this.known.values()].filter(one => one.mac === row.mac);
    return before.length === 1 ? before[0].key : "\n" + row.mac;
  }

  named(name, cell) { return [...this.known.values()].find(one => one.name === name && (!cell || one.cell === cell)); }
}

/* kbit/s that arrived. A station that reports what it receives has no figure while it is silent: what its base station sends then may be lost. */
function arrivedKbps(row, one) { return row.dl.received || !one.reports ? row.dl.kbps : null; }

const identities = new Identities();
