// NetNamespace: a network namespace that this process makes, names as `ip netns add` does, so that
// `ip netns exec NAME ...` enters it, and removes. Nothing in it reaches the machine's network:
// nothing leads out of it, and its interfaces have no IPv6 address unless somebody gives them one.
//
// The name is a mount on /run/netns/NAME, which holds the namespace when this process was killed.
// While it lives it keeps a lock (flock) on the namespace: the next one takes away a namespace that
// nobody has locked, that is called qdiscsim-..., and that has no interfaces but those of a new
// one. Any other one that exists already is refused.
//
// Threads: the control thread; the calling thread itself never changes its namespace. Errors:
// UnusableConfiguration, one line with the device, the namespace and the way out.
// Source: iproute2 ip/ipnetns.c, netns_add(); network_namespaces(7).
#pragma once

#include <functional>
#include <string>

#include "daemon/unique_fd.h"

namespace qdiscsim {

class NetNamespace {
 public:
  // device: whose packets go there first, for messages. Needs CAP_SYS_ADMIN.
  NetNamespace(const std::string& device, std::string name);
  // What others hold open in it lives on without a name.
  ~NetNamespace();
  NetNamespace(const NetNamespace&) = delete;
  NetNamespace& operator=(const NetNamespace&) = delete;

  const std::string& name() const noexcept { return name_; }

  // Calls work on a thread that is inside and ends with it. What work throws comes out here.
  void inside(const std::function<void()>& work) const;

 private:
  void make();
  void publish();
  void clear_name() const;
  [[noreturn]] void refuse(const std::string& why) const;

  std::string name_;
  std::string path_;
  std::string label_;  // what messages begin with
  UniqueFd namespace_;
};

// "why: text of the error; the way out", for what making an interface or its namespace needs.
std::string tap_error(const std::string& why, int error);

}  // namespace qdiscsim
