// SPDX-License-Identifier: GPL-3.0-or-later
//
// Turns samples back by a phase of 2^-32 turns: sample * exp(-j 2 pi phase / 2^32). The phase is rounded to 2^-12 turns
// and looked up in a quarter of a wave (Q1.16, 1.0 exact, so phase 0 changes nothing). Two bits below the sample's are
// kept: 16 bits in, 19 out. Four multipliers; latency 10 cycles.
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
  reg [12:0] step;  // the lowest bit is the rounding's
  reg [9:0] rising_place, falling_place;
  reg [17:0] rising_stored, falling_stored, rising, falling_entry;
  reg [2:0] at_edge;  // begin of the falling quarter: the table's end, 1.0
  reg [5:0] quarters;
  wire [1:0] quarter = quarters[5:4];
  wire [17:0] falling = at_edge[2] ? 18'h10000 : falling_entry;
  wire [17:0] up = quarter[0] ? falling : rising;     // of the sine
  wire [17:0] across = quarter[0] ? rising : falling;  // of the cosine
  reg signed [17:0] cosine, sine;
  reg [4:0] valid;
  reg [159:0] samples;  // delayed like the look-up of their phases

  always @(posedge clk) begin
    step <= phase[31:19] + 13'd1;

    rising_place <= step[10:1];
    falling_place <= 10'd0 - step[10:1];

    rising_stored <= memory[rising_place];
    falling_stored <= memory[falling_place];

    rising <= rising_stored;
    falling_entry <= falling_stored;

    at_edge <= {at_edge[1:0], step[10:1] == 10'd0};
    quarters <= {quarters[3:0], step[12:11]};
    sine <= quarter[1] ? -up : up;
    cosine <= (quarter[1] ^ quarter[0]) ? -across : across;

    samples <= {samples[127:0], in_re, in_im};
    valid <= rst ? 5'd0 : {valid[3:0], in_valid};
  end

  complex_rotate #(
      .WIDTH(16),
      .DROPPED(14),
      .OUT(19)
  ) rotate (
      .clk(clk),
      .rst(rst),
      .in_valid(valid[4]),
      .in_re(samples[159:144]),
      .in_im(samples[143:128]),
      .cosine(cosine),
      .sine(sine),
      .out_valid(out_valid),
      .out_re(out_re),
      .out_im(out_im)
  );
endmodule
