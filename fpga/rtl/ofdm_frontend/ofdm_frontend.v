// SPDX-License-Identifier: GPL-3.0-or-later
//
// Receive front end (clause 8.3.2): samples in, the used carriers of ordered OFDM symbols out.
//
//   samples -> symbol_gate -> nco -> fft256 -> carrier_packer -> packets of 201 words, one per symbol
//                 ^ orders: FIFO of 32
//
// An order is one word: time of the first prefix's first sample [63:0], carrier increment in 2^-32 turns per sample [95:64],
// number of the last symbol [106:96], length of the prefix 8 << [109:108], [110] the phase is zero at the first body's first
// sample, [111] increment of the order rather than of the register, tag [127:112]. The response to an overlapping or late order
//is a header with the lost bit.
//
// Carrier = (re, im) * 2^exponent / 4, in units of the samples' and of a sum over 256 of them. Time: of the body's first
// sample. End of burst: with the order's last packet. Registers: ofdm_frontend_registers.h.
// Latency: 517 cycles from a body's last sample to its packet's last word.
module ofdm_frontend (
    input wire clk,
    input wire rst,

    input  wire        s_axis_tvalid,
    output wire        s_axis_tready,
    input  wire [31:0] s_axis_tdata,
    input  wire        s_axis_tlast,
    input  wire [63:0] s_axis_ttimestamp,
    input  wire        s_axis_thas_time,
    input  wire        s_axis_teob,

    input  wire         s_axis_cmd_tvalid,
    output wire         s_axis_cmd_tready,
    input  wire [127:0] s_axis_cmd_tdata,

    output wire        m_axis_tvalid,
    input  wire        m_axis_tready,
    output wire [31:0] m_axis_tdata,
    output wire        m_axis_tlast,
    output wire [63:0] m_axis_ttimestamp,
    output wire        m_axis_thas_time,
    output wire        m_axis_teob,

    input  wire        s_ctrlport_req_wr,
    input  wire        s_ctrlport_req_rd,
    input  wire [19:0] s_ctrlport_req_addr,
    input  wire [31:0] s_ctrlport_req_data,
    output wire        s_ctrlport_resp_ack,
    output wire [31:0] s_ctrlport_resp_data
);
  // Packets of samples may have any length: their times connect them.
  wire unused = &{1'b0, s_axis_tlast, s_axis_teob, order[107]};

  // ---- orders ----
  reg forget;  // orders that wait
  reg obey_restart;
  reg [31:0] increment;
  wire head_valid, order_taken;
  wire [127:0] head;
  sync_fifo #(
      .WIDTH(128),
      .DEPTH_LOG2(5)
  ) order_fifo (
      .clk(clk),
      .rst(rst || forget),
      .s_axis_tdata(s_axis_cmd_tdata),
      .s_axis_tvalid(s_axis_cmd_tvalid),
      .s_axis_tready(s_axis_cmd_tready),
      .m_axis_tdata(head),
      .m_axis_tvalid(head_valid),
      .m_axis_tready(order_taken)
  );
  // A copy of the first, where it is read; a taken or dropped order remains valid for a cycle.
  reg order_pending, order_gone;
  reg [127:0] order;
  reg [31:0] order_increment;
  always @(posedge clk) begin
    order_pending <= head_valid && !rst;
    order_gone <= order_taken || forget;
    order <= head;
    order_increment <= order[111] ? order[95:64] : increment;
  end

  // ---- samples of ordered symbols ----
  wire sample_valid, bank_taken, record_valid, record_room, sample_seen, order_late, order_cut;
  wire [31:0] sample, phase;
  wire [93:0] record;
  reg [1:0] banks;  // in use
  symbol_gate gate (
      .clk(clk),
      .rst(rst),
      .s_valid(s_axis_tvalid),
      .s_ready(s_axis_tready),
      .s_data(s_axis_tdata),
      .s_time(s_axis_ttimestamp),
      .s_has_time(s_axis_thas_time),
      .order_pending(order_pending),
      .order_valid(order_pending && !order_gone),
      .order_taken(order_taken),
      .order_time(order[63:0]),
      .order_increment(order_increment),
      .order_last_symbol(order[106:96]),
      .order_prefix(order[109:108]),
      .order_restart(order[110] && obey_restart),
      .order_tag(order[127:112]),
      .sample_valid(sample_valid),
      .sample(sample),
      .phase(phase),
      .bank_free(!banks[1]),
      .bank_taken(bank_taken),
      .record_room(record_room),
      .record_valid(record_valid),
      .record(record),
      .sample_seen(sample_seen),
      .order_late(order_late),
      .order_cut(order_cut)
  );

  wire turned_valid, carrier_valid, bank_released;
  wire signed [18:0] turned_re, turned_im;
  wire signed [26:0] carrier_re, carrier_im;
  nco oscillator (
      .clk(clk),
      .rst(rst),
      .in_valid(sample_valid),
      .in_re(sample[31:16]),
      .in_im(sample[15:0]),
      .phase(phase),
      .out_valid(turned_valid),
      .out_re(turned_re),
      .out_im(turned_im)
  );
  fft256 fft (
      .clk(clk),
      .rst(rst),
      .in_valid(turned_valid),
      .in_re(turned_re),
      .in_im(turned_im),
      .out_valid(carrier_valid),
      .out_re(carrier_re),
      .out_im(carrier_im)
  );

  // ---- packets ----
  wire packed_valid, packed_taken;
  wire [93:0] packed_record;
  sync_fifo #(
      .WIDTH(94),
      .DEPTH_LOG2(2)
  ) record_fifo (
      .clk(clk),
      .rst(rst),
      .s_axis_tdata(record),
      .s_axis_tvalid(record_valid),
      .s_axis_tready(record_room),
      .m_axis_tdata(packed_record),
      .m_axis_tvalid(packed_valid),
      .m_axis_tready(packed_taken)
  );
  carrier_packer packer (
      .clk(clk),
      .rst(rst),
      .in_valid(carrier_valid),
      .in_re(carrier_re),
      .in_im(carrier_im),
      .record_valid(packed_valid),
      .record_taken(packed_taken),
      .record(packed_record),
      .bank_released(bank_released),
      .m_axis_tvalid(m_axis_tvalid),
      .m_axis_tready(m_axis_tready),
      .m_axis_tdata(m_axis_tdata),
      .m_axis_tlast(m_axis_tlast),
      .m_axis_ttimestamp(m_axis_ttimestamp),
      .m_axis_thas_time(m_axis_thas_time),
      .m_axis_teob(m_axis_teob)
  );

  // ---- registers ----
  reg [31:0] samples, words, symbols;
  reg [15:0] late_orders, cut_orders;
  ctrlport_registers #(.ID("OFRX"), .VERSION(32'h00010000), .COUNT(7)) registers (
      .clk(clk), .rst(rst), .request(s_ctrlport_req_wr || s_ctrlport_req_rd), .address(s_ctrlport_req_addr),
      .values({30'd0, !s_axis_cmd_tready, head_valid, cut_orders, late_orders, symbols, words, samples, increment, 31'd0, obey_restart}),
      .acknowledge(s_ctrlport_resp_ack), .data(s_ctrlport_resp_data));
  reg one_sample, one_word, one_symbol, one_late, one_cut;
  always @(posedge clk) begin
    one_sample <= sample_seen && !rst;
    one_word <= m_axis_tvalid && m_axis_tready && !rst;
    one_symbol <= m_axis_tvalid && m_axis_tready && m_axis_thas_time && !rst;
    one_late <= order_late && !rst;
    one_cut <= order_cut && !rst;
    banks <= banks + {1'b0, bank_taken} - {1'b0, bank_released};
    samples <= samples + {31'd0, one_sample};
    words <= words + {31'd0, one_word};
    symbols <= symbols + {31'd0, one_symbol};
    late_orders <= late_orders + {15'd0, one_late};
    cut_orders <= cut_orders + {15'd0, one_cut};

    forget <= 1'b0;
    if (s_ctrlport_req_wr) begin
      case (s_ctrlport_req_addr)
        20'h08: {forget, obey_restart} <= s_ctrlport_req_data[1:0];
        20'h0c: increment <= s_ctrlport_req_data;
        default: ;
      endcase
    end
    if (rst) begin
      banks <= 2'd0;
      samples <= 32'd0;
      words <= 32'd0;
      symbols <= 32'd0;
      late_orders <= 16'd0;
      cut_orders <= 16'd0;
      forget <= 1'b0;
      obey_restart <= 1'b1;
      increment <= 32'd0;
    end
  end
endmodule
