// The assembler as a child process: its report, the cache, its refusals.
#include "backends/nvptx/ptxas.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sinter/sinter.h>

#include "backends/driver/compile_pipeline.h"

namespace sinter::test {
namespace {

namespace fs = std::filesystem;

TEST(Ptxas, TheReportIsRead) {
  const auto kernels = backends::parse_ptxas_report(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'blur_y' for 'sm_90a'\n"
      "ptxas info    : Function properties for blur_y\n"
      "    16 bytes stack frame, 24 bytes spill stores, 28 bytes spill loads\n"
      "ptxas info    : Used 32 registers, used 1 barriers, 16 bytes cumulative stack size, 2048 "
      "bytes smem, 400 bytes cmem[0]\n"
      "ptxas info    : Compile time = 1.870 ms\n"
      "ptxas info    : Compiling entry function 'g' for 'sm_90a'\n"
      "ptxas info    : Function properties for g\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 8 registers, 368 bytes cmem[0]\n");
  ASSERT_EQ(kernels.size(), 2u);
  const backends::KernelResources& blur = kernels.at("blur_y");
  EXPECT_EQ(blur.registers, 32);
  EXPECT_EQ(blur.stack, 16);
  EXPECT_EQ(blur.spill_stores, 24);
  EXPECT_EQ(blur.spill_loads, 28);
  EXPECT_EQ(blur.shared, 2048);
  EXPECT_EQ(kernels.at("g").registers, 8);
  EXPECT_EQ(kernels.at("g").shared, 0);
}

/// Runs `f` in a process of its own, where the environment is read anew; true when it says so.
template <typename F>
bool in_child(const F& f) {
  const pid_t child = fork();
  if (child == 0) {
    bool good = false;
    try {
      good = f();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
    }
    std::fflush(nullptr);
    _exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class FakePtxas : public ::testing::Test {
 public:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "sinter-ptxas-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    std::ofstream script(folder_ / "ptxas");
    script
        << "#!/bin/sh\n"
           "if [ \"$1\" = --version ]; then echo 'Cuda compilation tools, release 12.4, "
           "V12.4.131'; exit 0; fi\n"
           "echo \"$*\" >> \"$(dirname \"$0\")/runs\"\n"
           "if [ -e \"$(dirname \"$0\")/says\" ]; then cat \"$(dirname \"$0\")/says\" >&2; exit "
           "255; fi\n"
           "if [ -e \"$(dirname \"$0\")/reports\" ]; then cat \"$(dirname \"$0\")/reports\" >&2; "
           "fi\n"
           "echo \"ptxas info    : Compiling entry function 'f' for 'sm_90a'\" >&2\n"
           "echo 'ptxas info    : Used 13 registers' >&2\n"
           "echo 'ptxas x.ptx, line 5; warning : Odd' >&2\n"
           "printf '\\177ELF of %s' \"$1\" > \"$4\"\n";
    script.close();
    fs::permissions(folder_ / "ptxas", fs::perms::owner_all);
  }
  void TearDown() override { fs::remove_all(folder_); }

 protected:
  void environment() const {
    setenv("SINTER_PTXAS", (folder_ / "ptxas").c_str(), 1);
    setenv("SINTER_CACHE_DIR", (folder_ / "cache").c_str(), 1);
  }
  int runs() const {
    std::ifstream file(folder_ / "runs");
    int count = 0;
    for (std::string line; std::getline(file, line);) ++count;
    return count;
  }
  fs::path folder_;
};

TEST_F(FakePtxas, RunsOnceForATextInAllProcesses) {
  for (int process = 0; process < 3; ++process) {
    EXPECT_TRUE(in_child([&] {
      environment();
      const auto code = backends::assemble("// text", "sm_90a");
      return code && code->cubin == "\177ELF of -arch=sm_90a" &&
             code->kernels.at("f").registers == 13 &&
             code->warnings == "ptxas x.ptx, line 5; warning : Odd";
    }));
  }
  EXPECT_EQ(runs(), 1);
  EXPECT_TRUE(in_child([&] {
    environment();
    return backends::assemble("// another", "sm_90a") && backends::assemble("// text", "sm_80");
  }));
  EXPECT_EQ(runs(), 3);
}

TEST_F(FakePtxas, LinesAreKeptAndAMovedProjectFindsItsCode) {
  const auto text = [](const std::string& file, int line) {
    return "// text\n\t.loc\t1 " + std::to_string(line) + " 8\n\t.file\t1 \"" + file + "\"\n";
  };
  EXPECT_TRUE(in_child([&] {
    environment();
    return backends::assemble(text("/here/blur.cpp", 7), "sm_90a") &&
           backends::assemble(text("/there/x/blur.cpp", 7), "sm_90a");
  }));
  EXPECT_EQ(runs(), 1);
  EXPECT_TRUE(in_child([&] {
    environment();
    return backends::assemble(text("/here/blur.cpp", 8), "sm_90a") &&
           backends::assemble(text("/here/other.cpp", 7), "sm_90a") &&
           backends::assemble("// text", "sm_90a");
  }));
  EXPECT_EQ(runs(), 4);
  std::ifstream file(folder_ / "runs");
  int with_lines = 0;
  for (std::string line; std::getline(file, line);) with_lines += line.ends_with(" -lineinfo");
  EXPECT_EQ(with_lines, 3);
}

TEST_F(FakePtxas, MoreRegistersThanAMultiprocessorHasAreRefused) {
  std::ofstream(folder_ / "reports")
      << "ptxas info    : Compiling entry function 'k0_f' for 'sm_90a'\n"
         "ptxas info    : Used 72 registers\n";
  const auto refused = [&] {
    environment();
    Var x("x"), xi("xi");
    Func f("f");
    const unsigned line = __LINE__ + 1;
    f(x) = x * 3;
    f.gpu_tile(x, xi, 1024);
    try {
      driver::compile_code(driver::resolve_pipeline({f}, Schedule::of({f})),
                           Target("nvptx-sm_90a"));
    } catch (const CompileError& e) {
      const Diagnostic& d = e.diagnostic();
      return d.stage == "f" && d.line == line &&
             d.reason ==
                 "its 1024 threads a block take 73728 registers, 72 each; a multiprocessor "
                 "has 65536";
    }
    return false;
  };
  EXPECT_TRUE(in_child(refused));
}

TEST_F(FakePtxas, WhatItRefusesIsSaidAndAnOldOneIsLeftOut) {
  std::ofstream(folder_ / "says")
      << "ptxas x.ptx, line 7; error   : Unknown symbol 'llvm.nonsense'\n";
  EXPECT_TRUE(in_child([&] {
    environment();
    try {
      backends::assemble("// text", "sm_90a");
    } catch (const CompileError& e) {
      return std::string(e.what()).find("line 7; error   : Unknown symbol 'llvm.nonsense'") !=
             std::string::npos;
    }
    return false;
  }));
  std::ofstream(folder_ / "says")
      << "ptxas x.ptx, line 1; fatal   : Unsupported .version 8.0; current version is '7.8'\n";
  EXPECT_TRUE(in_child([&] {
    environment();
    return !backends::assemble("// text", "sm_90a").has_value();
  }));
  EXPECT_TRUE(in_child([&] {
    setenv("SINTER_PTXAS", (folder_ / "says").c_str(), 1);
    try {
      backends::ptxas_of_process();
    } catch (const CompileError& e) {
      return std::string(e.what()).find("does not run as ptxas") != std::string::npos;
    }
    return false;
  }));
  EXPECT_TRUE(in_child([&] {
    setenv("SINTER_PTXAS", "", 1);
    return !backends::ptxas_of_process().has_value();
  }));
}

TEST_F(FakePtxas, ADeviceThatDoesNotTakeItsCodeGetsThePtx) {
  EXPECT_TRUE(in_child([&] {
    environment();
    setenv("SINTER_CUDA_DRIVER", FAKE_CUDA, 1);
    Var x("x"), xi("xi");
    Func f("f");
    f(x) = x * 3;
    f.gpu_tile(x, xi, 32);
    const Buffer<int> out = f.realize({64}, "nvptx-sm_90a");
    return out(63) == 189 && runs() == 1;
  }));
}

TEST(RealPtxas, TakesOurKernels) {
  if (!backends::ptxas_of_process()) GTEST_SKIP() << "there is no ptxas";
  Var x("x"), y("y"), xi("xi"), yi("yi");
  for (const char* architecture : {"nvptx-sm_75", "nvptx-sm_80", "nvptx-sm_90a"}) {
    Func f("f");
    f(x, y) = exp(cast<float>(x)) * sqrt(cast<float>(y)) + 1.0f;
    f.gpu_tile(x, y, xi, yi, 32, 4);
    driver::CompileOptions options;
    options.listings = true;
    try {
      driver::compile_pipeline(driver::resolve_pipeline({f}, Schedule::of({f})),
                               Target(architecture), options);
    } catch (const DeviceError&) {  // compiled; there is no device to load it
    }
  }
}

}  // namespace
}  // namespace sinter::test
