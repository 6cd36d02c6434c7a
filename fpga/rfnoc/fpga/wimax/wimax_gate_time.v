// SPDX-License-Identifier: GPL-3.0-or-later
//
// Time of the burst gate: one word per sample, `advance` samples ahead of the radio's time, which is in ticks. Delayed words
// catch up; if more than 2047 samples are missing, or the time was set, it jumps. The gate's T/R line is delayed until its time
// has come at the radio.
module wimax_gate_time (
  input  wire        clk,
  input  wire        rst,
  input  wire [63:0] radio_ticks,
  input  wire [2:0]  ticks_log2,
  input  wire [10:0] advance,

  output wire [63:0] m_time_ttimestamp,
  output wire        m_time_tvalid,
  input  wire        m_time_tready,

  input  wire        gate_line,  // of the last word taken
  output reg         tr_line
);

  reg  [63:0] now;               // next word's
  reg  [63:0] air, goal;
  wire [63:0] behind = goal - now;
  wire        jump   = behind[63:11] != {53{behind[63]}};
  assign m_time_ttimestamp = now;
  assign m_time_tvalid     = !jump && !behind[63] && behind != 64'd0;
  wire        taken = m_time_tvalid && m_time_tready;

  always @(posedge clk) begin
    air  <= radio_ticks >> ticks_log2;
    goal <= (radio_ticks >> ticks_log2) + {53'd0, advance};
    if (jump) now <= goal;
    if (taken) now <= now + 64'd1;
    if (rst) begin
      now  <= 64'd0;
      air  <= 64'd0;
      goal <= 64'd0;
    end
  end

  // Value of the line at each of the last samples of the gate.
  reg         lines [0:4095];
  reg         was_taken, line_then;
  reg  [11:0] taken_at;
  wire [63:0] ahead = now - air;
  reg         known;
  reg  [11:0] filled;            // samples since it jumped
  always @(posedge clk) begin
    was_taken <= taken;
    taken_at  <= now[11:0];
    if (was_taken) lines[taken_at] <= gate_line;
    line_then <= lines[air[11:0]];
    known     <= ahead > 64'd1 && ahead <= {52'd0, filled};
    if (taken && !(&filled)) filled <= filled + 12'd1;
    if (jump) filled <= 12'd0;
    tr_line   <= known && line_then;
    if (rst) begin
      was_taken <= 1'b0;
      known     <= 1'b0;
      filled    <= 12'd0;
      tr_line   <= 1'b0;
    end
  end

endmodule
