// SPDX-License-Identifier: GPL-3.0-or-later
//
// From the FFT's 27-bit carriers in bit-reversed order to packets: a header word, then the 200 used carriers -100..-1,
// 1..100 in 16 bits, all of a symbol divided by the smallest power of two with which they fit. Halves are rounded to even.
// Header: tag [31:16], symbol [15:5], lost [4], exponent [3:0]; a lost symbol is only a header, without a time. Two symbols
// have room; the module before the FFT counts them by bank_released.
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
  function [3:0] exponent_of(input [10:0] bits);
    integer i;
    begin
      exponent_of = 4'd0;
      for (i = 0; i < 11; i = i + 1) if (bits[i]) exponent_of = i[3:0] + 4'd1;
    end
  endfunction

  // ---- input to the buffer, and the divisor of the symbol's used carriers ---------
  reg [7:0] place;
  reg write_bank;
  wire [7:0] bin = {
    place[0], place[1], place[2], place[3], place[4], place[5], place[6], place[7]
  };
  reg stored, first, at_end, used, done, bank, done_bank;
  reg [7:0] stored_bin;
  reg [53:0] value;
  reg [10:0] size, largest;
  reg [3:0] exponents[0:1];
  reg filled;

  reg [53:0] memory[0:511];
  always @(posedge clk) begin
    stored <= in_valid && !rst;
    value <= {in_re, in_im};
    stored_bin <= bin;
    bank <= write_bank;
    first <= place == 8'd0;
    at_end <= place == 8'd255;
    used <= (bin >= 8'd1 && bin <= 8'd100) || bin >= 8'd156;
    size <= (in_re[25:15] ^ {11{in_re[26]}}) | (in_im[25:15] ^ {11{in_im[26]}});
    if (in_valid) begin
      place <= place + 8'd1;
      if (place == 8'd255) write_bank <= !write_bank;
    end

    if (stored) begin
      memory[{bank, stored_bin}] <= value;
      largest <= (first ? 11'd0 : largest) | (used ? size : 11'd0);
    end
    done <= stored && at_end && !rst;
    done_bank <= bank;

    if (done) exponents[done_bank] <= exponent_of(largest);
    filled <= done && !rst;
    if (rst) begin
      place <= 8'd0;
      write_bank <= 1'b0;
    end
  end

  // ---- output ---------
  localparam [1:0] IDLE = 2'd0, HEADER = 2'd1, CARRIERS = 2'd2, LEAVING = 2'd3;
  reg [1:0] state, waiting;  // symbols
  reg read_bank, lost, holds_bank, ends;
  reg [3:0] exponent;
  reg [26:0] label;  // tag, symbol
  reg [63:0] symbol_time;
  reg [7:0] read_bin;
  reg at_last;  // it is the highest carrier's
  wire advance = !m_axis_tvalid || m_axis_tready;
  wire begins = state == IDLE && record_valid && (!record[93] || waiting != 2'd0);
  wire all_read = state == CARRIERS && advance && at_last;

  assign record_taken = begins;
  assign bank_released = all_read || (state == HEADER && advance && lost && holds_bank);
  assign m_axis_ttimestamp = symbol_time;
  assign m_axis_teob = m_axis_tlast && ends;

  always @(posedge clk) begin
    case (state)
      IDLE: begin
        read_bin <= 8'd156;
        at_last <= 1'b0;
        {holds_bank, lost, ends, label, symbol_time} <= record;
        exponent <= record[92] ? 4'd0 : exponents[read_bank];
        if (begins) state <= HEADER;
      end
      HEADER: if (advance) state <= lost ? LEAVING : CARRIERS;
      CARRIERS: begin
        if (advance) begin
          read_bin <= read_bin == 8'd255 ? 8'd1 : read_bin + 8'd1;
          at_last <= read_bin == 8'd99;
        end
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

  // Words in the pipeline, a cycle each: read, registered, divided by the power of 16, by the rest, rounding decided, output.
  reg [4:0] valid, header, closes;
  reg [53:0] read, fetched;
  reg [29:0] coarse_re, coarse_im;
  reg [26:0] re, im;  // 16 bits before the point
  reg [15:0] whole_re, whole_im;
  reg up_re, up_im;
  wire [37:0] coarse_wide_re = $signed({fetched[53:27], 11'd0}) >>> {exponent[3:2], 2'd0};
  wire [37:0] coarse_wide_im = $signed({fetched[26:0], 11'd0}) >>> {exponent[3:2], 2'd0};
  wire [29:0] wide_re = $signed(coarse_re) >>> exponent[1:0];
  wire [29:0] wide_im = $signed(coarse_im) >>> exponent[1:0];
  wire unused = &{1'b0, coarse_wide_re[37:30], coarse_wide_im[37:30], wide_re[29:27], wide_im[29:27]};  // copies of the sign

  function up(input [26:0] carrier);
    up = carrier[10] && (carrier[9:0] != 10'd0 || carrier[11]) && carrier[26:11] != 16'h7fff;
  endfunction

  always @(posedge clk) begin
    if (advance) begin
      read <= memory[{read_bank, read_bin}];
      fetched <= read;
      coarse_re <= coarse_wide_re[29:0];
      coarse_im <= coarse_wide_im[29:0];
      re <= wide_re[26:0];
      im <= wide_im[26:0];
      whole_re <= re[26:11];
      whole_im <= im[26:11];
      up_re <= up(re);
      up_im <= up(im);

      valid <= {valid[3:0], state == HEADER || state == CARRIERS};
      header <= {header[3:0], state == HEADER};
      closes <= {closes[3:0], state == HEADER ? lost : at_last};

      m_axis_tvalid <= valid[4];
      m_axis_tdata <= header[4] ? {label[15:0], label[26:16], lost, exponent}
                                : {whole_re + {15'd0, up_re}, whole_im + {15'd0, up_im}};
      m_axis_thas_time <= header[4] && !lost;
      m_axis_tlast <= closes[4];
    end
    if (rst) begin
      valid <= 5'd0;
      m_axis_tvalid <= 1'b0;
    end
  end
endmodule
