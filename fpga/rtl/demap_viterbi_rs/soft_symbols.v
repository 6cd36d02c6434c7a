// SPDX-License-Identifier: GPL-3.0-or-later
//
// First stage of demap_viterbi_rs: header and carriers to soft bits (clause 8.3.3.4), two clocks per carrier, one per axis.
// Format of carriers and soft bits: fpga/model/soft_carrier.h. There are four memories, for even and odd parts of the band and
// for both axes. The soft bits of a symbol are in one of their halves until the next stage has read them. Three multipliers.

`include "coding_facts.vh"

module soft_symbols (
  input  wire        clk,
  input  wire        rst,
  input  wire [31:0] s_data,
  input  wire        s_end_of_burst,
  input  wire        s_valid,
  output wire        s_ready,
  output wire        burst_begins,      // its first word is taken: the time is read now
  output wire        burst_accepted,    // its header is good
  output wire        burst_refused,
  output reg  [2:0]  rate,              // of the burst that is accepted
  output reg  [10:0] symbols,
  output reg  [14:0] randomizer,
  // A symbol; the reader returns it.
  output wire        symbol_valid,
  output wire [4:0]  symbol_info,       // {rate, first of burst, last of burst}
  input  wire        symbol_release,
  input  wire        read_enable,
  input  wire [6:0]  even_address,      // {part / 2, carrier}
  input  wire [6:0]  odd_address,
  output reg  [35:0] even_softs,        // six of six bits, the first of the axis I in [5:0], of Q in [23:18]
  output reg  [35:0] odd_softs
);

  localparam [27:0] CARRIER_BITS = `FACT_CARRIER_BITS;
  localparam [63:0] LEVEL_DISTANCE = `FACT_LEVEL_DISTANCE;
  localparam [31:0] SOFT_GAIN = `FACT_SOFT_GAIN;

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

  // ---- the burst's constellation: valid from its first carrier until the fourth stage has finished its last ----
  wire [2:0] bits_next = CARRIER_BITS[4 * rate +: 3];
  reg        wide, widest;              // 16-QAM and more, 64-QAM
  reg [6:0]  gain;
  reg [9:0]  d;
  reg [11:0] d3;
  always @(posedge clk) begin
    if (header_ends) begin
      wide <= bits_next[2];
      widest <= bits_next == 3'd6;
      gain <= SOFT_GAIN[8 * bits_next[2:1] +: 7];
      d <= LEVEL_DISTANCE[16 * bits_next[2:1] +: 10];
    end
    d3 <= {2'd0, d} + {1'b0, d, 1'b0};
  end

  // ---- sidebands of an axis through the stages ----
  localparam STAGES = 8;
  reg [STAGES:1] valid, ends;
  reg [9:0]      where [1:STAGES];      // {half, part, carrier, axis}
  reg [4:0]      info_of [1:STAGES];
  reg [7:0]      weight [1:6];
  wire [31:0]    word = ended ? 32'd0 : s_data;
  integer stage;
  always @(posedge clk) begin
    valid <= {valid[STAGES-1:1], go};
    ends <= {ends[STAGES-1:1], symbol_ends};
    where[1] <= {fill_half, part, carrier, axis};
    info_of[1] <= {rate, first, symbols_left == 11'd1};
    weight[1] <= word[7:0];
    for (stage = 2; stage <= STAGES; stage = stage + 1) begin
      where[stage] <= where[stage - 1];
      info_of[stage] <= info_of[stage - 1];
      if (stage <= 6) weight[stage] <= weight[stage - 1];
    end
    if (rst) begin
      valid <= {STAGES{1'b0}};
      ends <= {STAGES{1'b0}};
    end
  end

  // ---- 1: magnitude of an axis ----
  wire [11:0] x = axis ? word[19:8] : word[31:20];
  reg [11:0]  a1;
  reg         n1;
  always @(posedge clk) begin
    a1 <= x[11] ? -x : x;
    n1 <= x[11];
  end

  // ---- 2 to 5: distances. The first bit's is that to the nearest level of the other half: a, 2 a - d, 3 a - 3 d or
  // 4 a - 6 d, whichever is largest, with bounds at d, 2 d and 3 d. The second bit of 64-QAM is to a - 2 d what the first
  // of 16-QAM is to a; the last bit's is d less that size. ----
  reg signed [12:0] inner2;             // 2 d - a
  reg        [13:0] near2, near3, triple3, quadruple2, quadruple3;
  reg        [11:0] a2, a3, size3, size4;
  reg               n2, n3, n4, far2, far3, farthest2, farthest3, outer3, outer4;
  reg signed [12:0] last4;              // d - size
  reg        [13:0] first4, largest4;   // 2 size - d
  reg        [10:0] gain4, gain5;
  reg               wide4, widest4;
  // verilator lint_off UNUSEDSIGNAL
  wire signed [12:0] last_size = last4 < 0 ? -last4 : last4;     // at most 2048
  // verilator lint_on UNUSEDSIGNAL
  wire [13:0] first_size = last4[12] ? first4 : {2'd0, size4};
  reg [13:0] m0, m1;
  reg [11:0] m2;
  reg [2:0]  n5;
  always @(posedge clk) begin
    inner2 <= $signed({2'd0, d, 1'b0}) - $signed({1'b0, a1});
    near2 <= {1'b0, a1, 1'b0} - {4'd0, d};
    quadruple2 <= {a1, 2'd0} - {1'b0, d3, 1'b0};
    far2 <= a1 > {2'd0, d};
    farthest2 <= a1 > d3;
    a2 <= a1;
    n2 <= n1;

    size3 <= !widest ? a2 : inner2[12] ? -inner2[11:0] : inner2[11:0];
    triple3 <= near2 - {inner2[12], inner2};
    near3 <= near2;
    quadruple3 <= quadruple2;
    a3 <= a2;
    far3 <= far2;
    farthest3 <= farthest2;
    outer3 <= inner2[12];
    n3 <= n2;

    last4 <= $signed({3'd0, d}) - $signed({1'b0, size3});
    first4 <= {1'b0, size3, 1'b0} - {4'd0, d};
    size4 <= size3;
    largest4 <= farthest3 ? quadruple3 : outer3 ? triple3 : far3 ? near3 : {2'd0, a3};
    gain4 <= {4'd0, gain} * {6'd0, 1'b1, weight[3][3:0]};
    wide4 <= wide;
    widest4 <= widest;
    outer4 <= outer3;
    n4 <= n3;

    m0 <= widest4 ? largest4 : wide4 ? first_size : {2'd0, size4};
    m1 <= widest4 ? first_size : {2'd0, last_size[11:0]};
    m2 <= last_size[11:0];
    n5 <= {last4[12], widest4 ? outer4 : last4[12], n4};
    gain5 <= gain4;
  end

  // ---- 6: weighted; 7: scaled; 8: rounded, clamped ----
  reg [21:0] p0, p1, p2;                // at most 2048 * 64 * 31
  reg [6:0]  q0, q1, q2;                // twice the soft bit, [6]: more than fits
  reg [2:0]  n6, n7;
  reg        known7;
  reg [17:0] softs8;
  function [6:0] scaled;
    // verilator lint_off UNUSEDSIGNAL
    input [21:0] product;               // weights are never small enough for its lowest bits
    // verilator lint_on UNUSEDSIGNAL
    input [3:0]  shift;
    reg [15:0] shifted;
    begin
      // verilator lint_off BLKSEQ
      shifted = product[21:6] >> shift;  // a variable of the function: Verilator 5.032 regards it as a register
      // verilator lint_on BLKSEQ
      scaled = {|shifted[15:6], shifted[5:0]};
    end
  endfunction
  function [5:0] soft_bit;
    input [6:0] twice;
    input       minus;
    input       known;
    reg [4:0] magnitude;
    begin
      magnitude = twice[6] || &twice[5:0] ? 5'd31 : twice[5:1] + {4'd0, twice[0]};
      soft_bit = !known ? 6'd0 : minus ? -{1'b0, magnitude} : {1'b0, magnitude};
    end
  endfunction
  always @(posedge clk) begin
    p0 <= {8'd0, m0} * {11'd0, gain5};
    p1 <= {8'd0, m1} * {11'd0, gain5};
    p2 <= {10'd0, m2} * {11'd0, gain5};
    n6 <= n5;

    q0 <= scaled(p0, ~weight[6][7:4]);
    q1 <= scaled(p1, ~weight[6][7:4]);
    q2 <= scaled(p2, ~weight[6][7:4]);
    n7 <= n6;
    known7 <= weight[6] != 8'd0;

    softs8 <= {soft_bit(q2, n7[2], known7), soft_bit(q1, n7[1], known7), soft_bit(q0, n7[0], known7)};
  end

  // ---- memories: [half, part / 2, carrier] ----
  reg [17:0] even_i [0:255];
  reg [17:0] even_q [0:255];
  reg [17:0] odd_i [0:255];
  reg [17:0] odd_q [0:255];
  wire [9:0] of_write = where[STAGES];
  wire [7:0] write_at = {of_write[9], of_write[8:6], of_write[4:1]};
  wire       write_odd = valid[STAGES] && of_write[5];
  wire       write_even = valid[STAGES] && !of_write[5];
  reg        read_half;
  always @(posedge clk) begin
    if (write_even && !of_write[0]) even_i[write_at] <= softs8;
    if (write_even && of_write[0]) even_q[write_at] <= softs8;
    if (write_odd && !of_write[0]) odd_i[write_at] <= softs8;
    if (write_odd && of_write[0]) odd_q[write_at] <= softs8;
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
    if (ends[STAGES]) info[of_write[9]] <= info_of[STAGES];
    full <= (full | (ends[STAGES] ? 2'd1 << of_write[9] : 2'd0)) & ~(symbol_release ? 2'd1 << read_half : 2'd0);
    if (symbol_release) read_half <= ~read_half;
    if (rst) begin
      full <= 2'd0;
      read_half <= 1'b0;
    end
  end

endmodule
