// SPDX-License-Identifier: GPL-3.0-or-later
//
// By element of GF(256) its inverse (clause 8.3.3.2.1), two clocks later.

module gf256_inverse (
  input  wire       clk,
  input  wire [7:0] address,
  output reg  [7:0] data
);

  reg [7:0] memory [0:255];
  initial begin
    `include "gf256_inverse.vh"
  end
  reg [7:0] stored;
  always @(posedge clk) begin
    stored <= memory[address];
    data <= stored;
  end

endmodule
