// SPDX-License-Identifier: GPL-3.0-or-later
//
// Turns samples back by a phase of 2^-32 turns: sample * exp(-j 2 pi phase / 2^32). The phase is rounded to 2^-12 turns
// and looked up in a quarter of a wave (Q1.16, 1.0 exact, so phase 0 changes nothing). Two bits below the sample's are
// kept: 16 bits in, 19 out. Four multipliers; latency 6 cycles.
module nco (
    input  wire               clk,
    input  wire               rst,
    input  wire               in_valid,
    input  wire signed [15:0] in_re,
    input  wire signed [15:0] in_im,
    input  wire        [31:0] phase,
    output wire               out_valid,
    output wire signed [18:0] out_re,
    output wire signed [18:0] out_im
);
  reg [17:0] memory[0:1023];  // 65536 sin(pi / 2 * n / 1024)
  initial begin
    `include "nco_quarter.vh"
  end

  wire unused = &{1'b0, phase[18:0], step[0]};
  wire [12:0] step = phase[31:19] + 13'd1;  // the lowest bit is the rounding's
  wire [9:0] rising_place = step[10:1];
  wire [9:0] falling_place = ~step[10:1] + 10'd1;

  reg [17:0] rising, falling_entry;
  reg at_edge;  // where the falling quarter begins: the table's end, 1.0
  reg [1:0] quarter;
  reg valid, valid_2;
  reg signed [15:0] re, im, re_2, im_2;
  wire [17:0] falling = at_edge ? 18'h10000 : falling_entry;
  wire [17:0] up = quarter[0] ? falling : rising;     // of the sine
  wire [17:0] across = quarter[0] ? rising : falling;  // of the cosine
  reg signed [17:0] cosine, sine;

  always @(posedge clk) begin
    rising <= memory[rising_place];
    falling_entry <= memory[falling_place];
    at_edge <= rising_place == 10'd0;
    quarter <= step[12:11];
    re <= in_re;
    im <= in_im;
    valid <= in_valid && !rst;

    sine <= quarter[1] ? -up : up;
    cosine <= (quarter[1] ^ quarter[0]) ? -across : across;
    re_2 <= re;
    im_2 <= im;
    valid_2 <= valid && !rst;
  end

  complex_rotate #(
      .WIDTH(16),
      .DROPPED(14),
      .OUT(19)
  ) rotate (
      .clk(clk),
      .rst(rst),
      .in_valid(valid_2),
      .in_re(re_2),
      .in_im(im_2),
      .cosine(cosine),
      .sine(sine),
      .out_valid(out_valid),
      .out_re(out_re),
      .out_im(out_im)
  );
endmodule
