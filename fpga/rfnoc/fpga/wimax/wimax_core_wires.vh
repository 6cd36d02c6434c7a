// SPDX-License-Identifier: GPL-3.0-or-later
// Connections of a core with one input, one output and registers to the wires of wimax_block_shell.vh.
    .clk(ce_clk), .rst(rst),
    .s_axis_tdata(in_axis_tdata), .s_axis_tvalid(in_axis_tvalid), .s_axis_tready(in_axis_tready),
    .s_axis_tlast(in_axis_tlast), .s_axis_ttimestamp(in_axis_ttimestamp), .s_axis_thas_time(in_axis_thas_time),
    .s_axis_teob(in_axis_teob),
    .m_axis_tdata(out_axis_tdata), .m_axis_tvalid(out_axis_tvalid), .m_axis_tready(out_axis_tready),
    .m_axis_tlast(out_axis_tlast), .m_axis_ttimestamp(out_axis_ttimestamp),
    .m_axis_thas_time(out_axis_thas_time), .m_axis_teob(out_axis_teob),
    .s_ctrlport_req_wr(core_ctrlport_req_wr), .s_ctrlport_req_rd(core_ctrlport_req_rd),
    .s_ctrlport_req_addr(core_ctrlport_req_addr), .s_ctrlport_req_data(core_ctrlport_req_data),
    .s_ctrlport_resp_ack(core_ctrlport_resp_ack), .s_ctrlport_resp_data(core_ctrlport_resp_data)
