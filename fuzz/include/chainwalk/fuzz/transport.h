// SPDX-License-Identifier: Apache-2.0
// Messages between the processes of one campaign. Whole messages arrive in order or not at all: a
// process that dies takes with it what it had not yet sent, and nobody is told.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace chainwalk::fuzz {

struct Message {
  int from = 0;
  std::string text;
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual int rank() const = 0;        // 0..size() - 1; 0 deals
  virtual int size() const = 0;        // processes of the campaign
  virtual int local_rank() const = 0;  // among those of this machine

  // Never waits for the receiver, and does not fail where it is dead. At most 2^31 - 1 bytes.
  virtual void send(int to, std::string_view text) = 0;
  // The next whole message, if one is there; never waits.
  virtual std::optional<Message> receive() = 0;
  // Ends the use of the transport: in step with every other process where `together`, which hangs
  // unless all of them call it so; else at once.
  virtual void leave(bool together) = 0;
};

}  // namespace chainwalk::fuzz
