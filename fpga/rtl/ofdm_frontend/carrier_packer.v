// SPDX-License-Identifier: GPL-3.0-or-later
//
// From the FFT's 27-bit carriers in bit-reversed order to packets: a header word, then the 200 used carriers -100..-1,
// 1..100 in 16 bits, all of a symbol divided by the same power of two, the smallest with which they fit. Halves are
// rounded to even. Header: tag [31:16], symbol [15:5], lost [4], exponent [3:0]; a lost symbol is a header alone,
// without a time. Two
// symbols have room; whoever feeds the FFT counts them by bank_released.
module carrier_packer (
    input wire clk,
    input wire rst,

    input wire               in_valid,
    input wire signed [26:0] in_re,
    input wire signed [26:0] in_im,

    input  wire        record_valid,
    output wire        record_taken,
    input  wire [93:0] record,
    output wire        bank_released,

    output reg         m_axis_tvalid,
    input  wire        m_axis_tready,
    output reg  [31:0] m_axis_tdata,
    output reg         m_axis_tlast,
    output wire [63:0] m_axis_ttimestamp,
    output reg         m_axis_thas_time,
    output wire        m_axis_teob
);
  // ---- into the buffer, and how large the symbol's used carriers are ----
  reg [7:0] place;
  reg write_bank;
  wire [7:0] bin = {
    place[0], place[1], place[2], place[3], place[4], place[5], place[6], place[7]
  };
  wire used = (bin >= 8'd1 && bin <= 8'd100) || bin >= 8'd156;
  wire [10:0] size = (in_re[25:15] ^ {11{in_re[26]}}) | (in_im[25:15] ^ {11{in_im[26]}});
  reg [10:0] largest;
  wire [10:0] larger = (place == 8'd0 ? 11'd0 : largest) | (used ? size : 11'd0);
  reg [10:0] largest_of[0:1];
  wire filled = in_valid && place == 8'd255;

  reg [53:0] memory[0:511];
  always @(posedge clk) begin
    if (in_valid) begin
      memory[{write_bank, bin}] <= {in_re, in_im};
      largest <= larger;
      place <= place + 8'd1;
      if (place == 8'd255) begin
        largest_of[write_bank] <= larger;
        write_bank <= !write_bank;
      end
    end
    if (rst) begin
      place <= 8'd0;
      write_bank <= 1'b0;
    end
  end

  function [3:0] exponent_of(input [10:0] bits);
    integer i;
    begin
      exponent_of = 4'd0;
      for (i = 0; i < 11; i = i + 1) if (bits[i]) exponent_of = i[3:0] + 4'd1;
    end
  endfunction

  // ---- out of it ----
  localparam [1:0] IDLE = 2'd0, HEADER = 2'd1, CARRIERS = 2'd2, LEAVING = 2'd3;
  reg [1:0] state, waiting;  // symbols
  reg read_bank, lost, holds_bank, ends;
  reg [3:0] exponent;
  reg [26:0] label;  // tag, symbol
  reg [63:0] symbol_time;
  reg [7:0] count;
  wire advance = !m_axis_tvalid || m_axis_tready;
  wire begins = state == IDLE && record_valid && (!record[93] || waiting != 2'd0);
  wire all_read = state == CARRIERS && advance && count == 8'd199;

  assign record_taken = begins;
  assign bank_released = all_read || (state == HEADER && advance && lost && holds_bank);
  assign m_axis_ttimestamp = symbol_time;
  assign m_axis_teob = m_axis_tlast && ends;

  always @(posedge clk) begin
    case (state)
      IDLE: begin
        count <= 8'd0;
        {holds_bank, lost, ends, label, symbol_time} <= record;
        exponent <= record[92] ? 4'd0 : exponent_of(largest_of[read_bank]);
        if (begins) state <= HEADER;
      end
      HEADER: if (advance) state <= lost ? LEAVING : CARRIERS;
      CARRIERS: begin
        if (advance) count <= count + 8'd1;
        if (all_read) state <= LEAVING;
      end
      default: if (m_axis_tvalid && m_axis_tready && m_axis_tlast) state <= IDLE;
    endcase
    if (bank_released) read_bank <= !read_bank;
    waiting <= waiting + {1'b0, filled} - {1'b0, bank_released};
    if (rst) begin
      state <= IDLE;
      waiting <= 2'd0;
      read_bank <= 1'b0;
    end
  end

  // Words on their way: read, shifted, rounded.
  reg read_valid, read_header, read_last, shifted_valid, shifted_header, shifted_last;
  reg [53:0] read;
  reg [26:0] re, im;  // 16 bits before the point
  wire [37:0] wide_re = $signed({read[53:27], 11'd0}) >>> exponent;
  wire [37:0] wide_im = $signed({read[26:0], 11'd0}) >>> exponent;
  wire unused = &{1'b0, wide_re[37:27], wide_im[37:27]};  // copies of the sign
  wire [7:0] read_bin = count < 8'd100 ? count + 8'd156 : count - 8'd99;

  function [15:0] rounded(input [26:0] value);
    reg up;
    begin
      up = value[10] && (value[9:0] != 10'd0 || value[11]) && value[26:11] != 16'h7fff;
      rounded = value[26:11] + {15'd0, up};
    end
  endfunction

  always @(posedge clk) begin
    if (advance) begin
      read <= memory[{read_bank, read_bin}];
      read_valid <= state == HEADER || state == CARRIERS;
      read_header <= state == HEADER;
      read_last <= state == HEADER ? lost : count == 8'd199;

      re <= wide_re[26:0];
      im <= wide_im[26:0];
      shifted_valid <= read_valid;
      shifted_header <= read_header;
      shifted_last <= read_last;

      m_axis_tvalid <= shifted_valid;
      m_axis_tdata <= shifted_header ? {label[15:0], label[26:16], lost, exponent}
                                     : {rounded(re), rounded(im)};
      m_axis_thas_time <= shifted_header && !lost;
      m_axis_tlast <= shifted_last;
    end
    if (rst) begin
      read_valid <= 1'b0;
      shifted_valid <= 1'b0;
      m_axis_tvalid <= 1'b0;
    end
  end
endmodule
