// Where a daemon may be asked: a UNIX socket or a TCP address. Pure functions of their arguments,
// but for default_addresses, which reads the environment and the user's number.
#pragma once

#include <string>
#include <vector>

namespace qdiscsim::ctl {

struct Address {
  std::string socket;  // a path; empty = TCP
  std::string host;    // a name or a number, IPv6 without brackets
  std::string port;

  std::string text() const;  // "unix:/run/qdiscsim/control.sock", "http://127.0.0.1:9713"
  bool operator==(const Address&) const = default;
};

// http://HOST[:PORT][/]; the port is 9713 when it is left out. Throws Failure (kExitUsage).
Address parse_url(const std::string& url);

// In the order in which they are tried: the sockets where a daemon puts its own (docs/control.md),
// this user's before the system's, then http://127.0.0.1:9713.
std::vector<Address> default_addresses();

}  // namespace qdiscsim::ctl
