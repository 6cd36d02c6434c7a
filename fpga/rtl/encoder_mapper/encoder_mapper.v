// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bytes of a burst to the 200 active carriers of each of its symbols: randomizer, Reed-Solomon and convolutional code,
// interleaver, constellation, pilots (clauses 8.3.3.1 to 8.3.3.4). Full band, all seven rates.
//
//   words -> burst_blocks -> two blocks -> block_coder -> two symbols of labels -> carrier_mapper -> carriers
//
// In: three words of header (fpga/model/burst_header.h), payload, teob on the last. Out: carriers -100 .. -1, 1 .. 100,
// Q1.15 with amplitude 1.0 at 2^13, tlast on each symbol's last, teob on the burst's last; the first word has the time
// of the header's first. tlast of the input is ignored. A symbol takes 8 N + 3 clocks: 963 at most (64-QAM 3/4).

module encoder_mapper (
    input  wire        clk,
    input  wire        rst,

    input  wire [31:0] s_axis_tdata,
    input  wire        s_axis_tvalid,
    output wire        s_axis_tready,
    // verilator lint_off UNUSEDSIGNAL
    input  wire        s_axis_tlast,    // packets of any length
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
  // ---- stages ----
  wire        begins, accepted, refused;
  wire        block_valid, block_release;
  wire [6:0]  block_info, block_address;
  wire [7:0]  block_byte;
  wire        symbol_valid, symbol_release;
  wire [6:0]  symbol_info;
  wire [3:0]  part, carrier;
  wire [5:0]  label;
  wire        first_of_burst;

  burst_blocks blocks (
      .clk(clk), .rst(rst),
      .s_data(s_axis_tdata), .s_end_of_burst(s_axis_teob),
      .s_valid(s_axis_tvalid), .s_ready(s_axis_tready),
      .burst_begins(begins), .burst_accepted(accepted), .burst_refused(refused),
      .block_valid(block_valid), .block_info(block_info), .block_release(block_release),
      .read_address(block_address), .read_byte(block_byte));

  block_coder coder (
      .clk(clk), .rst(rst),
      .block_valid(block_valid), .block_info(block_info), .block_release(block_release),
      .block_address(block_address), .block_byte(block_byte),
      .symbol_valid(symbol_valid), .symbol_info(symbol_info), .symbol_release(symbol_release),
      .read_part(part), .read_carrier(carrier), .read_label(label));

  carrier_mapper mapper (
      .clk(clk), .rst(rst),
      .symbol_valid(symbol_valid), .symbol_info(symbol_info), .symbol_release(symbol_release),
      .read_part(part), .read_carrier(carrier), .read_label(label),
      .m_data(m_axis_tdata), .m_last(m_axis_tlast), .m_first_of_burst(first_of_burst),
      .m_end_of_burst(m_axis_teob), .m_valid(m_axis_tvalid), .m_ready(m_axis_tready));

  // ---- times of the bursts in progress: at most one being filled, two blocks, two symbols and one word ----
  reg [64:0] time_begun;
  reg [64:0] times [0:7];
  reg [2:0]  time_in, time_out;
  wire sent_first = m_axis_tvalid && m_axis_tready && first_of_burst;
  assign m_axis_thas_time = first_of_burst && times[time_out][64];
  assign m_axis_ttimestamp = m_axis_thas_time ? times[time_out][63:0] : 64'd0;
  always @(posedge clk) begin
    if (begins) time_begun <= {s_axis_thas_time, s_axis_ttimestamp};
    if (accepted) begin
      times[time_in] <= time_begun;
      time_in <= time_in + 3'd1;
    end
    if (sent_first) time_out <= time_out + 3'd1;
    if (rst) begin
      time_in <= 3'd0;
      time_out <= 3'd0;
    end
  end

  // ---- registers: encoder_mapper_registers.h ----
  reg [31:0] bursts, symbols, bursts_refused;
  ctrlport_registers #(.ID("ENCM"), .VERSION(1), .COUNT(3)) registers (
      .clk(clk), .rst(rst), .request(s_ctrlport_req_wr || s_ctrlport_req_rd), .address(s_ctrlport_req_addr),
      .values({bursts_refused, symbols, bursts}),
      .acknowledge(s_ctrlport_resp_ack), .data(s_ctrlport_resp_data));
  always @(posedge clk) begin
    if (accepted) bursts <= bursts + 32'd1;
    if (symbol_release) symbols <= symbols + 32'd1;
    if (refused) bursts_refused <= bursts_refused + 32'd1;
    if (rst) begin
      bursts <= 32'd0;
      symbols <= 32'd0;
      bursts_refused <= 32'd0;
    end
  end
endmodule
