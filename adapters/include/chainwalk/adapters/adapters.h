// SPDX-License-Identifier: Apache-2.0
// Implementations of the walk that this build carries, behind the C interface.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "chainwalk/conformance/memory.h"
#include "chainwalk/implementation.h"

namespace chainwalk::adapters {

// The executable specification. Options: threads=N (0: every available one), isa=portable, avx2,
// avx512, avx512_bf16 or best.
const cw_implementation* reference_implementation() noexcept;

// The integer oracle, on one thread. No options.
const cw_implementation* oracle_implementation() noexcept;

// The kernels under the emulator. Options: schedule=SCHEDULE (as its findings print it),
// checked=0|1, threads=N, device=NAME (a plan's named device, h100), dependent=0|1 (LCH-2; steps
// then run at the next synchronize), kernel=NAME, source=bank_direct|dense_rows|batch_prefetch,
// geometry=GEOMETRY (plan/geometry_text.h, without tiles), override=0|1. What it finds is
// CW_FINDING.
const cw_implementation* emulator_implementation() noexcept;

// The kernels on a CUDA device; open() says where there is none. Options: N or device=N,
// dependent=0|1 (LCH-2), graph=0|1 (each step from a graph), kernel=NAME,
// source=bank_direct|dense_rows|batch_prefetch, geometry=GEOMETRY (plan/geometry_text.h, without
// tiles), override=0|1 (PLN-6). Its buffers live in memory of cuda_memory() of the same device.
const cw_implementation* cuda_implementation() noexcept;
std::shared_ptr<conformance::MemoryKind> cuda_memory(int device);

// The reference with rules got wrong on purpose, for the suite's own test. Options: rule=ID, once
// for each of conformance::wrong_rules() that is to be in force.
const cw_implementation* wrong_implementation() noexcept;

// Every implementation of this build, in a stable order, and one by its name (nullptr: not there).
std::span<const cw_implementation* const> implementations() noexcept;
const cw_implementation* find_implementation(std::string_view name) noexcept;

}  // namespace chainwalk::adapters
