#pragma once
// Halide ahead of time for a CUDA device: a program made of this runs while we build. It leaves the
// objects of several hand-written schedules of one pipeline, Halide's runtime, and a header that
// names them; halide_cuda.cpp is compiled with that header and measures the fastest.

#include <fstream>
#include <string>
#include <vector>

#include <Halide.h>

namespace peer {

/// What halide_cuda.cpp knows of the pipeline: picture in, picture out, of `element` (a C++ type).
/// The input is larger by `border` each way; its elements reach `largest` (0: floats in [0, 1)).
struct Ahead {
  std::string element;
  int border = 0;
  std::uint64_t largest = 0;
};

/// Into `folder`: candidate_0.o ..., runtime.o, candidates.h. The newest device that Halide 21
/// knows is of capability 8.6; a driver compiles its PTX for later ones.
inline void compile_ahead(const std::string& folder, const Ahead& about,
                          const Halide::ImageParam& input,
                          const std::vector<Halide::Pipeline>& candidates) {
  const Halide::Target target("x86-64-linux-cuda-cuda_capability_86");
  const Halide::Target bare = target.with_feature(Halide::Target::NoRuntime);
  std::ofstream header(folder + "/candidates.h");
  header << "using Element = " << about.element << ";\nconstexpr int Border = " << about.border
         << ";\nconstexpr std::uint64_t Largest = " << about.largest << ";\nextern \"C\" {\n";
  std::string names;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::string name = "candidate_" + std::to_string(i);
    Halide::Pipeline(candidates[i])
        .compile_to_object(folder + "/" + name + ".o", {input}, name, bare);
    header << "int " << name << "(halide_buffer_t* input, halide_buffer_t* output);\n";
    names += name + ", ";
  }
  header << "}\nconstexpr decltype(&candidate_0) Candidates[] = {" << names << "};\n";
  Halide::compile_standalone_runtime(folder + "/runtime.o", target);
}

}  // namespace peer
