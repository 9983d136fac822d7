#pragma once
// Lines of the user's program in LLVM's debug information: a table of lines and nothing else, which
// changes no instruction.

#include <optional>

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/Module.h>

#include "dsl/ir/module.h"

namespace sinter::backends {

class SourceLines {
 public:
  SourceLines(llvm::Module&, const ir::Sources&);

  /// What follows is code of `function`, a definition's at `about`; without one it gets no lines.
  void begin(llvm::Function& function, const std::optional<ir::Source>& about);
  /// Where the definition is that the symbol stands for; null when it stands for none.
  llvm::DebugLoc at(const Symbol&);
  void finish() { builder_.finalize(); }

 private:
  llvm::DIFile* file(const ir::Source&);

  llvm::DIBuilder builder_;
  const ir::Sources& sources_;
  llvm::DICompileUnit* unit_ = nullptr;
  llvm::DISubprogram* function_ = nullptr;
};

}  // namespace sinter::backends
