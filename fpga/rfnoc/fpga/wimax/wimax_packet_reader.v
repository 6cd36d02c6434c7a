// SPDX-License-Identifier: GPL-3.0-or-later
//
// Converts packets of axis_data, whose sidebands are valid with all words, to the cores' words: time with the first word, end
// of burst with the last. Times are converted from ticks to samples of 2^ticks_log2 ticks; the remainder of the last time is
// `residue`.
module wimax_packet_reader (
  input  wire        clk,
  input  wire        rst,
  input  wire [2:0]  ticks_log2,
  output wire [6:0]  residue,

  input  wire        s_axis_tvalid,
  input  wire        s_axis_tready,  // of the receiver of the words
  input  wire        s_axis_tlast,
  input  wire [63:0] s_axis_ttimestamp,
  input  wire        s_axis_thas_time,
  input  wire        s_axis_teob,

  output wire [63:0] m_axis_ttimestamp,
  output wire        m_axis_thas_time,
  output wire        m_axis_teob
);

  reg       first;
  reg [6:0] kept;

  assign m_axis_ttimestamp = s_axis_ttimestamp >> ticks_log2;
  assign m_axis_thas_time  = s_axis_thas_time && first;
  assign m_axis_teob       = s_axis_teob && s_axis_tlast;
  assign residue           = s_axis_tvalid && m_axis_thas_time ? s_axis_ttimestamp[6:0] & ~(7'h7F << ticks_log2) : kept;

  always @(posedge clk) begin
    if (s_axis_tvalid && s_axis_tready) begin
      first <= s_axis_tlast;
      kept  <= residue;
    end
    if (rst) begin
      first <= 1'b1;
      kept  <= 7'd0;
    end
  end

endmodule
