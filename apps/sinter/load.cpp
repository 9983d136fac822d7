#include "apps/sinter/load.h"

#include <dlfcn.h>

#include <sinter/diagnostic.h>

namespace sinter::command {

namespace {

constexpr const char* EntryPoint = "sinter_register";

[[noreturn]] void refuse(const std::string& path, const std::string& reason,
                         const std::string& remedy) {
  throw RuntimeError(Diagnostic{
      .stage = "", .directive = "--load " + path, .reason = reason, .remedy = remedy, .file = ""});
}

}  // namespace

void load_pipelines(const std::string& path, Registry& registry) {
  // A name without a folder is a file here, not one of the system's libraries.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    refuse(path, dlerror(), "name a shared library that was built with this version's headers");
  }
  void* const entry = dlsym(library, EntryPoint);
  if (entry == nullptr) {
    refuse(path, std::string("the library has no function ") + EntryPoint,
           "define in it: extern \"C\" void sinter_register(sinter::Registry& registry)");
  }
  const std::size_t before = registry.pipelines().size();
  reinterpret_cast<void (*)(Registry&)>(entry)(registry);
  if (registry.pipelines().size() == before) {
    refuse(path, std::string(EntryPoint) + " registered no pipeline",
           "call registry.add<Mine>() in it");
  }
}

}  // namespace sinter::command
