// SPDX-License-Identifier: GPL-3.0-or-later
//
// preamble_detect in a radio: samples pass from input to output 0, records of preambles are sent at output 1.
module rfnoc_block_preamble_detect #(
  parameter [9:0]  THIS_PORTID = 10'd0,
  parameter        CHDR_W      = 64,
  parameter [5:0]  MTU         = 6'd10,
  // The following are properties of the block, not of the image.
  parameter [31:0] NOC_ID      = 32'h80216001,
  parameter        INPUTS      = 1,
  parameter        OUTPUTS     = 2,
  parameter        OWN         = 1,
  parameter        TIMED       = 1,
  parameter [13:0] WORDS       = 14'd0
) (
  `include "wimax_block_ports.vh"
);

  `include "wimax_block_shell.vh"

  assign status = 32'd0;
  preamble_detect core (
    .clk(ce_clk), .rst(rst),
    .s_axis_tdata(in_axis_tdata), .s_axis_tvalid(in_axis_tvalid), .s_axis_tready(in_axis_tready),
    .s_axis_tlast(in_axis_tlast), .s_axis_ttimestamp(in_axis_ttimestamp), .s_axis_thas_time(in_axis_thas_time),
    .s_axis_teob(in_axis_teob),
    .m_axis_tdata(out_axis_tdata[0 +: 32]), .m_axis_tvalid(out_axis_tvalid[0]), .m_axis_tready(out_axis_tready[0]),
    .m_axis_tlast(out_axis_tlast[0]), .m_axis_ttimestamp(out_axis_ttimestamp[0 +: 64]),
    .m_axis_thas_time(out_axis_thas_time[0]), .m_axis_teob(out_axis_teob[0]),
    .m_axis_det_tdata(out_axis_tdata[32 +: 32]), .m_axis_det_tvalid(out_axis_tvalid[1]), .m_axis_det_tready(out_axis_tready[1]),
    .m_axis_det_tlast(out_axis_tlast[1]), .m_axis_det_ttimestamp(out_axis_ttimestamp[64 +: 64]),
    .m_axis_det_thas_time(out_axis_thas_time[1]), .m_axis_det_teob(out_axis_teob[1]),
    .s_ctrlport_req_wr(core_ctrlport_req_wr), .s_ctrlport_req_rd(core_ctrlport_req_rd),
    .s_ctrlport_req_addr(core_ctrlport_req_addr), .s_ctrlport_req_data(core_ctrlport_req_data),
    .s_ctrlport_resp_ack(core_ctrlport_resp_ack), .s_ctrlport_resp_data(core_ctrlport_resp_data));

endmodule
