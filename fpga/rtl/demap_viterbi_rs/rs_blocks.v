// SPDX-License-Identifier: GPL-3.0-or-later
//
// Outer decoder of demap_viterbi_rs: RS(255,239), shortened, its punctured parity as erasures (clause 8.3.3.2.1). One
// block is received into one half of a memory while the other is corrected and output. Steps, with two multipliers:
//
//   syndromes     K + 18 clocks: data, parity, zeros for punctured bytes
//   erasures      16 each: syndromes of a problem without erasures
//   locator       19 for each of 2 T syndromes (Berlekamp and Massey, without division)
//   evaluator     72
//   zeros         K + 16: all powers, with numerator and denominator of each error's magnitude (Forney)
//   corrections   4 for each error, unless the number of zeros differs from the locator's degree
//   output        K
//
// About 760 clocks at most, for 64-QAM 3/4 with all six errors; a block without errors is output after the erasures.

`include "coding_facts.vh"

module rs_blocks (
  input  wire        clk,
  input  wire        rst,
  input  wire [7:0]  s_byte,
  input  wire        s_valid,
  output wire        s_ready,
  // The burst of the next bytes; removed before they arrive.
  input  wire        burst_valid,
  input  wire [2:0]  burst_rate,
  input  wire [10:0] burst_symbols,
  output wire        burst_release,
  output wire [7:0]  m_byte,            // data without parity
  output reg         m_first,           // byte of the burst
  output reg         m_block_last,
  output reg         m_last,            // byte of the burst
  output reg  [3:0]  m_corrected,       // bytes of this block
  output reg         m_failed,
  output reg         m_valid,
  input  wire        m_ready
);

  localparam [55:0] RS_N = `FACT_RS_N;
  localparam [55:0] RS_K = `FACT_RS_K;
  localparam [27:0] RS_T = `FACT_RS_T;

  // ---- reception ----
  reg [7:0]  memory [0:255];
  reg [4:0]  info [0:1];                // {rate, first, last}
  reg [1:0]  full;
  reg        write_half, read_half;
  reg        open, first_block;         // a burst's bytes are being received
  reg [2:0]  open_rate;
  reg [6:0]  received, received_end;
  reg [10:0] blocks_left;
  wire       release_half;
  assign s_ready = open && !full[write_half];
  wire put = s_valid && s_ready;
  wire put_last = put && received == received_end;
  wire last_block = blocks_left == 11'd1;
  assign burst_release = burst_valid && !open;
  always @(posedge clk) begin
    if (put) received <= put_last ? 7'd0 : received + 7'd1;
    if (burst_release) begin
      open <= 1'b1;
      open_rate <= burst_rate;
      received_end <= RS_N[8 * burst_rate +: 7] - 7'd1;
      blocks_left <= burst_symbols;
      first_block <= 1'b1;
    end
    if (put_last) begin
      info[write_half] <= {open_rate, first_block, last_block};
      write_half <= ~write_half;
      first_block <= 1'b0;
      blocks_left <= blocks_left - 11'd1;
      if (last_block) open <= 1'b0;
    end
    full <= (full | (put_last ? 2'd1 << write_half : 2'd0)) & ~(release_half ? 2'd1 << read_half : 2'd0);
    if (release_half) read_half <= ~read_half;
    if (rst) begin
      received <= 7'd0;
      open <= 1'b0;
      full <= 2'd0;
      write_half <= 1'b0;
      read_half <= 1'b0;
    end
  end

  // ---- the current block ----
  wire [2:0] next_rate = info[read_half][4:2];
  reg        first_now, last_now;
  reg [3:0]  t;
  reg [6:0]  k, punctured_from;         // the first count of SYNDROMES without a byte
  reg [6:0]  lowest;                    // position of the byte of power 0
  reg [6:0]  horner_end;                // number of steps: data, sixteen of parity
  wire [4:0] parity_bytes = {t, 1'b0};
  reg [4:0]  erasures;

  localparam [3:0] IDLE = 4'd0, SYNDROMES = 4'd1, ERASURES = 4'd2, CHECK = 4'd3, DISCREPANCY = 4'd4, UPDATE = 4'd5,
                   DEGREE = 4'd6, EVALUATOR = 4'd7, ZEROS = 4'd8, VERDICT = 4'd9, READ = 4'd10, LOOK_UP = 4'd11,
                   MAGNITUDE = 4'd12, CORRECT = 4'd13, GIVE = 4'd14, BEGIN = 4'd15;
  reg [3:0] state;
  reg [6:0] count;                      // within a state
  reg [4:0] round;                      // erasure, syndrome, coefficient of the evaluator
  reg [4:0] degree;

  // ---- memory's other side: syndromes, corrections, output ----
  reg  [6:0] address;
  reg  [7:0] read_byte;
  reg        fix;
  wire [7:0] fixed_byte;
  wire       give_on = !m_valid || m_ready;
  always @(posedge clk) begin
    if (put) memory[{write_half, received}] <= s_byte;
    else if (fix) memory[{read_half, address}] <= fixed_byte;
    if (state != GIVE || give_on) read_byte <= memory[{read_half, address}];
  end

  // ---- syndromes: one step of Horner's rule per clock, or rotated as one register ----
  reg  [127:0] syndromes;               // S_i in [8 i +: 8]
  wire [127:0] horner;
  reg          take_byte, take_zero;    // read_byte, with a register before the first XOR
  reg          horner_takes;
  reg  [7:0]   horner_byte;
  genvar g;
  generate
    for (g = 0; g < 16; g = g + 1) begin : root
      wire [7:0] turned;
      gf256_power #(.POWER(g)) times (.a(syndromes[8 * g +: 8]), .product(turned));
      assign horner[8 * g +: 8] = turned ^ horner_byte;
    end
  endgenerate
  reg [7:0] erased_at;                  // 2^q of erasure q
  wire [7:0] erased_next;
  gf256_power #(.POWER(1)) erasure_times (.a(erased_at), .product(erased_next));
  reg any_left;
  integer i;
  always @* begin
    any_left = 1'b0;
    for (i = 0; i < 16; i = i + 1)
      if (i < {27'd0, parity_bytes}) any_left = any_left || syndromes[8 * i +: 8] != 8'd0;
  end

  // ---- locator and the recurrence before it: nine coefficients each, rotated ----
  reg [71:0] locator, earlier;          // coefficient 0 in [7:0]
  reg [7:0]  discrepancy, last_discrepancy, earlier_held;
  reg [63:0] evaluator;

  // ---- zeros ----
  wire [71:0] locator_turned;
  wire [63:0] evaluator_turned;
  generate
    for (g = 0; g < 9; g = g + 1) begin : term
      gf256_power #(.POWER(g), .DOWN(1)) times (.a(locator[8 * g +: 8]), .product(locator_turned[8 * g +: 8]));
      if (g < 8) begin : numerator
        gf256_power #(.POWER(g), .DOWN(1)) also (.a(evaluator[8 * g +: 8]), .product(evaluator_turned[8 * g +: 8]));
      end
    end
  endgenerate
  wire [7:0] odd_terms = locator[15:8] ^ locator[31:24] ^ locator[47:40] ^ locator[63:56];
  wire [7:0] even_terms = locator[7:0] ^ locator[23:16] ^ locator[39:32] ^ locator[55:48] ^ locator[71:64];
  wire [7:0] numerator_now = evaluator[7:0] ^ evaluator[15:8] ^ evaluator[23:16] ^ evaluator[31:24] ^
                             evaluator[39:32] ^ evaluator[47:40] ^ evaluator[55:48] ^ evaluator[63:56];
  wire       zero = state == ZEROS && odd_terms == even_terms && count >= {2'd0, erasures};
  reg  [22:0] errors [0:7];             // {power, numerator, denominator}
  reg  [3:0]  zeros;
  reg  [3:0]  error;
  wire [22:0] error_now = errors[error[2:0]];
  wire [6:0]  error_power = error_now[22:16];

  // ---- tables ----
  wire [7:0] inverse, factor;           // two clocks after the error
  gf256_inverse inverses (.clk(clk), .address(error_now[7:0]), .data(inverse));
  magnitude_factor factors (.clk(clk), .address({erasures[3:2], 1'b0, error_power}), .data(factor));

  // ---- two multipliers ----
  reg  [7:0] a1, b1, a2, b2, magnitude;
  wire [7:0] product1, product2;
  gf256_multiply first_multiplier (.a(a1), .b(b1), .product(product1));
  gf256_multiply second_multiplier (.a(a2), .b(b2), .product(product2));
  wire       count_ends9 = count[3:0] == 4'd8;
  wire       round_ends = round == parity_bytes - 5'd1;
  wire       convolves = (state == DISCREPANCY || state == EVALUATOR) && !count_ends9;
  wire       first_round = state == CHECK || (state == DEGREE && round_ends);
  wire [4:0] index = convolves ? round - 5'd1 - count[4:0] : first_round ? 5'd0 : round + 5'd1;   // of the next clock
  reg  [7:0] syndrome;                  // round - count; 0 if there is none
  always @(posedge clk) syndrome <= index[4] ? 8'd0 : syndromes[8 * index[3:0] +: 8];
  always @* begin
    a1 = locator[7:0];
    b1 = syndrome;
    a2 = earlier_held;
    b2 = discrepancy;
    case (state)
      ERASURES: begin
        a1 = syndromes[7:0];
        b1 = erased_at;
      end
      UPDATE: b1 = last_discrepancy;
      MAGNITUDE: begin
        a1 = error_now[15:8];
        b1 = inverse;
      end
      CORRECT: begin
        a2 = magnitude;
        b2 = factor;
      end
      default: ;
    endcase
  end
  assign fixed_byte = read_byte ^ product2;

  wire [7:0] sum = discrepancy ^ product1;
  wire       longer = discrepancy != 8'd0 && {degree, 1'b0} <= {1'b0, round};
  wire       fits = degree <= {1'b0, t} && zeros == degree[3:0];
  wire       last_given = state == GIVE && give_on && count == k;
  assign release_half = last_given;
  assign m_byte = read_byte;

  always @(posedge clk) begin
    count <= count + 7'd1;
    fix <= 1'b0;
    take_byte <= 1'b0;
    take_zero <= 1'b0;
    horner_takes <= take_byte;
    horner_byte <= take_zero ? 8'd0 : read_byte;
    if (horner_takes) syndromes <= horner;
    if (m_ready) m_valid <= 1'b0;
    case (state)
      IDLE: begin
        count <= 7'd0;
        round <= 5'd0;
        syndromes <= 128'd0;
        m_failed <= 1'b0;
        m_corrected <= 4'd0;
        k <= RS_K[8 * next_rate +: 7];
        t <= RS_T[4 * next_rate +: 4];
        {first_now, last_now} <= info[read_half][1:0];
        if (full[read_half]) state <= BEGIN;
      end

      BEGIN: begin
        count <= 7'd0;
        erasures <= 5'd16 - parity_bytes;
        punctured_from <= k + {2'd0, parity_bytes};
        lowest <= k + {2'd0, parity_bytes} + 7'd15;
        horner_end <= k + 7'd16;
        address <= {2'd0, parity_bytes};
        state <= t == 4'd0 ? GIVE : SYNDROMES;
      end

      SYNDROMES: begin                  // address is the byte of this count
        take_byte <= count < horner_end;
        take_zero <= count >= punctured_from;
        address <= count == k - 7'd1 ? 7'd0 : address + 7'd1;
        erased_at <= 8'd1;
        if (count == horner_end + 7'd1) begin
          state <= erasures == 5'd0 ? CHECK : ERASURES;
          count <= 7'd0;
        end
      end

      ERASURES: begin
        syndromes <= {product1 ^ syndromes[15:8], syndromes[127:8]};
        if (count[3:0] == 4'd15) begin
          erased_at <= erased_next;
          round <= round + 5'd1;
          count <= 7'd0;
          if (round == erasures - 5'd1) state <= CHECK;
        end
      end

      CHECK: begin
        count <= 7'd0;
        round <= 5'd0;
        degree <= 5'd0;
        locator <= 72'd1;
        earlier <= 72'd1;
        last_discrepancy <= 8'd1;
        discrepancy <= 8'd0;
        address <= {2'd0, parity_bytes};
        state <= any_left ? DISCREPANCY : GIVE;
      end

      DISCREPANCY: begin
        discrepancy <= sum;
        earlier_held <= 8'd0;
        locator <= {locator[7:0], locator[71:8]};
        if (count_ends9) begin
          count <= 7'd0;
          state <= UPDATE;
        end
      end

      UPDATE: begin                     // coefficient by coefficient
        locator <= {product1 ^ product2, locator[71:8]};
        earlier <= {longer ? locator[7:0] : earlier_held, earlier[71:8]};
        earlier_held <= earlier[7:0];
        if (count_ends9) state <= DEGREE;
      end

      DEGREE: begin
        if (longer) begin
          degree <= round + 5'd1 - degree;
          last_discrepancy <= discrepancy;
        end
        discrepancy <= 8'd0;
        evaluator <= 64'd0;
        zeros <= 4'd0;
        count <= 7'd0;
        round <= round + 5'd1;
        state <= DISCREPANCY;
        if (round_ends) begin
          round <= 5'd0;
          state <= EVALUATOR;
        end
      end

      EVALUATOR: begin                  // as a discrepancy; the ninth clock has the last term
        discrepancy <= sum;
        locator <= {locator[7:0], locator[71:8]};
        if (count_ends9) begin
          count <= 7'd0;
          discrepancy <= 8'd0;
          evaluator <= {round < degree ? sum : 8'd0, evaluator[63:8]};
          round <= round + 5'd1;
          if (round == 5'd7) state <= ZEROS;
        end
      end

      ZEROS: begin                      // count is the power
        locator <= locator_turned;
        evaluator <= evaluator_turned;
        if (zero && !zeros[3]) begin
          errors[zeros[2:0]] <= {count, numerator_now, odd_terms};
          zeros <= zeros + 4'd1;
        end
        error <= 4'd0;
        if (count == horner_end - 7'd1) state <= VERDICT;
      end

      VERDICT: begin
        m_failed <= !fits;
        m_corrected <= fits ? zeros : 4'd0;
        address <= {2'd0, parity_bytes};
        count <= 7'd0;
        state <= fits ? READ : GIVE;
      end

      READ: begin                       // byte and tables
        address <= lowest - error_power;
        if (error == zeros) begin
          address <= {2'd0, parity_bytes};
          count <= 7'd0;
          state <= GIVE;
        end else state <= LOOK_UP;
      end

      LOOK_UP: state <= MAGNITUDE;

      MAGNITUDE: begin
        magnitude <= product1;
        state <= CORRECT;
        fix <= error_power >= 7'd16;
      end

      CORRECT: begin
        if (!put || !fix) begin         // the memory's write port is free
          error <= error + 4'd1;
          state <= READ;
        end else fix <= fix;
      end

      default: begin                    // GIVE: address is ahead of the byte by one
        count <= count;
        if (give_on) begin
          if (count != k) address <= address + 7'd1;
          count <= count + 7'd1;
          m_valid <= count != k;
          m_first <= count == 7'd0 && first_now;
          m_block_last <= count == k - 7'd1;
          m_last <= count == k - 7'd1 && last_now;
          if (count == k) state <= IDLE;
        end
      end
    endcase
    if (rst) begin
      state <= IDLE;
      m_valid <= 1'b0;
      fix <= 1'b0;
    end
  end

endmodule
