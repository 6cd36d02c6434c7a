/* SPDX-License-Identifier: GPL-3.0-or-later
   What a receiver hears: asked for while the panel is open and seen. */
"use strict";
const SILENT_S = 2; // a burst that is older is marked as such

class SignalPanel {
  constructor() {
    this.panel = byId("signal");
    this.socket = null;
    this.plots = null;
    this.picture = null; // of all cells
    this.receivers = new Set(); // those that are silent for a while, too
    this.burst = "";     // that was chosen; empty: the first with data
    this.heard = null;   // the last answer
    this.newest = {key: "", frame: -1, time_s: 0};
    this.panel.addEventListener("toggle", () => this.connectOrLeave());
    document.addEventListener("visibilitychange", () => this.connectOrLeave());
    addEventListener("resize", () => this.draw());
    onSchemeChange(() => this.forgetPlots());
    byId("receiver").addEventListener("change", () => this.startAnew());
    byId("burst").addEventListener("change", event => { this.burst = event.target.value; this.choose(); });
  }

  wanted() { return this.panel.open && !document.hidden; }

  connectOrLeave() {
    if (!this.wanted()) return this.socket && this.socket.close();
    if (this.socket) return;
    this.socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/signal");
    this.socket.onopen = () => this.choose();
    this.socket.onmessage = event => this.show(JSON.parse(event.data));
    this.socket.onclose = () => { this.socket = null; setTimeout(() => this.connectOrLeave(), 1000); };
  }

  choose() {
    const receiver = byId("receiver").value;
    if (receiver && this.socket && this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({receiver, burst: this.burst}));
  }

  /* Selects the receiver of a base station that was chosen. */
  receiverOf(cell) {
    const select = byId("receiver"), name = [...this.receivers].find(one => siteOf(one) === siteOf(cell));
    if (!name || name === select.value) return;
    select.value = name;
    this.startAnew();
  }

  /* The next answer makes them again, in the colours of the scheme. */
  forgetPlots() {
    if (!this.plots) return;
    for (const one of [this.plots.spectrum, this.plots.channel]) one.plot.destroy();
    this.plots = null;
  }

  /* Restarts with another receiver. */
  startAnew() {
    this.burst = "";
    this.heard = null;
    if (this.plots) this.plots.waterfall.clear();
    byId("burst").replaceChildren();
    byId("burst-words").textContent = "";
    this.choose();
  }

  /* The receivers that there are, and who has which CID. */
  cellIs(picture) {
    this.picture = picture;
    const select = byId("receiver"), had = select.value;
    for (const one of picture.programs) if (one.kind === "phy") this.receivers.add(one.name);
    if (!setOptions(select, [...this.receivers].sort().map(name => [name, name])) || select.value === had) return;
    this.startAnew();
  }

  /* By the names that configurations have: bs.phyd is the PHY of bs.macd. */
  cell() {
    const site = siteOf(byId("receiver").value), cells = this.picture.cells;
    return cells.find(cell => siteOf(cell.name) === site) || (cells.length === 1 ? cells[0] : null);
  }

  senderOf(burst) {
    if (burst.direction === "downlink") return burst.kind === "broadcast" ? "broadcast" : `data, DIUC ${burst.iuc}, ${this.rateOf(burst)}`;
    const cell = this.cell();
    const one = cell && this.picture.stations.find(station => station.cell === cell.name && station.basic_cid === burst.cid);
    return burst.kind === "data" ? (one ? one.name : `CID ${burst.cid}`) : burst.kind;
  }

  rateOf(burst) { return this.picture.rates[burst.rate_id] || "rate " + burst.rate_id; }

  show(heard) {
    const other = heard.receiver !== byId("receiver").value || (this.burst && heard.burst && heard.burst.key !== this.burst);
    if (other || !this.picture) return; // of the choice before
    this.heard = heard;
    const now = Date.now() / 1000, burst = heard.burst;
    setOptions(byId("burst"), heard.bursts.map(one => [one.key, this.senderOf(one)]));
    byId("burst").value = burst ? burst.key : this.burst;
    if (burst && (burst.key !== this.newest.key || burst.frame !== this.newest.frame)) this.newest = {key: burst.key, frame: burst.frame, time_s: now};
    byId("burst-words").textContent = this.words(now);
    if (!this.plots) {
      this.plots = {spectrum: new SpectrumPlot(byId("spectrum")), channel: new ChannelPlot(byId("channel")), waterfall: new Waterfall(byId("waterfall"))};
    }
    if (heard.spectrum_dbm.length) this.plots.waterfall.add(now, heard.spectrum_dbm);
    this.draw();
  }

  words(now) {
    const {answers, radio_open, burst} = this.heard;
    if (!answers) return "it does not respond";
    if (!radio_open) return "its radio is not open";
    if (!burst) return "no burst of it yet";
    const age = now - this.newest.time_s;
    return `frame ${burst.frame}, ${this.rateOf(burst)}, ${burst.symbols} symbols, ${burst.fec_ok ? "decoded" : "not decoded"}` +
      (age > SILENT_S ? `; nothing newer for ${figure(age)} s` : "");
  }

  draw() {
    if (!this.plots || !this.heard || !this.wanted()) return;
    const {spectrum_dbm, sample_rate_hz, burst} = this.heard, {spectrum, channel, waterfall} = this.plots;
    for (const [plot, place] of [[spectrum.plot, byId("spectrum")], [channel.plot, byId("channel")]])
      if (plot.width !== place.clientWidth) plot.setSize({width: place.clientWidth, height: plot.height});
    if (spectrum_dbm.length) {
      byId("bin-width").textContent = figure(sample_rate_hz / FFT_SIZE / 1e3, 1, "kHz");
      spectrum.show(spectrum_dbm, sample_rate_hz);
    }
    if (waterfall.rows.length) waterfall.draw(spectrum.plot.bbox);
    channel.show(burst ? burst.channels : []);
    drawConstellation(byId("constellation"), burst ? burst.points : [], burst ? burst.rate_id : 0);
    byId("constellation-words").textContent = burst ? evmWords(burst) : "";
    byId("channel-words").textContent = burst && burst.channels.length ? channelWords(burst.channels) : "";
  }
}

function evmWords(burst) {
  const percent = burst.evm_db === null ? null : 100 * 10 ** (burst.evm_db / 20);
  return `CINR ${figure(burst.cinr_db, 1, "dB")}, EVM ${figure(burst.evm_db, 1, "dB")} (${figure(percent, 1, "%")}), RSSI ${figure(burst.rssi_dbm, 1, "dBm")}; ideal points in red`;
}

function channelWords(channels) {
  const known = channels[0].power_dbm.filter(power => power !== null);
  return `${figure(Math.max(...known) - Math.min(...known), 1, "dB")} from weakest to strongest carrier, delay ${figure(channels[0].delay_samples, 1)} samples` +
    (channels.length > 1 ? "; antenna 1 green" : "");
}

const signalPanel = new SignalPanel();
