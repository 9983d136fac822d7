// Inclusive prefix sums of a long vector in three passes: sums of blocks, their prefix sums, and
// sums within each block on top of those. The tree of additions is written out as stages, so that
// f32 gives the same bits on every machine.
//
// An element of a block has four coordinates: its place in a vector of four, lane, row of vectors,
// and warp. A thread adds up its vector; lanes add up vectors in five steps of Hillis and Steele,
// through shuffles on a GPU; a thread then adds up the rows of its warp in registers; warps meet in
// shared memory.

#include <sinter/registry.h>
#include <sinter/signature.h>

namespace sinter::apps {

namespace {

constexpr int Vector = 4;  // neighbours that a lane adds up itself
constexpr int Lanes = 32;
constexpr int Rows = 4;  // of a warp in a block
constexpr int Warps = 8;
constexpr int Block = Vector * Lanes * Rows * Warps;
constexpr int Spans = 1024;  // runs of neighbouring blocks, one for each thread of the second pass
constexpr int SpanWarps = Spans / Lanes;

/// steps[s](l, ...): the sum of in(l - 2^s + 1 .. l, ...), where it exists. The last one has the
/// inclusive prefix sums over the lanes.
std::vector<Func> lane_sums(const Func& in, const std::vector<Var>& arguments,
                            const std::string& name) {
  std::vector<Func> steps;
  Func before = in;
  for (int distance = 1; distance < Lanes; distance *= 2) {
    Func step(name + "_" + std::to_string(distance));
    std::vector<Expr> own(arguments.begin(), arguments.end()), other = own;
    const Expr& lane = own[0];
    other[0] = max(lane - distance, 0);
    step(arguments) = before(own) + select(lane >= distance, before(other), 0);
    steps.push_back(step);
    before = step;
  }
  return steps;
}

template <typename T>
struct Scan {
  BOOST_HANA_DEFINE_STRUCT(Scan, (Input<T, 1>, x), (Output<T, 1>, out));

  static PipelineInfo info() {
    return {.name = std::is_same_v<T, float> ? "scan" : "scan_i32",
            .description = "inclusive prefix sums of a vector, in three passes",
            .schedules = {"root", "tuned"},
            .default_sizes = [](const Target& target) {
              return Sizes{{"length", target.is_emulated() ? 3 * Block + 77
                                      : target.is_gpu()    ? 100000000
                                                           : 10000000}};
            }};
  }
  static Extents extents(const Sizes& sizes) {
    return {{"x", {sizes.at("length")}}, {"out", {sizes.at("length")}}};
  }
  static Work work(const Sizes& sizes) { return {.operations = double(sizes.at("length"))}; }

  Var i{"i"}, e{"e"}, l{"l"}, k{"k"}, w{"w"}, b{"b"}, q{"q"};
  RDom in_block, in_span, in_vector, next, row, warp, span_warp, block;
  Func sums{"sums"};                                              // the first pass
  Func sum_of{"sum_of"}, span{"span"}, span_total{"span_total"};  // the second
  Func span_base{"span_base"}, offsets{"offsets"};
  Func element{"element"}, within{"within"}, rows{"rows"}, before{"before"};
  Func total{"total"}, base{"base"}, start{"start"};  // the third
  std::vector<Func> lanes, span_lanes;

  void algorithm() {
    const Expr n = x.width(), blocks = (n + Block - 1) / Block;
    const Expr length = (blocks + Spans - 1) / Spans;  // of a span, in blocks
    in_block = RDom(0, Block, "in_block");
    sums(b) = T(0);
    in_block.where(b * Block + in_block < n);
    sums(b) += x(b * Block + in_block);

    // span(l, w): a run of blocks; span_base: what lies before it.
    sum_of(b) = select(b < blocks, sums(clamp(b, 0, blocks - 1)), 0);
    in_span = RDom(0, length, "in_span");
    span(l, w) = T(0);
    span(l, w) += sum_of((w * Lanes + l) * length + in_span);
    span_lanes = lane_sums(span, {l, w}, "span_lanes");
    span_total(w) = span_lanes.back()(Lanes - 1, w);
    span_warp = RDom(0, SpanWarps, "span_warp");
    span_base(l, w) = select(l > 0, span_lanes.back()(max(l - 1, 0), w), 0);
    span_base(l, w) += select(span_warp < w, span_total(span_warp), 0);
    // offsets(q, l, w): what lies before the q-th block of a span.
    block = RDom(1, length, "block");
    offsets(q, l, w) = span_base(l, w);
    offsets(block, l, w) = offsets(block - 1, l, w) + sum_of((w * Lanes + l) * length + block - 1);

    in_vector = RDom(0, Vector, "in_vector");
    const Expr at_element = (((b * Warps + w) * Rows + k) * Lanes + l) * Vector + in_vector;
    in_vector.where(at_element < n);
    element(e, l, k, w, b) = T(0);
    element(in_vector, l, k, w, b) = x(at_element);
    next = RDom(1, Vector - 1, "next");
    within(e, l, k, w, b) = element(e, l, k, w, b);
    within(next, l, k, w, b) = within(next - 1, l, k, w, b) + element(next, l, k, w, b);
    Func vector_sum("vector_sum");
    vector_sum(l, k, w, b) = within(Vector - 1, l, k, w, b);
    lanes = lane_sums(vector_sum, {l, k, w, b}, "lanes");
    row = RDom(1, Rows, "row");
    rows(l, k, w, b) = T(0);  // what lies before row k in its warp; row Rows: the warp's sum
    rows(l, row, w, b) = rows(l, row - 1, w, b) + lanes.back()(Lanes - 1, row - 1, w, b);
    total(w, b) = rows(0, Rows, w, b);
    warp = RDom(0, Warps, "warp");
    base(l, w, b) = T(0);
    base(l, w, b) += select(warp < w, total(warp, b), 0);

    // before(l, k, w, b): what lies before a vector in its block.
    before(l, k, w, b) =
        base(l, w, b) + rows(l, k, w, b) + select(l > 0, lanes.back()(max(l - 1, 0), k, w, b), 0);

    const Expr at = i / Vector % Lanes, in_row = i / (Vector * Lanes) % Rows;
    const Expr in_warp = i / (Vector * Lanes * Rows) % Warps;
    const Expr in = i / Block, s = clamp(b / length, 0, Spans - 1);
    start(b) = offsets(b % length, s % Lanes, s / Lanes);
    out(i) =
        start(in) + before(at, in_row, in_warp, in) + within(i % Vector, at, in_row, in_warp, in);
  }

  void schedule(const std::string& name, const Target& target) {
    if (name == "root") {
      for (Func* f : {&sums, &sum_of, &span, &span_total, &span_base, &offsets, &element, &within,
                      &rows, &total, &base, &before, &start})
        f->compute_root();
      for (std::vector<Func>* list : {&lanes, &span_lanes}) {
        for (Func& f : *list) f.compute_root();
      }
      return;
    }
    const Var i1("i1"), i2("i2"), wo("wo");
    const RVar t("t"), i0("i0");
    const bool gpu = target.is_gpu();
    const auto spread = [&](Func& f) { gpu ? f.gpu_lanes(l).gpu_warps(w) : f.vectorize(l, 8); };
    const auto spread_update = [&](Func& f) {
      gpu ? f.update().gpu_lanes(l).gpu_warps(w) : f.update().vectorize(l, 8);
    };
    const auto in_registers = [&](Func& f) {
      if (gpu) f.store_in(MemoryType::Register);
    };
    const auto shared = [&](Func& f) {
      if (gpu) f.store_in(MemoryType::GPUShared).gpu_warps(w);
    };

    // The first pass: a block for each sum.
    Func partial = sums.update().reduce_across(in_block.x, {Vector, Lanes, Warps});
    Func stored = sums.in();
    stored.compute_root();
    sums.compute_at(stored, b);
    partial.compute_at(stored, b);
    partial.tree_level(1).compute_at(stored, b);
    in_registers(sums);
    in_registers(partial);
    if (gpu) {
      stored.gpu_blocks(b);
      partial.gpu_lanes(i1).gpu_warps(i2);
      partial.update().gpu_lanes(i1).gpu_warps(i2).unroll(i0).unroll(t);
      partial.tree_level(1).store_in(MemoryType::GPUShared).gpu_warps(i2);
    } else {
      stored.parallel(b, 64);
      partial.vectorize(i1, 8);
      partial.update().vectorize(i1, 8);
    }

    // The second: one block, a thread for each span.
    offsets.compute_root().bound(l, 0, Lanes).bound(w, 0, SpanWarps);
    if (gpu) {
      offsets.split(w, wo, w, SpanWarps).gpu_blocks(wo).gpu_warps(w).gpu_lanes(l);
      offsets.update().split(w, wo, w, SpanWarps).gpu_blocks(wo).gpu_warps(w).gpu_lanes(l);
      Pipeline(out).fuse({offsets});
    }
    const auto in_offsets = [&](Func& f) {
      if (gpu) f.compute_at(offsets, wo);
      else f.compute_root();
    };
    for (Func* f : {&span, &span_base}) {
      in_offsets(*f);
      in_registers(*f);
      spread(*f);
      spread_update(*f);
    }
    for (Func& f : span_lanes) {
      in_offsets(f);
      in_registers(f);
      spread(f);
    }
    in_offsets(span_total);
    shared(span_total);

    // The third: everything of a block in its registers.
    out.bound(i, 0, x.width())
        .split(i, b, i, Block)
        .split(i, w, i, Rows * Lanes * Vector)
        .split(i, k, l, Lanes * Vector)
        .split(l, l, e, Vector);
    if (gpu) out.gpu_blocks(b).gpu_warps(w).unroll(k).gpu_lanes(l).vectorize(e);
    else out.parallel(b).vectorize(e);
    std::vector<Func> by_row = lanes;
    for (const Func& f : {rows, before}) by_row.push_back(f);
    if (gpu) by_row.insert(by_row.end(), {element, within});
    else
      for (Func* f : {&element, &within}) f->compute_at(out, b);
    for (Func& f : by_row) {
      f.compute_at(out, b);
      in_registers(f);
      spread(f);
      if (gpu) f.unroll(k);
    }
    base.compute_at(out, b);
    in_registers(base);
    spread(base);
    spread_update(base);
    spread_update(rows);
    if (gpu) {
      spread_update(within);
      rows.update().unroll(row.x);
      spread_update(element);
      element.unroll(e).update().unroll(k).unroll(in_vector.x);
      within.unroll(e).update().unroll(k).unroll(next.x);
      base.update().unroll(warp.x);
    }
    start.compute_at(out, b);
    in_registers(start);
    total.compute_at(out, b);
    shared(total);
  }
};

}  // namespace

void register_scan(Registry& registry) {
  registry.add<Scan<float>>();
  registry.add<Scan<std::int32_t>>();
}

}  // namespace sinter::apps
