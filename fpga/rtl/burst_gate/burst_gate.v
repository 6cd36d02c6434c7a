// SPDX-License-Identifier: GPL-3.0-or-later
//
// The last stage before a transmitter: timed bursts (ttimestamp with their first word, teob with their last) are sent at their
// time or dropped. Time is s_time: one word per sample with its count; each output word needs one, so the receiver of m_axis
// sets the pace. If time jumps, s_time_tvalid is low for a cycle. Between bursts m_axis is silent; each burst has zeros before
// and after it. A tick is one cycle. A burst's first word takes two more, a part of the window and a register write one, a
// dropped burst one per word. Registers, and their limits: model/burst_gate_registers.h.
module burst_gate (
  input  wire        clk,
  input  wire        rst,

  input  wire [31:0] s_axis_tdata,
  input  wire        s_axis_tvalid,
  output wire        s_axis_tready,
  // verilator lint_off UNUSEDSIGNAL
  input  wire        s_axis_tlast,           // packets within a burst have no meaning here
  // verilator lint_on UNUSEDSIGNAL
  input  wire [63:0] s_axis_ttimestamp,
  input  wire        s_axis_thas_time,
  input  wire        s_axis_teob,

  input  wire [63:0] s_time_ttimestamp,
  input  wire        s_time_tvalid,
  output wire        s_time_tready,

  output wire [31:0] m_axis_tdata,
  output wire        m_axis_tvalid,
  input  wire        m_axis_tready,
  output wire        m_axis_tlast,
  output wire [63:0] m_axis_ttimestamp,
  output wire        m_axis_thas_time,
  output wire        m_axis_teob,

  output reg         tr_line,                // of the last tick

  input  wire        s_ctrlport_req_wr,
  input  wire        s_ctrlport_req_rd,
  input  wire [19:0] s_ctrlport_req_addr,
  // verilator lint_off UNUSEDSIGNAL
  input  wire [31:0] s_ctrlport_req_data,    // no register has more than 26 bits
  // verilator lint_on UNUSEDSIGNAL
  output wire        s_ctrlport_resp_ack,
  output wire [31:0] s_ctrlport_resp_data
);

  localparam IDLE = 2'd0, BURST = 2'd1, DROP = 2'd2;

  // Registers.
  reg         enable;
  reg   [7:0] edge_samples;
  reg  [15:0] lead, lag;
  reg  [23:0] longest;
  reg  [19:0] part;
  reg  [25:0] share, patience;
  reg  [15:0] bursts, lates, too_long, too_often, silenced, underflows;
  reg  [31:0] late_by;
  reg  [63:0] late_time;
  wire        heartbeat = s_ctrlport_req_wr && s_ctrlport_req_addr == 20'h28;

  ctrlport_registers #(.ID("BGTE"), .VERSION(1), .COUNT(18)) registers (
    .clk(clk), .rst(rst), .request(s_ctrlport_req_wr || s_ctrlport_req_rd), .address(s_ctrlport_req_addr),
    .values({late_time[31:0], late_time[63:32], late_by, 16'd0, underflows, 16'd0, silenced, 16'd0, too_often, 16'd0, too_long,
              16'd0, lates, 16'd0, bursts, 32'd0, 6'd0, patience, 6'd0, share, 12'd0, part, 8'd0, longest, 16'd0, lag,
              16'd0, lead, 24'd0, edge_samples, 31'd0, enable}),
    .acknowledge(s_ctrlport_resp_ack), .data(s_ctrlport_resp_data));

  always @(posedge clk) begin
    if (s_ctrlport_req_wr) begin
      case (s_ctrlport_req_addr)
        20'h08:  enable       <= s_ctrlport_req_data[0];
        20'h0C:  edge_samples <= s_ctrlport_req_data[7:0];
        20'h10:  lead         <= s_ctrlport_req_data[15:0];
        20'h14:  lag          <= s_ctrlport_req_data[15:0];
        20'h18:  longest      <= s_ctrlport_req_data[23:0];
        20'h1C:  part         <= s_ctrlport_req_data[19:0];
        20'h20:  share        <= s_ctrlport_req_data[25:0];
        20'h24:  patience     <= s_ctrlport_req_data[25:0];
        default: ;
      endcase
    end
    if (rst) begin
      enable       <= 1'b0;
      edge_samples <= 8'd0;
      lead         <= 16'd0;
      lag          <= 16'd0;
      longest      <= 24'hFFFFFF;
      part         <= 20'd2;
      share        <= 26'h3FFFFFF;
      patience     <= 26'h3FFFFFF;
    end
  end

  // Comparisons are computed in advance, for the next tick. After a register change or a part of the window a cycle without a
  // tick repeats them.
  reg         fresh, turns;
  wire        fire = s_time_tvalid && s_time_tready;
  reg   [1:0] state;

  // Time without a heartbeat.
  reg  [25:0] silence;
  reg         expired;
  wire [26:0] silence_next = {1'b0, silence} + {26'd0, !fresh};
  wire        silent = !enable || expired;

  // The next burst: its distance, and the resulting flags.
  reg         known, placed;  // of this burst and tick: distance valid, flags valid
  reg  [63:0] away;
  reg         behind_now, far, under_lead, at_zero, at_lead, at_span, at_next;
  wire        head    = state == IDLE && s_axis_tvalid;
  wire [17:0] ahead   = away[17:0] - {17'd0, placed};
  wire [17:0] span    = {2'd0, lead} + {10'd0, edge_samples};
  wire        behind_time = !s_axis_thas_time || behind_now || !tr_line && under_lead && !far;
  wire        late    = head && behind_time;
  wire        hushed  = head && !behind_time && silent;
  wire        good    = head && !behind_time && !silent && !far;
  wire        starts  = good && at_zero;
  wire        near    = good && at_lead;
  wire        soon    = good && at_span;
  wire        next    = good && at_next;

  always @(posedge clk) begin
    {known, placed} <= head && s_time_tvalid && !s_axis_tready && !fresh && !rst ? {1'b1, known} : 2'b00;
    if (!placed || fire) away <= (placed ? away : s_axis_ttimestamp) - (placed ? 64'd1 : s_time_ttimestamp);
    if (!placed || fire) begin
      // A distance of 2^18 samples is beyond all limits, so this flag may be a tick late.
      far        <= |away[62:18];
      behind_now <= away[63];
      under_lead <= ahead < {2'd0, lead};
      at_zero    <= ahead == 18'd0;
      at_lead    <= ahead <= {2'd0, lead};
      at_span    <= ahead <= span;
      at_next    <= ahead <= span + 18'd1;
    end
  end

  // This tick.
  reg         muted, cut, open;
  reg  [23:0] run;
  reg         over_long, over_often;
  reg  [16:0] tail;
  reg  [15:0] hold;
  wire [24:0] run_next  = {1'b0, run} + {24'd0, !fresh};
  wire        underflow = state == BURST && !s_axis_tvalid;
  wire        slot      = starts || state == BURST && s_axis_tvalid;
  wire        mute_now  = silent || !starts && muted;
  wire        passes    = slot && !mute_now && !over_long && !over_often;
  wire        emits     = slot || tail != 17'd0 || soon;
  wire        ends      = slot ? s_axis_teob && lag == 16'd0 && edge_samples == 8'd0 : tail == 17'd1 && !next;
  wire        closes    = !emits || ends;
  wire        busy      = state == DROP && s_axis_tvalid || head && !placed || fresh || turns;
  wire        gives     = emits || open;

  assign s_time_tready     = !busy && (!gives || m_axis_tready);
  assign s_axis_tready     = state == DROP || fire && slot;
  assign m_axis_tvalid     = s_time_tvalid && !busy && gives;
  assign m_axis_tdata      = passes ? s_axis_tdata : 32'd0;
  assign m_axis_tlast      = closes;
  assign m_axis_teob       = closes;
  assign m_axis_thas_time  = 1'b1;
  assign m_axis_ttimestamp = s_time_ttimestamp;

  // Samples sent in each of the last 16 parts of the window.
  reg  [19:0] parts [0:15];
  reg   [4:0] filled;        // 16: all of them are current
  reg   [3:0] newest;
  reg  [19:0] in_part, this_part, oldest;
  reg         part_ends;     // including this tick
  reg  [25:0] total;
  wire [19:0] in_part_next = in_part + {19'd0, !fresh};
  wire [25:0] total_next   = turns ? total - {6'd0, filled[4] ? oldest : 20'd0} : total + {25'd0, !fresh};

  always @(posedge clk) begin
    oldest <= parts[newest];
    if (fire || fresh) begin
      expired   <= !(&patience) && silence_next >= {1'b0, patience};
      over_long <= !(&longest) && (slot || fresh ? run_next >= {1'b0, longest} : longest == 24'd0);
      part_ends <= in_part_next >= part && in_part_next > 20'd1 && !(fire && part_ends);
    end
    if (fire && passes || fresh || turns) over_often <= !(&share) && total_next >= share;
    if (fire && passes || turns) total <= total_next;
    if (fire && passes) this_part <= this_part + 20'd1;
    if (turns) begin
      this_part     <= 20'd0;
      parts[newest] <= this_part;
      newest        <= newest + 4'd1;
      if (!filled[4]) filled <= filled + 5'd1;
    end
    if (rst) begin
      total     <= 26'd0;
      filled    <= 5'd0;
      newest    <= 4'd0;
      this_part <= 20'd0;
    end
  end

  always @(posedge clk) begin
    fresh <= rst || s_ctrlport_req_wr;
    turns <= fire && part_ends && !rst;
    if (fire) begin
      if (!silence_next[26]) silence <= silence_next[25:0];
      if (late) begin
        lates     <= lates + 16'd1;
        late_by   <= {16'd0, lead} - away[31:0];
        late_time <= s_axis_ttimestamp;
      end
      if (late || hushed || underflow) state <= DROP;
      if (starts) bursts <= bursts + 16'd1;
      if (slot) state <= s_axis_teob ? IDLE : BURST;
      if (underflow) underflows <= underflows + 16'd1;
      if (hushed || slot && silent && (starts || !muted)) silenced <= silenced + 16'd1;
      if (slot && !mute_now && (starts || !cut) && over_long) too_long <= too_long + 16'd1;
      if (slot && !mute_now && (starts || !cut) && !over_long && over_often) too_often <= too_often + 16'd1;
      if (slot) begin
        muted <= mute_now;
        cut   <= !starts && cut || !mute_now && (over_long || over_often);
      end
      run     <= !slot ? 24'd0 : run_next[24] ? run : run_next[23:0];
      tail    <= slot ? {1'b0, lag} + {9'd0, edge_samples} : tail != 17'd0 ? tail - 17'd1 : 17'd0;
      hold    <= silent ? 16'd0 : passes ? lag : hold != 16'd0 ? hold - 16'd1 : 16'd0;
      tr_line <= !silent && (passes || hold != 16'd0 || near);
      in_part <= part_ends ? 20'd1 : in_part_next;
      if (gives) open <= !closes;
    end
    if (state == DROP && s_axis_tvalid && s_axis_teob) state <= IDLE;
    if (heartbeat) silence <= 26'd0;
    if (rst) begin
      state     <= IDLE;
      silence   <= 26'd0;
      tr_line   <= 1'b0;
      {muted, cut, open} <= 3'd0;
      run       <= 24'd0;
      tail      <= 17'd0;
      hold      <= 16'd0;
      in_part   <= 20'd1;
      {bursts, lates, too_long, too_often, silenced, underflows} <= 96'd0;
      late_by   <= 32'd0;
      late_time <= 64'd0;
    end
  end

endmodule
