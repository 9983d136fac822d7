// The sum of a long f32 vector, in the tree of reduce_across: the same bits on every machine.
//
// On a GPU each of 256 blocks folds its part in registers, lanes and warps meet as in apps/rows,
// and one thread adds up what the blocks found.

#include <sinter/registry.h>
#include <sinter/signature.h>

namespace sinter::apps {

namespace {

struct Reduce {
  BOOST_HANA_DEFINE_STRUCT(Reduce, (Input<float, 1>, x), (Output<float, 0>, total));

  static PipelineInfo info() {
    return {.name = "reduce",
            .description = "the sum of an f32 vector",
            .schedules = {"none", "root", "tuned"},
            .default_sizes = [](const Target& target) {
              return Sizes{{"length", target.is_emulated() ? 300000
                                      : target.is_gpu()    ? 1000000000
                                                           : 10000000}};
            }};
  }
  static Extents extents(const Sizes& sizes) {
    return {{"x", {sizes.at("length")}}, {"total", {}}};
  }
  static Work work(const Sizes& sizes) { return {.operations = double(sizes.at("length"))}; }

  RDom k;
  void algorithm() {
    k = RDom(0, x.width(), "k");
    total() = 0.0f;
    total() += x(k);
  }
  void schedule(const std::string& name, const Target& target) {
    if (name != "tuned") return;
    const Var i1("i1"), i2("i2"), i3("i3");
    const RVar i0("i0");
    Func partial = total.update().reduce_across(k, {16, 32, 8, 256});
    Func blocks = partial.tree_level(2), warps = partial.tree_level(1);
    if (!target.is_gpu()) {
      blocks.compute_root().parallel(i3);
      partial.compute_at(blocks, i3).vectorize(i1, 8);
      partial.update().vectorize(i1, 8);
      return;
    }
    blocks.compute_root().gpu_blocks(i3);
    warps.compute_at(blocks, i3).store_in(MemoryType::GPUShared).gpu_warps(i2);
    partial.compute_at(blocks, i3).store_in(MemoryType::Register).gpu_lanes(i1).gpu_warps(i2);
    partial.update().gpu_lanes(i1).gpu_warps(i2).unroll(i0);
    total.gpu_single_thread();
    total.update().gpu_single_thread();
  }
};

}  // namespace

void register_reduce(Registry& registry) { registry.add<Reduce>(); }

}  // namespace sinter::apps
