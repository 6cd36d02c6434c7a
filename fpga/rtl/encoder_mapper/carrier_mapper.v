// SPDX-License-Identifier: GPL-3.0-or-later
//
// Last stage of encoder_mapper: labels to constellation points and pilots (clause 8.3.3.4), carriers -100 .. -1 and
// 1 .. 100, one per clock.

`include "coding_facts.vh"

module carrier_mapper (
    input  wire        clk,
    input  wire        rst,
    input  wire        symbol_valid,
    input  wire [6:0]  symbol_info,   // {rate, first of burst, last of burst, uplink, pilot bit}
    output wire        symbol_release,
    output reg  [3:0]  read_part,
    output reg  [3:0]  read_carrier,
    input  wire [5:0]  read_label,    // first bit in [0]; the clock of its address
    output reg  [31:0] m_data,
    output reg         m_last,
    output reg         m_first_of_burst,
    output reg         m_end_of_burst,
    output reg         m_valid,
    input  wire        m_ready
);
  localparam [27:0] CARRIER_BITS = `FACT_CARRIER_BITS;
  localparam [511:0] LEVELS = `FACT_LEVELS;
  localparam [63:0] PILOT_INDEX = `FACT_PILOT_INDEX;
  localparam [7:0] NEGATIVE_DL = `FACT_PILOT_NEGATIVE_DL;
  localparam [7:0] NEGATIVE_UL = `FACT_PILOT_NEGATIVE_UL;
  localparam [15:0] UNIT = `FACT_CARRIER_UNIT;
  localparam [7:0] LAST_CARRIER = 8'd199;

  reg [7:0] carrier;
  reg [2:0] pilot;

  wire [2:0] bits = CARRIER_BITS[4 * symbol_info[6:4] +: 3];
  wire is_pilot = PILOT_INDEX[8 * pilot +: 8] == carrier;
  wire negative = (symbol_info[1] ? NEGATIVE_UL[pilot] : NEGATIVE_DL[pilot]) ^ symbol_info[0];

  // 1: the carrier's label; 2: its word.
  reg       valid1, last1, first1, end1, pilot1, negative1;
  reg [2:0] bits1;
  reg [5:0] label1;
  // Bits of an axis as a number, the first in the highest place.
  reg [2:0] i_bits, q_bits;
  always @*
    case (bits1)
      3'd6: begin
        i_bits = {label1[0], label1[1], label1[2]};
        q_bits = {label1[3], label1[4], label1[5]};
      end
      3'd4: begin
        i_bits = {1'b0, label1[0], label1[1]};
        q_bits = {1'b0, label1[2], label1[3]};
      end
      default: begin
        i_bits = {2'b00, label1[0]};
        q_bits = {2'b00, label1[1]};
      end
    endcase
  wire [15:0] i_level = LEVELS[16 * {bits1[2:1], i_bits} +: 16];
  wire [15:0] q_level = bits1 == 3'd1 ? 16'd0 : LEVELS[16 * {bits1[2:1], q_bits} +: 16];

  wire enable = m_ready || !m_valid;
  wire go = symbol_valid && enable;
  wire last = carrier == LAST_CARRIER;
  assign symbol_release = go && last;

  always @(posedge clk) begin
    if (enable) begin
      valid1 <= symbol_valid;
      last1 <= last;
      first1 <= carrier == 8'd0 && symbol_info[3];
      end1 <= last && symbol_info[2];
      pilot1 <= is_pilot;
      negative1 <= negative;
      bits1 <= bits;
      label1 <= read_label;
      m_valid <= valid1;
      m_data <= pilot1 ? {negative1 ? -UNIT : UNIT, 16'd0} : {i_level, q_level};
      m_last <= last1;
      m_first_of_burst <= first1;
      m_end_of_burst <= end1;
    end
    if (go) begin
      carrier <= last ? 8'd0 : carrier + 8'd1;
      if (is_pilot) pilot <= pilot + 3'd1;
      else begin
        read_carrier <= read_carrier + 4'd1;
        if (read_carrier == 4'd15) read_part <= read_part == 4'd11 ? 4'd0 : read_part + 4'd1;
      end
    end
    if (rst) begin
      valid1 <= 1'b0;
      m_valid <= 1'b0;
      carrier <= 8'd0;
      pilot <= 3'd0;
      read_part <= 4'd0;
      read_carrier <= 4'd0;
    end
  end
endmodule
