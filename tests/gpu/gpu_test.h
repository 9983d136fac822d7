#pragma once
// What the tests of GPU schedules share: run on the GPU, and compare with the oracle bit for bit.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <sinter/func.h>
#include <sinter/param.h>
#include <sinter/target.h>

namespace sinter::test {

/// emulated-nvptx-sm_90a, or SINTER_TEST_TARGET.
Target gpu_target();
/// An ImageParam with random content.
ImageParam random_image(Type, const std::vector<int>& sizes, const std::string& name = "input");
/// The default schedule's results on the GPU are the oracle's, for these sizes of the outputs.
void expect_right_on_gpu(const std::vector<Func>& outputs, const std::vector<int>& sizes,
                         const std::vector<ImageParam>& inputs = {}, int min = 0,
                         int row_alignment = 0);
/// How often `pattern` occurs in the PTX; `row_alignment`: of the variant for buffers with such
/// rows.
int count_ptx(const std::vector<Func>& outputs, const std::string& pattern, int row_alignment = 0);
/// "stage: directive: reason" of the refusal; empty when the schedule compiles.
std::string gpu_refusal(const std::vector<Func>& outputs);
/// Lines of the lowered module that hold `word`.
int count_lines(const std::vector<Func>& outputs, const std::string& word);

}  // namespace sinter::test
