// SPDX-License-Identifier: GPL-3.0-or-later
//
// Last stage of demap_viterbi_rs: bytes derandomized (clause 8.3.3.1; the tail's is not), four per word, and after a burst a
// word with the counts of its outer code.

module payload_words (
  input  wire        clk,
  input  wire        rst,
  input  wire [7:0]  s_byte,
  input  wire        s_first,
  input  wire        s_block_last,
  input  wire        s_last,
  input  wire [3:0]  s_corrected,
  input  wire        s_failed,
  input  wire        s_valid,
  output wire        s_ready,
  input  wire [14:0] randomizer_start,  // of the burst that begins
  input  wire [63:0] time_start,
  input  wire        has_time_start,
  output wire        burst_begins,      // removes them
  output reg  [31:0] m_axis_tdata,
  output reg         m_axis_tvalid,
  input  wire        m_axis_tready,
  output reg         m_axis_tlast,
  output reg  [63:0] m_axis_ttimestamp,
  output reg         m_axis_thas_time,
  output reg         m_axis_teob
);

  reg [14:0] randomizer;
  reg [23:0] held;
  reg [1:0]  filled;
  reg        first_word, status;
  reg [15:0] failed, corrected;
  reg [63:0] time_held;
  reg        has_time_held;

  wire free = !m_axis_tvalid || m_axis_tready;
  assign s_ready = !status && (filled != 2'd3 || free);
  wire take = s_valid && s_ready;
  assign burst_begins = take && s_first;

  wire [14:0] earlier = s_first ? randomizer_start : randomizer;
  wire [7:0]  sequence_byte = earlier[13:6] ^ earlier[14:7];
  wire [7:0]  plain = s_last ? s_byte : s_byte ^ sequence_byte;

  always @(posedge clk) begin
    if (m_axis_tready) m_axis_tvalid <= 1'b0;
    if (take) begin
      randomizer <= {earlier[6:0], sequence_byte};
      held <= {held[15:0], plain};
      filled <= filled + 2'd1;
      if (s_first) begin
        first_word <= 1'b1;
        time_held <= has_time_start ? time_start : 64'd0;
        has_time_held <= has_time_start;
        failed <= 16'd0;
        corrected <= 16'd0;
      end
      if (s_block_last) begin
        failed <= (s_first ? 16'd0 : failed) + {15'd0, s_failed};
        corrected <= (s_first ? 16'd0 : corrected) + {12'd0, s_corrected};
      end
      if (filled == 2'd3) begin
        m_axis_tvalid <= 1'b1;
        m_axis_tdata <= {held, plain};
        m_axis_tlast <= s_block_last;
        m_axis_teob <= 1'b0;
        m_axis_ttimestamp <= first_word ? time_held : 64'd0;
        m_axis_thas_time <= first_word && has_time_held;
        first_word <= 1'b0;
        status <= s_last;
      end
    end
    if (status && free) begin
      m_axis_tvalid <= 1'b1;
      m_axis_tdata <= {failed, corrected};
      m_axis_tlast <= 1'b1;
      m_axis_teob <= 1'b1;
      m_axis_ttimestamp <= 64'd0;
      m_axis_thas_time <= 1'b0;
      status <= 1'b0;
    end
    if (rst) begin
      m_axis_tvalid <= 1'b0;
      filled <= 2'd0;
      status <= 1'b0;
    end
  end

endmodule
