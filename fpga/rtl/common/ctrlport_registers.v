// SPDX-License-Identifier: GPL-3.0-or-later
//
// Registers of a core for RFNoC's ctrlport: ID at 0x00, VERSION at 0x04, then `values`, 32 bits each. Other addresses read as
// 0. The response is in the cycle after next; the core handles writes.
module ctrlport_registers #(
  parameter [31:0] ID      = 32'd0,
  parameter [31:0] VERSION = 32'd1,
  parameter        COUNT   = 1
) (
  input  wire               clk,
  input  wire               rst,
  input  wire               request,
  input  wire [19:0]        address,
  input  wire [32*COUNT-1:0] values,     // the register at 0x08 in [31:0]
  output reg                acknowledge,
  output reg  [31:0]        data
);

  localparam [17:0] END = COUNT + 2;
  wire [32*COUNT+63:0] all = {values, VERSION, ID};
  reg        asked, exists;
  reg  [5:0] place;

  always @(posedge clk) begin
    asked       <= request && !rst;
    exists      <= address[1:0] == 2'd0 && address[19:2] < END;
    place       <= address[7:2];
    acknowledge <= asked && !rst;
    data        <= exists ? all[32 * place +: 32] : 32'd0;
  end

endmodule
