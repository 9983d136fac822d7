#pragma once
// Everything a user of Sinter needs.

#include <sinter/boundary_conditions.h>
#include <sinter/buffer.h>
#include <sinter/diagnostic.h>
#include <sinter/dlpack.h>
#include <sinter/expr.h>
#include <sinter/func.h>
#include <sinter/inline_reductions.h>
#include <sinter/param.h>
#include <sinter/pipeline.h>
#include <sinter/reduction.h>
#include <sinter/schedule.h>
#include <sinter/schedule_types.h>
#include <sinter/stream.h>
#include <sinter/target.h>
#include <sinter/tuple.h>
#include <sinter/type.h>
