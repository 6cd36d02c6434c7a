// SPDX-License-Identifier: GPL-3.0-or-later
//
// ofdm_frontend in a radio: samples in, symbols out. An order is four registers, the lowest bits first; writing the last sends
// it. Its time is in ticks. `status` counts orders without room.
module rfnoc_block_ofdm_frontend #(
  parameter [9:0]  THIS_PORTID = 10'd0,
  parameter        CHDR_W      = 64,
  parameter [5:0]  MTU         = 6'd10,
  // The following are properties of the block, not of the image.
  parameter [31:0] NOC_ID      = 32'h80216003,
  parameter        INPUTS      = 1,
  parameter        OUTPUTS     = 1,
  parameter        OWN         = 4,
  parameter        TIMED       = 1,
  parameter [13:0] WORDS       = 14'd0
) (
  `include "wimax_block_ports.vh"
);

  `include "wimax_block_shell.vh"

  reg [31:0] orders_lost;
  wire       order_room;
  assign status = orders_lost;
  always @(posedge ce_clk) begin
    if (own_done && !order_room) orders_lost <= orders_lost + 32'd1;
    if (rst) orders_lost <= 32'd0;
  end

  ofdm_frontend core (
    .s_axis_cmd_tdata({own[127:64], own[63:0] >> ticks_log2}), .s_axis_cmd_tvalid(own_done),
    .s_axis_cmd_tready(order_room),
    `include "wimax_core_wires.vh"
  );

endmodule
