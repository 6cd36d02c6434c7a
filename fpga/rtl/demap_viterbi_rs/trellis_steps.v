// SPDX-License-Identifier: GPL-3.0-or-later
//
// Second stage of demap_viterbi_rs: the soft bits of a symbol in the order of the coder's output, with zeros for the
// punctured ones (clauses 8.3.3.3, 8.3.3.2.1): one trellis step a clock.

`include "coding_facts.vh"

module trellis_steps (
  input  wire        clk,
  input  wire        rst,
  input  wire        symbol_valid,
  input  wire [4:0]  symbol_info,       // {rate, first of burst, last of burst}
  output wire        symbol_release,
  output wire        read_enable,
  output wire [6:0]  even_address,
  output wire [6:0]  odd_address,
  input  wire [35:0] even_softs,
  input  wire [35:0] odd_softs,
  output reg  [5:0]  m_x,
  output reg  [5:0]  m_y,
  output reg         m_first,           // of the burst
  output reg         m_last,
  output reg         m_valid,
  input  wire        m_ready
);

  localparam [20:0] CARRIER_BITS = `FACT_CARRIER_BITS;
  localparam [48:0] RS_N = `FACT_RS_N;
  localparam [13:0] INNER = `FACT_INNER;
  localparam [39:0] SENT = `FACT_SENT;
  localparam [11:0] PERIOD = `FACT_PERIOD;

  wire [2:0] rate = symbol_info[4:2];
  wire [2:0] label_bits = CARRIER_BITS[3 * rate +: 3];
  wire [2:0] half_bits = label_bits[2:1] == 2'd0 ? 3'd1 : {1'b0, label_bits[2:1]};
  wire [1:0] inner = INNER[2 * rate +: 2];
  wire [9:0] sent = SENT[10 * inner +: 10];
  wire [2:0] period = PERIOD[3 * inner +: 3];

  reg       running;
  reg [9:0] step;
  reg [2:0] phase;
  wire send_x = sent[{phase, 1'b0}];
  wire send_y = sent[{phase, 1'b1}];

  reg  valid1;
  wire enable2 = m_ready || !m_valid;
  wire enable1 = enable2 || !valid1;
  wire go = running && enable1;
  wire last_step = step == {RS_N[7 * rate +: 7], 3'd0} - 10'd1;
  assign symbol_release = go && last_step;
  assign read_enable = enable1;

  wire [3:0] part, carrier, next_carrier;
  wire [2:0] place, next_pair, next_place;
  interleaver_walk walk (
    .clk(clk), .start(!running), .label_bits(label_bits),
    .one(go && (send_x || send_y)), .two(go && send_x && send_y),
    .part(part), .carrier(carrier), .place(place),
    .next_pair(next_pair), .next_carrier(next_carrier), .next_place(next_place));
  assign even_address = part[0] ? {next_pair, next_carrier} : {part[3:1], carrier};
  assign odd_address = part[0] ? {part[3:1], carrier} : {next_pair, next_carrier};

  // Place of a soft bit in the memory's word.
  function [2:0] slot;
    input [2:0] at;
    input [2:0] half;
    slot = at >= half ? at - half + 3'd3 : at;
  endfunction
  function [5:0] picked;
    input [35:0] word;
    input [2:0]  at;
    picked = word[6 * at +: 6];
  endfunction

  reg       first_odd1, first1, last1, x1, y1;
  reg [2:0] slot_first1, slot_second1;
  wire [5:0] soft_first = picked(first_odd1 ? odd_softs : even_softs, slot_first1);
  wire [5:0] soft_second = picked(first_odd1 ? even_softs : odd_softs, slot_second1);

  always @(posedge clk) begin
    if (!running) begin
      step <= 10'd0;
      phase <= 3'd0;
      running <= symbol_valid;
    end else if (go) begin
      step <= step + 10'd1;
      phase <= phase == period - 3'd1 ? 3'd0 : phase + 3'd1;
      if (last_step) running <= 1'b0;
    end
    if (enable1) begin
      valid1 <= running;
      first_odd1 <= part[0];
      slot_first1 <= slot(place, half_bits);
      slot_second1 <= slot(next_place, half_bits);
      x1 <= send_x;
      y1 <= send_y;
      first1 <= symbol_info[1] && step == 10'd0;
      last1 <= symbol_info[0] && last_step;
    end
    if (enable2) begin
      m_valid <= valid1;
      m_x <= x1 ? soft_first : 6'd0;
      m_y <= !y1 ? 6'd0 : x1 ? soft_second : soft_first;
      m_first <= first1;
      m_last <= last1;
    end
    if (rst) begin
      running <= 1'b0;
      valid1 <= 1'b0;
      m_valid <= 1'b0;
    end
  end

endmodule
