// SPDX-License-Identifier: GPL-3.0-or-later
//
// a * conj(b) of complex integers, 18 bits each, exactly: 37 bits. Latency 3 cycles, one a cycle; 4 DSP48.
module conjugate_multiplier (
  input  wire               clk,
  input  wire signed [17:0] a_re,
  input  wire signed [17:0] a_im,
  input  wire signed [17:0] b_re,
  input  wire signed [17:0] b_im,
  output reg  signed [36:0] re,
  output reg  signed [36:0] im
);

  reg signed [17:0] ar, ai, br, bi;
  reg signed [35:0] rr, ii, ir, ri;

  always @(posedge clk) begin
    ar <= a_re;
    ai <= a_im;
    br <= b_re;
    bi <= b_im;
    rr <= ar * br;
    ii <= ai * bi;
    ir <= ai * br;
    ri <= ar * bi;
    re <= {rr[35], rr} + {ii[35], ii};
    im <= {ir[35], ir} - {ri[35], ri};
  end

endmodule
