// SPDX-License-Identifier: GPL-3.0-or-later
//
// First stage of encoder_mapper: header and payload words to randomized and Reed-Solomon coded blocks, one per symbol (clauses
//8.3.3.1, 8.3.3.2.1). One byte per clock; a block takes K + 2 T clocks and is in one of two halves of a memory until the next
//stage has read it.
//
// Shortening: leading zeros leave the division's remainder zero. Puncturing: only the first 2 T of the 16 parity bytes are
// output, before the data.

`include "coding_facts.vh"

module burst_blocks (
    input  wire        clk,
    input  wire        rst,
    input  wire [31:0] s_data,
    input  wire        s_end_of_burst,
    input  wire        s_valid,
    output wire        s_ready,
    output wire        burst_begins,      // its first word is taken: the time is read now
    output wire        burst_accepted,    // its header is good
    output wire        burst_refused,
    // A block: its half of the memory and its properties; the reader returns it.
    output wire        block_valid,
    output wire [6:0]  block_info,     // {rate, first of burst, last of burst, uplink, pilot bit}
    input  wire        block_release,
    input  wire [6:0]  read_address,
    output reg  [7:0]  read_byte
);
  localparam [55:0] RS_K = `FACT_RS_K;
  localparam [27:0] RS_T = `FACT_RS_T;
  localparam [63:0] MIDAMBLE_INTERVAL = `FACT_MIDAMBLE_INTERVAL;
  localparam [127:0] GENERATOR = `FACT_RS_GENERATOR;

  localparam [2:0] HEAD = 3'd0, SEED = 3'd1, LENGTH = 3'd2, FILL = 3'd3, PARITY = 3'd4, DRAIN = 3'd5;

  reg [2:0]  state;
  reg [2:0]  rate;
  reg        uplink;
  reg [5:0]  interval, since_midamble;
  reg [10:0] symbols_left;
  reg [14:0] randomizer;
  reg [10:0] pilots;
  reg [17:0] payload_left;
  reg        any_left, first, ended;
  reg        at_end;            // of the data
  reg        last_block;
  reg [6:0]  index;             // of the byte within the data, then of the parity
  reg [31:0] word;
  reg [2:0]  word_bytes;        // bytes left in word
  reg [127:0] parity;           // highest power in [7:0]

  // Two blocks, written and read in turn.
  reg [7:0] memory [0:255];
  reg [6:0] info [0:1];
  reg [1:0] full;
  reg       write_half, read_half;

  // Properties of the rate, from the clock after next on: before the first byte.
  reg [6:0] next_to_last, parity_end;   // index of the data's last byte but one, of the parity's last
  reg [4:0] parity_bytes;
  always @(posedge clk) begin
    next_to_last <= RS_K[8 * rate +: 7] - 7'd2;
    parity_bytes <= {RS_T[4 * rate +: 4], 1'b0};
    parity_end <= {2'd0, RS_T[4 * rate +: 4], 1'b0} - 7'd1;
  end

  // ---- the next byte ----
  wire in_payload = any_left && !(ended && word_bytes == 3'd0);
  wire in_tail = last_block && at_end;
  wire waits = in_payload && !in_tail && word_bytes == 3'd0;
  wire fill = state == FILL && !full[write_half] && !waits;
  wire [7:0] plain = in_payload ? word[31:24] : 8'hff;
  wire [7:0] sequence_byte = randomizer[13:6] ^ randomizer[14:7];
  wire [7:0] data_byte = in_tail ? 8'h00 : plain ^ sequence_byte;
  wire put_parity = state == PARITY;
  wire [7:0] stored = put_parity ? parity[7:0] : data_byte;
  wire [6:0] stored_at = put_parity ? index : index + {2'd0, parity_bytes};

  // ---- words ----
  wire take_payload = state == FILL && word_bytes == 3'd0 && any_left && !ended && !in_tail;
  assign s_ready = state == HEAD || state == SEED || state == LENGTH || state == DRAIN || take_payload;
  wire take = s_valid && s_ready;
  assign burst_begins = take && state == HEAD;

  // ---- the remainder ----
  wire [7:0] feedback = data_byte ^ parity[7:0];
  wire [127:0] divided;
  genvar i;
  generate
    for (i = 0; i < 16; i = i + 1) begin : term
      wire [7:0] product;
      gf256_multiply times (.a(feedback), .b(GENERATOR[8 * i +: 8]), .product(product));
      if (i == 15) begin : last
        assign divided[127:120] = product;
      end else begin : other
        assign divided[8 * i +: 8] = product ^ parity[8 * i + 8 +: 8];
      end
    end
  endgenerate

  // x^11 + x^9 + 1, once, or twice after a midamble.
  function [10:0] pilots_next;
    input [10:0] now;
    pilots_next = {now[9:0], now[8] ^ now[10]};
  endfunction
  wire midamble_follows = interval != 6'd0 && since_midamble == interval - 6'd1;

  wire block_done = (put_parity && index == parity_end) ||
                    (fill && at_end && parity_bytes == 5'd0);
  reg  good;
  wire header_ends = take && state == LENGTH;
  assign burst_accepted = header_ends && good;
  assign burst_refused = (header_ends && !good) || (take && s_end_of_burst && (state == HEAD || state == SEED));

  assign block_valid = full[read_half];
  assign block_info = info[read_half];

  always @(posedge clk) begin
    if (fill || put_parity) memory[{write_half, stored_at}] <= stored;
    read_byte <= memory[{read_half, read_address}];
    if (block_done) info[write_half] <= {rate, first, last_block, uplink, pilots[10]};
  end

  always @(posedge clk) begin
    if (take_payload && take) begin
      word <= s_data;
      word_bytes <= 3'd4;
      ended <= s_end_of_burst;
    end
    if (fill) begin
      parity <= divided;
      index <= index + 7'd1;
      if (!in_tail) randomizer <= {randomizer[6:0], sequence_byte};
      if (in_payload && !in_tail) begin
        word <= {word[23:0], 8'd0};
        word_bytes <= word_bytes - 3'd1;
        payload_left <= payload_left - 18'd1;
        any_left <= payload_left != 18'd1;
      end
      at_end <= index == next_to_last;
      if (at_end) begin
        index <= 7'd0;
        if (parity_bytes != 5'd0) state <= PARITY;
      end
    end
    if (put_parity) begin
      parity <= {8'd0, parity[127:8]};
      index <= index + 7'd1;
    end
    if (block_done) begin
      index <= 7'd0;
      parity <= 128'd0;
      first <= 1'b0;
      symbols_left <= symbols_left - 11'd1;
      since_midamble <= midamble_follows ? 6'd0 : since_midamble + 6'd1;
      pilots <= midamble_follows ? pilots_next(pilots_next(pilots)) : pilots_next(pilots);
      write_half <= ~write_half;
      state <= !last_block ? FILL : ended ? HEAD : DRAIN;
    end
    last_block <= symbols_left == (block_done ? 11'd2 : 11'd1);
    full <= (full | (block_done ? 2'd1 << write_half : 2'd0)) & ~(block_release ? 2'd1 << read_half : 2'd0);
    if (block_release) read_half <= ~read_half;

    if (take)
      case (state)
        HEAD: begin
          rate <= s_data[31:29];
          uplink <= s_data[28];
          interval <= MIDAMBLE_INTERVAL[8 * {s_data[25], s_data[27:26]} +: 6];
          symbols_left <= s_data[10:0];
          good <= s_data[31:29] != 3'd7 && s_data[10:0] != 11'd0;
          state <= SEED;
        end
        SEED: begin
          randomizer <= s_data[30:16];
          pilots <= s_data[10:0];
          state <= LENGTH;
        end
        LENGTH: begin
          payload_left <= s_data[17:0];
          any_left <= s_data[17:0] != 18'd0;
          at_end <= 1'b0;
          ended <= s_end_of_burst;
          word_bytes <= 3'd0;
          index <= 7'd0;
          parity <= 128'd0;
          since_midamble <= 6'd0;
          first <= 1'b1;
          state <= good ? FILL : s_end_of_burst ? HEAD : DRAIN;
        end
        DRAIN: if (s_end_of_burst) state <= HEAD;
        default: ;
      endcase
    // A burst that ends within its header.
    if (take && s_end_of_burst && (state == HEAD || state == SEED)) state <= HEAD;

    if (rst) begin
      state <= HEAD;
      full <= 2'd0;
      write_half <= 1'b0;
      read_half <= 1'b0;
    end
  end
endmodule
