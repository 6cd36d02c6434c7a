// SPDX-License-Identifier: GPL-3.0-or-later
//
// Ports of a block as the image builder connects them. CHDR_W, INPUTS and OUTPUTS are the module's parameters.
  input  wire                      rfnoc_chdr_clk,
  input  wire                      rfnoc_ctrl_clk,
  input  wire                      ce_clk,
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
  input  wire                      m_rfnoc_ctrl_tready
