// SPDX-License-Identifier: GPL-3.0-or-later
//
// Add, compare, select of all 64 states in one clock: K = 7, generators 171 and 133 octal (clause 8.3.3.2.1). Costs are soft
// bits against a branch, so the best path's is smallest. They always differ by less than 1024 (6 steps cost at most 372, the
// start is 511), so eleven bits that wrap are enough. A burst begins in state 0, which takes an extra clock.

module viterbi_acs (
  input  wire        clk,
  input  wire        rst,
  input  wire [5:0]  s_x,
  input  wire [5:0]  s_y,
  input  wire        s_first,
  input  wire        s_last,
  input  wire        s_valid,
  output wire        s_ready,
  // Decisions of a step, while m_ready: bit s is set if state s was reached from the odd one of its two predecessors.
  output wire [63:0] m_decisions,
  output wire        m_last,
  output wire        m_valid,
  input  wire        m_ready
);

  localparam [10:0] NOT_START = 11'd511;

  reg [6:0] cost [0:3];                 // of the outputs {X, Y}
  reg       first, last, valid, begun;
  wire      step = valid && m_ready && (!first || begun);
  wire      begins = valid && first && !begun;
  assign s_ready = !valid || step;
  assign m_valid = valid && (!first || begun);
  assign m_last = last;

  function [5:0] against;               // a branch whose bit is `bit_sent`
    input [5:0] value;
    input       bit_sent;
    against = bit_sent == value[5] ? 6'd0 : value[5] ? -value : value;
  endfunction
  integer o;
  always @(posedge clk) begin
    if (s_ready) begin
      valid <= s_valid;
      first <= s_first;
      last <= s_last;
      for (o = 0; o < 4; o = o + 1)
        cost[o] <= {1'b0, against(s_x, o >= 2)} + {1'b0, against(s_y, o == 1 || o == 3)};
    end
    begun <= begins || (begun && !step);
    if (rst) begin
      valid <= 1'b0;
      begun <= 1'b0;
    end
  end

  wire [703:0] metrics;
  genvar j;
  generate
    for (j = 0; j < 32; j = j + 1) begin : butterfly
      localparam [4:0] J = j;
      localparam [1:0] OUTPUTS = {J[4] ^ J[3] ^ J[2], J[3] ^ J[2] ^ J[0]};
      wire [10:0] even = metrics[22 * j +: 11];
      wire [10:0] odd = metrics[22 * j + 11 +: 11];
      wire [10:0] same = {4'd0, cost[OUTPUTS]};
      wire [10:0] other = {4'd0, cost[~OUTPUTS]};
      wire [10:0] even_same = even + same;
      wire [10:0] even_other = even + other;
      wire [10:0] odd_same = odd + same;
      wire [10:0] odd_other = odd + other;
      // verilator lint_off UNUSEDSIGNAL
      wire [10:0] low = odd_other - even_same;      // only the sign is used
      wire [10:0] high = odd_same - even_other;
      // verilator lint_on UNUSEDSIGNAL
      assign m_decisions[j] = low[10];
      assign m_decisions[j + 32] = high[10];
      reg [10:0] at_low, at_high;
      assign metrics[11 * j +: 11] = at_low;
      assign metrics[11 * j + 352 +: 11] = at_high;
      always @(posedge clk)
        if (begins) begin
          at_low <= j == 0 ? 11'd0 : NOT_START;
          at_high <= NOT_START;
        end else if (step) begin
          at_low <= low[10] ? odd_other : even_same;
          at_high <= high[10] ? odd_same : even_other;
        end
    end
  endgenerate

endmodule
