// SPDX-License-Identifier: GPL-3.0-or-later
//
// What UHD's FPGA library leaves to the vendor's tools, for simulation: a shift register with a tap, and FIFOs between two
// clocks under the names of UHD's two IP cores (512 and 32 words of 72 bits, the first word falls through).
module SRLC32E (
  output wire       Q,
  output wire       Q31,
  input  wire [4:0] A,
  input  wire       CE,
  input  wire       CLK,
  input  wire       D
);

  reg [31:0] bits = 32'd0;
  assign Q   = bits[A];
  assign Q31 = bits[31];
  always @(posedge CLK) if (CE) bits <= {bits[30:0], D};

endmodule

module crossing_fifo #(
  parameter DEPTH_LOG2 = 5
) (
  input  wire                  rst,
  input  wire                  wr_clk,
  input  wire [71:0]           din,
  input  wire                  wr_en,
  output wire                  full,
  output wire [DEPTH_LOG2:0]   wr_data_count,
  input  wire                  rd_clk,
  output wire [71:0]           dout,
  input  wire                  rd_en,
  output wire                  empty,
  output wire [DEPTH_LOG2:0]   rd_data_count
);

  // Gray counts of either side, seen two clocks later at the other.
  reg  [71:0]         words [0:(1 << DEPTH_LOG2)-1];
  reg  [DEPTH_LOG2:0] written = 0, read = 0, written_then = 0, read_then = 0, written_there = 0, read_there = 0;
  function [DEPTH_LOG2:0] gray(input [DEPTH_LOG2:0] count);
    gray = count ^ count >> 1;
  endfunction
  function [DEPTH_LOG2:0] binary(input [DEPTH_LOG2:0] code);
    integer i;
    for (i = 0; i <= DEPTH_LOG2; i = i + 1) binary[i] = ^(code >> i);
  endfunction

  assign wr_data_count = written - binary(read_there);
  assign rd_data_count = binary(written_there) - read;
  assign full          = wr_data_count[DEPTH_LOG2];
  assign empty         = rd_data_count == 0;
  assign dout          = words[read[DEPTH_LOG2-1:0]];

  always @(posedge wr_clk) begin
    {read_there, read_then} <= {read_then, gray(read)};
    if (wr_en && !full) begin
      words[written[DEPTH_LOG2-1:0]] <= din;
      written <= written + 1;
    end
    if (rst) {written, read_then, read_there} <= 0;
  end
  always @(posedge rd_clk or posedge rst) begin
    if (rst) {read, written_then, written_there} <= 0;
    else begin
      {written_there, written_then} <= {written_then, gray(written)};
      if (rd_en && !empty) read <= read + 1;
    end
  end

endmodule

module fifo_short_2clk (
  input  wire        rst, wr_clk, wr_en, rd_clk, rd_en,
  input  wire [71:0] din,
  output wire        full, empty,
  output wire [71:0] dout,
  output wire [5:0]  wr_data_count, rd_data_count
);

  crossing_fifo #(.DEPTH_LOG2(5)) fifo (
    .rst(rst), .wr_clk(wr_clk), .din(din), .wr_en(wr_en), .full(full), .wr_data_count(wr_data_count), .rd_clk(rd_clk),
    .dout(dout), .rd_en(rd_en), .empty(empty), .rd_data_count(rd_data_count));

endmodule

module fifo_4k_2clk (
  input  wire        rst, wr_clk, wr_en, rd_clk, rd_en,
  input  wire [71:0] din,
  output wire        full, empty,
  output wire [71:0] dout,
  output wire [9:0]  wr_data_count, rd_data_count
);

  crossing_fifo #(.DEPTH_LOG2(9)) fifo (
    .rst(rst), .wr_clk(wr_clk), .din(din), .wr_en(wr_en), .full(full), .wr_data_count(wr_data_count), .rd_clk(rd_clk),
    .dout(dout), .rd_en(rd_en), .empty(empty), .rd_data_count(rd_data_count));

endmodule
