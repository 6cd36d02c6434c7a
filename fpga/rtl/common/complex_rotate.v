// SPDX-License-Identifier: GPL-3.0-or-later
//
// (re + j im) * (cosine - j sine), the low DROPPED bits of the products rounded off, halves to even, so that no
// constant is added to the signal. Cosine and sine are Q1.16, 1.0 exact. The result must fit OUT bits: who rotates
// leaves room for the square root of two. Four multipliers; latency 4 cycles.
module complex_rotate #(
    parameter WIDTH = 16,
    parameter DROPPED = 16,
    parameter OUT = 16
) (
    input  wire                    clk,
    input  wire                    rst,
    input  wire                    in_valid,
    input  wire signed [WIDTH-1:0] in_re,
    input  wire signed [WIDTH-1:0] in_im,
    input  wire signed [17:0]      cosine,
    input  wire signed [17:0]      sine,
    output wire                    out_valid,
    output reg signed  [OUT-1:0]   out_re,
    output reg signed  [OUT-1:0]   out_im
);
  localparam PRODUCT = OUT + DROPPED;

  wire [WIDTH+18:0] exact_re, exact_im;
  conjugate_multiplier #(
      .A(WIDTH),
      .B(18)
  ) multiplier (
      .clk(clk),
      .a_re(in_re),
      .a_im(in_im),
      .b_re(cosine),
      .b_im(sine),
      .re(exact_re),
      .im(exact_im)
  );
  wire [PRODUCT-1:0] re = exact_re[PRODUCT-1:0];
  wire [PRODUCT-1:0] im = exact_im[PRODUCT-1:0];
  wire unused = &{1'b0, exact_re[WIDTH+18:PRODUCT], exact_im[WIDTH+18:PRODUCT]};

  reg [3:0] valid;
  wire up_re = re[DROPPED-1] && (re[DROPPED-2:0] != 0 || re[DROPPED]);
  wire up_im = im[DROPPED-1] && (im[DROPPED-2:0] != 0 || im[DROPPED]);
  assign out_valid = valid[3];
  always @(posedge clk) begin
    out_re <= re[PRODUCT-1:DROPPED] + {{(OUT - 1) {1'b0}}, up_re};
    out_im <= im[PRODUCT-1:DROPPED] + {{(OUT - 1) {1'b0}}, up_im};
    valid <= rst ? 4'b0 : {valid[2:0], in_valid};
  end
endmodule
