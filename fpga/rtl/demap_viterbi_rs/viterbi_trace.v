// SPDX-License-Identifier: GPL-3.0-or-later
//
// Traceback through the trellis of demap_viterbi_rs, in blocks of 256 steps (a burst's last may be shorter). While block n + 1
// is written, the traceback through block n, begun in state 0, finds the end state of block n - 1. At the same time block n -
// 2, whose end state is known, is decided. A burst's last block ends in state 0. Decisions are stored twice, because two
// tracebacks read them at once: four blocks in two memories of 1024 words of 64 bits.

module viterbi_trace (
  input  wire        clk,
  input  wire        rst,
  input  wire [63:0] s_decisions,
  input  wire        s_last,
  input  wire        s_valid,
  output wire        s_ready,
  output wire [7:0]  m_byte,
  output wire        m_valid,
  input  wire        m_ready
);

  // ---- writing ----
  reg [63:0] found [0:1023];
  reg [63:0] decided [0:1023];
  reg [1:0]  bank;
  reg [7:0]  at;
  reg        fresh, fresh_last;         // a block that is complete, not yet traced
  reg [1:0]  fresh_bank;
  reg [7:0]  fresh_end;                 // its last step
  reg        at_end;                    // at == 255
  wire ends = s_last || at_end;
  assign s_ready = !(ends && fresh);
  wire write = s_valid && s_ready;
  wire block_done = write && ends;

  // ---- waiting blocks, and the one to be decided -----
  reg        waits, waits_last;
  reg [1:0]  wait_bank;
  reg [7:0]  wait_end;
  reg        decide;
  reg [1:0]  decide_bank;
  reg [7:0]  decide_end;
  reg [5:0]  decide_state;

  reg        busy, busy_fresh, busy_decide;
  wire       room;                      // for the bytes of a block
  wire start = !busy && (fresh || (waits ? waits_last : decide)) && (room || !decide);

  // ---- two tracebacks ----
  reg        f_issue, f_read, f_seen, d_issue, d_read, d_seen;
  reg [7:0]  f_at, d_at, d_read_at, d_seen_at;
  reg [5:0]  f_state, d_state;
  reg [63:0] f_stored, d_stored, f_word, d_word;      // the memories' outputs, and the stage after them
  reg [6:0]  bits_held;
  wire [7:0] byte_next = {d_state[5], bits_held};
  wire done = busy && !f_issue && !f_read && !f_seen && !d_issue && !d_read && !d_seen;

  always @(posedge clk) begin
    if (write) begin
      found[{bank, at}] <= s_decisions;
      decided[{bank, at}] <= s_decisions;
    end
    f_stored <= found[{fresh_bank, f_at}];
    d_stored <= decided[{decide_bank, d_at}];
    f_word <= f_stored;
    d_word <= d_stored;
  end

  always @(posedge clk) begin
    if (write) begin
      at <= ends ? 8'd0 : at + 8'd1;
      at_end <= !ends && at == 8'd254;
    end
    if (block_done) begin
      fresh <= 1'b1;
      fresh_last <= s_last;
      fresh_bank <= bank;
      fresh_end <= at;
      bank <= bank + 2'd1;
    end

    if (start) begin
      busy <= 1'b1;
      busy_fresh <= fresh;
      busy_decide <= decide;
      f_issue <= fresh;
      f_at <= fresh_end;
      f_state <= 6'd0;
      d_issue <= decide;
      d_at <= decide_end;
      d_state <= decide_state;
    end
    if (f_issue) begin
      f_at <= f_at - 8'd1;
      if (f_at == 8'd0) f_issue <= 1'b0;
    end
    if (d_issue) begin
      d_at <= d_at - 8'd1;
      if (d_at == 8'd0) d_issue <= 1'b0;
    end
    f_read <= f_issue;
    f_seen <= f_read;
    d_read <= d_issue;
    d_seen <= d_read;
    d_read_at <= d_at;
    d_seen_at <= d_read_at;
    if (f_seen) f_state <= {f_state[4:0], f_word[f_state]};
    if (d_seen) begin
      d_state <= {d_state[4:0], d_word[d_state]};
      bits_held <= byte_next[7:1];
    end

    if (done) begin
      busy <= 1'b0;
      decide <= waits;
      decide_bank <= wait_bank;
      decide_end <= wait_end;
      decide_state <= waits_last ? 6'd0 : f_state;
      waits <= busy_fresh;
      waits_last <= fresh_last;
      wait_bank <= fresh_bank;
      wait_end <= fresh_end;
      if (busy_fresh) fresh <= 1'b0;
    end

    if (rst) begin
      bank <= 2'd0;
      at <= 8'd0;
      at_end <= 1'b0;
      fresh <= 1'b0;
      waits <= 1'b0;
      decide <= 1'b0;
      busy <= 1'b0;
      {f_issue, f_read, f_seen} <= 3'd0;
      {d_issue, d_read, d_seen} <= 3'd0;
    end
  end

  // ---- bytes: decided from last to first, output from the first -----------
  reg [7:0] bytes [0:63];
  reg [1:0] full;
  reg [4:0] last_byte [0:1];
  reg       write_half, read_half;
  reg [4:0] read_at;
  assign room = !full[write_half];
  assign m_valid = full[read_half];
  assign m_byte = bytes[{read_half, read_at}];
  wire give = m_valid && m_ready;
  wire given = give && read_at == last_byte[read_half];
  wire ready_now = done && busy_decide;
  always @(posedge clk) begin
    if (d_seen && d_seen_at[2:0] == 3'd0) bytes[{write_half, d_seen_at[7:3]}] <= byte_next;
    if (ready_now) begin
      last_byte[write_half] <= decide_end[7:3];
      write_half <= ~write_half;
    end
    full <= (full | (ready_now ? 2'd1 << write_half : 2'd0)) & ~(given ? 2'd1 << read_half : 2'd0);
    if (give) read_at <= given ? 5'd0 : read_at + 5'd1;
    if (given) read_half <= ~read_half;
    if (rst) begin
      full <= 2'd0;
      write_half <= 1'b0;
      read_half <= 1'b0;
      read_at <= 5'd0;
    end
  end

endmodule
