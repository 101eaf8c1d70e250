# SPDX-License-Identifier: Apache-2.0
# The rooms, the arrows between them, and the functions that make their targets. A room may include
# and link only the rooms listed for it here; chainwalk_library() refuses a link against the arrows
# and the check_arrows target refuses an include against them.

set(CHAINWALK_ROOMS platform spec generate reference oracle reference_bench plan kernels emulator cuda
    conformance package adapters fuzz cli python)

# Where each room lives, and the folder of its public headers under include/chainwalk.
set(CHAINWALK_DIR_platform platform)
set(CHAINWALK_DIR_spec spec)
set(CHAINWALK_DIR_generate spec/generate)
set(CHAINWALK_DIR_reference reference)
set(CHAINWALK_DIR_oracle reference/oracle)
set(CHAINWALK_DIR_reference_bench reference/bench)
set(CHAINWALK_DIR_plan device/plan)
set(CHAINWALK_DIR_kernels device/kernels)
set(CHAINWALK_DIR_emulator device/emulator)
set(CHAINWALK_DIR_cuda device/cuda)
set(CHAINWALK_DIR_conformance conformance)
set(CHAINWALK_DIR_package conformance/package)
set(CHAINWALK_DIR_adapters adapters)
set(CHAINWALK_DIR_fuzz fuzz)
set(CHAINWALK_DIR_cli cli)
set(CHAINWALK_DIR_python python)

set(CHAINWALK_MAY_platform "")
set(CHAINWALK_MAY_spec platform)
set(CHAINWALK_MAY_generate spec platform)
set(CHAINWALK_MAY_reference spec platform)
set(CHAINWALK_MAY_oracle spec)
set(CHAINWALK_MAY_reference_bench spec platform reference oracle)
set(CHAINWALK_MAY_plan spec kernels)
set(CHAINWALK_MAY_kernels spec)
set(CHAINWALK_MAY_emulator spec platform plan kernels)
set(CHAINWALK_MAY_cuda spec platform plan kernels)
set(CHAINWALK_MAY_conformance spec platform generate reference)
set(CHAINWALK_MAY_package spec platform conformance)
set(CHAINWALK_MAY_adapters spec platform reference oracle plan kernels emulator cuda conformance)
set(CHAINWALK_MAY_fuzz spec platform generate reference conformance package)
set(CHAINWALK_MAY_cli ${CHAINWALK_ROOMS})
set(CHAINWALK_MAY_python ${CHAINWALK_ROOMS})

# Headers that a room may not include although the arrow exists: the oracle shares the problem types
# only, never the policy or the formats.
set(CHAINWALK_NEVER_oracle chainwalk/spec/policy.h chainwalk/spec/formats.h)

# chainwalk_library(<room> SOURCES ... [ROOMS ...] [LIBRARIES ...] [PRIVATE_LIBRARIES ...])
# Makes chainwalk_<room>, alias chainwalk::<room>, with include/ public.
function(chainwalk_library room)
  cmake_parse_arguments(arg "" "" "SOURCES;ROOMS;LIBRARIES;PRIVATE_LIBRARIES" ${ARGN})
  foreach(other IN LISTS arg_ROOMS)
    if(NOT other IN_LIST CHAINWALK_MAY_${room})
      message(FATAL_ERROR "room '${room}' may not link room '${other}': the arrows are in cmake/ChainwalkRooms.cmake")
    endif()
  endforeach()
  set(target chainwalk_${room})
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:chainwalk_flags>)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(chainwalk::${room} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${room})
  target_include_directories(${target} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${CHAINWALK_DIR_${room}}/include>
    $<INSTALL_INTERFACE:include>)
  target_compile_features(${target} ${scope} cxx_std_20)
  foreach(other IN LISTS arg_ROOMS)
    target_link_libraries(${target} ${scope} chainwalk_${other})
  endforeach()
  target_link_libraries(${target} ${scope} ${arg_LIBRARIES})
  if(arg_PRIVATE_LIBRARIES)
    target_link_libraries(${target} PRIVATE ${arg_PRIVATE_LIBRARIES})
  endif()
  set_property(GLOBAL APPEND PROPERTY CHAINWALK_LIBRARIES ${target})
endfunction()

# chainwalk_test(<name> SOURCES ... [LIBRARIES ...] [LABELS ...] [FILTER <pattern>] [PREFIX <of the cases>])
# A GoogleTest binary whose cases ctest sees one by one. A room's tests may link any room.
function(chainwalk_test name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(arg "" "TIMEOUT;FILTER;PREFIX" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE chainwalk_flags GTest::gtest GTest::gtest_main ${arg_LIBRARIES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 TEST_FILTER "${arg_FILTER}" TEST_PREFIX "${arg_PREFIX}"
    PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
endfunction()

# Refuses links against the arrows, however they were written, and adds the include check to every
# build. Call it when every room is there.
function(chainwalk_check_arrows)
  foreach(room IN LISTS CHAINWALK_ROOMS)
    if(NOT TARGET chainwalk_${room})
      continue()
    endif()
    foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
      get_target_property(links chainwalk_${room} ${property})
      foreach(other IN LISTS CHAINWALK_ROOMS)
        if(links MATCHES "chainwalk(_|::)${other}(;|>|$)" AND NOT other IN_LIST CHAINWALK_MAY_${room})
          message(FATAL_ERROR "room '${room}' may not link room '${other}': the arrows are in cmake/ChainwalkRooms.cmake")
        endif()
      endforeach()
    endforeach()
  endforeach()
  add_custom_target(check_arrows ALL
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/CheckArrows.cmake
    COMMENT "Checking includes against the arrows between rooms" VERBATIM)
endfunction()
