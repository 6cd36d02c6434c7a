// SPDX-License-Identifier: GPL-3.0-or-later
//
// Converts the cores' words to packets of axis_data with sidebands at the last word: the time of the first word is kept for it,
// in ticks (2^ticks_log2 per sample plus `residue`). Longer output than `most` words is cut into packets.
module wimax_packet_writer (
  input  wire        clk,
  input  wire        rst,
  input  wire [2:0]  ticks_log2,
  input  wire [6:0]  residue,
  input  wire [13:0] most,           // at least 1

  input  wire        s_axis_tvalid,
  input  wire        s_axis_tready,  // of the receiver of the packets
  input  wire        s_axis_tlast,
  input  wire [63:0] s_axis_ttimestamp,
  input  wire        s_axis_thas_time,
  input  wire        s_axis_teob,

  output wire        m_axis_tlast,
  output wire [63:0] m_axis_ttimestamp,
  output wire        m_axis_thas_time,
  output wire        m_axis_teob
);

  reg  [13:0] words;  // words of this packet until now
  reg  [63:0] kept_time;
  reg         kept_has_time;
  wire        first = words == 14'd0;
  wire [63:0] ticks = s_axis_ttimestamp << ticks_log2 | {57'd0, residue};

  assign m_axis_tlast      = s_axis_tlast || words + 14'd1 >= most;
  assign m_axis_ttimestamp = first ? ticks : kept_time;
  assign m_axis_thas_time  = first ? s_axis_thas_time : kept_has_time;
  assign m_axis_teob       = s_axis_teob;

  always @(posedge clk) begin
    if (s_axis_tvalid && s_axis_tready) begin
      words <= m_axis_tlast ? 14'd0 : words + 14'd1;
      if (first) begin
        kept_time     <= ticks;
        kept_has_time <= s_axis_thas_time;
      end
    end
    if (rst) words <= 14'd0;
  end

endmodule
