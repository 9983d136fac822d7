#include "apps/sinter/statistics.h"

#include <algorithm>
#include <random>

namespace sinter::command {

double median(std::vector<double> samples) {
  if (samples.empty()) return 0;
  const std::size_t middle = samples.size() / 2;
  std::nth_element(samples.begin(), samples.begin() + std::ptrdiff_t(middle), samples.end());
  const double upper = samples[middle];
  if (samples.size() % 2 == 1) return upper;
  return (upper + *std::max_element(samples.begin(), samples.begin() + std::ptrdiff_t(middle))) / 2;
}

Interval ratio_interval(const std::vector<double>& numerators,
                        const std::vector<double>& denominators, std::uint64_t seed, int draws) {
  const std::size_t rounds = std::min(numerators.size(), denominators.size());
  if (rounds == 0) return {};
  std::mt19937_64 random(seed);
  std::vector<double> ratios, a(rounds), b(rounds);
  for (int draw = 0; draw < draws; ++draw) {
    for (std::size_t i = 0; i < rounds; ++i) {
      const std::size_t round = random() % rounds;
      a[i] = numerators[round];
      b[i] = denominators[round];
    }
    ratios.push_back(median(a) / median(b));
  }
  std::sort(ratios.begin(), ratios.end());
  const auto quantile = [&](double q) {
    return ratios[std::size_t(q * double(ratios.size() - 1))];
  };
  return {quantile(0.025), quantile(0.975)};
}

}  // namespace sinter::command
