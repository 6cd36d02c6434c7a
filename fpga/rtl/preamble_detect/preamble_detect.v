// SPDX-License-Identifier: GPL-3.0-or-later
//
// Detector of the long preamble (clause 8.3.3.6). Samples (16-bit I in the upper half, Q in the lower) pass unchanged, a cycle
// later, with their sidebands. Each preamble gives a packet of 3 words on m_axis_det, within 960 samples of the frame's start
// and the search's cycles: {faint, prefix, carrier offset}, metric, power; its ttimestamp is the time of the first prefix's
// first sample. A sample must have a time at least every 2^20 - 1024 samples. Registers: model/preamble_detect_registers.h.
//
// Input is one sample per cycle, except for every 16th, which waits for up to 44 cycles of the gate. Samples also wait if the
// next plateau could arrive before the search of the last is over or its record is taken (1024 samples).
module preamble_detect (
  input  wire        clk,
  input  wire        rst,

  input  wire [31:0] s_axis_tdata,
  input  wire        s_axis_tvalid,
  output wire        s_axis_tready,
  input  wire        s_axis_tlast,
  input  wire [63:0] s_axis_ttimestamp,
  input  wire        s_axis_thas_time,
  input  wire        s_axis_teob,

  output reg  [31:0] m_axis_tdata,
  output wire        m_axis_tvalid,
  input  wire        m_axis_tready,
  output reg         m_axis_tlast,
  output reg  [63:0] m_axis_ttimestamp,
  output reg         m_axis_thas_time,
  output reg         m_axis_teob,

  output reg  [31:0] m_axis_det_tdata,
  output wire        m_axis_det_tvalid,
  input  wire        m_axis_det_tready,
  output wire        m_axis_det_tlast,
  output wire [63:0] m_axis_det_ttimestamp,
  output wire        m_axis_det_thas_time,
  output wire        m_axis_det_teob,

  input  wire        s_ctrlport_req_wr,
  input  wire        s_ctrlport_req_rd,
  input  wire [19:0] s_ctrlport_req_addr,
  // verilator lint_off UNUSEDSIGNAL
  input  wire [31:0] s_ctrlport_req_data,   // no register has more than 8 bits
  // verilator lint_on UNUSEDSIGNAL
  output wire        s_ctrlport_resp_ack,
  output wire [31:0] s_ctrlport_resp_data
);

  // Registers.
  reg        detect;
  reg  [7:0] gate_threshold, first_threshold, second_threshold, hold_off;
  reg  [2:0] max_steps;
  reg  [3:0] prefixes;
  reg [15:0] detections, plateaus;
  wire [7:0] octet = s_ctrlport_req_data[7:0];
  wire       gate_busy, search, search_busy;

  ctrlport_registers #(.ID("PDET"), .VERSION(1), .COUNT(10)) registers (
    .clk(clk), .rst(rst), .request(s_ctrlport_req_wr || s_ctrlport_req_rd), .address(s_ctrlport_req_addr),
    .values({31'd0, gate_busy || search || search_busy, 16'd0, plateaus, 16'd0, detections, 24'd0, hold_off, 28'd0, prefixes, 29'd0, max_steps,
              24'd0, second_threshold, 24'd0, first_threshold, 24'd0, gate_threshold, 31'd0, detect}),
    .acknowledge(s_ctrlport_resp_ack), .data(s_ctrlport_resp_data));

  always @(posedge clk) begin
    if (s_ctrlport_req_wr) begin
      case (s_ctrlport_req_addr)
        20'h08:  detect           <= octet[0];
        20'h0C:  gate_threshold   <= octet;
        20'h10:  first_threshold  <= octet;
        20'h14:  second_threshold <= octet;
        20'h18:  max_steps        <= octet[2:0];
        20'h1C:  prefixes         <= octet[3:0];
        20'h20:  hold_off         <= octet;
        default: ;
      endcase
    end
    if (rst) begin
      detect           <= 1'b1;
      gate_threshold   <= 8'd24;
      first_threshold  <= 8'd12;
      second_threshold <= 8'd4;
      max_steps        <= 3'd1;
      prefixes         <= 4'd15;
      hold_off         <= 8'd0;
    end
  end

  // Samples and their time.
  localparam [20:0] FIRST_SINCE = 21'd1 - 21'd800;
  reg  [63:0] known_time;  // the newest given time
  reg signed [20:0] since; // samples since, and from the window that a search begins with back to a frame's start
  reg  [15:0] next_time;   // lower bits: a gap of a multiple of 2^16 is not noticed
  reg   [3:0] in_hop;
  wire        search_next;
  reg  [12:0] dead;      // samples since the search began
  reg         held;        // a sample, that of m_axis
  reg         jump;        // its time is not that of the next one
  wire        last      = in_hop == 4'd15 && !jump;
  wire        hold      = gate_busy && (in_hop == 4'd15 || jump) || search_busy && dead[12:10] != 3'd0;
  wire        pass      = held && m_axis_tready && !hold;
  wire [12:0] dead_most = {1'b0, hold_off, 4'd0} + 13'd1024;

  assign s_axis_tready     = !held || m_axis_tready && !hold;
  assign m_axis_tvalid     = held && !hold;
  always @(posedge clk) begin
    if (s_axis_tready) begin
      held              <= s_axis_tvalid;
      m_axis_tdata      <= s_axis_tdata;
      m_axis_tlast      <= s_axis_tlast;
      m_axis_ttimestamp <= s_axis_ttimestamp;
      m_axis_thas_time  <= s_axis_thas_time;
      m_axis_teob       <= s_axis_teob;
      jump              <= s_axis_thas_time && s_axis_ttimestamp[15:0] != next_time;
      if (s_axis_tvalid) next_time <= (s_axis_thas_time ? s_axis_ttimestamp[15:0] : next_time) + 16'd1;
    end
    if (rst) begin
      held      <= 1'b0;
      next_time <= 16'd1;
    end
  end

  reg  [31:0] ring [0:2047];
  reg  [31:0] ring_word;
  reg  [10:0] write_at, search_ring, ring_from, ring_at;
  reg  [63:0] search_time;
  reg  [20:0] search_since;
  reg         hop_ends, search_begins;   // a cycle ago
  reg         rearm;
  wire  [9:0] read_from;
  wire  [8:0] read_on;

  always @(posedge clk) begin
    if (pass) begin
      ring[write_at] <= m_axis_tdata;
      since          <= m_axis_thas_time ? FIRST_SINCE : since + 21'd1;
      if (m_axis_thas_time) known_time <= m_axis_ttimestamp;
    end
    if (search_begins) dead <= {12'd0, pass};
    else if (pass && !(&dead)) dead <= dead + 13'd1;
    hop_ends      <= pass && last;
    search_begins <= pass && last && search_next;
    if (hop_ends) rearm <= dead >= dead_most;
    if (search_begins) begin
      search_ring  <= write_at - 11'd736;
      search_time  <= known_time;
      search_since <= since;
    end
    ring_from <= search_ring + {1'b0, read_from};
    ring_at   <= ring_from + {2'd0, read_on};
    ring_word <= ring[ring_at];
    if (rst) begin
      write_at  <= 11'd0;
      in_hop    <= 4'd0;
      since     <= FIRST_SINCE;
      known_time <= 64'd0;
      dead      <= 13'd0;
    end else if (pass) begin
      write_at <= write_at + 11'd1;
      in_hop   <= jump ? 4'd1 : in_hop + 4'd1;
    end
  end

  wire               hop_done;
  wire         [1:0] window_asked;
  wire        [39:0] window;
  lag_correlator correlator (
    .clk(clk), .rst(rst), .sample(m_axis_tdata), .take(pass), .last_of_hop(last), .hop_done(hop_done),
    .asked(window_asked), .value(window));

  wire signed [16:0] peak_re, peak_im;
  wire               faint;
  wire signed [17:0] gate_a_re, gate_a_im;
  wire               gate_squares;
  wire        [15:0] gate_factor;
  wire signed [36:0] product_re, product_im;
  preamble_gate gate (
    .clk(clk), .rst(rst), .detect(detect), .threshold(gate_threshold), .restart(pass && jump), .hop_begins(pass && last),
    .hop_done(hop_done), .asked(window_asked), .value(window), .rearm(rearm), .busy(gate_busy),
    .search_next(search_next), .search(search), .peak_re(peak_re), .peak_im(peak_im), .faint(faint),
    .a_re(gate_a_re), .a_im(gate_a_im), .squares(gate_squares), .factor(gate_factor), .product_re(product_re));

  wire               found, taken;
  wire signed  [9:0] found_at;
  wire         [6:0] found_prefix;
  wire signed [15:0] found_offset;
  wire        [31:0] found_metric, found_power;
  wire signed [17:0] search_a_re, search_a_im;
  wire signed [15:0] turn_re, turn_im;
  wire               search_squares;
  preamble_search engine (
    .clk(clk), .rst(rst), .start(search), .busy(search_busy), .peak_re(peak_re), .peak_im(peak_im),
    .faint(faint), .first_threshold(first_threshold), .second_threshold(second_threshold),
    .max_steps(max_steps), .prefixes(prefixes), .read_from(read_from), .read_on(read_on), .sample(ring_word), .a_re(search_a_re),
    .a_im(search_a_im), .squares(search_squares), .turn_re(turn_re), .turn_im(turn_im), .product_re(product_re), .product_im(product_im),
    .found(found), .taken(taken), .found_at(found_at), .found_prefix(found_prefix), .found_offset(found_offset),
    .found_metric(found_metric), .found_power(found_power));

  // One multiplier: an operand times its conjugate, or the other operand's.
  wire               squares = search_busy ? search_squares : gate_squares;
  reg  signed [17:0] a_re, a_im, b_re, b_im;
  wire signed [17:0] next_re = search_busy ? search_a_re : gate_a_re;
  wire signed [17:0] next_im = search_busy ? search_a_im : gate_a_im;
  always @(posedge clk) begin
    a_re <= next_re;
    a_im <= next_im;
    b_re <= squares ? next_re : search_busy ? {{2{turn_re[15]}}, turn_re} : {2'd0, gate_factor};
    b_im <= squares ? next_im : search_busy ? {{2{turn_im[15]}}, turn_im} : 18'd0;
  end
  conjugate_multiplier multiplier (
    .clk(clk), .a_re(a_re), .a_im(a_im), .b_re(b_re), .b_im(b_im), .re(product_re), .im(product_im));

  // Records.
  reg   [1:0] word;
  reg         [20:0] beyond;
  reg         [63:0] start;    // its contents have been known for long when it is read
  always @(posedge clk) begin
    beyond <= search_since + {{11{found_at[9]}}, found_at};
    start  <= search_time + {{43{beyond[20]}}, beyond};
  end
  assign m_axis_det_tvalid     = found;
  assign m_axis_det_tlast      = word == 2'd2;
  assign m_axis_det_teob       = m_axis_det_tlast;
  assign m_axis_det_ttimestamp = start;
  assign m_axis_det_thas_time  = 1'b1;
  assign taken = found && m_axis_det_tready && m_axis_det_tlast;

  always @* begin
    case (word)
      2'd0:    m_axis_det_tdata = {faint, 8'd0, found_prefix, found_offset};
      2'd1:    m_axis_det_tdata = found_metric;
      default: m_axis_det_tdata = found_power;
    endcase
  end

  always @(posedge clk) begin
    if (rst) begin
      word       <= 2'd0;
      detections <= 16'd0;
      plateaus   <= 16'd0;
    end else begin
      if (found && m_axis_det_tready) word <= taken ? 2'd0 : word + 2'd1;
      if (taken) detections <= detections + 16'd1;
      if (search) plateaus <= plateaus + 16'd1;
    end
  end

endmodule
