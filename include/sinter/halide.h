#pragma once
// For sources written for Halide: its names are Sinter's.

#include <sinter/sinter.h>

namespace Halide = sinter;
