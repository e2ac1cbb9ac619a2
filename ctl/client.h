// Client: one request and its answer at a time, over a UNIX socket or TCP. A connection a request.
// A client is used by one thread at a time.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "ctl/address.h"

namespace qdiscsim::ctl {

struct Answer {
  unsigned status = 0;
  std::string content_type;
  std::string body;
};

class Client {
 public:
  // The first address that takes a connection is kept; while none does, each request tries all.
  // timeout: for each step of a request (connect, send, receive).
  Client(std::vector<Address> addresses, std::chrono::milliseconds timeout);

  // Throws Failure: kExitUnreachable (names every address that was tried, why, and the way out),
  // kExitNoRight where only the right to connect is missing, kExitProtocol when what answers does
  // not speak HTTP. An answer with an error status is an answer.
  Answer send(const std::string& method, const std::string& target, const std::string& body = "");

  // Body of a GET that must succeed; throws what failure_of makes of any other answer.
  std::string get(const std::string& target);

  // The address in use; while none answered, the first.
  const Address& address() const noexcept { return addresses_.front(); }

 private:
  std::vector<Address> addresses_;  // once one answered, only that one
  std::chrono::milliseconds timeout_;
};

}  // namespace qdiscsim::ctl
