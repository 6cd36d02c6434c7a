// SPDX-License-Identifier: GPL-3.0-or-later
//
// Register slice of an AXI-Stream: cuts both directions' combinational paths (skid buffer). Latency 1 cycle, one word per
// cycle. WIDTH bits of payload: data and sidebands.
module axis_register #(
  parameter WIDTH = 32
) (
  input  wire             clk,
  input  wire             rst,
  input  wire [WIDTH-1:0] s_axis_tdata,
  input  wire             s_axis_tvalid,
  output wire             s_axis_tready,
  output wire [WIDTH-1:0] m_axis_tdata,
  output wire             m_axis_tvalid,
  input  wire             m_axis_tready
);

  reg [WIDTH-1:0] first, spare;
  reg             has_first, has_spare;

  assign s_axis_tready = !has_spare;
  assign m_axis_tdata  = first;
  assign m_axis_tvalid = has_first;

  wire take = s_axis_tvalid && !has_spare;
  wire free = !has_first || m_axis_tready;

  always @(posedge clk) begin
    if (free) first <= has_spare ? spare : s_axis_tdata;
    if (take && !free) spare <= s_axis_tdata;
    if (rst) begin
      has_first <= 1'b0;
      has_spare <= 1'b0;
    end else if (free) begin
      has_first <= has_spare || take;
      has_spare <= 1'b0;
    end else if (take) begin
      has_spare <= 1'b1;
    end
  end

endmodule
