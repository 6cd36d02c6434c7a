// SPDX-License-Identifier: GPL-3.0-or-later
//
// Factor that restores the magnitude of an error after the erasures' locator (clause 8.3.3.2.1), by {punctured parity bytes /
// 4, power of the error}, two clocks later.

module magnitude_factor (
  input  wire       clk,
  input  wire [9:0] address,
  output reg  [7:0] data
);

  reg [7:0] memory [0:1023];
  initial begin
    `include "magnitude_factor.vh"
  end
  reg [7:0] stored;
  always @(posedge clk) begin
    stored <= memory[address];
    data <= stored;
  end

endmodule
