// Poller: asks for the summary again and again on a thread of its own, so that keys are answered
// while a daemon is not. latest() may be called from any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "ctl/client.h"
#include "ctl/summary.h"

namespace qdiscsim::ctl {

struct Latest {
  std::optional<Summary> summary;  // the last that came
  std::string lost;                // why none has come since, in one line; "" = it is the newest
  std::string address;             // the one in use
  std::uint64_t asked = 0;         // requests that ended, well or not
};

class Poller {
 public:
  // The client is the poller's until its end.
  Poller(Client& client, std::chrono::duration<double> interval);
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;
  ~Poller();  // waits for the request under way, at most the client's timeouts

  Latest latest() const;

 private:
  void ask();
  void run();

  Client& client_;
  std::chrono::duration<double> interval_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Latest latest_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace qdiscsim::ctl
