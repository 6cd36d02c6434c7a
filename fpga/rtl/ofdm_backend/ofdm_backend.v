// SPDX-License-Identifier: GPL-3.0-or-later
//
// Transmit back end (clause 8.3.2): the used carriers of OFDM symbols in, samples with cyclic prefix out.
//
//   carriers -> scaled by the gain, spread over 256 words -> fft256, inverse -> buffer -> prefix and body
//
// A symbol is a packet of 200 words, carriers -100..-1, 1..100: a shorter one is padded with zeros, a longer one is cut; both
// are counted. The first word of a burst has its time, that of the first sample; the last word of the last symbol ends it.
// Samples: one packet per symbol, prefix 8 << register samples, time with the burst's first, end of burst with its last. sample
// = sum of carriers * gain / 2^16 / 8, halves to even, saturated; saturated samples are counted.
//
// Carriers enter the transform in the order of frequency, which negates every odd sample; the core corrects that. Registers:
// ofdm_backend_registers.h. Latency: 332 cycles from a symbol's last carrier to its first sample.
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
  reg used, at_first, at_last, at_end;  // kind of the place: a carrier, 28, 228, 255
  reg at_work, short, over;
  reg symbol_timed;
  reg [63:0] symbol_time;
  reg [1:0] symbol_prefix;
  reg symbol_ends;
  reg [1:0] banks;  // in use
  wire record_room;
  wire begins = !at_work && !over && s_axis_tvalid && !banks[1] && record_room;
  wire wanted = at_work && used && !short;
  wire feeds = at_work && (!wanted || s_axis_tvalid);
  wire taken = s_axis_tvalid && s_axis_tready;
  wire first_taken = taken && at_first && !over;
  wire last_place = feeds && at_end;
  wire bad_length = wanted && taken && s_axis_tlast != at_last;
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
    if (feeds) begin
      place <= place + 8'd1;
      used <= (place >= 8'd27 && place <= 8'd126) || (place >= 8'd128 && place <= 8'd227);
      at_first <= place == 8'd27;
      at_last <= place == 8'd227;
      at_end <= place == 8'd254;
    end
    if (last_place) at_work <= 1'b0;
    if (first_taken) begin
      symbol_timed <= s_axis_thas_time;
      symbol_time <= s_axis_ttimestamp;
    end
    if (taken && s_axis_tlast) symbol_ends <= s_axis_teob;
    if (wanted && taken) begin
      short <= s_axis_tlast;
      over <= at_last && !s_axis_tlast;
    end
    if (over && taken && s_axis_tlast) over <= 1'b0;
    if (rst) begin
      feed_valid <= 1'b0;
      at_work <= 1'b0;
      over <= 1'b0;
      short <= 1'b0;
      {used, at_first, at_last, at_end} <= 4'd0;
    end
  end
  // A symbol's record is complete after its last word, even if it was too long.
  reg closing;
  wire record_valid = closing && !over;
  always @(posedge clk) closing <= !rst && (last_place || (closing && over));

  // ---- gain: two bits below the carrier's last one are kept ----
  reg scaled_valid, whole_valid, product_valid, round_valid;
  reg signed [32:0] product_re, product_im;
  reg signed [15:0] factor_re, factor_im;
  reg signed [17:0] factor;
  reg signed [18:0] whole_re, whole_im, scaled_re, scaled_im;
  reg up_re, up_im;
  always @(posedge clk) begin
    factor <= {1'b0, gain};
    factor_re <= feed_re;
    factor_im <= feed_im;
    product_re <= factor_re * factor;
    product_im <= factor_im * factor;
    whole_re <= product_re[32:14];
    whole_im <= product_im[32:14];
    up_re <= product_re[13] && (product_re[12:0] != 0 || product_re[14]);
    up_im <= product_im[13] && (product_im[12:0] != 0 || product_im[14]);
    scaled_re <= whole_re + {18'd0, up_re};
    scaled_im <= whole_im + {18'd0, up_im};
    {scaled_valid, whole_valid, round_valid, product_valid} <= rst ? 4'd0 : {whole_valid, round_valid, product_valid, feed_valid};
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

  // ---- turned, rounded, saturated, one cycle each; stored ----
  reg [7:0] written;
  reg write_bank;
  wire [7:0] sample_place = {
    written[0], written[1], written[2], written[3], written[4], written[5], written[6], written[7]
  };

  // Negated if `odd`: -(value) is ~value + 1 in the lowest bit, with which halves stay halves.
  function [26:0] turned(input [26:0] value, input odd);
    turned = (odd ? ~value : value) + {26'd0, odd};
  endfunction

  function [21:0] rounded(input [26:0] value);
    rounded = value[26:5] + {21'd0, value[4] && (value[3:0] != 4'd0 || value[5])};
  endfunction

  // {saturated, value}
  function [16:0] fitted(input [21:0] value);
    fitted = value[21:15] == {7{value[21]}} ? {1'b0, value[15:0]} : {1'b1, value[21], {15{!value[21]}}};
  endfunction

  reg [26:0] turned_re, turned_im;
  reg [21:0] rounded_re, rounded_im;
  reg [16:0] fitted_re, fitted_im;
  // Delayed with the sample: its bank and place, the symbol's last or not.
  reg [9:0] turned_to, rounded_to, fitted_to;
  reg turned_valid, rounded_valid, fitted_valid;
  reg [31:0] memory[0:511];
  always @(posedge clk) begin
    turned_re <= turned(sample_re, sample_place[0]);
    turned_im <= turned(sample_im, sample_place[0]);
    rounded_re <= rounded(turned_re);
    rounded_im <= rounded(turned_im);
    fitted_re <= fitted(rounded_re);
    fitted_im <= fitted(rounded_im);
    {fitted_to, rounded_to, turned_to} <= {rounded_to, turned_to, written == 8'd255, write_bank, sample_place};
    {fitted_valid, rounded_valid, turned_valid} <= rst ? 3'd0 : {rounded_valid, turned_valid, sample_valid};
    if (fitted_valid) memory[fitted_to[8:0]] <= {fitted_re[15:0], fitted_im[15:0]};
    if (sample_valid) begin
      written <= written + 8'd1;
      if (written == 8'd255) write_bank <= !write_bank;
    end
    if (rst) begin
      written <= 8'd0;
      write_bank <= 1'b0;
    end
  end
  wire filled = fitted_valid && fitted_to[9];

  // ---- output of prefix and body ---
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
  reg in_body, at_close;  // the body's last sample is next
  reg [63:0] first_time;
  reg read_valid, read_last, read_timed;
  reg [31:0] read;
  wire advance = !m_axis_tvalid || m_axis_tready;
  wire empty = !read_valid && !m_axis_tvalid;
  wire all_read = reading && advance && at_close;
  assign begins_symbol = ready_valid && waiting != 2'd0 && !reading && empty;
  assign m_axis_ttimestamp = first_time;
  assign m_axis_teob = m_axis_tlast && ends;

  always @(posedge clk) begin
    if (begins_symbol) begin
      {ends, timed} <= ready_record[67:66];
      first_time <= ready_record[63:0];
      read_place <= 8'd0 - (8'd8 << ready_record[65:64]);
      in_body <= 1'b0;
      at_close <= 1'b0;
      reading <= 1'b1;
    end else if (reading && advance) begin
      read_place <= read_place + 8'd1;
      timed <= 1'b0;
      if (read_place == 8'd255) in_body <= 1'b1;
      at_close <= in_body && read_place == 8'd254;
      if (all_read) reading <= 1'b0;
    end
    if (advance) begin
      read <= memory[{read_bank, read_place}];
      read_valid <= reading;
      read_last <= at_close;
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
  reg one_symbol, one_saturated, one_bad;
  ctrlport_registers #(.ID("OFTX"), .VERSION(32'h00010000), .COUNT(5)) registers (
      .clk(clk), .rst(rst), .request(s_ctrlport_req_wr || s_ctrlport_req_rd), .address(s_ctrlport_req_addr),
      .values({16'd0, bad_lengths, saturated, symbols, 15'd0, gain, 30'd0, prefix}),
      .acknowledge(s_ctrlport_resp_ack), .data(s_ctrlport_resp_data));
  always @(posedge clk) begin
    one_symbol <= all_read;
    one_saturated <= fitted_valid && (fitted_re[16] || fitted_im[16]);
    one_bad <= bad_length;
    symbols <= symbols + {31'd0, one_symbol};
    saturated <= saturated + {31'd0, one_saturated};
    bad_lengths <= bad_lengths + {15'd0, one_bad};
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
      {one_symbol, one_saturated, one_bad} <= 3'd0;
    end
  end
endmodule
