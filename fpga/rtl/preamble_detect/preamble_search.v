// SPDX-License-Identifier: GPL-3.0-or-later
//
// Looks whether there is a long preamble (clause 8.3.3.6) where the gate has seen a peak: carrier offset from the phase of
// the autocorrelation; four parts of P_4x64 folded to one and correlated with its quadrants at 64 delays and the carrier
// offsets that remain, four carriers apart; P_2x128 correlated at the prefixes' distances. Correlations add and subtract
// only; the thresholds are multiples of energies.
// Samples are read from the ring, 2 cycles behind `read_at`. About 700 + 4600 * (2 * max_steps + 1) cycles, and 3500
// more where the first symbol is found. Multiplications go to the multiplier that it shares with the gate.
module preamble_search (
  input  wire               clk,
  input  wire               rst,
  input  wire               start,
  output wire               busy,
  input  wire signed [16:0] peak_re,
  input  wire signed [16:0] peak_im,
  input  wire               faint,
  input  wire         [7:0] first_threshold,
  input  wire         [7:0] second_threshold,
  input  wire         [2:0] max_steps,
  input  wire         [3:0] prefixes,
  output wire         [9:0] read_at,         // of the search's samples
  input  wire        [31:0] sample,          // 1 cycle later
  output wire signed [17:0] a_re,
  output wire signed [17:0] a_im,
  output wire signed [17:0] b_re,
  output wire signed [17:0] b_im,
  input  wire signed [36:0] product_re,
  // verilator lint_off UNUSEDSIGNAL
  input  wire signed [36:0] product_im,      // not all bits: 18 go on
  // verilator lint_on UNUSEDSIGNAL
  output wire               found,           // until taken
  input  wire               taken,
  output wire signed  [9:0] found_at,        // first sample of the frame, behind that of the search
  output wire         [6:0] found_prefix,
  output wire signed [15:0] found_offset,    // 2^-16 cycles per sample
  output wire        [31:0] found_metric,
  output wire        [31:0] found_power
);

  localparam IDLE = 4'd0, ANGLE = 4'd1, FOLD = 4'd2, ENERGY = 4'd3, TURN = 4'd4, TURNED = 4'd5, WEIGH = 4'd6, PLACE = 4'd7,
             PLACED = 4'd8, POWER = 4'd9, WEIGHED = 4'd10, FOUND = 4'd11;

  reg [3:0] state;
  reg [8:0] n;              // cycle of a state: what is read
  reg [7:0] k;              // what comes out of the multiplier
  reg       v1, v2, v3, v4; // read so many cycles ago

  assign busy  = state != IDLE;
  assign found = state == FOUND;

  wire folding = state == FOLD, placing = state == PLACE, turning = state == TURN, powering = state == POWER;
  wire squaring = state == TURNED || state == PLACED;
  wire reads = (folding || placing || powering) && !n[8] || (state == ENERGY || turning) && n[8:6] == 3'd0;

  // Carrier offset.
  reg        [8:0]  angle, angle_bit;
  reg signed [3:0]  steps, best_steps;  // of four carriers
  reg        [15:0] phase;
  wire signed [9:0]  fine   = {angle, 1'b1};
  wire signed [15:0] offset = {{6{fine[9]}}, fine} + {{2{steps[3]}}, steps, 10'd0};
  wire        [31:0] turn;
  preamble_rotator rotator (.clk(clk), .at(state == ANGLE ? angle | angle_bit : phase[15:7]), .word(turn));

  // Places: of the first symbol in its 64 samples, of the second by part of the first and prefix.
  reg  [5:0] delay, best_delay;
  reg  [1:0] part, prefix, best_part, best_prefix;
  wire [6:0] prefix_samples = 7'd8 << prefix;
  wire [9:0] from = {4'd0, delay} + {2'd0, part, 6'd0} + 10'd192 + {3'd0, prefix_samples};
  assign read_at = (folding ? 10'd0 : from) + {1'b0, n};

  wire [17:0] y_re = product_re[33:16];
  wire [17:0] y_im = product_im[33:16];

  // The first symbol's four parts, one on the other.
  reg  [35:0] fold [0:63];
  reg  [35:0] folded;
  wire  [5:0] fold_at     = folding ? k[5:0] : turning ? n[5:0] + delay : n[5:0];
  wire [35:0] fold_now    = fold[fold_at];
  wire [35:0] fold_before = k[7:6] == 2'd0 ? 36'd0 : fold_now;
  wire [17:0] fold_re     = fold_before[35:18] + y_re;
  wire [17:0] fold_im     = fold_before[17:0] + y_im;
  always @(posedge clk) begin
    if (folding && v4) fold[fold_at] <= {fold_re, fold_im};
    folded <= fold_now;
  end

  // Correlation with quadrants: times (-j)^quadrant.
  wire [1:0] first_quadrant, second_quadrant;
  preamble_first  first  (.clk(clk), .at({4'd7 + steps, n[5:0]}), .word(first_quadrant));
  preamble_second second (.at(k[6:0]), .word(second_quadrant));
  reg  signed [23:0] r_re, r_im;
  wire  [1:0] quadrant = turning ? first_quadrant : second_quadrant;
  wire [17:0] term_re  = turning ? folded[35:18] : y_re;
  wire [17:0] term_im  = turning ? folded[17:0] : y_im;
  wire        minus_re = quadrant[1];
  wire        minus_im = quadrant[1] ^ quadrant[0];
  wire [17:0] to_re    = (quadrant[0] ? term_im : term_re) ^ {18{minus_re}};
  wire [17:0] to_im    = (quadrant[0] ? term_re : term_im) ^ {18{minus_im}};
  // verilator lint_off UNUSEDSIGNAL
  wire [24:0] sum_re   = {r_re, 1'b1} + {{6{to_re[17]}}, to_re, minus_re};  // the last bit is for its carry
  wire [24:0] sum_im   = {r_im, 1'b1} + {{6{to_im[17]}}, to_im, minus_im};
  // verilator lint_on UNUSEDSIGNAL
  wire        add      = turning ? v1 : v4;
  wire        clear    = n == 9'd0 && (turning || placing);
  always @(posedge clk) begin
    if (clear) {r_re, r_im} <= 48'd0;
    else if (add) begin
      r_re <= sum_re[24:1];
      r_im <= sum_im[24:1];
    end
  end

  // Operands of the multiplier.
  wire  [1:0] own   = state == ENERGY ? 2'd1 : squaring ? 2'd2 : 2'd3;
  wire  [1:0] a_is  = state == ANGLE ? 2'd0 : own;
  wire  [1:0] b_is  = state == ANGLE || folding || placing ? 2'd0 : own;
  wire [17:0] x_re  = faint ? {sample[27:16], 6'd0} : {{2{sample[31]}}, sample[31:16]};
  wire [17:0] x_im  = faint ? {sample[11:0], 6'd0} : {{2{sample[15]}}, sample[15:0]};
  wire [35:0] x     = {x_re, x_im};
  wire [35:0] r     = {r_re[23:6], r_im[23:6]};
  wire [35:0] peak  = {peak_re[16], peak_re, peak_im[16], peak_im};
  wire [35:0] turns = {{2{turn[31]}}, turn[31:16], {2{turn[15]}}, turn[15:0]};
  assign {a_re, a_im} = a_is[1] ? (a_is[0] ? x : r) : a_is[0] ? folded : peak;
  assign {b_re, b_im} = b_is[1] ? (b_is[0] ? x : r) : b_is[0] ? folded : turns;

  // Energies, the strongest correlation, and a multiple of one against the other: bit by bit, and 256 more, so that nothing
  // is found in next to no signal.
  reg  [41:0] energy;
  reg  [35:0] best;
  reg  [37:0] multiple;
  wire [35:0] square   = product_re[35:0];
  wire        stronger = square > best;
  wire        enough   = {2'd0, best} > multiple;
  wire  [7:0] threshold = state == WEIGH ? first_threshold : second_threshold;
  wire last_prefix = prefix == 2'd3;
  wire last_turn   = delay == 6'd63 && steps == {1'b0, max_steps};
  wire last_place  = last_prefix && part == 2'd2;

  assign found_at     = {4'd0, delay} + {2'd0, part, 6'd0} - 10'd64 - {3'd0, prefix_samples};
  assign found_prefix = prefix_samples;
  assign found_offset = offset;
  assign found_metric = best[33:2];
  assign found_power  = energy[39:8];

  always @(posedge clk) begin
    {v1, v2, v3, v4} <= {reads, v1, v2, v3};
    n <= n + 9'd1;
    if (v4) k <= k + 8'd1;
    phase <= phase + offset;
    if ((state == ENERGY || powering) && v4) energy <= energy + {5'd0, product_re};
    case (state)
      IDLE: begin
        n         <= 9'd0;
        steps     <= 4'd0;
        angle     <= {peak_im[16], 8'd0};
        angle_bit <= 9'd128;
        if (start) state <= ANGLE;
      end
      ANGLE: if (n == 9'd4) begin
        n         <= 9'd0;
        k         <= 8'd0;
        phase     <= 16'd0;
        if (!product_im[36]) angle <= angle | angle_bit;
        angle_bit <= angle_bit >> 1;
        if (angle_bit[0]) state <= FOLD;
      end
      FOLD: if (n == 9'd260) begin
        n      <= 9'd0;
        energy <= 42'd0;
        state  <= ENERGY;
      end
      ENERGY: if (n == 9'd68) begin
        n          <= 9'd0;
        delay      <= 6'd0;
        best_delay <= 6'd0;
        steps      <= -{1'b0, max_steps};
        best_steps <= 4'd0;
        best       <= 36'd0;
        state      <= TURN;
      end
      TURN: if (n == 9'd65) begin
        n     <= 9'd0;
        state <= TURNED;
      end
      TURNED: if (n == 9'd3) begin
        n     <= 9'd0;
        delay <= delay + 6'd1;
        if (delay == 6'd63) steps <= steps + 4'd1;
        if (stronger) begin
          best       <= square;
          best_delay <= delay;
          best_steps <= steps;
        end
        multiple <= 38'd1;
        state    <= last_turn ? WEIGH : TURN;
      end
      WEIGH: begin
        delay <= best_delay;
        steps <= best_steps;
        if (!n[3]) multiple <= {multiple[36:0], 1'b0} + (threshold[~n[2:0]] ? {8'd0, energy[41:12]} : 38'd0);
        if (n[3]) begin
          n           <= 9'd0;
          k           <= 8'd0;
          phase       <= 16'd0;
          part        <= 2'd0;
          prefix      <= 2'd0;
          best_part   <= 2'd0;
          best_prefix <= 2'd0;
          best        <= 36'd0;
          state       <= enough ? PLACE : IDLE;
        end
      end
      PLACE: if (!prefixes[prefix] || n == 9'd260) begin
        n     <= 9'd0;
        state <= PLACED;
      end
      PLACED: begin
        multiple <= 38'd1;
        energy   <= 42'd0;
        if (n == 9'd3) begin
          n      <= 9'd0;
          k      <= 8'd0;
          phase  <= 16'd0;
          prefix <= prefix + 2'd1;
          if (last_prefix) part <= part + 2'd1;
          state <= PLACE;
          if (stronger && prefixes[prefix]) begin
            best        <= square;
            best_part   <= part;
            best_prefix <= prefix;
          end
          if (last_place) begin
            part   <= stronger && prefixes[prefix] ? part : best_part;
            prefix <= stronger && prefixes[prefix] ? prefix : best_prefix;
            state  <= POWER;
          end
        end
      end
      POWER: if (n == 9'd260) begin
        n     <= 9'd0;
        state <= WEIGHED;
      end
      WEIGHED: begin
        if (!n[3]) multiple <= {multiple[36:0], 1'b0} + (threshold[~n[2:0]] ? {8'd0, energy[41:12]} : 38'd0);
        if (n[3]) state <= enough ? FOUND : IDLE;
      end
      default: if (taken) state <= IDLE;
    endcase
    if (rst) begin
      state            <= IDLE;
      {v1, v2, v3, v4} <= 4'd0;
    end
  end

endmodule
