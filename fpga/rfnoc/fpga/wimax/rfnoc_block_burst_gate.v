// SPDX-License-Identifier: GPL-3.0-or-later
//
// burst_gate in a radio, before the path to its transmitter. Its time is that of the radio, own[10:0] samples ahead for that
// path. Packets are short, because they are forwarded when complete.
module rfnoc_block_burst_gate #(
  parameter [9:0]  THIS_PORTID = 10'd0,
  parameter        CHDR_W      = 64,
  parameter [5:0]  MTU         = 6'd10,
  // The following are properties of the block, not of the image.
  parameter [31:0] NOC_ID      = 32'h80216002,
  parameter        INPUTS      = 1,
  parameter        OUTPUTS     = 1,
  parameter        OWN         = 1,
  parameter        TIMED       = 1,
  parameter [13:0] WORDS       = 14'd256
) (
  input  wire                      radio_clk,
  input  wire [63:0]               radio_time,  // of the radio's timekeeper
  output wire                      tr_line,     // at the radio's time; for a connector of the radio
  `include "wimax_block_ports.vh"
);

  `include "wimax_block_shell.vh"

  assign status = 32'd0;

  // The radio's time arrives in pieces of some clocks, which gate_time joins.
  wire        time_busy, time_new;
  wire [63:0] time_given;
  reg  [63:0] radio_ticks;
  handshake #(.WIDTH(64)) time_crossing (
    .clk_a(radio_clk), .rst_a(1'b0), .valid_a(!time_busy), .data_a(radio_time), .busy_a(time_busy),
    .clk_b(ce_clk), .valid_b(time_new), .data_b(time_given));
  always @(posedge ce_clk) if (time_new) radio_ticks <= time_given;

  wire [63:0] gate_ttimestamp;
  wire        gate_tvalid, gate_tready, gate_line;
  wimax_gate_time gate_time (
    .clk(ce_clk), .rst(rst), .radio_ticks(radio_ticks), .ticks_log2(ticks_log2), .advance(own[10:0]),
    .m_time_ttimestamp(gate_ttimestamp), .m_time_tvalid(gate_tvalid), .m_time_tready(gate_tready),
    .gate_line(gate_line), .tr_line(tr_line));

  burst_gate core (
    .s_time_ttimestamp(gate_ttimestamp), .s_time_tvalid(gate_tvalid), .s_time_tready(gate_tready), .tr_line(gate_line),
    `include "wimax_core_wires.vh"
  );

endmodule
