// SPDX-License-Identifier: GPL-3.0-or-later
//
// Product in GF(256) over the field polynomial of the outer code (clause 8.3.3.2.1). No clock. With a constant operand it is a
// few XORs.

`include "coding_facts.vh"

module gf256_multiply (
  input  wire [7:0] a,
  input  wire [7:0] b,
  output reg  [7:0] product
);

  reg [7:0] shifted;
  integer i;
  always @* begin
    product = 8'd0;
    shifted = a;
    for (i = 0; i < 8; i = i + 1) begin
      if (b[i]) product = product ^ shifted;
      shifted = {shifted[6:0], 1'b0} ^ (shifted[7] ? `FACT_FIELD_POLYNOMIAL : 8'd0);
    end
  end

endmodule
