// SPDX-License-Identifier: Apache-2.0
// The little of ustar that makes archives in memory, and mends what a mutation broke.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace chainwalk::format_fuzz {

// Names and contents.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

std::string tar_of(const NamedTexts& files);

// Makes the checksum of every header right, from the first on, as far as sizes lead.
void mend_checksums(std::span<std::uint8_t> archive);

}  // namespace chainwalk::format_fuzz
