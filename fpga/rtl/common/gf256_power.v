// SPDX-License-Identifier: GPL-3.0-or-later
//
// Times 2^POWER in GF(256) (clause 8.3.3.2.1), with DOWN over 2^POWER. No clock; a few XORs.

`include "coding_facts.vh"

module gf256_power #(
  parameter POWER = 1,
  parameter DOWN = 0
) (
  input  wire [7:0] a,
  output reg  [7:0] product
);

  localparam [7:0] POLYNOMIAL = `FACT_FIELD_POLYNOMIAL;
  localparam [7:0] HALF = {1'b1, POLYNOMIAL[7:1]};   // with the polynomial's leading term, over 2
  integer i;
  always @* begin
    product = a;
    for (i = 0; i < POWER; i = i + 1)
      if (DOWN != 0) product = {1'b0, product[7:1]} ^ (product[0] ? HALF : 8'd0);
      else product = {product[6:0], 1'b0} ^ (product[7] ? POLYNOMIAL : 8'd0);
  end

endmodule
