// SPDX-License-Identifier: GPL-3.0-or-later
//
// Quadrants of P_4x64, by steps of four carriers that it is too high, plus 7; one cycle.
// The model writes the words (clause 8.3.3.6).
module preamble_first (
  input  wire       clk,
  input  wire [9:0] at,
  output reg  [1:0] word
);
  (* rom_style = "block" *) reg [1:0] memory [0:1023];
  initial begin
    `include "preamble_detect_first.vh"
  end
  always @(posedge clk) word <= memory[at];
endmodule
