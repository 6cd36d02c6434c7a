// SPDX-License-Identifier: GPL-3.0-or-later
//
// Transmit back end (clause 8.3.2): the used carriers of OFDM symbols in, samples with cyclic prefix out.
//
//   carriers -> scaled by the gain, spread over 256 words -> fft256, inverse -> buffer -> prefix and body
//
// A symbol is a packet of 200 words, carriers -100..-1, 1..100: of a shorter one the rest is zero, of a longer one it is
// dropped; either is counted. The first word of a burst has its time, that of the first sample; the last word of the last symbol ends
// it. Samples: a packet a symbol, prefix 8 << register samples, time with the burst's first, end of burst with its
// last. sample = sum of carriers * gain / 2^16 / 8, halves to even, saturated; saturated samples are counted.
//
// Carriers go into the transform in the order of frequency, so every odd sample comes out negated, which is mended.
// Registers: ofdm_backend_registers.h. Latency: 315 cycles from a symbol's last carrier to its first sample.
module ofdm_backend (
    input wire clk,
    input wire rst,

    input  wire        s_axis_tvalid,
    output wire        s_axis_tready,
    input  wire [31:0] s_axis_tdata,
    input  wire        s_axis_tlast,
    input  wire [63:0] s_axis_ttimestamp,
    input  wire        s_axis_thas_time,
    input  wire        s_axis_teob,

    output reg         m_axis_tvalid,
    input  wire        m_axis_tready,
    output reg  [31:0] m_axis_tdata,
    output reg         m_axis_tlast,
    output wire [63:0] m_axis_ttimestamp,
    output reg         m_axis_thas_time,
    output wire        m_axis_teob,

    input  wire        s_ctrlport_req_wr,
    input  wire        s_ctrlport_req_rd,
    input  wire [19:0] s_ctrlport_req_addr,
    input  wire [31:0] s_ctrlport_req_data,
    output wire        s_ctrlport_resp_ack,
    output wire [31:0] s_ctrlport_resp_data
);
  reg [ 1:0] prefix;
  reg [16:0] gain;

  // ---- carriers into their places ----
  reg [7:0] place;  // 28..127: -100..-1, 129..228: 1..100
  reg at_work, short, over;
  reg symbol_timed;
  reg [63:0] symbol_time;
  reg [1:0] symbol_prefix;
  reg symbol_ends;
  reg [1:0] banks;  // in use
  wire record_room;
  wire used = (place >= 8'd28 && place <= 8'd127) || (place >= 8'd129 && place <= 8'd228);
  wire begins = !at_work && !over && s_axis_tvalid && !banks[1] && record_room;
  wire wanted = at_work && used && !short;
  wire feeds = at_work && (!wanted || s_axis_tvalid);
  wire taken = s_axis_tvalid && s_axis_tready;
  wire first_taken = taken && place == 8'd28 && !over;
  wire last_place = feeds && place == 8'd255;
  wire bad_length = wanted && taken && s_axis_tlast != (place == 8'd228);
  assign s_axis_tready = wanted || over;

  reg feed_valid;
  reg signed [15:0] feed_re, feed_im;
  always @(posedge clk) begin
    feed_valid <= feeds;
    feed_re <= wanted ? s_axis_tdata[31:16] : 16'd0;
    feed_im <= wanted ? s_axis_tdata[15:0] : 16'd0;
    if (begins) begin
      at_work <= 1'b1;
      place <= 8'd0;
      symbol_prefix <= prefix;
      symbol_ends <= 1'b0;
      short <= 1'b0;
    end
    if (feeds) place <= place + 8'd1;
    if (last_place) at_work <= 1'b0;
    if (first_taken) begin
      symbol_timed <= s_axis_thas_time;
      symbol_time <= s_axis_ttimestamp;
    end
    if (taken && s_axis_tlast) symbol_ends <= s_axis_teob;
    if (wanted && taken) begin
      short <= s_axis_tlast;
      over <= place == 8'd228 && !s_axis_tlast;
    end
    if (over && taken && s_axis_tlast) over <= 1'b0;
    if (rst) begin
      feed_valid <= 1'b0;
      at_work <= 1'b0;
      over <= 1'b0;
      short <= 1'b0;
    end
  end
  // A symbol's record is complete once its last word is in, were it too long.
  reg closing;
  wire record_valid = closing && !over;
  always @(posedge clk) closing <= !rst && (last_place || (closing && over));

  // ---- gain: two bits below the carrier's last one are kept ----
  reg scaled_valid, product_valid, round_valid;
  reg signed [32:0] product_re, product_im;
  reg signed [15:0] factor_re, factor_im;
  reg signed [17:0] factor;
  reg signed [18:0] scaled_re, scaled_im;
  wire up_re = product_re[13] && (product_re[12:0] != 0 || product_re[14]);
  wire up_im = product_im[13] && (product_im[12:0] != 0 || product_im[14]);
  always @(posedge clk) begin
    factor <= {1'b0, gain};
    factor_re <= feed_re;
    factor_im <= feed_im;
    product_re <= factor_re * factor;
    product_im <= factor_im * factor;
    scaled_re <= product_re[32:14] + {18'd0, up_re};
    scaled_im <= product_im[32:14] + {18'd0, up_im};
    {scaled_valid, round_valid, product_valid} <= rst ? 3'd0 : {round_valid, product_valid, feed_valid};
  end

  wire sample_valid;
  wire signed [26:0] sample_re, sample_im;
  fft256 fft (
      .clk(clk),
      .rst(rst),
      .in_valid(scaled_valid),
      .in_re(scaled_im),
      .in_im(scaled_re),
      .out_valid(sample_valid),
      .out_re(sample_im),
      .out_im(sample_re)
  );

  // ---- rounded, saturated, into the buffer ----
  reg [7:0] written;
  reg write_bank, rounded_valid, rounded_bank, rounded_last;
  reg [7:0] rounded_place;
  reg [16:0] rounded;  // saturated, re; im beside it
  reg [15:0] rounded_im;
  wire [7:0] sample_place = {
    written[0], written[1], written[2], written[3], written[4], written[5], written[6], written[7]
  };

  // {saturated, value / 32}, negated where `odd`
  function [16:0] shortened(input [26:0] value, input odd);
    reg [26:0] right;
    reg [21:0] whole;
    begin
      right = odd ? ~value : value;
      // -(value) is ~value + 1 in the lowest bit: with it halves stay halves.
      right = right + {26'd0, odd};
      whole = right[26:5] + {21'd0, right[4] && (right[3:0] != 4'd0 || right[5])};
      shortened = whole[21:15] == {7{whole[21]}} ? {1'b0, whole[15:0]} : {1'b1, whole[21], {15{!whole[21]}}};
    end
  endfunction

  wire [16:0] short_re = shortened(sample_re, sample_place[0]);
  wire [16:0] short_im = shortened(sample_im, sample_place[0]);
  reg [31:0] memory[0:511];
  always @(posedge clk) begin
    rounded_valid <= sample_valid && !rst;
    rounded <= {short_re[16] || short_im[16], short_re[15:0]};
    rounded_im <= short_im[15:0];
    rounded_place <= sample_place;
    rounded_bank <= write_bank;
    rounded_last <= written == 8'd255;
    if (rounded_valid) memory[{rounded_bank, rounded_place}] <= {rounded[15:0], rounded_im};
    if (sample_valid) begin
      written <= written + 8'd1;
      if (written == 8'd255) write_bank <= !write_bank;
    end
    if (rst) begin
      written <= 8'd0;
      write_bank <= 1'b0;
    end
  end
  wire filled = rounded_valid && rounded_last;

  // ---- prefix and body out of it ----
  wire ready_valid;
  wire [67:0] ready_record;
  wire begins_symbol;
  sync_fifo #(
      .WIDTH(68),
      .DEPTH_LOG2(2)
  ) record_fifo (
      .clk(clk),
      .rst(rst),
      .s_axis_tdata({symbol_ends, symbol_timed, symbol_prefix, symbol_time}),
      .s_axis_tvalid(record_valid),
      .s_axis_tready(record_room),
      .m_axis_tdata(ready_record),
      .m_axis_tvalid(ready_valid),
      .m_axis_tready(begins_symbol)
  );
  reg reading, read_bank, ends;
  reg timed;  // the next sample to be read
  reg [1:0] waiting;  // symbols
  reg [7:0] read_place;
  reg in_body;
  reg [63:0] first_time;
  reg read_valid, read_last, read_timed;
  reg [31:0] read;
  wire advance = !m_axis_tvalid || m_axis_tready;
  wire empty = !read_valid && !m_axis_tvalid;
  wire all_read = reading && advance && in_body && read_place == 8'd255;
  assign begins_symbol = ready_valid && waiting != 2'd0 && !reading && empty;
  assign m_axis_ttimestamp = first_time;
  assign m_axis_teob = m_axis_tlast && ends;

  always @(posedge clk) begin
    if (begins_symbol) begin
      {ends, timed} <= ready_record[67:66];
      first_time <= ready_record[63:0];
      read_place <= 8'd0 - (8'd8 << ready_record[65:64]);
      in_body <= 1'b0;
      reading <= 1'b1;
    end else if (reading && advance) begin
      read_place <= read_place + 8'd1;
      timed <= 1'b0;
      if (read_place == 8'd255) in_body <= 1'b1;
      if (all_read) reading <= 1'b0;
    end
    if (advance) begin
      read <= memory[{read_bank, read_place}];
      read_valid <= reading;
      read_last <= in_body && read_place == 8'd255;
      read_timed <= timed;
      m_axis_tvalid <= read_valid;
      m_axis_tdata <= read;
      m_axis_tlast <= read_last;
      m_axis_thas_time <= read_timed;
    end
    if (all_read) read_bank <= !read_bank;
    waiting <= waiting + {1'b0, filled} - {1'b0, all_read};
    banks <= banks + {1'b0, begins} - {1'b0, all_read};
    if (rst) begin
      reading <= 1'b0;
      read_bank <= 1'b0;
      read_valid <= 1'b0;
      m_axis_tvalid <= 1'b0;
      waiting <= 2'd0;
      banks <= 2'd0;
    end
  end

  // ---- registers ----
  reg [31:0] symbols, saturated;
  reg [15:0] bad_lengths;
  ctrlport_registers #(.ID("OFTX"), .VERSION(32'h00010000), .COUNT(5)) registers (
      .clk(clk), .rst(rst), .request(s_ctrlport_req_wr || s_ctrlport_req_rd), .address(s_ctrlport_req_addr),
      .values({16'd0, bad_lengths, saturated, symbols, 15'd0, gain, 30'd0, prefix}),
      .acknowledge(s_ctrlport_resp_ack), .data(s_ctrlport_resp_data));
  always @(posedge clk) begin
    symbols <= symbols + {31'd0, all_read};
    saturated <= saturated + {31'd0, rounded_valid && rounded[16]};
    bad_lengths <= bad_lengths + {15'd0, bad_length};
    if (s_ctrlport_req_wr) begin
      case (s_ctrlport_req_addr)
        20'h08: prefix <= s_ctrlport_req_data[1:0];
        20'h0c: gain <= s_ctrlport_req_data[31:16] != 16'd0 ? 17'h10000 : s_ctrlport_req_data[16:0];
        default: ;
      endcase
    end
    if (rst) begin
      prefix <= 2'd2;
      gain <= 17'd37073;
      symbols <= 32'd0;
      saturated <= 32'd0;
      bad_lengths <= 16'd0;
    end
  end
endmodule
