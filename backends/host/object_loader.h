#pragma once
// A relocatable object made executable in this process; its memory goes back when it dies.

#include <memory>
#include <string>

namespace sinter::backends {

class LoadedObject {
 public:
  /// Throws InternalError when the object cannot be linked.
  explicit LoadedObject(const std::string& object);
  ~LoadedObject();
  LoadedObject(const LoadedObject&) = delete;
  LoadedObject& operator=(const LoadedObject&) = delete;

  /// Address of a function; throws InternalError when there is none of that name.
  void* address_of(const std::string& symbol) const { return address(symbol.c_str()); }

 private:
  void* address(const char* symbol) const;
  struct Contents;
  std::unique_ptr<Contents> contents_;
};

}  // namespace sinter::backends
