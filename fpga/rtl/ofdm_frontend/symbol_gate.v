// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lets the 256 samples of ordered symbols through (clause 8.3.2: prefix, then body) and drops everything else. Orders
// are taken one after the other from a FIFO; the first prefix begins at the sample whose time is the order's. Each
// symbol leaves a record once its last sample has gone on. An order whose time has passed, and one that a gap in the
// samples' times cuts, leaves a record that says `lost` and holds the symbol that it begins with; a body that was cut is
// filled up with zeros so that the FFT gets whole blocks.
//
// A phase runs along with all samples, by the increment of the last order; an order may have it be zero at its first
// body's first sample. Samples wait here only for room behind: never a sample that is dropped.
module symbol_gate (
    input wire clk,
    input wire rst,

    input  wire        s_valid,
    output wire        s_ready,
    input  wire [31:0] s_data,
    input  wire [63:0] s_time,
    input  wire        s_has_time,

    input  wire        order_valid,
    output wire        order_taken,
    input  wire [63:0] order_time,
    input  wire [31:0] order_increment,
    input  wire [10:0] order_last_symbol,
    input  wire [ 1:0] order_prefix,       // 8 << this samples
    input  wire        order_restart,
    input  wire [15:0] order_tag,

    output reg         sample_valid,
    output reg  [31:0] sample,
    output reg  [31:0] phase,

    input  wire        bank_free,
    output wire        bank_taken,
    input  wire        record_room,
    output wire        record_valid,
    output wire [93:0] record,       // {holds a bank, lost, end of the order, symbol, tag, time of the body}

    output wire        sample_seen,
    output wire        order_late,
    output wire        order_cut
);
  localparam [1:0] IDLE = 2'd0, PREFIX = 2'd1, BODY = 2'd2, FILL = 2'd3;

  // The sample at hand, with its time.
  reg held, known, held_known, gap;
  reg [31:0] held_data;
  reg [63:0] held_time, next_time;
  wire [63:0] new_time = s_has_time ? s_time : next_time;
  wire go;
  assign s_ready = !held || go;
  assign sample_seen = held && go;

  always @(posedge clk) begin
    if (s_valid && s_ready) begin
      held_data <= s_data;
      held_time <= new_time;
      next_time <= new_time + 64'd1;
      held_known <= known || s_has_time;
      known <= known || s_has_time;
      gap <= known && s_has_time && s_time != next_time;
    end
    if (s_ready) held <= s_valid;
    if (rst) begin
      held <= 1'b0;
      known <= 1'b0;
    end
  end

  // The order at hand.
  reg [1:0] state;
  reg [7:0] place;  // in the prefix downwards, in the body upwards
  reg [10:0] symbol, last_symbol;
  reg [1:0] prefix;
  reg [15:0] tag;
  reg restart;  // still to come
  reg [63:0] body_time;
  reg [31:0] increment, turned;

  wire considered = state == IDLE && held && held_known && order_valid;
  wire starts = considered && order_time == held_time;
  wire late = considered && order_time < held_time;
  wire first = place == 8'd0;
  wire cut = held && gap && (state == PREFIX || (state == BODY && first));
  wire torn = held && gap && state == BODY && !first;
  wire body = held && !gap && state == BODY && (!first || (bank_free && record_room));
  wire feeds = body || state == FILL;
  wire last = feeds && place == 8'd255;
  wire ends = symbol == last_symbol || state == FILL;
  wire at_zero = restart && state == BODY && first;

  assign go = (state == IDLE && !late) || (state == PREFIX && !gap) || body;
  assign order_taken = starts || (late && record_room);
  assign order_late = late && record_room;
  assign order_cut = (cut && record_room) || torn;
  assign bank_taken = body && first;
  assign record_valid = order_late || (cut && record_room) || last;
  assign record = {
    last,
    !last || state == FILL,
    !last || ends,
    late ? 11'd0 : symbol,
    late ? order_tag : tag,
    body_time
  };

  always @(posedge clk) begin
    sample_valid <= feeds;
    sample <= state == FILL ? 32'd0 : held_data;
    phase <= at_zero ? 32'd0 : turned;

    if (sample_seen) turned <= (at_zero ? 32'd0 : turned) + (starts ? order_increment : increment);
    if (body && first) begin
      body_time <= held_time;
      restart <= 1'b0;
    end
    if (starts) begin
      increment <= order_increment;
      last_symbol <= order_last_symbol;
      prefix <= order_prefix;
      tag <= order_tag;
      restart <= order_restart;
      symbol <= 11'd0;
      place <= (8'd8 << order_prefix) - 8'd2;
      state <= PREFIX;
    end else if (cut) begin
      if (record_room) state <= IDLE;
    end else if (torn) begin
      state <= FILL;
    end else if (state == PREFIX && held) begin
      place <= place - 8'd1;
      if (first) begin
        place <= 8'd0;
        state <= BODY;
      end
    end else if (feeds) begin
      place <= place + 8'd1;
      if (last) begin
        symbol <= symbol + 11'd1;
        place <= (8'd8 << prefix) - 8'd1;
        state <= ends ? IDLE : PREFIX;
      end
    end
    if (rst) begin
      sample_valid <= 1'b0;
      state <= IDLE;
      increment <= 32'd0;
      turned <= 32'd0;
    end
  end
endmodule
