#pragma once
// Pipelines of the user's own, from a shared library.

#include <string>

#include <sinter/registry.h>

namespace sinter::command {

/// Opens the library and calls its
///   extern "C" void sinter_register(sinter::Registry&);
/// The library takes Sinter's functions from the program that loads it, so it is linked to nothing:
///   c++ -std=c++20 -shared -fPIC -I SINTER/include mine.cpp -o libmine.so
/// It stays loaded: the registry's entries are its code.
void load_pipelines(const std::string& path, Registry&);

}  // namespace sinter::command
