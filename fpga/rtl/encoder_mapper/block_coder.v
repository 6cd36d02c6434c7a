// SPDX-License-Identifier: GPL-3.0-or-later
//
// Second stage of encoder_mapper: a block's bytes through the convolutional code (K = 7, generators 171 and 133 octal,
// punctured, clause 8.3.3.2.1) and the interleaver (clause 8.3.3.3) into labels. One trellis step per clock: 8 N clocks and
//three per block, 963 for 64-QAM 3/4. A burst is one code word.
//
// Two bits of one step are in an even and an odd part of the band (interleaver_walk), which have separate memories.

`include "coding_facts.vh"

module block_coder (
    input  wire        clk,
    input  wire        rst,
    input  wire        block_valid,
    input  wire [6:0]  block_info,
    output wire        block_release,
    output reg  [6:0]  block_address,
    input  wire [7:0]  block_byte,    // one clock after its address
    // Labels of a symbol, first bit in [0]; the reader returns them.
    output wire        symbol_valid,
    output wire [6:0]  symbol_info,
    input  wire        symbol_release,
    input  wire [3:0]  read_part,
    input  wire [3:0]  read_carrier,
    output wire [5:0]  read_label
);
  localparam [27:0] CARRIER_BITS = `FACT_CARRIER_BITS;
  localparam [55:0] RS_N = `FACT_RS_N;
  localparam [13:0] INNER = `FACT_INNER;
  localparam [63:0] SENT = `FACT_SENT;
  localparam [15:0] PERIOD = `FACT_PERIOD;

  localparam [1:0] IDLE = 2'd0, FETCH = 2'd1, LOAD = 2'd2, RUN = 2'd3;

  reg [1:0] state;
  reg [1:0] full;
  reg       write_half, read_half;
  reg [6:0] info [0:1];
  assign symbol_valid = full[read_half];
  assign symbol_info = info[read_half];

  // Properties of the block's rate, while it is coded.
  wire [2:0] rate = block_info[6:4];
  wire [1:0] inner = INNER[2 * rate +: 2];
  reg  [2:0] label_bits, last_phase;
  reg  [6:0] bytes;
  reg  [9:0] sent;
  always @(posedge clk)
    if (state == FETCH) begin
      label_bits <= CARRIER_BITS[4 * rate +: 3];
      bytes <= RS_N[8 * rate +: 7];
      sent <= SENT[16 * inner +: 10];
      last_phase <= PERIOD[4 * inner +: 3] - 3'd1;
    end

  // ---- trellis ----
  reg [7:0] byte_now;
  reg [2:0] bit_index;
  reg [5:0] memory;        // newest in [0]
  reg [2:0] phase;
  wire bit_now = byte_now[7];
  wire x = bit_now ^ memory[0] ^ memory[1] ^ memory[2] ^ memory[5];
  wire y = bit_now ^ memory[1] ^ memory[2] ^ memory[4] ^ memory[5];
  wire send_x = sent[{phase, 1'b0}];
  wire send_y = sent[{phase, 1'b1}];
  wire run = state == RUN;
  wire last_bit = run && bit_index == 3'd7 && block_address == bytes;

  // ---- place of the next two coded bits ----
  wire one = run && (send_x || send_y);
  wire two = run && send_x && send_y;
  wire [3:0] part, carrier, next_carrier;
  wire [2:0] place, next_pair, next_place;
  interleaver_walk walk (
      .clk(clk), .start(state == IDLE), .label_bits(label_bits), .one(one), .two(two),
      .part(part), .carrier(carrier), .place(place),
      .next_pair(next_pair), .next_carrier(next_carrier), .next_place(next_place));

  // ---- memories: [half, part / 2, carrier]; their input, and that they are full, one clock later ----
  wire first_bit = send_x ? x : y;
  wire [7:0] first_at = {write_half, part[3:1], carrier};
  wire [7:0] second_at = {write_half, next_pair, next_carrier};
  reg [5:0] write_even, write_odd;   // lanes
  reg [7:0] even_at, odd_at;
  reg       even_bit, odd_bit, filled, filled_half;
  always @(posedge clk) begin
    write_even <= {5'd0, part[0] ? two : one} << (part[0] ? next_place : place);
    write_odd <= {5'd0, part[0] ? one : two} << (part[0] ? place : next_place);
    even_at <= part[0] ? second_at : first_at;
    odd_at <= part[0] ? first_at : second_at;
    even_bit <= part[0] ? y : first_bit;
    odd_bit <= part[0] ? first_bit : y;
    filled <= last_bit && !rst;
    filled_half <= write_half;
  end

  wire [7:0] read_at = {read_half, read_part[3:1], read_carrier};
  genvar b;
  generate
    for (b = 0; b < 6; b = b + 1) begin : lane
      reg even [0:255];
      reg odd [0:255];
      always @(posedge clk) begin
        if (write_even[b]) even[even_at] <= even_bit;
        if (write_odd[b]) odd[odd_at] <= odd_bit;
      end
      assign read_label[b] = read_part[0] ? odd[read_at] : even[read_at];
    end
  endgenerate

  assign block_release = last_bit;

  always @(posedge clk) begin
    case (state)
      IDLE: begin
        block_address <= 7'd0;
        bit_index <= 3'd0;
        phase <= 3'd0;
        if (block_valid && !full[write_half]) state <= FETCH;
      end
      FETCH: begin
        if (block_info[3]) memory <= 6'd0;
        state <= LOAD;
      end
      LOAD: begin
        byte_now <= block_byte;
        block_address <= 7'd1;
        state <= RUN;
      end
      default: begin
        memory <= {memory[4:0], bit_now};
        bit_index <= bit_index + 3'd1;
        byte_now <= {byte_now[6:0], 1'b0};
        phase <= phase == last_phase ? 3'd0 : phase + 3'd1;
        if (bit_index == 3'd7) begin
          byte_now <= block_byte;
          block_address <= block_address + 7'd1;
        end
        if (last_bit) begin
          state <= IDLE;
          write_half <= ~write_half;
        end
      end
    endcase
    if (last_bit) info[write_half] <= block_info;
    full <= (full | (filled ? 2'd1 << filled_half : 2'd0)) & ~(symbol_release ? 2'd1 << read_half : 2'd0);
    if (symbol_release) read_half <= ~read_half;
    if (rst) begin
      state <= IDLE;
      full <= 2'd0;
      write_half <= 1'b0;
      read_half <= 1'b0;
    end
  end
endmodule
