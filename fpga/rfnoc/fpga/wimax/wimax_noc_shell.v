// SPDX-License-Identifier: GPL-3.0-or-later
//
// NoC shell of all blocks of this folder, around UHD's FPGA library: backend, registers by ctrlport, streams as axis_data,
// each 32 bits per clock. Its parts are UHD's; the connections are those of the blocks' descriptions (blocks/*.yml). Streams,
// registers and resets of the client use ce_clk. Sidebands of an output are read with a packet's last word.
module wimax_noc_shell #(
  parameter [9:0]  THIS_PORTID = 10'd0,
  parameter        CHDR_W      = 64,
  parameter [5:0]  MTU         = 6'd10,
  parameter [31:0] NOC_ID      = 32'd0,
  parameter        INPUTS      = 1,
  parameter        OUTPUTS     = 1
) (
  input  wire                      rfnoc_chdr_clk,
  input  wire                      rfnoc_ctrl_clk,
  input  wire                      ce_clk,
  output wire                      ce_rst,

  input  wire [511:0]              rfnoc_core_config,
  output wire [511:0]              rfnoc_core_status,

  input  wire [INPUTS*CHDR_W-1:0]  s_rfnoc_chdr_tdata,
  input  wire [INPUTS-1:0]         s_rfnoc_chdr_tlast,
  input  wire [INPUTS-1:0]         s_rfnoc_chdr_tvalid,
  output wire [INPUTS-1:0]         s_rfnoc_chdr_tready,
  output wire [OUTPUTS*CHDR_W-1:0] m_rfnoc_chdr_tdata,
  output wire [OUTPUTS-1:0]        m_rfnoc_chdr_tlast,
  output wire [OUTPUTS-1:0]        m_rfnoc_chdr_tvalid,
  input  wire [OUTPUTS-1:0]        m_rfnoc_chdr_tready,

  input  wire [31:0]               s_rfnoc_ctrl_tdata,
  input  wire                      s_rfnoc_ctrl_tlast,
  input  wire                      s_rfnoc_ctrl_tvalid,
  output wire                      s_rfnoc_ctrl_tready,
  output wire [31:0]               m_rfnoc_ctrl_tdata,
  output wire                      m_rfnoc_ctrl_tlast,
  output wire                      m_rfnoc_ctrl_tvalid,
  input  wire                      m_rfnoc_ctrl_tready,

  output wire                      m_ctrlport_req_wr,
  output wire                      m_ctrlport_req_rd,
  output wire [19:0]               m_ctrlport_req_addr,
  output wire [31:0]               m_ctrlport_req_data,
  input  wire                      m_ctrlport_resp_ack,
  input  wire [31:0]               m_ctrlport_resp_data,

  output wire [INPUTS*32-1:0]      m_axis_tdata,
  output wire [INPUTS-1:0]         m_axis_tvalid,
  input  wire [INPUTS-1:0]         m_axis_tready,
  output wire [INPUTS-1:0]         m_axis_tlast,
  output wire [INPUTS*64-1:0]      m_axis_ttimestamp,
  output wire [INPUTS-1:0]         m_axis_thas_time,
  output wire [INPUTS-1:0]         m_axis_teob,

  input  wire [OUTPUTS*32-1:0]     s_axis_tdata,
  input  wire [OUTPUTS-1:0]        s_axis_tvalid,
  output wire [OUTPUTS-1:0]        s_axis_tready,
  input  wire [OUTPUTS-1:0]        s_axis_tlast,
  input  wire [OUTPUTS*64-1:0]     s_axis_ttimestamp,
  input  wire [OUTPUTS-1:0]        s_axis_thas_time,
  input  wire [OUTPUTS-1:0]        s_axis_teob
);

  // verilator lint_off PINCONNECTEMPTY
  localparam FIFO_LOG2 = 5;

  // Backend: identity, resets, flushing.
  wire        rfnoc_chdr_rst, rfnoc_ctrl_rst;
  wire        in_flush, out_flush;
  wire [31:0] in_flush_timeout, out_flush_timeout;
  wire [63:0] in_flushing, in_flushed, out_flushing, out_flushed;
  assign in_flushing[63:INPUTS]   = 0;
  assign in_flushed[63:INPUTS]    = 0;
  assign out_flushing[63:OUTPUTS] = 0;
  assign out_flushed[63:OUTPUTS]  = 0;
  backend_iface #(
    .NOC_ID(NOC_ID), .NUM_DATA_I(INPUTS), .NUM_DATA_O(OUTPUTS), .CTRL_FIFOSIZE(FIFO_LOG2), .MTU(MTU)
  ) backend (
    .rfnoc_chdr_clk(rfnoc_chdr_clk), .rfnoc_ctrl_clk(rfnoc_ctrl_clk),
    .rfnoc_core_config(rfnoc_core_config), .rfnoc_core_status(rfnoc_core_status),
    .rfnoc_chdr_rst(rfnoc_chdr_rst), .rfnoc_ctrl_rst(rfnoc_ctrl_rst),
    .data_i_flush_en(in_flush), .data_i_flush_timeout(in_flush_timeout), .data_i_flush_active(in_flushing),
    .data_i_flush_done(in_flushed),
    .data_o_flush_en(out_flush), .data_o_flush_timeout(out_flush_timeout), .data_o_flush_active(out_flushing),
    .data_o_flush_done(out_flushed));

  // Reset of the client, long enough for all its parts.
  wire reset_begins;
  pulse_synchronizer #(.MODE("POSEDGE")) reset_crossing (
    .clk_a(rfnoc_chdr_clk), .rst_a(1'b0), .pulse_a(rfnoc_chdr_rst), .busy_a(), .clk_b(ce_clk), .pulse_b(reset_begins));
  pulse_stretch_min #(.LENGTH(32)) reset_length (
    .clk(ce_clk), .rst(1'b0), .pulse_in(reset_begins), .pulse_out(ce_rst));

  // Registers: requests are received, none is sent.
  ctrlport_endpoint #(
    .THIS_PORTID(THIS_PORTID), .SYNC_CLKS(0), .AXIS_CTRL_MST_EN(0), .AXIS_CTRL_SLV_EN(1), .SLAVE_FIFO_SIZE(FIFO_LOG2)
  ) control (
    .rfnoc_ctrl_clk(rfnoc_ctrl_clk), .rfnoc_ctrl_rst(rfnoc_ctrl_rst), .ctrlport_clk(ce_clk), .ctrlport_rst(ce_rst),
    .s_rfnoc_ctrl_tdata(s_rfnoc_ctrl_tdata), .s_rfnoc_ctrl_tlast(s_rfnoc_ctrl_tlast),
    .s_rfnoc_ctrl_tvalid(s_rfnoc_ctrl_tvalid), .s_rfnoc_ctrl_tready(s_rfnoc_ctrl_tready),
    .m_rfnoc_ctrl_tdata(m_rfnoc_ctrl_tdata), .m_rfnoc_ctrl_tlast(m_rfnoc_ctrl_tlast),
    .m_rfnoc_ctrl_tvalid(m_rfnoc_ctrl_tvalid), .m_rfnoc_ctrl_tready(m_rfnoc_ctrl_tready),
    .m_ctrlport_req_wr(m_ctrlport_req_wr), .m_ctrlport_req_rd(m_ctrlport_req_rd),
    .m_ctrlport_req_addr(m_ctrlport_req_addr), .m_ctrlport_req_data(m_ctrlport_req_data),
    .m_ctrlport_req_byte_en(), .m_ctrlport_req_has_time(), .m_ctrlport_req_time(),
    .m_ctrlport_resp_ack(m_ctrlport_resp_ack), .m_ctrlport_resp_status(2'd0),
    .m_ctrlport_resp_data(m_ctrlport_resp_data),
    .s_ctrlport_req_wr(1'b0), .s_ctrlport_req_rd(1'b0), .s_ctrlport_req_addr(20'd0), .s_ctrlport_req_portid(10'd0),
    .s_ctrlport_req_rem_epid(16'd0), .s_ctrlport_req_rem_portid(10'd0), .s_ctrlport_req_data(32'd0),
    .s_ctrlport_req_byte_en(4'd0), .s_ctrlport_req_has_time(1'b0), .s_ctrlport_req_time(64'd0),
    .s_ctrlport_resp_ack(), .s_ctrlport_resp_status(), .s_ctrlport_resp_data());

  genvar i;
  generate
    for (i = 0; i < INPUTS; i = i + 1) begin : inputs
      chdr_to_axis_data #(
        .CHDR_W(CHDR_W), .ITEM_W(32), .NIPC(1), .SYNC_CLKS(0), .INFO_FIFO_SIZE(FIFO_LOG2), .PYLD_FIFO_SIZE(FIFO_LOG2)
      ) unframer (
        .axis_chdr_clk(rfnoc_chdr_clk), .axis_chdr_rst(rfnoc_chdr_rst), .axis_data_clk(ce_clk), .axis_data_rst(ce_rst),
        .s_axis_chdr_tdata(s_rfnoc_chdr_tdata[i*CHDR_W +: CHDR_W]), .s_axis_chdr_tlast(s_rfnoc_chdr_tlast[i]),
        .s_axis_chdr_tvalid(s_rfnoc_chdr_tvalid[i]), .s_axis_chdr_tready(s_rfnoc_chdr_tready[i]),
        .m_axis_tdata(m_axis_tdata[i*32 +: 32]), .m_axis_tkeep(), .m_axis_tlast(m_axis_tlast[i]),
        .m_axis_tvalid(m_axis_tvalid[i]), .m_axis_tready(m_axis_tready[i]),
        .m_axis_ttimestamp(m_axis_ttimestamp[i*64 +: 64]), .m_axis_thas_time(m_axis_thas_time[i]), .m_axis_tlength(),
        .m_axis_teov(), .m_axis_teob(m_axis_teob[i]),
        .flush_en(in_flush), .flush_timeout(in_flush_timeout), .flush_active(in_flushing[i]), .flush_done(in_flushed[i]));
    end
    for (i = 0; i < OUTPUTS; i = i + 1) begin : outputs
      axis_data_to_chdr #(
        .CHDR_W(CHDR_W), .ITEM_W(32), .NIPC(1), .SYNC_CLKS(0), .MTU(MTU), .INFO_FIFO_SIZE(FIFO_LOG2),
        .PYLD_FIFO_SIZE(MTU), .SIDEBAND_AT_END(1)
      ) framer (
        .axis_chdr_clk(rfnoc_chdr_clk), .axis_chdr_rst(rfnoc_chdr_rst), .axis_data_clk(ce_clk), .axis_data_rst(ce_rst),
        .m_axis_chdr_tdata(m_rfnoc_chdr_tdata[i*CHDR_W +: CHDR_W]), .m_axis_chdr_tlast(m_rfnoc_chdr_tlast[i]),
        .m_axis_chdr_tvalid(m_rfnoc_chdr_tvalid[i]), .m_axis_chdr_tready(m_rfnoc_chdr_tready[i]),
        .s_axis_tdata(s_axis_tdata[i*32 +: 32]), .s_axis_tkeep(1'b1), .s_axis_tlast(s_axis_tlast[i]),
        .s_axis_tvalid(s_axis_tvalid[i]), .s_axis_tready(s_axis_tready[i]),
        .s_axis_ttimestamp(s_axis_ttimestamp[i*64 +: 64]), .s_axis_thas_time(s_axis_thas_time[i]),
        .s_axis_tlength(16'd0), .s_axis_teov(1'b0), .s_axis_teob(s_axis_teob[i]),
        .flush_en(out_flush), .flush_timeout(out_flush_timeout), .flush_active(out_flushing[i]),
        .flush_done(out_flushed[i]));
    end
  endgenerate
  // verilator lint_on PINCONNECTEMPTY

endmodule
