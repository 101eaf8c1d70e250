// SPDX-License-Identifier: Apache-2.0
// The transport over MPI: point-to-point messages in pieces small enough to be sent at once, so
// that nothing waits for a process that may be dead.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <stdexcept>
#include <vector>

#include "chainwalk/fuzz/transport.h"

namespace {

using chainwalk::fuzz::Message;
using chainwalk::fuzz::Transport;

// Below the size from which any of Open MPI's transports asks the receiver first (4 KiB with its
// header, for shared memory): a piece is there whole, or not at all.
constexpr std::size_t piece_bytes = 3072;
constexpr int tag = 1;

int local_rank_of_environment() {
  const char* text = std::getenv("OMPI_COMM_WORLD_LOCAL_RANK");
  return text == nullptr ? 0 : std::atoi(text);
}

bool recovery_of_environment() {
  const char* text = std::getenv("OMPI_MCA_orte_enable_recovery");
  return text != nullptr && std::string_view(text) != "0";
}

class MpiTransport final : public Transport {
 public:
  MpiTransport() : local_rank_(local_rank_of_environment()), recovery_(recovery_of_environment()) {
    if (MPI_Init(nullptr, nullptr) != MPI_SUCCESS) throw std::runtime_error("MPI_Init failed");
    // A send to a process that is gone is nobody's error.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int local_rank() const override { return local_rank_; }

  // A message is its length in 4 bytes and its text; messages to one rank never mix.
  void send(int to, std::string_view text) override {
    const auto length = static_cast<std::uint32_t>(text.size());
    std::string bytes(sizeof length, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    bytes += text;
    for (std::size_t at = 0; at < bytes.size(); at += piece_bytes)
      send_piece(to, bytes.substr(at, piece_bytes));
    drop_sent();
  }

  std::optional<Message> receive() override {
    drop_sent();
    while (ready_.empty() && receive_piece()) {
    }
    if (ready_.empty()) return std::nullopt;
    Message message = std::move(ready_.front());
    ready_.pop_front();
    return message;
  }

  void leave(bool together) override {
    // Under --enable-recovery a rank may die even now, and MPI_Finalize would wait for it for ever;
    // without it mpirun ends everybody, and complains where somebody did not call it.
    if (together && !recovery_) {
      for (Sending& sending : sending_) MPI_Wait(&sending.request, MPI_STATUS_IGNORE);
      MPI_Finalize();
      sending_.clear();
    } else {
      // The library may still read what never went out, until the process ends.
      drop_sent();
      new std::list<Sending>(std::move(sending_));
    }
  }

 private:
  struct Sending {
    std::string bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void send_piece(int to, std::string bytes) {
    Sending& sending = sending_.emplace_back(Sending{std::move(bytes)});
    const int status = MPI_Isend(sending.bytes.data(), static_cast<int>(sending.bytes.size()),
                                 MPI_BYTE, to, tag, MPI_COMM_WORLD, &sending.request);
    if (status != MPI_SUCCESS) sending_.pop_back();
  }

  void drop_sent() {
    std::erase_if(sending_, [](Sending& sending) {
      int done = 0;
      return MPI_Test(&sending.request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0;
    });
  }

  // Whether a piece was there.
  bool receive_piece() {
    int there = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS || !there)
      return false;
    std::string piece(piece_bytes, '\0');
    if (MPI_Recv(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, status.MPI_SOURCE, tag,
                 MPI_COMM_WORLD, &status) != MPI_SUCCESS)
      return false;
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    std::string& partial = partial_[status.MPI_SOURCE];
    partial.append(piece, 0, static_cast<std::size_t>(count));
    std::uint32_t length = 0;
    if (partial.size() < sizeof length) return true;
    std::memcpy(&length, partial.data(), sizeof length);
    if (partial.size() - sizeof length < length) return true;
    ready_.push_back({status.MPI_SOURCE, partial.substr(sizeof length)});
    partial.clear();
    return true;
  }

  int rank_ = 0, size_ = 1, local_rank_ = 0;
  bool recovery_;
  std::list<Sending> sending_;
  std::map<int, std::string> partial_;  // by sender
  std::deque<Message> ready_;
};

}  // namespace

// What the program looks up in this module.
extern "C" [[gnu::visibility("default")]] Transport* chainwalk_open_transport() {
  return new MpiTransport;
}
