// SPDX-License-Identifier: GPL-3.0-or-later
//
// Second stage of demap_viterbi_rs: the soft bits of a symbol in the order of the coder's output, with zeros for the
// punctured ones (clauses 8.3.3.3, 8.3.3.2.1): one trellis step per clock.

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

  localparam [27:0] CARRIER_BITS = `FACT_CARRIER_BITS;
  localparam [55:0] RS_N = `FACT_RS_N;
  localparam [13:0] INNER = `FACT_INNER;
  localparam [63:0] SENT = `FACT_SENT;
  localparam [15:0] PERIOD = `FACT_PERIOD;

  // Properties of the symbol's rate, from its first step on.
  reg        running;
  wire [2:0] rate = symbol_info[4:2];
  wire [1:0] inner = INNER[2 * rate +: 2];
  reg  [2:0] label_bits, half_bits, period;
  reg  [9:0] sent, end_step;
  reg        first_symbol, last_symbol;
  always @(posedge clk)
    if (!running) begin
      label_bits <= CARRIER_BITS[4 * rate +: 3];
      half_bits <= CARRIER_BITS[4 * rate + 1 +: 2] == 2'd0 ? 3'd1 : {1'b0, CARRIER_BITS[4 * rate + 1 +: 2]};
      sent <= SENT[16 * inner +: 10];
      period <= PERIOD[4 * inner +: 3] - 3'd1;
      end_step <= {RS_N[8 * rate +: 7], 3'd0} - 10'd1;
      {first_symbol, last_symbol} <= symbol_info[1:0];
    end

  reg [9:0] step;
  reg [2:0] phase;
  wire send_x = sent[{phase, 1'b0}];
  wire send_y = sent[{phase, 1'b1}];

  wire enable = m_ready || !m_valid;
  wire go = running && enable;
  wire last_step = step == end_step;
  assign symbol_release = go && last_step;
  assign read_enable = enable;

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
    case (at)
      3'd0: picked = word[5:0];
      3'd1: picked = word[11:6];
      3'd2: picked = word[17:12];
      3'd3: picked = word[23:18];
      3'd4: picked = word[29:24];
      default: picked = word[35:30];
    endcase
  endfunction

  // 1: read; 2: output of the memory; 3: output.
  reg        valid1, first_odd1, first1, last1, x1, y1;
  reg        valid2, first_odd2, first2, last2, x2, y2;
  reg [2:0]  slot_first1, slot_second1, slot_first2, slot_second2;
  reg [35:0] even2, odd2;
  wire [5:0] soft_first = picked(first_odd2 ? odd2 : even2, slot_first2);
  wire [5:0] soft_second = picked(first_odd2 ? even2 : odd2, slot_second2);

  always @(posedge clk) begin
    if (!running) begin
      step <= 10'd0;
      phase <= 3'd0;
      running <= symbol_valid;
    end else if (go) begin
      step <= step + 10'd1;
      phase <= phase == period ? 3'd0 : phase + 3'd1;
      if (last_step) running <= 1'b0;
    end
    if (enable) begin
      valid1 <= running;
      first_odd1 <= part[0];
      slot_first1 <= slot(place, half_bits);
      slot_second1 <= slot(next_place, half_bits);
      x1 <= send_x;
      y1 <= send_y;
      first1 <= first_symbol && step == 10'd0;
      last1 <= last_symbol && last_step;

      {valid2, first_odd2, first2, last2, x2, y2} <= {valid1, first_odd1, first1, last1, x1, y1};
      slot_first2 <= slot_first1;
      slot_second2 <= slot_second1;
      even2 <= even_softs;
      odd2 <= odd_softs;

      m_valid <= valid2;
      m_x <= x2 ? soft_first : 6'd0;
      m_y <= !y2 ? 6'd0 : x2 ? soft_second : soft_first;
      m_first <= first2;
      m_last <= last2;
    end
    if (rst) begin
      running <= 1'b0;
      valid1 <= 1'b0;
      valid2 <= 1'b0;
      m_valid <= 1'b0;
    end
  end

endmodule
