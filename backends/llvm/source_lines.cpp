#include "backends/llvm/source_lines.h"

#include <llvm/BinaryFormat/Dwarf.h>

namespace sinter::backends {

SourceLines::SourceLines(llvm::Module& module, const ir::Sources& sources)
    : builder_(module), sources_(sources) {
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
}

void SourceLines::begin(llvm::Function& function, const std::optional<ir::Source>& about) {
  function_ = nullptr;
  if (!about) return;
  if (!unit_) {
    unit_ = builder_.createCompileUnit(llvm::dwarf::DW_LANG_C_plus_plus, file(*about), "sinter",
                                       true, "", 0, "", llvm::DICompileUnit::DebugDirectivesOnly);
  }
  auto* type = builder_.createSubroutineType(builder_.getOrCreateTypeArray({}));
  function_ = builder_.createFunction(
      unit_, function.getName(), function.getName(), file(*about), about->where.line(), type,
      about->where.line(), llvm::DINode::FlagZero,
      llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
  function.setSubprogram(function_);
}

llvm::DebugLoc SourceLines::at(const Symbol& symbol) {
  const auto source = sources_.find(symbol);
  if (source == sources_.end() || !function_) return {};
  llvm::DIFile* const own = file(source->second);
  llvm::DIScope* const scope = own == function_->getFile()
                                   ? static_cast<llvm::DIScope*>(function_)
                                   : builder_.createLexicalBlockFile(function_, own);
  return llvm::DILocation::get(function_->getContext(), source->second.where.line(),
                               source->second.where.column(), scope);
}

llvm::DIFile* SourceLines::file(const ir::Source& source) {
  const std::string name = source.where.file_name();
  return builder_.createFile(name.empty() ? "schedule" : name,
                             "");  // made by a directive of a text
}

}  // namespace sinter::backends
