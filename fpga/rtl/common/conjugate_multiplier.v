// SPDX-License-Identifier: GPL-3.0-or-later
//
// a * conj(b) of complex integers, A and B bits each, exactly. If the imaginary part is used, b_im must not be the most
// negative number. Four multipliers; latency 3 cycles, one per cycle. b_im is negated before it is multiplied, because a DSP48
// can add after its multiplier.
module conjugate_multiplier #(
  parameter A = 18,
  parameter B = 18
) (
  input  wire                clk,
  input  wire signed [A-1:0] a_re,
  input  wire signed [A-1:0] a_im,
  input  wire signed [B-1:0] b_re,
  input  wire signed [B-1:0] b_im,
  output reg  signed [A+B:0] re,
  output reg  signed [A+B:0] im
);

  reg signed [A-1:0]   ar, ai;
  reg signed [B-1:0]   br, bi, minus_bi;
  reg signed [A+B-1:0] rr, ii, ir, ri;

  always @(posedge clk) begin
    ar       <= a_re;
    ai       <= a_im;
    br       <= b_re;
    bi       <= b_im;
    minus_bi <= -b_im;
    rr       <= ar * br;
    ii       <= ai * bi;
    ir       <= ai * br;
    ri       <= ar * minus_bi;
    re       <= {rr[A+B-1], rr} + {ii[A+B-1], ii};
    im       <= {ir[A+B-1], ir} + {ri[A+B-1], ri};
  end

endmodule
