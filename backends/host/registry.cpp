// Which backend compiles for which target.
#include <sinter/diagnostic.h>

#include "backends/host/host_backend.h"

namespace sinter::backends {

const Backend& backend_for(const Target& target) {
  static const HostBackend host;
  if (host.accepts(target)) return host;
  Diagnostic diagnostic;
  diagnostic.reason = "this build has no backend for the target '" + target.to_string() + "'";
  diagnostic.remedy = "use the target host";
  throw CompileError(diagnostic);
}

}  // namespace sinter::backends
