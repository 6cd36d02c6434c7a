// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where the autocorrelation at lag 64 has a peak: |C|^2 > threshold / 256 * E_early * E_late, on mantissas of 13 to 16
// bits with one exponent, a multiple of 4, by multiplications alone. Then the highest |C|^2 of the hops that follow, until 8 hops have none higher or
// 32 are over; a search begins 30 hops behind the peak, when all its samples have come.
// It works for up to 24 cycles on a hop (`busy`); its multiplications go to the multiplier that it shares with the search.
module preamble_gate (
  input  wire               clk,
  input  wire               rst,
  input  wire               detect,
  input  wire         [7:0] threshold,
  input  wire               restart,        // samples are not of one piece; only while not busy
  input  wire               hop_begins,     // its last sample comes: busy from now on
  input  wire               hop_done,
  input  wire signed [39:0] correlation_re,
  input  wire signed [39:0] correlation_im,
  input  wire        [39:0] early,
  input  wire        [39:0] late,
  input  wire               rearm,          // the search's time is over, as of this hop
  output reg                busy,
  output wire               search_next,    // the next hop begins a search
  output reg                search,         // one cycle
  output reg  signed [16:0] peak_re,
  output reg  signed [16:0] peak_im,
  output reg                faint,          // of less than 2^20 in all, where the peak is
  output wire signed [17:0] a_re,
  output wire signed [17:0] a_im,
  output wire signed [17:0] b_re,
  output wire signed [17:0] b_im,
  input  wire signed [36:0] product_re
);

  localparam GATE = 2'd0, TRACK = 2'd1, WAIT = 2'd2, DEAD = 2'd3;
  localparam IDLE = 3'd0, LOAD = 3'd1, SHIFT = 3'd2, MULTIPLY = 3'd3, DECIDE = 3'd4;

  reg  [1:0] state;
  reg  [2:0] step;
  reg  [2:0] count;
  reg  [4:0] hops;           // since a gap: 16 make a window that is of one piece
  reg  [4:0] past_peak;
  reg  [5:0] tracked;

  reg signed [39:0] c_re, c_im;
  reg        [39:0] e_early, e_late;
  reg         [2:0] exponent, held;         // of 16
  reg        [33:0] level, peak;
  reg        [15:0] scaled;  // threshold * early

  wire wide     = |(e_early[39:16] | e_late[39:16]);
  wire tracking  = state == TRACK;
  wire whole     = hops == 5'd16;
  wire above     = {3'b0, level} > product_re;
  wire higher    = !tracking || level > peak;

  assign search_next = state == WAIT && past_peak == 5'd29;

  // Squared magnitude, threshold * early, then that * late.
  wire first  = count == 3'd0;
  wire second = count == 3'd1;
  assign a_re = first ? {c_re[16], c_re[16:0]} : second ? {2'd0, e_early[15:0]} : {2'd0, scaled};
  assign a_im = first ? {c_im[16], c_im[16:0]} : 18'd0;
  assign b_re = first ? {c_re[16], c_re[16:0]} : second ? {10'd0, threshold} : {2'd0, e_late[15:0]};
  assign b_im = first ? {c_im[16], c_im[16:0]} : 18'd0;

  always @(posedge clk) begin
    search <= 1'b0;
    case (step)
      IDLE: if (hop_done) step <= LOAD;
      LOAD: begin
        c_re     <= correlation_re;
        c_im     <= correlation_im;
        e_early  <= early;
        e_late   <= late;
        exponent <= 3'd0;
        count    <= 3'd0;
        if (!whole) hops <= hops + 5'd1;
        if (tracking || state == GATE && whole && detect) begin
          step <= SHIFT;
        end else begin
          step <= IDLE;
          busy <= 1'b0;
        end
        if (state == WAIT) begin
          past_peak <= past_peak + 5'd1;
          if (search_next) begin
            state  <= DEAD;
            search <= 1'b1;
          end
        end
        if (state == DEAD && rearm) state <= GATE;
      end
      SHIFT: if (wide || tracking && exponent < held) begin
        c_re     <= c_re >>> 4;
        c_im     <= c_im >>> 4;
        e_early  <= e_early >> 4;
        e_late   <= e_late >> 4;
        exponent <= exponent + 3'd1;
        if (exponent >= held) peak <= {8'd0, peak[33:8]};
      end else begin
        step <= MULTIPLY;
      end
      MULTIPLY: begin  // the first product is there at 3, the second at 4, the third, begun at 5, at 0 of DECIDE
        count <= count + 3'd1;
        if (count == 3'd3) level <= product_re[33:0];
        if (count == 3'd4) scaled <= product_re[23:8];
        if (count == 3'd7) step <= DECIDE;
      end
      default: begin
        step <= IDLE;
        busy <= 1'b0;
        if (tracking || above) begin
          held      <= exponent;
          if (higher) peak <= level;
          past_peak <= higher ? 5'd0 : past_peak + 5'd1;
          tracked   <= tracking ? tracked + 6'd1 : 6'd1;
          if (higher) begin
            peak_re       <= c_re[16:0];
            peak_im       <= c_im[16:0];
            faint         <= exponent <= 3'd1;
          end
          state <= tracking && (tracked == 6'd31 || !higher && past_peak == 5'd7) ? WAIT : TRACK;
        end
      end
    endcase
    if (hop_begins) busy <= 1'b1;
    if (restart) begin
      hops <= 5'd0;
      if (state != DEAD) state <= GATE;
    end
    if (rst) begin
      state <= GATE;
      step  <= IDLE;
      hops  <= 5'd0;
      busy  <= 1'b0;
    end
  end

endmodule
