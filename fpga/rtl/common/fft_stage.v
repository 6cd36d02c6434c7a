// SPDX-License-Identifier: GPL-3.0-or-later
//
// One butterfly of a single-path delay feedback FFT, decimation in frequency: words n and n + DELAY of a block become
// their sum and their difference, all sums of a block first. Exact: the output is one bit wider than the input. ROTATE: second
//butterfly of a radix-2^2 pair; in every second block the word n + DELAY is multiplied by -j.
//
// Differences are output times -1, in the blocks turned by -j times -j. Each bit of an adder and its operands is then one
//look-up table. A pair's four parts have the factors 1, -1, -1 and j.
//
// Never stalls and never waits for the next block: a block's differences follow its sums at one per cycle, while words of the
// next block may be input. Latency: 2 cycles from the word that completes a butterfly to its sum; the first reads the memory.
// The memory is written two cycles after a word, three if DELAY allows it.
module fft_stage #(
    parameter WIDTH = 19,
    parameter LOG2_DELAY = 7,
    parameter ROTATE = 0
) (
    input  wire                    clk,
    input  wire                    rst,
    input  wire                    in_valid,
    input  wire signed [WIDTH-1:0] in_re,
    input  wire signed [WIDTH-1:0] in_im,
    output reg                     out_valid,
    output reg signed  [WIDTH:0]   out_re,
    output reg signed  [WIDTH:0]   out_im
);
  localparam ADDRESS = LOG2_DELAY == 0 ? 1 : LOG2_DELAY;
  localparam [ADDRESS-1:0] LAST = LOG2_DELAY == 0 ? {ADDRESS{1'b0}} : {ADDRESS{1'b1}};

  (* ram_style = "distributed" *) reg [2*WIDTH+1:0] memory[0:(1<<LOG2_DELAY)-1];
  reg [LOG2_DELAY+1:0] place;  // in a pair of blocks
  reg draining;
  reg [ADDRESS-1:0] drained;

  wire [ADDRESS-1:0] slot = place[ADDRESS-1:0] & LAST;
  wire completes = place[LOG2_DELAY];
  // Differences are output before the next block's butterflies begin: they take one cycle each, input words at least that.
  wire [ADDRESS-1:0] read_slot = draining ? drained : slot;
  reg [2*WIDTH+1:0] fetched;
  reg taken, leaves, drains, second, turned;
  reg [ADDRESS-1:0] taken_slot;
  reg signed [WIDTH-1:0] re, im;
  always @(posedge clk) begin
    fetched <= memory[read_slot];
    re <= in_re;
    im <= in_im;
    taken <= in_valid && !rst;
    taken_slot <= slot;
    leaves <= !rst && (draining || (in_valid && completes));
    drains <= draining;
    second <= completes;
    turned <= ROTATE != 0 && place[LOG2_DELAY+1] && completes;
  end

  // A memory of one word is a register, written too late to be read in advance.
  wire [WIDTH:0] kept_re, kept_im;
  assign {kept_re, kept_im} = LOG2_DELAY == 0 ? memory[0] : fetched;
  wire [WIDTH:0] wide_re = {re[WIDTH-1], re};
  wire [WIDTH:0] wide_im = {im[WIDTH-1], im};

  // Kept or new word plus an operand that is masked to 0 outside its time; -j (re + j im) = im - j re. Written as differences,
  // whose last bit borrows: Yosys may exchange the operands of a sum, and the mask then needs another table.
  wire [WIDTH:0] plus_re = drains ? {(WIDTH + 1) {1'b1}} : turned ? ~wide_im : ~wide_re;
  wire [WIDTH:0] plus_im = drains ? {(WIDTH + 1) {1'b1}} : turned ? wide_re : ~wide_im;
  wire [WIDTH:0] minus_re = !second ? {(WIDTH + 1) {1'b1}} : turned ? ~kept_im : kept_re;
  wire [WIDTH:0] minus_im = !second ? {(WIDTH + 1) {1'b1}} : turned ? kept_re : kept_im;
  wire [WIDTH+1:0] sum_re = {kept_re, 1'b0} - {plus_re, 1'b1};
  wire [WIDTH+1:0] sum_im = {kept_im, 1'b0} - {plus_im, !turned || drains};
  wire [WIDTH+1:0] back_re = {wide_re, 1'b0} - {minus_re, !second || turned};
  wire [WIDTH+1:0] back_im = {wide_im, 1'b0} - {minus_im, !second};

  wire unused = &{1'b0, sum_re[0], sum_im[0], back_re[0], back_im[0]};

  generate
    if (LOG2_DELAY >= 2) begin : late
      reg written;
      reg [ADDRESS-1:0] written_slot;
      reg [2*WIDTH+1:0] back;
      always @(posedge clk) begin
        written <= taken;
        written_slot <= taken_slot;
        back <= {back_re[WIDTH+1:1], back_im[WIDTH+1:1]};
        if (written) memory[written_slot] <= back;
      end
    end else begin : soon
      always @(posedge clk) if (taken) memory[taken_slot] <= {back_re[WIDTH+1:1], back_im[WIDTH+1:1]};
    end
  endgenerate

  always @(posedge clk) begin
    out_re <= sum_re[WIDTH+1:1];
    out_im <= sum_im[WIDTH+1:1];
    out_valid <= leaves && !rst;
    if (in_valid) place <= place + 1'b1;
    drained <= draining ? drained + 1'b1 : {ADDRESS{1'b0}};
    if (in_valid && completes && slot == LAST) draining <= 1'b1;
    else if (draining && drained == LAST) draining <= 1'b0;
    if (rst) begin
      place <= 0;
      draining <= 1'b0;
      drained <= 0;
    end
  end
endmodule
