// SPDX-License-Identifier: GPL-3.0-or-later
//
// Everything between a block's ports and its core: the NoC shell, the wrapper's registers, and for each stream the conversion
// of packets to words and back. The module sets NOC_ID, INPUTS, OUTPUTS, OWN (its own registers), TIMED (times are counted, not
// only passed on), WORDS (longest packet after a reset) and drives `status`. To the core: rst, core_ctrlport_*, in_axis_*,
// out_axis_*, streams side by side.
  localparam [13:0] MTU_WORDS = 14'd1 << MTU, LARGEST = MTU_WORDS * (CHDR_W / 32) - 2 * CHDR_W / 32;

  wire                  rst;
  wire                  shell_req_wr, shell_req_rd, shell_resp_ack;
  wire [19:0]           core_ctrlport_req_addr;
  wire [31:0]           core_ctrlport_req_data, shell_resp_data;
  wire                  core_ctrlport_req_wr, core_ctrlport_req_rd, core_ctrlport_resp_ack;
  wire [31:0]           core_ctrlport_resp_data;
  wire [INPUTS*32-1:0]  in_axis_tdata;
  wire [INPUTS-1:0]     in_axis_tvalid, in_axis_tready, in_axis_tlast, in_axis_thas_time, in_axis_teob;
  wire [INPUTS*64-1:0]  in_axis_ttimestamp;
  wire [INPUTS-1:0]     packet_in_has_time, packet_in_eob;
  wire [INPUTS*64-1:0]  packet_in_time;
  wire [INPUTS*7-1:0]   residues;
  wire [OUTPUTS*32-1:0] out_axis_tdata;
  wire [OUTPUTS-1:0]    out_axis_tvalid, out_axis_tready, out_axis_tlast, out_axis_thas_time, out_axis_teob;
  wire [OUTPUTS*64-1:0] out_axis_ttimestamp;
  wire [OUTPUTS-1:0]    packet_out_last, packet_out_has_time, packet_out_eob;
  wire [OUTPUTS*64-1:0] packet_out_time;

  wimax_noc_shell #(
    .THIS_PORTID(THIS_PORTID), .CHDR_W(CHDR_W), .MTU(MTU), .NOC_ID(NOC_ID), .INPUTS(INPUTS), .OUTPUTS(OUTPUTS)
  ) shell (
    .rfnoc_chdr_clk(rfnoc_chdr_clk), .rfnoc_ctrl_clk(rfnoc_ctrl_clk), .ce_clk(ce_clk), .ce_rst(rst),
    .rfnoc_core_config(rfnoc_core_config), .rfnoc_core_status(rfnoc_core_status),
    .s_rfnoc_chdr_tdata(s_rfnoc_chdr_tdata), .s_rfnoc_chdr_tlast(s_rfnoc_chdr_tlast),
    .s_rfnoc_chdr_tvalid(s_rfnoc_chdr_tvalid), .s_rfnoc_chdr_tready(s_rfnoc_chdr_tready),
    .m_rfnoc_chdr_tdata(m_rfnoc_chdr_tdata), .m_rfnoc_chdr_tlast(m_rfnoc_chdr_tlast),
    .m_rfnoc_chdr_tvalid(m_rfnoc_chdr_tvalid), .m_rfnoc_chdr_tready(m_rfnoc_chdr_tready),
    .s_rfnoc_ctrl_tdata(s_rfnoc_ctrl_tdata), .s_rfnoc_ctrl_tlast(s_rfnoc_ctrl_tlast),
    .s_rfnoc_ctrl_tvalid(s_rfnoc_ctrl_tvalid), .s_rfnoc_ctrl_tready(s_rfnoc_ctrl_tready),
    .m_rfnoc_ctrl_tdata(m_rfnoc_ctrl_tdata), .m_rfnoc_ctrl_tlast(m_rfnoc_ctrl_tlast),
    .m_rfnoc_ctrl_tvalid(m_rfnoc_ctrl_tvalid), .m_rfnoc_ctrl_tready(m_rfnoc_ctrl_tready),
    .m_ctrlport_req_wr(shell_req_wr), .m_ctrlport_req_rd(shell_req_rd), .m_ctrlport_req_addr(core_ctrlport_req_addr),
    .m_ctrlport_req_data(core_ctrlport_req_data), .m_ctrlport_resp_ack(shell_resp_ack),
    .m_ctrlport_resp_data(shell_resp_data),
    .m_axis_tdata(in_axis_tdata), .m_axis_tvalid(in_axis_tvalid), .m_axis_tready(in_axis_tready),
    .m_axis_tlast(in_axis_tlast), .m_axis_ttimestamp(packet_in_time), .m_axis_thas_time(packet_in_has_time),
    .m_axis_teob(packet_in_eob),
    .s_axis_tdata(out_axis_tdata), .s_axis_tvalid(out_axis_tvalid), .s_axis_tready(out_axis_tready),
    .s_axis_tlast(packet_out_last), .s_axis_ttimestamp(packet_out_time), .s_axis_thas_time(packet_out_has_time),
    .s_axis_teob(packet_out_eob));

  wire [2:0]        ticks_register;
  wire [2:0]        ticks_log2 = TIMED != 0 ? ticks_register : 3'd0;
  wire [13:0]       packet_words;
  wire [31:0]       status;
  // verilator lint_off UNUSEDSIGNAL
  wire [32*OWN-1:0] own;       // a block may have no own registers
  wire              own_done;
  // verilator lint_on UNUSEDSIGNAL
  wimax_block_registers #(.WORDS(WORDS == 0 ? LARGEST : WORDS), .OWN(OWN)) registers (
    .clk(ce_clk), .rst(rst), .s_ctrlport_req_wr(shell_req_wr), .s_ctrlport_req_rd(shell_req_rd),
    .s_ctrlport_req_addr(core_ctrlport_req_addr), .s_ctrlport_req_data(core_ctrlport_req_data),
    .s_ctrlport_resp_ack(shell_resp_ack), .s_ctrlport_resp_data(shell_resp_data),
    .m_ctrlport_req_wr(core_ctrlport_req_wr), .m_ctrlport_req_rd(core_ctrlport_req_rd),
    .m_ctrlport_resp_ack(core_ctrlport_resp_ack), .m_ctrlport_resp_data(core_ctrlport_resp_data),
    .ticks_log2(ticks_register), .packet_words(packet_words), .status(status), .own(own), .own_done(own_done));

  genvar port;
  generate
    for (port = 0; port < INPUTS; port = port + 1) begin : readers
      wimax_packet_reader reader (
        .clk(ce_clk), .rst(rst), .ticks_log2(ticks_log2), .residue(residues[7*port +: 7]),
        .s_axis_tvalid(in_axis_tvalid[port]), .s_axis_tready(in_axis_tready[port]), .s_axis_tlast(in_axis_tlast[port]),
        .s_axis_ttimestamp(packet_in_time[64*port +: 64]), .s_axis_thas_time(packet_in_has_time[port]),
        .s_axis_teob(packet_in_eob[port]), .m_axis_ttimestamp(in_axis_ttimestamp[64*port +: 64]),
        .m_axis_thas_time(in_axis_thas_time[port]), .m_axis_teob(in_axis_teob[port]));
    end
    for (port = 0; port < OUTPUTS; port = port + 1) begin : writers
      wimax_packet_writer writer (
        .clk(ce_clk), .rst(rst), .ticks_log2(ticks_log2), .residue(residues[6:0]), .most(packet_words),
        .s_axis_tvalid(out_axis_tvalid[port]), .s_axis_tready(out_axis_tready[port]),
        .s_axis_tlast(out_axis_tlast[port]), .s_axis_ttimestamp(out_axis_ttimestamp[64*port +: 64]),
        .s_axis_thas_time(out_axis_thas_time[port]), .s_axis_teob(out_axis_teob[port]),
        .m_axis_tlast(packet_out_last[port]), .m_axis_ttimestamp(packet_out_time[64*port +: 64]),
        .m_axis_thas_time(packet_out_has_time[port]), .m_axis_teob(packet_out_eob[port]));
    end
  endgenerate
