// The matrix product by OpenBLAS.

#include <cblas.h>

#include "apps/peer/peer.h"

namespace {

class Sgemm : public peer::Program {
 public:
  void prepare(const peer::Sizes& sizes) override {
    m_ = sizes.at("m");
    n_ = sizes.at("n");
    k_ = sizes.at("k");
    a_ = filled(0, std::size_t(m_) * std::size_t(k_));
    b_ = filled(1, std::size_t(k_) * std::size_t(n_));
    out_.assign(std::size_t(m_) * std::size_t(n_), 0.0f);
  }
  void run() override {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m_, n_, k_, 1.0f, a_.data(), k_,
                b_.data(), n_, 0.0f, out_.data(), n_);
  }
  std::uint64_t count() const override { return out_.size(); }
  double value(std::uint64_t index) override { return double(out_[index]); }

 private:
  static std::vector<float> filled(int field, std::size_t count) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = peer::unit(field, i);
    return values;
  }

  int m_ = 0, n_ = 0, k_ = 0;
  std::vector<float> a_, b_, out_;
};

}  // namespace

int main() {
  Sgemm program;
  return peer::serve(program);
}
