// SPDX-License-Identifier: GPL-3.0-or-later
//
// Passes the 256 samples of ordered symbols (clause 8.3.2: prefix, then body) and drops all others. Orders are taken one after
//the other from a FIFO; the first prefix begins at the sample with the order's time. Each symbol outputs a record after its
//last sample. A late order, and one that a gap in the samples' times cuts, outputs a record with `lost` and its first lost
//symbol. A cut body is filled with zeros, because the FFT needs whole blocks.
//
// A phase advances with all samples, by the increment of the last order; an order may set it to zero at its first body's first
//sample.
//
// The distance to an order is a difference of 64 bits that takes two cycles, and then counts down with the samples. Samples
// therefore wait for up to four cycles when an order becomes the first, or times jump before it begins; otherwise only for room
// at the output.
module symbol_gate (
    input wire clk,
    input wire rst,

    input  wire        s_valid,
    output wire        s_ready,
    input  wire [31:0] s_data,
    input  wire [63:0] s_time,
    input  wire        s_has_time,

    input  wire        order_pending,  // one is available, or will be in the next cycle
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

  // The current sample, with its time.
  reg held, known, held_known, gap;
  reg leap;  // its time was unexpected, and has not been compared since
  reg [31:0] held_data;
  reg [63:0] held_time, next_time;
  wire [63:0] new_time = s_has_time ? s_time : next_time;
  wire go;
  assign s_ready = !held || go;
  assign sample_seen = held && go;
  wire begins_compare;
  wire unexpected = s_time != next_time;

  always @(posedge clk) begin
    if (s_valid && s_ready) begin
      held_data <= s_data;
      held_time <= new_time;
      next_time <= new_time + 64'd1;
      held_known <= known || s_has_time;
      known <= known || s_has_time;
      gap <= known && s_has_time && unexpected;
      leap <= s_has_time && (!known || unexpected);
    end else if (begins_compare) begin
      leap <= 1'b0;
    end
    if (s_ready) held <= s_valid;
    if (rst) begin
      held <= 1'b0;
      leap <= 1'b0;
      known <= 1'b0;
    end
  end

  // The current order.
  reg [1:0] state;
  reg [7:0] place;  // in the prefix downwards, in the body upwards
  reg first, at_end;  // it is 0, 255
  reg [10:0] symbol, last_symbol;
  reg [1:0] prefix;
  reg [15:0] tag;
  reg [63:0] body_time;
  reg final_symbol;

  // Its distance from the current sample: first the difference, then flags.
  reg [64:0] away;
  reg [1:0] compared;
  reg at, past;
  wire fresh = compared[1] && !leap && order_valid;
  assign begins_compare = held && (leap || compared == 2'd0);
  always @(posedge clk) begin
    if (begins_compare || sample_seen) away <= begins_compare ? {1'b0, order_time} - {1'b0, held_time} : away - 65'd1;
    at <= away[64:1] == 64'd0 && away[0] == sample_seen;
    past <= away[64];
    if (begins_compare) compared <= 2'd1;
    else if (compared == 2'd1) compared <= 2'd2;
    if (rst || state != IDLE || !order_valid) compared <= 2'd0;
  end
  // A record that was just output may have taken the last room.
  reg room;
  always @(posedge clk) room <= record_room && !record_valid;

  wire considered = state == IDLE && held && held_known && fresh;
  wire starts = considered && at;
  wire late = considered && past;
  wire cut = held && gap && (state == PREFIX || (state == BODY && first));
  wire torn = held && gap && state == BODY && !first;
  wire body = held && !gap && state == BODY && (!first || (bank_free && room));
  wire feeds = body || state == FILL;
  wire last = feeds && at_end;
  wire ends = final_symbol || state == FILL;

  assign go = (state == IDLE && !(held_known && order_pending && !(fresh && !past))) || (state == PREFIX && !gap) || body;
  assign order_taken = starts || (late && room);
  assign order_late = late && room;
  assign order_cut = (cut && room) || torn;
  assign bank_taken = body && first;
  assign record_valid = order_late || (cut && room) || last;
  assign record = {
    last,
    !last || state == FILL,
    !last || ends,
    late ? 11'd0 : symbol,
    late ? order_tag : tag,
    body_time
  };

  always @(posedge clk) begin
    final_symbol <= symbol == last_symbol;
    if (body && first) body_time <= held_time;
    if (starts) begin
      last_symbol <= order_last_symbol;
      prefix <= order_prefix;
      tag <= order_tag;
      symbol <= 11'd0;
      place <= (8'd8 << order_prefix) - 8'd2;
      first <= 1'b0;
      state <= PREFIX;
    end else if (cut) begin
      if (room) state <= IDLE;
    end else if (torn) begin
      state <= FILL;
    end else if (state == PREFIX && held) begin
      place <= first ? 8'd0 : place - 8'd1;
      first <= place == 8'd1 || first;
      if (first) state <= BODY;
    end else if (feeds) begin
      place <= last ? (8'd8 << prefix) - 8'd1 : place + 8'd1;
      first <= 1'b0;
      at_end <= place == 8'd254;
      if (last) begin
        symbol <= symbol + 11'd1;
        state <= ends ? IDLE : PREFIX;
      end
    end
    if (rst) begin
      state <= IDLE;
      at_end <= 1'b0;
    end
  end

  // A cycle later: the sample, and the phase that advances with all samples.
  reg feeds_1, seen_1, starts_1, body_1, first_1, restart_1;
  reg [31:0] sample_1, increment_1;
  reg restart;  // still to come
  reg [31:0] increment, turned;
  wire at_zero = restart && body_1 && first_1;
  wire [31:0] step = starts_1 ? increment_1 : increment;
  always @(posedge clk) begin
    feeds_1 <= feeds && !rst;
    seen_1 <= sample_seen && !rst;
    starts_1 <= starts && !rst;
    body_1 <= body && !rst;
    first_1 <= first;
    sample_1 <= state == FILL ? 32'd0 : held_data;
    increment_1 <= order_increment;
    restart_1 <= order_restart;

    sample_valid <= feeds_1 && !rst;
    sample <= sample_1;
    phase <= at_zero ? 32'd0 : turned;
    if (seen_1) turned <= (at_zero ? 32'd0 : turned) + step;
    increment <= step;
    if (starts_1) restart <= restart_1;
    else if (body_1 && first_1) restart <= 1'b0;
    if (rst) begin
      increment <= 32'd0;
      turned <= 32'd0;
    end
  end
endmodule
