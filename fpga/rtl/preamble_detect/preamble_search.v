// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks for a long preamble (clause 8.3.3.6) at a peak of the gate: carrier offset from the phase of the autocorrelation; four
// parts of P_4x64 folded to one and correlated with its quadrants at 64 delays and the possible carrier offsets, four carriers
// apart; P_2x128 correlated at the prefixes' distances. Correlations add and subtract only, a DSP48 for each coordinate; the
// thresholds are multiples of energies. Samples are read from the ring, 2 cycles after `read_on`. About 700 + 4800 * (2 *
// max_steps + 1) cycles, and 3600 more if the first symbol is found. It shares a multiplier with the gate.
module preamble_search (
  input  wire               clk,
  input  wire               rst,
  input  wire               start,
  output reg                busy,
  input  wire signed [16:0] peak_re,
  input  wire signed [16:0] peak_im,
  input  wire               faint,
  input  wire         [7:0] first_threshold,
  input  wire         [7:0] second_threshold,
  input  wire         [2:0] max_steps,
  input  wire         [3:0] prefixes,
  output wire         [9:0] read_from,       // of the search's samples; may come a cycle late
  output wire         [8:0] read_on,
  input  wire        [31:0] sample,          // 2 cycles later
  output wire signed [17:0] a_re,            // times itself or `turn`
  output wire signed [17:0] a_im,
  output reg                squares,
  output wire signed [15:0] turn_re,
  output wire signed [15:0] turn_im,
  input  wire signed [36:0] product_re,
  // verilator lint_off UNUSEDSIGNAL
  input  wire signed [36:0] product_im,      // not all bits: 18 are output
  // verilator lint_on UNUSEDSIGNAL
  output wire               found,           // until taken
  input  wire               taken,
  output reg  signed  [9:0] found_at,        // 64 samples after the frame's first, from that of the search
  output wire         [6:0] found_prefix,
  output wire signed [15:0] found_offset,    // 2^-16 cycles per sample
  output wire        [31:0] found_metric,
  output wire        [31:0] found_power
);

  localparam IDLE = 4'd0, ANGLE = 4'd1, FOLD = 4'd2, ENERGY = 4'd3, TURN = 4'd4, TURNED = 4'd5, WEIGH = 4'd6, PLACE = 4'd7,
             PLACED = 4'd8, POWER = 4'd9, WEIGHED = 4'd10, FOUND = 4'd11;

  reg [3:0] state;
  reg [8:0] n;              // cycle of a state: of the read
  reg [7:0] k;              // of the multiplier's output
  reg       v0, v1, v2, v3, v4, v5, v6, v7;   // from the ring: this many cycles and one after the read; of the fold: this many

  assign found = state == FOUND;

  wire folding = state == FOLD, placing = state == PLACE, turning = state == TURN, powering = state == POWER;
  wire squaring = state == TURNED || state == PLACED;

  // Carrier offset.
  reg        [8:0]  angle, angle_bit;
  reg signed [3:0]  steps, best_steps;  // of four carriers
  reg        [15:0] phase;
  wire signed [9:0]  fine   = {angle, 1'b1};
  wire signed [15:0] offset = {{6{fine[9]}}, fine} + {{2{steps[3]}}, steps, 10'd0};
  wire        [31:0] turn;
  preamble_rotator rotator (.clk(clk), .at(state == ANGLE ? angle | angle_bit : phase[15:7]), .word(turn));

  // Positions: of the first symbol in its 64 samples, of the second by part of the first and prefix.
  reg  [5:0] best_delay;
  reg  [1:0] part, prefix, best_part, best_prefix;
  wire       skipped = !prefixes[prefix];
  wire [6:0] prefix_samples = 7'd8 << prefix;
  wire [2:0] three_on = {1'b0, part} + 3'd3;
  wire [9:0] from = {1'b0, three_on, best_delay} + {3'd0, prefix_samples};
  wire       reads = (folding || placing || powering) && !n[8];
  wire       reads_fold = (state == ENERGY || turning) && n[8:6] == 3'd0;
  assign read_from = state == ANGLE || folding ? 10'd0 : from;
  assign read_on   = n;

  wire [17:0] y_re = product_re[33:16];
  wire [17:0] y_im = product_im[33:16];

  // The first symbol's four parts, added up.
  // A counter addresses it: by input, then once for its energy, then for each delay once and one on.
  (* ram_style = "distributed" *) reg [35:0] fold [0:63];
  reg  [35:0] folded, turned;
  reg  [35:0] y;
  reg   [5:0] fold_at, fold_to;
  reg         fold_first, fold_writes;
  wire [35:0] fold_before = fold_first ? 36'd0 : folded;
  wire [17:0] fold_re     = fold_before[35:18] + y[35:18];
  wire [17:0] fold_im     = fold_before[17:0] + y[17:0];
  wire        decides     = state == TURNED && n == 9'd6;
  always @(posedge clk) begin
    folded      <= fold[fold_at];
    turned      <= folded;
    y           <= {y_re, y_im};
    fold_to     <= fold_at;
    fold_first  <= k[7:6] == 2'd0;
    fold_writes <= folding && v6;
    if (fold_writes) fold[fold_to] <= {fold_re, fold_im};
    if (state == IDLE) fold_at <= 6'd0;
    else if (folding && v6 || reads_fold || decides) fold_at <= fold_at + 6'd1;
  end

  // Correlation with quadrants: times (-j)^quadrant.
  wire [1:0] first_quadrant, second_quadrant;
  preamble_first  first  (.clk(clk), .at({4'd7 + steps, n[5:0]}), .word(first_quadrant));
  preamble_second second (.at(k[6:0]), .word(second_quadrant));
  reg         [1:0] quadrant;
  wire       [17:0] term_re  = turning ? turned[35:18] : y[35:18];
  wire       [17:0] term_im  = turning ? turned[17:0] : y[17:0];
  reg               add, add_product;
  reg signed [17:0] to_re, to_im;
  reg signed  [1:0] sign_re, sign_im;       // +-1: a DSP48 multiplies and adds in one
  reg signed [19:0] signed_re, signed_im;
  reg signed [23:0] r_re, r_im;
  always @(posedge clk) begin
    quadrant    <= turning ? first_quadrant : second_quadrant;
    to_re       <= quadrant[0] ? term_im : term_re;
    to_im       <= quadrant[0] ? term_re : term_im;
    sign_re     <= {quadrant[1], 1'b1};
    sign_im     <= {quadrant[1] ^ quadrant[0], 1'b1};
    signed_re   <= to_re * sign_re;
    signed_im   <= to_im * sign_im;
    add         <= turning && v2 || placing && v7;
    add_product <= add;
    if (n == 9'd0 && (turning || placing)) begin
      r_re <= 24'sd0;
      r_im <= 24'sd0;
    end else if (add_product) begin
      r_re <= r_re + {{4{signed_re[19]}}, signed_re};
      r_im <= r_im + {{4{signed_im[19]}}, signed_im};
    end
  end

  // Operands of the multiplier.
  reg   [1:0] a_is;
  reg  [35:0] x;
  always @(posedge clk) begin
    a_is    <= state == ANGLE ? 2'd0 : state == ENERGY ? 2'd1 : squaring ? 2'd2 : 2'd3;
    squares <= !(state == ANGLE || folding || placing);
    x       <= faint ? {sample[27:16], 6'd0, sample[11:0], 6'd0} : {{2{sample[31]}}, sample[31:16], {2{sample[15]}}, sample[15:0]};
  end
  wire [35:0] r    = {r_re[23:6], r_im[23:6]};
  wire [35:0] peak = {peak_re[16], peak_re, peak_im[16], peak_im};
  assign {a_re, a_im}       = a_is[1] ? (a_is[0] ? x : r) : a_is[0] ? folded : peak;
  assign {turn_re, turn_im} = turn;

  // Energies, the strongest correlation, and a multiple of one against the other: bit by bit, plus 256, so that nothing is
  // found in a nearly silent signal. Finally twice that minus twice the correlation.
  reg  [41:0] energy;
  reg  [35:0] best;
  reg  [39:0] multiple;
  wire [35:0] square    = product_re[35:0];
  reg         stronger;
  wire  [7:0] threshold = state == WEIGH ? first_threshold : second_threshold;
  reg         compares, counts;
  wire [39:0] addend    = compares ? ~{3'd0, best, 1'b0} : counts ? {10'd0, energy[41:12]} : 40'd0;
  wire [39:0] weighed   = {multiple[38:0], compares} + addend;
  wire        enough    = multiple[39];
  wire last_prefix = prefix == 2'd3;
  wire last_turn   = fold_at == 6'd63 && steps == {1'b0, max_steps};
  wire last_place  = last_prefix && part == 2'd2;

  assign found_prefix = prefix_samples;
  assign found_offset = offset;
  assign found_metric = best[33:2];
  assign found_power  = energy[39:8];

  always @(posedge clk) begin
    {v0, v1, v2, v3, v4, v5, v6, v7} <= {reads, v0 || reads_fold, v1, v2, v3, v4, v5, v6};
    busy     <= start || state != IDLE;
    found_at <= {2'd0, part, best_delay} - {3'd0, prefix_samples};
    stronger <= square > best;
    compares <= n[3];
    counts   <= threshold[~n[2:0]];
    n <= n + 9'd1;
    if (v6) k <= k + 8'd1;
    phase <= v0 ? phase + offset : 16'd0;
    if (state == ENERGY && v5 || powering && v6) energy <= energy + {5'd0, product_re};
    case (state)
      IDLE: begin
        n         <= 9'd0;
        steps     <= 4'd0;
        angle     <= {peak_im[16], 8'd0};
        angle_bit <= 9'd128;
        if (start) state <= ANGLE;
      end
      ANGLE: if (n == 9'd6) begin
        n         <= 9'd0;
        k         <= 8'd0;
        if (!product_im[36]) angle <= angle | angle_bit;
        angle_bit <= angle_bit >> 1;
        if (angle_bit[0]) state <= FOLD;
      end
      FOLD: if (n == 9'd262) begin
        n      <= 9'd0;
        energy <= 42'd0;
        state  <= ENERGY;
      end
      ENERGY: if (n == 9'd68) begin
        n          <= 9'd0;
        best_delay <= 6'd0;
        steps      <= -{1'b0, max_steps};
        best_steps <= 4'd0;
        best       <= 36'd0;
        state      <= TURN;
      end
      TURN: if (n == 9'd67) begin
        n     <= 9'd0;
        state <= TURNED;
      end
      TURNED: if (decides) begin
        n     <= 9'd0;
        if (fold_at == 6'd63) steps <= steps + 4'd1;
        if (stronger) begin
          best       <= square;
          best_delay <= fold_at;
          best_steps <= steps;
        end
        state    <= last_turn ? WEIGH : TURN;
      end
      WEIGH: begin
        steps <= best_steps;
        multiple <= n == 9'd0 ? 40'd1 : weighed;
        if (n == 9'd10) begin
          n           <= 9'd511;
          k           <= 8'd0;
          part        <= 2'd0;
          prefix      <= 2'd0;
          best_part   <= 2'd0;
          best_prefix <= 2'd0;
          best        <= 36'd0;
          state       <= enough ? PLACE : IDLE;
        end
      end
      PLACE: if (skipped || n == 9'd265) begin
        n     <= 9'd0;
        state <= PLACED;
      end
      PLACED: begin
        energy   <= 42'd0;
        if (n == 9'd6) begin
          n      <= 9'd511;    // until the next place
          k      <= 8'd0;
          prefix <= prefix + 2'd1;
          if (last_prefix) part <= part + 2'd1;
          state <= PLACE;
          if (stronger && !skipped) begin
            best        <= square;
            best_part   <= part;
            best_prefix <= prefix;
          end
          if (last_place) begin
            part   <= stronger && !skipped ? part : best_part;
            prefix <= stronger && !skipped ? prefix : best_prefix;
            state  <= POWER;
          end
        end
      end
      POWER: if (n == 9'd262) begin
        n     <= 9'd0;
        state <= WEIGHED;
      end
      WEIGHED: begin
        multiple <= n == 9'd0 ? 40'd1 : weighed;
        if (n == 9'd10) state <= enough ? FOUND : IDLE;
      end
      default: if (taken) state <= IDLE;
    endcase
    if (rst) begin
      state <= IDLE;
      {v0, v1, v2, v3, v4, v5, v6, v7} <= 8'd0;
    end
  end

endmodule
