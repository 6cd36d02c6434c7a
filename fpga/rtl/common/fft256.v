// SPDX-License-Identifier: GPL-3.0-or-later
//
// 256-point FFT, radix-2^2 single-path delay feedback, not normalised: X[k] = sum of x[n] exp(-j 2 pi n k / 256). Words
// in natural order in, carriers in bit-reversed order out. Every butterfly adds a bit and nothing is scaled away;
// rounding happens in the three multiplications alone, at the weight of the input's lowest bit, so that a few zero bits below
// the samples move the noise there. With |x| <= 2^17.5 nothing overflows. Inverse: real and imaginary part swapped at both
// ends.
//
// One word per cycle, no stalls; a block is output even if no other follows. The last carrier of a block is output at most 294
// cycles after its last input word. 24 multipliers of 18 bits.
module fft256 (
    input  wire               clk,
    input  wire               rst,
    input  wire               in_valid,
    input  wire signed [18:0] in_re,
    input  wire signed [18:0] in_im,
    output reg                out_valid,
    output reg signed  [26:0] out_re,
    output reg signed  [26:0] out_im
);
  wire valid_1, valid_2, valid_3, valid_4, valid_5, valid_6, valid_7, valid_8, valid_9, valid_10, valid_11;
  wire signed [19:0] re_1, im_1;
  wire signed [20:0] re_2, im_2, re_3, im_3;
  wire signed [21:0] re_4, im_4;
  wire signed [22:0] re_5, im_5, re_6, im_6;
  wire signed [23:0] re_7, im_7;
  wire signed [24:0] re_8, im_8, re_9, im_9;
  wire signed [25:0] re_10, im_10;
  wire signed [26:0] re_11, im_11;

  fft_stage #(19, 7, 0) stage_128 (clk, rst, in_valid, in_re, in_im, valid_1, re_1, im_1);
  fft_stage #(20, 6, 1) stage_64 (clk, rst, valid_1, re_1, im_1, valid_2, re_2, im_2);
  fft_twiddle #(21, 8) twiddle_256 (clk, rst, valid_2, re_2, im_2, valid_3, re_3, im_3);
  fft_stage #(21, 5, 0) stage_32 (clk, rst, valid_3, re_3, im_3, valid_4, re_4, im_4);
  fft_stage #(22, 4, 1) stage_16 (clk, rst, valid_4, re_4, im_4, valid_5, re_5, im_5);
  fft_twiddle #(23, 6) twiddle_64 (clk, rst, valid_5, re_5, im_5, valid_6, re_6, im_6);
  fft_stage #(23, 3, 0) stage_8 (clk, rst, valid_6, re_6, im_6, valid_7, re_7, im_7);
  fft_stage #(24, 2, 1) stage_4 (clk, rst, valid_7, re_7, im_7, valid_8, re_8, im_8);
  fft_twiddle #(25, 4) twiddle_16 (clk, rst, valid_8, re_8, im_8, valid_9, re_9, im_9);
  fft_stage #(25, 1, 0) stage_2 (clk, rst, valid_9, re_9, im_9, valid_10, re_10, im_10);
  fft_stage #(26, 0, 1) stage_1 (clk, rst, valid_10, re_10, im_10, valid_11, re_11, im_11);

  // The twiddle tables compensate the signs and turns of a pair's parts; those of the last pair are compensated here.
  reg [1:0] part;
  wire [26:0] turned_re = part == 2'd3 ? im_11 : part == 2'd0 ? re_11 : ~re_11;
  wire [26:0] turned_im = part == 2'd3 ? ~re_11 : part == 2'd0 ? im_11 : ~im_11;
  always @(posedge clk) begin
    out_re <= turned_re + {26'd0, part[0] ^ part[1]};
    out_im <= turned_im + {26'd0, part != 2'd0};
    out_valid <= valid_11 && !rst;
    if (rst) part <= 2'd0;
    else if (valid_11) part <= part + 2'd1;
  end
endmodule
