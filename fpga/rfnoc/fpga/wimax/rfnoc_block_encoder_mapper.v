// SPDX-License-Identifier: GPL-3.0-or-later
//
// encoder_mapper in a radio: bytes of bursts in, carriers of their symbols out.
module rfnoc_block_encoder_mapper #(
  parameter [9:0]  THIS_PORTID = 10'd0,
  parameter        CHDR_W      = 64,
  parameter [5:0]  MTU         = 6'd10,
  // The following are properties of the block, not of the image.
  parameter [31:0] NOC_ID      = 32'h80216006,
  parameter        INPUTS      = 1,
  parameter        OUTPUTS     = 1,
  parameter        OWN         = 1,
  parameter        TIMED       = 0,
  parameter [13:0] WORDS       = 14'd0
) (
  `include "wimax_block_ports.vh"
);

  `include "wimax_block_shell.vh"

  assign status = 32'd0;
  encoder_mapper core (
    `include "wimax_core_wires.vh"
  );

endmodule
