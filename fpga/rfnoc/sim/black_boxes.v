// SPDX-License-Identifier: GPL-3.0-or-later
//
// Ports of those parts of UHD's FPGA library that the shell and the blocks connect, without contents: the blocks are linted and
// elaborated against these if UHD's are not installed.
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */
/* verilator lint_off UNDRIVEN */
/* verilator lint_off DECLFILENAME */
module backend_iface #(
  parameter [31:0] NOC_ID = 0, parameter [5:0] NUM_DATA_I = 0, parameter [5:0] NUM_DATA_O = 0,
  parameter [5:0] CTRL_FIFOSIZE = 0, parameter [5:0] MTU = 0
) (
  input  wire         rfnoc_chdr_clk, rfnoc_ctrl_clk,
  input  wire [511:0] rfnoc_core_config,
  output wire [511:0] rfnoc_core_status,
  output wire         rfnoc_chdr_rst, rfnoc_ctrl_rst,
  output wire         data_i_flush_en, data_o_flush_en,
  output wire [31:0]  data_i_flush_timeout, data_o_flush_timeout,
  input  wire [63:0]  data_i_flush_active, data_i_flush_done, data_o_flush_active, data_o_flush_done
);
endmodule

module pulse_synchronizer #(
  parameter MODE = "PULSE"
) (
  input  wire clk_a, rst_a, pulse_a,
  output wire busy_a,
  input  wire clk_b,
  output wire pulse_b
);
endmodule

module pulse_stretch_min #(
  parameter LENGTH = 2
) (
  input  wire clk, rst, pulse_in,
  output wire pulse_out
);
endmodule

module handshake #(
  parameter WIDTH = 32
) (
  input  wire             clk_a, rst_a, valid_a,
  input  wire [WIDTH-1:0] data_a,
  output wire             busy_a,
  input  wire             clk_b,
  output wire             valid_b,
  output wire [WIDTH-1:0] data_b
);
endmodule

module ctrlport_endpoint #(
  parameter [9:0] THIS_PORTID = 0, parameter SYNC_CLKS = 0, parameter [0:0] AXIS_CTRL_MST_EN = 1,
  parameter [0:0] AXIS_CTRL_SLV_EN = 1, parameter SLAVE_FIFO_SIZE = 5
) (
  input  wire        rfnoc_ctrl_clk, rfnoc_ctrl_rst, ctrlport_clk, ctrlport_rst,
  input  wire [31:0] s_rfnoc_ctrl_tdata,
  input  wire        s_rfnoc_ctrl_tlast, s_rfnoc_ctrl_tvalid,
  output wire        s_rfnoc_ctrl_tready,
  output wire [31:0] m_rfnoc_ctrl_tdata,
  output wire        m_rfnoc_ctrl_tlast, m_rfnoc_ctrl_tvalid,
  input  wire        m_rfnoc_ctrl_tready,
  output wire        m_ctrlport_req_wr, m_ctrlport_req_rd,
  output wire [19:0] m_ctrlport_req_addr,
  output wire [31:0] m_ctrlport_req_data,
  output wire [3:0]  m_ctrlport_req_byte_en,
  output wire        m_ctrlport_req_has_time,
  output wire [63:0] m_ctrlport_req_time,
  input  wire        m_ctrlport_resp_ack,
  input  wire [1:0]  m_ctrlport_resp_status,
  input  wire [31:0] m_ctrlport_resp_data,
  input  wire        s_ctrlport_req_wr, s_ctrlport_req_rd,
  input  wire [19:0] s_ctrlport_req_addr,
  input  wire [9:0]  s_ctrlport_req_portid,
  input  wire [15:0] s_ctrlport_req_rem_epid,
  input  wire [9:0]  s_ctrlport_req_rem_portid,
  input  wire [31:0] s_ctrlport_req_data,
  input  wire [3:0]  s_ctrlport_req_byte_en,
  input  wire        s_ctrlport_req_has_time,
  input  wire [63:0] s_ctrlport_req_time,
  output wire        s_ctrlport_resp_ack,
  output wire [1:0]  s_ctrlport_resp_status,
  output wire [31:0] s_ctrlport_resp_data
);
endmodule

module chdr_to_axis_data #(
  parameter CHDR_W = 256, parameter ITEM_W = 32, parameter NIPC = 2, parameter SYNC_CLKS = 0,
  parameter INFO_FIFO_SIZE = 5, parameter PYLD_FIFO_SIZE = 5
) (
  input  wire                   axis_chdr_clk, axis_chdr_rst, axis_data_clk, axis_data_rst,
  input  wire [CHDR_W-1:0]      s_axis_chdr_tdata,
  input  wire                   s_axis_chdr_tlast, s_axis_chdr_tvalid,
  output wire                   s_axis_chdr_tready,
  output wire [ITEM_W*NIPC-1:0] m_axis_tdata,
  output wire [NIPC-1:0]        m_axis_tkeep,
  output wire                   m_axis_tlast, m_axis_tvalid,
  input  wire                   m_axis_tready,
  output wire [63:0]            m_axis_ttimestamp,
  output wire                   m_axis_thas_time,
  output wire [15:0]            m_axis_tlength,
  output wire                   m_axis_teov, m_axis_teob,
  input  wire                   flush_en,
  input  wire [31:0]            flush_timeout,
  output wire                   flush_active, flush_done
);
endmodule

module axis_data_to_chdr #(
  parameter CHDR_W = 256, parameter ITEM_W = 32, parameter NIPC = 2, parameter SYNC_CLKS = 0, parameter MTU = 10,
  parameter INFO_FIFO_SIZE = 5, parameter PYLD_FIFO_SIZE = 10, parameter SIDEBAND_AT_END = 1
) (
  input  wire                   axis_chdr_clk, axis_chdr_rst, axis_data_clk, axis_data_rst,
  output wire [CHDR_W-1:0]      m_axis_chdr_tdata,
  output wire                   m_axis_chdr_tlast, m_axis_chdr_tvalid,
  input  wire                   m_axis_chdr_tready,
  input  wire [ITEM_W*NIPC-1:0] s_axis_tdata,
  input  wire [NIPC-1:0]        s_axis_tkeep,
  input  wire                   s_axis_tlast, s_axis_tvalid,
  output wire                   s_axis_tready,
  input  wire [63:0]            s_axis_ttimestamp,
  input  wire                   s_axis_thas_time,
  input  wire [15:0]            s_axis_tlength,
  input  wire                   s_axis_teov, s_axis_teob,
  input  wire                   flush_en,
  input  wire [31:0]            flush_timeout,
  output wire                   flush_active, flush_done
);
endmodule
