#pragma once
// Medians and their uncertainty, for timings.

#include <cstdint>
#include <vector>

namespace sinter::command {

/// 0 for no samples.
double median(std::vector<double> samples);

struct Interval {
  double low = 0, high = 0;
};

/// 95 % bootstrap interval of median(numerators) / median(denominators); the samples are paired by
/// round, and rounds are drawn. The same seed gives the same interval.
Interval ratio_interval(const std::vector<double>& numerators,
                        const std::vector<double>& denominators, std::uint64_t seed = 1,
                        int draws = 2000);

}  // namespace sinter::command
