// SPDX-License-Identifier: GPL-3.0-or-later
//
// Registers of the wrapper, and access to those of the core, which are below 0x1000. control/wrapper_registers.h has the
// addresses. The block has OWN registers: `own` has their values, the first in the lowest bits; own_done signals a write of the
// last.
module wimax_block_registers #(
  parameter [13:0] WORDS = 14'd2044,  // longest packet after a reset
  parameter        OWN   = 1
) (
  input  wire              clk,
  input  wire              rst,

  input  wire              s_ctrlport_req_wr,
  input  wire              s_ctrlport_req_rd,
  // verilator lint_off UNUSEDSIGNAL
  input  wire [19:0]       s_ctrlport_req_addr,  // words, and few of them
  // verilator lint_on UNUSEDSIGNAL
  input  wire [31:0]       s_ctrlport_req_data,
  output wire              s_ctrlport_resp_ack,
  output wire [31:0]       s_ctrlport_resp_data,

  output wire              m_ctrlport_req_wr,
  output wire              m_ctrlport_req_rd,
  input  wire              m_ctrlport_resp_ack,
  input  wire [31:0]       m_ctrlport_resp_data,

  output reg  [2:0]        ticks_log2,
  output reg  [13:0]       packet_words,
  input  wire [31:0]       status,
  output reg  [32*OWN-1:0] own,
  output reg               own_done
);

  wire        here = |s_ctrlport_req_addr[19:12];
  wire [5:0]  at   = s_ctrlport_req_addr[7:2];
  reg         ack;
  reg  [31:0] data;
  integer     i;
  localparam [5:0] FIRST = 6'd4, LAST = FIRST + OWN[5:0] - 6'd1;

  assign m_ctrlport_req_wr    = s_ctrlport_req_wr && !here;
  assign m_ctrlport_req_rd    = s_ctrlport_req_rd && !here;
  assign s_ctrlport_resp_ack  = ack || m_ctrlport_resp_ack;
  assign s_ctrlport_resp_data = ack ? data : m_ctrlport_resp_data;

  always @(posedge clk) begin
    ack <= (s_ctrlport_req_wr || s_ctrlport_req_rd) && here && !rst;
    case (at)
      6'd0:    data <= {29'd0, ticks_log2};
      6'd1:    data <= {18'd0, packet_words};
      6'd2:    data <= status;
      default: data <= 32'd0;
    endcase
    own_done <= 1'b0;
    if (s_ctrlport_req_wr && here) begin
      if (at == 6'd0) ticks_log2 <= s_ctrlport_req_data[2:0];
      if (at == 6'd1) packet_words <= s_ctrlport_req_data[13:0];
      own_done <= at == LAST;
    end
    for (i = 0; i < OWN; i = i + 1) begin
      if (at == FIRST + i[5:0]) begin
        data <= own[32*i +: 32];
        if (s_ctrlport_req_wr && here) own[32*i +: 32] <= s_ctrlport_req_data;
      end
    end
    if (rst) begin
      ticks_log2   <= 3'd0;
      packet_words <= WORDS;
      own          <= 0;
      own_done     <= 1'b0;
    end
  end

endmodule
