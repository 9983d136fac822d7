#pragma once
// The pipelines that come with the command line.

#include <sinter/registry.h>

namespace sinter::apps {

void register_blur(Registry&);
void register_unsharp(Registry&);
void register_histogram(Registry&);
void register_bilateral_grid(Registry&);
void register_sgemm(Registry&);
void register_conv2d(Registry&);
void register_pointwise(Registry&);
void register_rows(Registry&);
void register_reduce(Registry&);
void register_transpose(Registry&);
void register_scan(Registry&);
void register_norms_backward(Registry&);

inline Registry all_apps() {
  Registry registry;
  register_blur(registry);
  register_unsharp(registry);
  register_histogram(registry);
  register_bilateral_grid(registry);
  register_sgemm(registry);
  register_conv2d(registry);
  register_pointwise(registry);
  register_rows(registry);
  register_reduce(registry);
  register_transpose(registry);
  register_scan(registry);
  register_norms_backward(registry);
  return registry;
}

}  // namespace sinter::apps
