// SPDX-License-Identifier: GPL-3.0-or-later
//
// Finds peaks of the autocorrelation at lag 64: |C|^2 > threshold / 256 * E_early * E_late, on mantissas of 13 to 16 bits with
// one exponent, a multiple of 4, by multiplications only. Then takes the highest |C|^2 of the following hops, until 8 hops have
// none higher or 32 are over; a search begins 30 hops after the peak, when all its samples are stored. It requests from the
// correlator the energies first, which set the exponent, then all four windows. It works for up to 44 cycles on a hop (`busy`)
// and shares a multiplier with the search.
module preamble_gate (
  input  wire               clk,
  input  wire               rst,
  input  wire               detect,
  input  wire         [7:0] threshold,
  input  wire               restart,        // samples are not contiguous; only while not busy
  input  wire               hop_begins,     // its last sample: busy from now on
  input  wire               hop_done,
  output reg          [1:0] asked,
  input  wire        [39:0] value,          // window requested four cycles ago
  input  wire               rearm,          // the search's time is over, as of this hop
  output reg                busy,
  output wire               search_next,    // the next hop begins a search
  output reg                search,         // one cycle
  output reg  signed [16:0] peak_re,
  output reg  signed [16:0] peak_im,
  output reg                faint,          // of less than 2^20 in all, where the peak is
  output wire signed [17:0] a_re,           // times itself or, as a real number, times `factor`
  output wire signed [17:0] a_im,
  output wire               squares,
  output reg         [15:0] factor,
  input  wire signed [36:0] product_re
);

  localparam GATE = 2'd0, TRACK = 2'd1, WAIT = 2'd2, DEAD = 2'd3;
  localparam IDLE = 3'd0, LOAD = 3'd1, SIZE = 3'd2, SHIFT = 3'd3, MULTIPLY = 3'd4, COMPARE = 3'd5, DECIDE = 3'd6;
  localparam [1:0] LATE = 2'd0, RE = 2'd1, IM = 2'd2, EARLY = 2'd3;

  reg  [1:0] state;
  reg  [2:0] step;
  reg  [3:0] count;
  reg  [4:0] hops;           // since a gap: 16 make a contiguous window
  reg  [4:0] past_peak;
  reg  [5:0] tracked;

  reg   [5:0] filled;        // by the energies: four bits each, from 16 on
  reg   [2:0] exponent, held;               // of 16
  reg signed [16:0] mantissa, c_re, c_im;
  reg  [33:0] level, peak;
  reg         above, higher;

  wire tracking = state == TRACK;
  wire whole    = hops == 5'd16;
  assign search_next = state == WAIT && past_peak == 5'd29;

  integer i;
  reg [5:0] fills;
  always @* for (i = 0; i < 6; i = i + 1) fills[i] = |value[4 * i + 16 +: 4];
  wire [2:0] least = filled[5] ? 3'd6 : filled[4] ? 3'd5 : filled[3] ? 3'd4 : filled[2] ? 3'd3 : filled[1] ? 3'd2 : {2'd0, filled[0]};
  wire       grows = tracking && exponent > held;

  wire [43:0] extended = {{4{value[39]}}, value};
  wire [16:0] shifted  = extended[{1'b0, exponent, 2'b00} +: 17];

  // Squared magnitude, threshold * early, then that * late.
  assign squares = count == 4'd6;
  assign a_re = {mantissa[16], mantissa};
  assign a_im = squares ? {c_im[16], c_im} : 18'd0;

  always @(posedge clk) begin
    search <= 1'b0;
    count  <= count + 4'd1;
    asked  <= step == SIZE ? (count == 4'd0 ? LATE : EARLY) :
              step == SHIFT ? RE : count == 4'd0 ? IM : count == 4'd1 ? EARLY : LATE;
    above  <= {3'b0, level} > product_re;
    higher <= !tracking || level > peak;
    case (step)
      IDLE: if (hop_done) step <= LOAD;
      LOAD: begin
        count  <= 4'd0;
        filled <= 6'd0;
        if (!whole) hops <= hops + 5'd1;
        if (tracking || state == GATE && whole && detect) begin
          step <= SIZE;
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
      SIZE: begin            // requested at 1 and 2, so the values are available at 5 and 6
        if (count == 4'd5 || count == 4'd6) filled <= filled | fills;
        if (count == 4'd7) begin
          exponent <= tracking && held > least ? held : least;
          step     <= SHIFT;
        end
      end
      SHIFT: begin
        count  <= 4'd0;
        factor <= {8'd0, threshold};
        if (grows) begin
          held <= held + 3'd1;
          peak <= {8'd0, peak[33:8]};
        end else begin
          step <= MULTIPLY;
        end
      end
      MULTIPLY: begin        // correlation at 4 and 5, early at 6, late from 7 on; a product four cycles behind its operands
        if (count == 4'd4) c_re <= shifted;
        if (count == 4'd5) c_im <= shifted;
        if (count == 4'd4 || count == 4'd6 || count == 4'd7) mantissa <= shifted;
        if (count == 4'd10) level <= product_re[33:0];
        if (count == 4'd11) factor <= product_re[23:8];
        if (count == 4'd15) step <= COMPARE;
      end
      COMPARE: step <= DECIDE;
      default: begin
        step <= IDLE;
        busy <= 1'b0;
        if (tracking || above) begin
          held      <= exponent;
          if (higher) peak <= level;
          past_peak <= higher ? 5'd0 : past_peak + 5'd1;
          tracked   <= tracking ? tracked + 6'd1 : 6'd1;
          if (higher) begin
            peak_re       <= c_re;
            peak_im       <= c_im;
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
