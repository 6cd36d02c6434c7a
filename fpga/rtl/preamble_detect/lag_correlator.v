// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sums of x[n] * conj(x[n - 64]) and of |x[n]|^2 over the 12 hops of 16 samples before the end of each hop. Samples are
// 16 + 16 bits; sums count modulo 2^40, so that a window is the difference of two. 6 DSP48.
// `hop_done` comes 5 cycles behind a hop's last sample, with `correlation_*`, `late` (energy of the window) and `early`
// (the same, 64 samples before) from the cycle after next on, until the next hop.
module lag_correlator (
  input  wire               clk,
  input  wire               rst,
  input  wire        [31:0] sample,
  input  wire               take,
  input  wire               last_of_hop,
  output reg                hop_done,
  output reg signed  [39:0] correlation_re,
  output reg signed  [39:0] correlation_im,
  output reg         [39:0] late,
  output reg         [39:0] early
);

  // The sample of 64 before.
  reg [31:0] line [0:63];
  reg [5:0]  place;
  integer i;
  initial for (i = 0; i < 64; i = i + 1) line[i] = 32'd0;
  reg signed [15:0] x_re, x_im, o_re, o_im;
  reg               v1, v2, v3, h1, h2, h3, h4;

  always @(posedge clk) begin
    if (take) begin
      line[place] <= sample;
      {x_re, x_im} <= sample;
      {o_re, o_im} <= line[place];
    end
    if (rst) place <= 6'd0;
    else if (take) place <= place + 6'd1;
  end

  reg signed [31:0] p_rr, p_ii, p_ir, p_ri, e_rr, e_ii;
  reg signed [32:0] p_re, p_im;
  reg        [31:0] e;
  reg        [39:0] sum_re, sum_im, energy;

  always @(posedge clk) begin
    p_rr <= x_re * o_re;
    p_ii <= x_im * o_im;
    p_ir <= x_im * o_re;
    p_ri <= x_re * o_im;
    e_rr <= x_re * x_re;
    e_ii <= x_im * x_im;
    p_re <= {p_rr[31], p_rr} + {p_ii[31], p_ii};
    p_im <= {p_ir[31], p_ir} - {p_ri[31], p_ri};
    e    <= e_rr + e_ii;
    if (v3) begin
      sum_re <= sum_re + {{7{p_re[32]}}, p_re};
      sum_im <= sum_im + {{7{p_im[32]}}, p_im};
      energy <= energy + {8'd0, e};
    end
    if (rst) begin
      {v1, v2, v3}         <= 3'd0;
      {h1, h2, h3, h4}     <= 4'd0;
      hop_done             <= 1'b0;
      {sum_re, sum_im}     <= 80'd0;
      energy               <= 40'd0;
    end else begin
      {v1, v2, v3}             <= {take, v1, v2};
      {h1, h2, h3, h4}         <= {take && last_of_hop, h1, h2, h3};
      hop_done                 <= h4;
    end
  end

  // Totals of the last 16 hops, and window energies of the last 4.
  reg [119:0] totals [0:15];
  reg [39:0]  lates  [0:3];
  reg [3:0]   hop;
  // Indices have names: in a sum's place Icarus counts beyond the memory's end.
  wire [3:0]   hop_before   = hop + 4'd4;  // 12 hops ago
  wire [1:0]   late_at      = hop[1:0] - 2'd1;
  wire [119:0] total_before = totals[hop_before];

  always @(posedge clk) begin
    if (h4) begin
      totals[hop]    <= {sum_re, sum_im, energy};
      correlation_re <= sum_re - total_before[119:80];
      correlation_im <= sum_im - total_before[79:40];
      late           <= energy - total_before[39:0];
    end
    if (hop_done) begin
      early            <= lates[late_at];
      lates[late_at] <= late;
    end
    if (rst) hop <= 4'd0;
    else if (h4) hop <= hop + 4'd1;
  end

endmodule
