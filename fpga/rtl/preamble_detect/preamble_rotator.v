// SPDX-License-Identifier: GPL-3.0-or-later
//
// Cosine and sine of 1/512 turns, Q1.15; two cycles.
// The model writes the words (clause 8.3.3.6).
module preamble_rotator (
  input  wire        clk,
  input  wire  [8:0] at,
  output reg  [31:0] word
);
  reg [31:0] memory [0:511];
  initial begin
    `include "preamble_detect_rotator.vh"
  end
  reg [31:0] stored;
  always @(posedge clk) begin
    stored <= memory[at];
    word   <= stored;
  end
endmodule
