// SPDX-License-Identifier: GPL-3.0-or-later
//
// Positions of a symbol's coded bits in sequence (interleaver, clause 8.3.3.3): carrier and label bit of the next coded bit and
// of the one after it. Bits are distributed to twelve parts of the band in turn, so the two are always in an even and an odd
// part.

module interleaver_walk (
  input  wire       clk,
  input  wire       start,        // to the first bit of a symbol
  input  wire [2:0] label_bits,   // 1, 2, 4 or 6
  input  wire       one,          // one bit on, or two
  input  wire       two,
  output reg  [3:0] part,         // 0 .. 11; its carriers are 16 part .. 16 part + 15
  output reg  [3:0] carrier,
  output wire [2:0] place,        // in the label, 0 the first
  output wire [2:0] next_pair,    // next part / 2
  output wire [3:0] next_carrier,
  output wire [2:0] next_place
);

  reg [1:0] part_mod3;
  reg [2:0] row;                  // of the carrier, 0 .. label_bits - 1

  wire part_ends = part == 4'd11;
  wire row_ends = row == label_bits - 3'd1;
  wire [1:0] next_mod3 = part_mod3 == 2'd2 ? 2'd0 : part_mod3 + 2'd1;
  wire [2:0] row_after = row_ends ? 3'd0 : row + 3'd1;
  wire [3:0] carrier_after = row_ends ? carrier + 4'd1 : carrier;
  wire [2:0] next_row = part_ends ? row_after : row;
  wire [3:0] next_part = part_ends ? 4'd0 : part + 4'd1;
  assign next_pair = next_part[3:1];
  assign next_carrier = part_ends ? carrier_after : carrier;

  // Groups of half a label's bits are turned by one more in each part.
  function [2:0] turned;
    input [2:0] bits;
    input [2:0] at;
    input       odd_part;
    input [1:0] mod3;
    reg [2:0] group;
    reg [2:0] in_group;
    begin
      group = at >= 3'd3 ? 3'd3 : 3'd0;
      in_group = at - group;
      case (bits)
        3'd4: turned = {at[2:1], at[0] ^ odd_part};
        3'd6: turned = group + (in_group >= {1'b0, mod3} ? in_group - {1'b0, mod3} : in_group + 3'd3 - {1'b0, mod3});
        default: turned = at;
      endcase
    end
  endfunction
  assign place = turned(label_bits, row, part[0], part_mod3);
  assign next_place = turned(label_bits, next_row, next_part[0], next_mod3);

  always @(posedge clk)
    if (start) begin
      part <= 4'd0;
      part_mod3 <= 2'd0;
      carrier <= 4'd0;
      row <= 3'd0;
    end else if (two) begin
      part <= next_part == 4'd11 ? 4'd0 : next_part + 4'd1;
      part_mod3 <= next_mod3 == 2'd2 ? 2'd0 : next_mod3 + 2'd1;
      if (part >= 4'd10) begin
        row <= row_after;
        carrier <= carrier_after;
      end
    end else if (one) begin
      part <= next_part;
      part_mod3 <= next_mod3;
      row <= next_row;
      carrier <= next_carrier;
    end

endmodule
