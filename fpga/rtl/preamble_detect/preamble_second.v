// SPDX-License-Identifier: GPL-3.0-or-later
//
// Quadrants of P_2x128; at once.
// The model writes the words (clause 8.3.3.6).
module preamble_second (
  input  wire [6:0] at,
  output wire [1:0] word
);
  reg [1:0] memory [0:127];
  initial begin
    `include "preamble_detect_second.vh"
  end
  assign word = memory[at];
endmodule
