# How every target of the project is made: one per folder, linking only what it may include.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(SINTER_CCACHE ccache)
if(SINTER_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SINTER_CCACHE})
endif()
find_program(SINTER_MOLD mold)
if(SINTER_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
if(SINTER_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

# What the C++ compiler may never do to our own arithmetic (the interpreter's is normative).
add_compile_options(-ffp-contract=off)

add_library(sinter_options INTERFACE)
target_compile_options(sinter_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wswitch-enum $<$<BOOL:${SINTER_WERROR}>:-Werror>
  # GCC 12 takes "text" + std::string for overlapping copies (its bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)

# sinter_library(NAME [LINKS targets...] [PRIVATE targets...]): all .cpp files of this folder
# and of its sub-folders that have no CMakeLists.txt of their own.
function(sinter_library name)
  cmake_parse_arguments(ARG "" "" "LINKS;PRIVATE;EXCLUDE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp */*.cpp)
  foreach(excluded IN LISTS ARG_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX ${excluded})
  endforeach()
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(${name} PUBLIC ${ARG_LINKS} PRIVATE sinter_options ${ARG_PRIVATE})
endfunction()

# sinter_test(NAME LINKS targets... [LABELS ...]): one GoogleTest program from this folder's .cpp files.
function(sinter_test name)
  cmake_parse_arguments(ARG "" "" "LINKS;LABELS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} sinter_options GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE SINTER_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${name} PRIVATE -O1)  # what is tested is in the libraries
  endif()
  set(command ${name})
  if(SINTER_SANITIZE)  # its frames are large: the deepest expressions take more than 16 MiB of stack
    set(command sh -c "ulimit -s 65536 && exec '$<TARGET_FILE:${name}>'")
  endif()
  add_test(NAME ${name} COMMAND ${command})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 600)
endfunction()
