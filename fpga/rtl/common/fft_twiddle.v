// SPDX-License-Identifier: GPL-3.0-or-later
//
// Between two radix-2^2 pairs: the n-th word of a block of 2^LOG2_SIZE times the n-th entry of a table. An entry is cosine and
// sine of the angle by which the word is turned back, each Q1.16 in 18 bits. Latency 7 cycles: a block memory's word is
// registered before it is multiplied.
module fft_twiddle #(
    parameter WIDTH = 21,
    parameter LOG2_SIZE = 8  // 8, 6 or 4
) (
    input  wire                    clk,
    input  wire                    rst,
    input  wire                    in_valid,
    input  wire signed [WIDTH-1:0] in_re,
    input  wire signed [WIDTH-1:0] in_im,
    output wire                    out_valid,
    output wire signed [WIDTH-1:0] out_re,
    output wire signed [WIDTH-1:0] out_im
);
  reg [35:0] memory[0:(1<<LOG2_SIZE)-1];
  generate
    if (LOG2_SIZE == 8) begin : of_256
      initial begin
        `include "fft_twiddle_256.vh"
      end
    end else if (LOG2_SIZE == 6) begin : of_64
      initial begin
        `include "fft_twiddle_64.vh"
      end
    end else begin : of_16
      initial begin
        `include "fft_twiddle_16.vh"
      end
    end
  endgenerate

  reg [LOG2_SIZE-1:0] place;
  reg [35:0] stored, factor;
  reg valid_1, valid;
  reg signed [WIDTH-1:0] re_1, im_1, re, im;
  always @(posedge clk) begin
    stored <= memory[place];
    factor <= stored;
    {re, re_1} <= {re_1, in_re};
    {im, im_1} <= {im_1, in_im};
    {valid, valid_1} <= rst ? 2'd0 : {valid_1, in_valid};
    if (rst) place <= 0;
    else if (in_valid) place <= place + 1'b1;
  end

  complex_rotate #(
      .WIDTH(WIDTH),
      .DROPPED(16),
      .OUT(WIDTH)
  ) rotate (
      .clk(clk),
      .rst(rst),
      .in_valid(valid),
      .in_re(re),
      .in_im(im),
      .cosine(factor[35:18]),
      .sine(factor[17:0]),
      .out_valid(out_valid),
      .out_re(out_re),
      .out_im(out_im)
  );
endmodule
