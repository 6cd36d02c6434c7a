// SPDX-License-Identifier: GPL-3.0-or-later
//
// First stage of demap_viterbi_rs: header and carriers to soft bits (clause 8.3.3.4), two clocks a carrier, one an axis.
// What a carrier's word holds and what its soft bits are: fpga/model/soft_carrier.h. The soft bits of a symbol lie in
// one of two halves of four memories, for even and odd parts of the band and for both axes, until the next stage has
// read them. Three multipliers.

`include "coding_facts.vh"

module soft_symbols (
  input  wire        clk,
  input  wire        rst,
  input  wire [31:0] s_data,
  input  wire        s_end_of_burst,
  input  wire        s_valid,
  output wire        s_ready,
  output wire        burst_begins,      // its first word is taken: the time is of interest now
  output wire        burst_accepted,    // its header is good
  output wire        burst_refused,
  output reg  [2:0]  rate,              // of the burst that is accepted
  output reg  [10:0] symbols,
  output reg  [14:0] randomizer,
  // A symbol; the reader gives it back.
  output wire        symbol_valid,
  output wire [4:0]  symbol_info,       // {rate, first of burst, last of burst}
  input  wire        symbol_release,
  input  wire        read_enable,
  input  wire [6:0]  even_address,      // {part / 2, carrier}
  input  wire [6:0]  odd_address,
  output reg  [35:0] even_softs,        // six of six bits, the first of the axis I in [5:0], of Q in [23:18]
  output reg  [35:0] odd_softs
);

  localparam [20:0] CARRIER_BITS = `FACT_CARRIER_BITS;
  localparam [39:0] LEVEL_DISTANCE = `FACT_LEVEL_DISTANCE;
  localparam [27:0] SOFT_GAIN = `FACT_SOFT_GAIN;

  localparam [2:0] HEAD = 3'd0, SEED = 3'd1, LENGTH = 3'd2, CARRIERS = 3'd3, DRAIN = 3'd4;

  // ---- words ----
  reg [2:0]  state;
  reg        good, ended, first;
  reg [10:0] symbols_left;
  reg        axis;                      // 0: I
  reg [3:0]  part, carrier;
  reg [1:0]  claimed;                   // halves that are filled or being read
  reg        fill_half;

  wire present = s_valid || ended;
  wire go = state == CARRIERS && present && !claimed[fill_half];
  wire carrier_ends = go && axis;
  wire symbol_ends = carrier_ends && part == 4'd11 && carrier == 4'd15;
  wire burst_ends = symbol_ends && symbols_left == 11'd1;
  assign s_ready = state == HEAD || state == SEED || state == LENGTH || state == DRAIN ||
                   (state == CARRIERS && axis && !ended && !claimed[fill_half]);
  wire take = s_valid && s_ready;
  wire header_ends = take && state == LENGTH;
  assign burst_begins = take && state == HEAD;
  assign burst_accepted = header_ends && good;
  assign burst_refused = (header_ends && !good) || (take && s_end_of_burst && (state == HEAD || state == SEED));

  always @(posedge clk) begin
    if (take)
      case (state)
        HEAD: begin
          rate <= s_data[31:29];
          symbols <= s_data[10:0];
          good <= s_data[31:29] != 3'd7 && s_data[10:0] != 11'd0;
          state <= s_end_of_burst ? HEAD : SEED;
        end
        SEED: begin
          randomizer <= s_data[30:16];
          state <= s_end_of_burst ? HEAD : LENGTH;
        end
        LENGTH: begin
          ended <= s_end_of_burst;
          symbols_left <= symbols;
          first <= 1'b1;
          axis <= 1'b0;
          state <= good ? CARRIERS : s_end_of_burst ? HEAD : DRAIN;
        end
        CARRIERS: ended <= s_end_of_burst;
        DRAIN: if (s_end_of_burst) state <= HEAD;
        default: ;
      endcase
    if (go) axis <= ~axis;
    if (carrier_ends) begin
      carrier <= carrier + 4'd1;
      if (carrier == 4'd15) part <= part == 4'd11 ? 4'd0 : part + 4'd1;
    end
    if (symbol_ends) begin
      first <= 1'b0;
      symbols_left <= symbols_left - 11'd1;
      fill_half <= ~fill_half;
    end
    if (burst_ends) state <= ended || (take && s_end_of_burst) ? HEAD : DRAIN;
    claimed <= (claimed | (symbol_ends ? 2'd1 << fill_half : 2'd0)) & ~(symbol_release ? 2'd1 << read_half : 2'd0);
    if (rst) begin
      state <= HEAD;
      claimed <= 2'd0;
      fill_half <= 1'b0;
      part <= 4'd0;
      carrier <= 4'd0;
    end
  end

  // ---- 1: magnitude and weight of an axis ----
  wire [2:0]  bits = CARRIER_BITS[3 * rate +: 3];
  wire [31:0] word = ended ? 32'd0 : s_data;
  wire [11:0] x = axis ? word[19:8] : word[31:20];
  wire [6:0]  gain = SOFT_GAIN[7 * bits[2:1] +: 7];
  wire [9:0]  d = LEVEL_DISTANCE[10 * bits[2:1] +: 10];
  reg         valid1, valid2, valid3;
  reg [9:0]   where1, where2, where3;   // {half, part, carrier, axis}
  reg [4:0]   info1, info2, info3;
  reg         ends1, ends2, ends3;
  reg [11:0]  a;
  reg         negative;
  reg [10:0]  gain1, gain2;
  reg [3:0]   shift1, shift2, shift3;
  reg         known1, known2, known3;
  always @(posedge clk) begin
    valid1 <= go;
    where1 <= {fill_half, part, carrier, axis};
    info1 <= {rate, first, symbols_left == 11'd1};
    ends1 <= symbol_ends;
    a <= x[11] ? -x : x;
    negative <= x[11];
    gain1 <= {4'd0, gain} * {6'd0, 1'b1, word[3:0]};
    shift1 <= 4'd15 - word[7:4];
    known1 <= word[7:0] != 8'd0;
    if (rst) begin
      valid1 <= 1'b0;
      ends1 <= 1'b0;
    end
  end

  // ---- 2: distances: they are piecewise linear, each from the nearest level of either half ----
  wire signed [15:0] as = $signed({4'd0, a});
  wire signed [15:0] ds = $signed({6'd0, d});
  function signed [15:0] larger;
    input signed [15:0] p;
    input signed [15:0] q;
    larger = p > q ? p : q;
  endfunction
  wire signed [15:0] inner = ((ds <<< 1) - as);
  wire signed [15:0] size = inner < 0 ? -inner : inner;
  wire signed [15:0] near = larger(as, (as <<< 1) - ds);
  wire signed [15:0] far = larger((as <<< 1) + as - ((ds <<< 1) + ds), (as <<< 2) - ((ds <<< 2) + (ds <<< 1)));
  wire signed [15:0] second16 = ds - as;
  wire signed [15:0] third64 = ds - size;
  wire signed [15:0] third = bits == 3'd6 ? third64 : second16;
  // verilator lint_off UNUSEDSIGNAL
  wire signed [15:0] third_size = third < 0 ? -third : third;     // below 2^14, and so are the others
  // verilator lint_on UNUSEDSIGNAL
  reg [13:0] m0, m1, m2;
  reg        n0, n1, n2;
  always @(posedge clk) begin
    valid2 <= valid1;
    where2 <= where1;
    info2 <= info1;
    ends2 <= ends1;
    gain2 <= gain1;
    shift2 <= shift1;
    known2 <= known1;
    n0 <= negative;
    m0 <= {2'd0, a};
    n1 <= third[15];
    m1 <= third_size[13:0];
    n2 <= third[15];
    m2 <= third_size[13:0];
    if (bits[2]) m0 <= near[13:0];
    if (bits == 3'd6) begin
      if (far > near) m0 <= far[13:0];
      n1 <= inner[15];
      m1 <= (size <<< 1) - ds > size ? {size[12:0], 1'b0} - {4'd0, d} : size[13:0];
    end
    if (rst) begin
      valid2 <= 1'b0;
      ends2 <= 1'b0;
    end
  end

  // ---- 3: weighted; 4: rounded, clamped ----
  reg [21:0] p0, p1, p2;                // at most 2048 * 64 * 31
  reg [2:0]  n3;
  always @(posedge clk) begin
    valid3 <= valid2;
    where3 <= where2;
    info3 <= info2;
    ends3 <= ends2;
    shift3 <= shift2;
    known3 <= known2;
    p0 <= {8'd0, m0} * {11'd0, gain2};
    p1 <= {8'd0, m1} * {11'd0, gain2};
    p2 <= {8'd0, m2} * {11'd0, gain2};
    n3 <= {n2, n1, n0};
    if (rst) begin
      valid3 <= 1'b0;
      ends3 <= 1'b0;
    end
  end
  function [5:0] soft_bit;
    // verilator lint_off UNUSEDSIGNAL
    input [21:0] product;               // weights are never so small that its lowest bits count
    // verilator lint_on UNUSEDSIGNAL
    input [3:0]  shift;
    input        minus;
    input        known;
    reg [15:0] shifted;
    reg [4:0]  magnitude;
    begin
      shifted = product[21:6] >> shift;
      magnitude = |shifted[15:6] || &shifted[5:0] ? 5'd31 : shifted[5:1] + {4'd0, shifted[0]};
      soft_bit = !known ? 6'd0 : minus ? -{1'b0, magnitude} : {1'b0, magnitude};
    end
  endfunction
  wire [17:0] axis_softs = {soft_bit(p2, shift3, n3[2], known3), soft_bit(p1, shift3, n3[1], known3), soft_bit(p0, shift3, n3[0], known3)};

  // ---- memories: [half, part / 2, carrier] ----
  reg [17:0] even_i [0:255];
  reg [17:0] even_q [0:255];
  reg [17:0] odd_i [0:255];
  reg [17:0] odd_q [0:255];
  wire [7:0] write_at = {where3[9], where3[8:6], where3[4:1]};
  wire       odd = where3[5];
  reg        read_half;
  always @(posedge clk) begin
    if (valid3 && !odd && !where3[0]) even_i[write_at] <= axis_softs;
    if (valid3 && !odd && where3[0]) even_q[write_at] <= axis_softs;
    if (valid3 && odd && !where3[0]) odd_i[write_at] <= axis_softs;
    if (valid3 && odd && where3[0]) odd_q[write_at] <= axis_softs;
    if (read_enable) begin
      even_softs <= {even_q[{read_half, even_address}], even_i[{read_half, even_address}]};
      odd_softs <= {odd_q[{read_half, odd_address}], odd_i[{read_half, odd_address}]};
    end
  end

  reg [1:0] full;
  reg [4:0] info [0:1];
  assign symbol_valid = full[read_half];
  assign symbol_info = info[read_half];
  always @(posedge clk) begin
    if (ends3) info[where3[9]] <= info3;
    full <= (full | (ends3 ? 2'd1 << where3[9] : 2'd0)) & ~(symbol_release ? 2'd1 << read_half : 2'd0);
    if (symbol_release) read_half <= ~read_half;
    if (rst) begin
      full <= 2'd0;
      read_half <= 1'b0;
    end
  end

endmodule
