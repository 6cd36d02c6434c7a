// SPDX-License-Identifier: GPL-3.0-or-later
//
// Equalized data carriers of a burst to its bytes: soft demapper, deinterleaver, depuncturing, Viterbi decoder,
// Reed-Solomon decoder, derandomizer (clauses 8.3.3.1 to 8.3.3.4). Full band, all seven rates.
//
//   carriers -> soft_symbols -> two symbols -> trellis_steps -> viterbi_acs -> viterbi_trace -> rs_blocks
//            -> payload_words -> words
//
// In: three words of header (fpga/model/burst_header.h), 192 carriers per symbol (soft_carrier.h), teob on the last; tlast is
// ignored. Out: payload, four bytes per word, tlast on each symbol's last; then a word with tlast and teob: failed blocks in
// [31:16], corrected bytes in [15:0]. The first word has the time of the header's first. One trellis step per clock: a symbol
// takes 8 N clocks and a few (README), unless its outer code takes longer.

module demap_viterbi_rs (
  input  wire        clk,
  input  wire        rst,

  input  wire [31:0] s_axis_tdata,
  input  wire        s_axis_tvalid,
  output wire        s_axis_tready,
  // verilator lint_off UNUSEDSIGNAL
  input  wire        s_axis_tlast,      // packets of any length
  // verilator lint_on UNUSEDSIGNAL
  input  wire [63:0] s_axis_ttimestamp,
  input  wire        s_axis_thas_time,
  input  wire        s_axis_teob,

  output wire [31:0] m_axis_tdata,
  output wire        m_axis_tvalid,
  input  wire        m_axis_tready,
  output wire        m_axis_tlast,
  output wire [63:0] m_axis_ttimestamp,
  output wire        m_axis_thas_time,
  output wire        m_axis_teob,

  input  wire        s_ctrlport_req_wr,
  input  wire        s_ctrlport_req_rd,
  input  wire [19:0] s_ctrlport_req_addr,
  // verilator lint_off UNUSEDSIGNAL
  input  wire [31:0] s_ctrlport_req_data,    // no register can be written
  // verilator lint_on UNUSEDSIGNAL
  output wire        s_ctrlport_resp_ack,
  output wire [31:0] s_ctrlport_resp_data
);

  wire        begins, accepted, refused;
  wire [2:0]  rate;
  wire [10:0] symbols;
  wire [14:0] randomizer;
  wire        symbol_valid, symbol_release, read_enable;
  wire [4:0]  symbol_info;
  wire [6:0]  even_address, odd_address;
  wire [35:0] even_softs, odd_softs;
  soft_symbols softs (
    .clk(clk), .rst(rst), .s_data(s_axis_tdata), .s_end_of_burst(s_axis_teob), .s_valid(s_axis_tvalid),
    .s_ready(s_axis_tready), .burst_begins(begins), .burst_accepted(accepted), .burst_refused(refused),
    .rate(rate), .symbols(symbols), .randomizer(randomizer),
    .symbol_valid(symbol_valid), .symbol_info(symbol_info), .symbol_release(symbol_release), .read_enable(read_enable),
    .even_address(even_address), .odd_address(odd_address), .even_softs(even_softs), .odd_softs(odd_softs));

  wire [5:0] step_x, step_y;
  wire       step_first, step_last, step_valid, step_ready;
  trellis_steps steps (
    .clk(clk), .rst(rst), .symbol_valid(symbol_valid), .symbol_info(symbol_info), .symbol_release(symbol_release),
    .read_enable(read_enable), .even_address(even_address), .odd_address(odd_address),
    .even_softs(even_softs), .odd_softs(odd_softs),
    .m_x(step_x), .m_y(step_y), .m_first(step_first), .m_last(step_last), .m_valid(step_valid), .m_ready(step_ready));

  wire [63:0] decisions;
  wire        decisions_last, decisions_valid, decisions_ready;
  viterbi_acs acs (
    .clk(clk), .rst(rst), .s_x(step_x), .s_y(step_y), .s_first(step_first), .s_last(step_last), .s_valid(step_valid),
    .s_ready(step_ready), .m_decisions(decisions), .m_last(decisions_last), .m_valid(decisions_valid),
    .m_ready(decisions_ready));

  wire [7:0] coded_byte, data_byte;
  wire       coded_valid, coded_ready;
  viterbi_trace trace (
    .clk(clk), .rst(rst), .s_decisions(decisions), .s_last(decisions_last), .s_valid(decisions_valid),
    .s_ready(decisions_ready), .m_byte(coded_byte), .m_valid(coded_valid), .m_ready(coded_ready));

  // ---- bursts in progress: fewer than sixteen, because each stage has one or two, the traceback four blocks ----
  reg  [64:0] time_begun;
  reg  [13:0] formats [0:15];
  reg  [79:0] starts [0:15];
  reg  [3:0]  accepted_at, format_at, start_at;
  wire        format_release, start_release;
  wire [13:0] format = formats[format_at];
  wire [79:0] start = starts[start_at];
  always @(posedge clk) begin
    if (begins) time_begun <= {s_axis_thas_time, s_axis_ttimestamp};
    if (accepted) begin
      formats[accepted_at] <= {rate, symbols};
      starts[accepted_at] <= {randomizer, time_begun};
      accepted_at <= accepted_at + 4'd1;
    end
    if (format_release) format_at <= format_at + 4'd1;
    if (start_release) start_at <= start_at + 4'd1;
    if (rst) begin
      accepted_at <= 4'd0;
      format_at <= 4'd0;
      start_at <= 4'd0;
    end
  end

  wire       data_first, data_block_last, data_last, data_failed, data_valid, data_ready;
  wire [3:0] data_corrected;
  rs_blocks outer (
    .clk(clk), .rst(rst), .s_byte(coded_byte), .s_valid(coded_valid), .s_ready(coded_ready),
    .burst_valid(format_at != accepted_at), .burst_rate(format[13:11]), .burst_symbols(format[10:0]),
    .burst_release(format_release), .m_byte(data_byte), .m_first(data_first), .m_block_last(data_block_last),
    .m_last(data_last), .m_corrected(data_corrected), .m_failed(data_failed), .m_valid(data_valid),
    .m_ready(data_ready));

  payload_words words (
    .clk(clk), .rst(rst), .s_byte(data_byte), .s_first(data_first), .s_block_last(data_block_last), .s_last(data_last),
    .s_corrected(data_corrected), .s_failed(data_failed), .s_valid(data_valid), .s_ready(data_ready),
    .randomizer_start(start[79:65]), .time_start(start[63:0]), .has_time_start(start[64]), .burst_begins(start_release),
    .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
    .m_axis_tlast(m_axis_tlast), .m_axis_ttimestamp(m_axis_ttimestamp), .m_axis_thas_time(m_axis_thas_time),
    .m_axis_teob(m_axis_teob));

  // ---- registers: demap_viterbi_rs_registers.h ----
  reg [31:0] bursts, bursts_refused, failed, corrected;
  ctrlport_registers #(.ID("DVRS"), .VERSION(1), .COUNT(4)) registers (
    .clk(clk), .rst(rst), .request(s_ctrlport_req_wr || s_ctrlport_req_rd), .address(s_ctrlport_req_addr),
    .values({corrected, bursts_refused, failed, bursts}),
    .acknowledge(s_ctrlport_resp_ack), .data(s_ctrlport_resp_data));
  wire block_given = data_valid && data_ready && data_block_last;
  always @(posedge clk) begin
    if (accepted) bursts <= bursts + 32'd1;
    if (refused) bursts_refused <= bursts_refused + 32'd1;
    if (block_given) begin
      failed <= failed + {31'd0, data_failed};
      corrected <= corrected + {28'd0, data_corrected};
    end
    if (rst) begin
      bursts <= 32'd0;
      bursts_refused <= 32'd0;
      failed <= 32'd0;
      corrected <= 32'd0;
    end
  end

endmodule
