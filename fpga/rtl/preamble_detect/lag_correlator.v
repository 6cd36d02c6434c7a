// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sums of x[n] * conj(x[n - 64]) and of |x[n]|^2 over the 12 hops of 16 samples before the end of each hop. Samples are
// 16 + 16 bits; sums count modulo 2^40, so that a window is the difference of two. Six DSP48 sum one product each; two adders
// after them make the windows, one after the other, and again on request. `hop_done` is 9 cycles after a hop's last sample;
// from then on `value` is the requested window, four cycles after the request.
module lag_correlator (
  input  wire               clk,
  input  wire               rst,
  input  wire        [31:0] sample,
  input  wire               take,
  input  wire               last_of_hop,
  output reg                hop_done,
  input  wire         [1:0] asked,          // LATE, RE, IM, EARLY
  output reg         [39:0] value
);

  // Energy of the window, correlation, energy of the window 64 samples before.
  localparam [1:0] LATE = 2'd0, RE = 2'd1, IM = 2'd2, EARLY = 2'd3;

  // The sample 64 before.
  reg [31:0] line [0:63];
  reg [5:0]  place;
  integer i;
  initial for (i = 0; i < 64; i = i + 1) line[i] = 32'd0;
  reg [31:0] newest, oldest;
  reg        v1, v2, v3, h1, h2, h3, h4;

  always @(posedge clk) begin
    if (take) begin
      line[place] <= sample;
      newest      <= sample;
      oldest      <= line[place];
    end
    if (rst) place <= 6'd0;
    else if (take) place <= place + 6'd1;
  end

  reg signed [15:0] x_re, x_im, o_re, o_im;
  reg signed [31:0] p_rr, p_ii, p_ir, p_ri, e_rr, e_ii;
  reg signed [39:0] sum_rr, sum_ii, sum_ir, sum_ri, energy_rr, energy_ii;

  always @(posedge clk) begin
    {x_re, x_im} <= newest;
    {o_re, o_im} <= oldest;
    p_rr <= x_re * o_re;
    p_ii <= x_im * o_im;
    p_ir <= x_im * o_re;
    p_ri <= x_re * o_im;
    e_rr <= x_re * x_re;
    e_ii <= x_im * x_im;
    if (rst) begin
      {sum_rr, sum_ii}       <= 80'd0;
      {sum_ir, sum_ri}       <= 80'd0;
      {energy_rr, energy_ii} <= 80'd0;
      {v1, v2, v3}           <= 3'd0;
      {h1, h2, h3, h4}       <= 4'd0;
    end else begin
      if (v3) begin
        sum_rr    <= sum_rr + {{8{p_rr[31]}}, p_rr};
        sum_ii    <= sum_ii + {{8{p_ii[31]}}, p_ii};
        sum_ir    <= sum_ir + {{8{p_ir[31]}}, p_ir};
        sum_ri    <= sum_ri + {{8{p_ri[31]}}, p_ri};
        energy_rr <= energy_rr + {{8{e_rr[31]}}, e_rr};
        energy_ii <= energy_ii + {{8{e_ii[31]}}, e_ii};
      end
      {v1, v2, v3}     <= {take, v1, v2};
      {h1, h2, h3, h4} <= {take && last_of_hop, h1, h2, h3};
    end
  end

  // The sums at the hop's end, before the next sample's product.
  reg [39:0] rr, ii, ir, ri, err, eii;
  always @(posedge clk)
    if (h4) begin
      {rr, ii}   <= {sum_rr, sum_ii};
      {ir, ri}   <= {sum_ir, sum_ri};
      {err, eii} <= {energy_rr, energy_ii};
    end

  // Totals of the last 16 hops, and the last energies of windows, negated: row EARLY. First all four are made, then the
  // requested one; its total is output as before.
  reg [39:0] totals [0:63];
  reg [3:0]  hop;
  reg        making;
  reg [1:0]  made;
  reg  [1:0] row;
  reg        makes;
  wire       keep = makes && row == EARLY;      // value is the window's energy
  reg [39:0] a, b;
  reg [39:0] total, newer, older;
  reg [1:0]  total_row;
  reg        keeps;
  always @* begin
    case (row)
      LATE:    a = err;
      RE:      a = rr;
      IM:      a = ir;
      default: a = ~value;
    endcase
    case (row)
      LATE:    b = eii;
      RE:      b = ii;
      IM:      b = ~ri;
      default: b = 40'd0;
    endcase
  end
  // verilator lint_off UNUSEDSIGNAL
  wire [40:0] sum = {a, 1'b1} + {b, row[1]};    // the last bit is for its carry
  // verilator lint_on UNUSEDSIGNAL
  // Indices have names: in a sum's place Icarus counts beyond the memory's end.
  wire [3:0]  hop_before = hop + (total_row == EARLY ? 4'd12 : 4'd4);     // 4 or 12 hops ago

  always @(posedge clk) begin
    row <= making ? made : asked;
    makes <= making;
    total <= row == EARLY && !keep ? 40'd0 : sum[40:1];
    total_row <= row;
    keeps <= row != EARLY || keep;
    if (keeps) totals[{total_row, hop}] <= total;
    newer <= total;
    older <= totals[{total_row, hop_before}];
    value <= newer - older;
    hop_done <= making && made == EARLY;
    made <= making ? made + 2'd1 : LATE;
    making <= h4 || making && made != EARLY;
    if (h4) hop <= hop + 4'd1;
    if (rst) begin
      hop    <= 4'd0;
      making <= 1'b0;
      hop_done <= 1'b0;
    end
  end

endmodule
