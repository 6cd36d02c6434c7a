// SPDX-License-Identifier: GPL-3.0-or-later
//
// FIFO of one clock, 2^DEPTH_LOG2 words of WIDTH bits in LUT memory. Latency 1 cycle, one word per cycle.
module sync_fifo #(
  parameter WIDTH      = 32,
  parameter DEPTH_LOG2 = 5
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

  reg [WIDTH-1:0] memory [0:(1 << DEPTH_LOG2)-1];
  reg [DEPTH_LOG2:0] written, taken;

  wire [DEPTH_LOG2:0] held = written - taken;
  assign s_axis_tready = !held[DEPTH_LOG2];
  assign m_axis_tvalid = held != 0;
  assign m_axis_tdata  = memory[taken[DEPTH_LOG2-1:0]];

  always @(posedge clk) begin
    if (s_axis_tvalid && s_axis_tready) memory[written[DEPTH_LOG2-1:0]] <= s_axis_tdata;
    if (rst) begin
      written <= 0;
      taken   <= 0;
    end else begin
      written <= written + {{DEPTH_LOG2{1'b0}}, s_axis_tvalid && s_axis_tready};
      taken   <= taken + {{DEPTH_LOG2{1'b0}}, m_axis_tvalid && m_axis_tready};
    end
  end

endmodule
