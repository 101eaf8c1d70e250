# SPDX-License-Identifier: Apache-2.0
# Every package that Chainwalk uses, with what to install where one is missing.

function(chainwalk_need package debian)
  find_package(${package} QUIET ${ARGN})
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} was not found. Debian and Ubuntu have it as '${debian}': apt-get install ${debian}")
  endif()
endfunction()

chainwalk_need(Threads libc6-dev)
chainwalk_need(Eigen3 libeigen3-dev)
chainwalk_need(CLI11 libcli11-dev)
chainwalk_need(nlohmann_json nlohmann-json3-dev)
chainwalk_need(fmt libfmt-dev)
chainwalk_need(rapidcheck librapidcheck-dev)
if(CHAINWALK_EXECUTOR STREQUAL "tbb")
  chainwalk_need(TBB libtbb-dev)
endif()

find_path(CHAINWALK_XXHASH_INCLUDE xxhash.h)
if(NOT CHAINWALK_XXHASH_INCLUDE)
  message(FATAL_ERROR "xxhash.h was not found. Debian and Ubuntu have it in 'libxxhash-dev': apt-get install libxxhash-dev")
endif()
add_library(chainwalk_xxhash INTERFACE)
target_include_directories(chainwalk_xxhash SYSTEM INTERFACE "$<BUILD_INTERFACE:${CHAINWALK_XXHASH_INCLUDE}>")
target_compile_definitions(chainwalk_xxhash INTERFACE XXH_INLINE_ALL)

if(BUILD_TESTING OR NOT DEFINED BUILD_TESTING)
  chainwalk_need(GTest libgtest-dev)
  include(GoogleTest)
endif()
