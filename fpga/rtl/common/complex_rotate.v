// SPDX-License-Identifier: GPL-3.0-or-later
//
// (re + j im) * (cosine - j sine), the low DROPPED bits of the products rounded off, halves to even, so that no
// constant is added to the signal. Cosine and sine are Q1.16, 1.0 exact. The result must fit OUT bits: the input needs room for
//the square root of two. With more than 18 bits DROPPED is 16, the maximum.
//
// Each product is one multiplier of 18 bits, or two with a sum after their registers if WIDTH is larger: four or eight in
// total. Latency 5 cycles.
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
  localparam SPLIT = WIDTH > 18;

  reg signed [WIDTH-1:0] re, im;
  reg signed [17:0] c, s;
  always @(posedge clk) begin
    re <= in_re;
    im <= in_im;
    c <= cosine;
    s <= sine;
  end

  // Lower 17 bits as a positive number, or all.
  wire signed [17:0] re_low, im_low;
  reg signed [35:0] rc, is, ic, rs;
  reg signed [36:0] low_re, low_im;
  always @(posedge clk) begin
    rc <= re_low * c;
    is <= im_low * s;
    ic <= im_low * c;
    rs <= re_low * s;
    low_re <= {rc[35], rc} + {is[35], is};
    low_im <= {ic[35], ic} - {rs[35], rs};
  end

  // Upper part of the products, and whether to round up, from the dropped bits.
  reg [OUT-1:0] whole_re, whole_im;
  reg up_re, up_im;
  always @(posedge clk) begin
    up_re <= low_re[DROPPED-1] && (low_re[DROPPED-2:0] != 0 || low_re[DROPPED]);
    up_im <= low_im[DROPPED-1] && (low_im[DROPPED-2:0] != 0 || low_im[DROPPED]);
    out_re <= whole_re + {{(OUT - 1) {1'b0}}, up_re};
    out_im <= whole_im + {{(OUT - 1) {1'b0}}, up_im};
  end

  generate
    if (SPLIT) begin : wide
      localparam UPPER = WIDTH + 2;
      assign re_low = {1'b0, re[16:0]};
      assign im_low = {1'b0, im[16:0]};
      reg signed [UPPER-2:0] high_rc, high_is, high_ic, high_rs;
      reg signed [UPPER-1:0] high_re, high_im;
      wire signed [WIDTH-18:0] re_high = re[WIDTH-1:17];
      wire signed [WIDTH-18:0] im_high = im[WIDTH-1:17];
      wire [UPPER:0] sum_re = {high_re, low_re[16]} + {{(UPPER - 20) {low_re[36]}}, low_re[36:17], 1'b0};
      wire [UPPER:0] sum_im = {high_im, low_im[16]} + {{(UPPER - 20) {low_im[36]}}, low_im[36:17], 1'b0};
      wire unused = &{1'b0, sum_re[UPPER:OUT], sum_im[UPPER:OUT]};
      always @(posedge clk) begin
        high_rc <= re_high * c;
        high_is <= im_high * s;
        high_ic <= im_high * c;
        high_rs <= re_high * s;
        high_re <= {high_rc[UPPER-2], high_rc} + {high_is[UPPER-2], high_is};
        high_im <= {high_ic[UPPER-2], high_ic} - {high_rs[UPPER-2], high_rs};
        whole_re <= sum_re[OUT-1:0];
        whole_im <= sum_im[OUT-1:0];
      end
    end else begin : narrow
      assign re_low = {{(18 - WIDTH) {re[WIDTH-1]}}, re};
      assign im_low = {{(18 - WIDTH) {im[WIDTH-1]}}, im};
      wire unused = &{1'b0, low_re[36:PRODUCT], low_im[36:PRODUCT]};
      always @(posedge clk) begin
        whole_re <= low_re[PRODUCT-1:DROPPED];
        whole_im <= low_im[PRODUCT-1:DROPPED];
      end
    end
  endgenerate

  reg [4:0] valid;
  assign out_valid = valid[4];
  always @(posedge clk) valid <= rst ? 5'b0 : {valid[3:0], in_valid};
endmodule
