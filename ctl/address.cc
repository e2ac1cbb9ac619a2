#include "ctl/address.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "ctl/exit_codes.h"
#include "ctl/failure.h"

namespace qdiscsim::ctl {
namespace {

constexpr const char* kPort = "9713";
constexpr const char* kSystemSocket = "/run/qdiscsim/control.sock";

[[noreturn]] void wrong_url(const std::string& url, const std::string& why) {
  throw Failure{kExitUsage, "--url " + url + ": " + why + "; as in http://127.0.0.1:9713"};
}

}  // namespace

std::string Address::text() const {
  if (!socket.empty()) return "unix:" + socket;
  const bool v6 = host.find(':') != std::string::npos;
  return "http://" + (v6 ? '[' + host + ']' : host) + ':' + port;
}

Address parse_url(const std::string& url) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme)) wrong_url(url, "must begin with http://");
  std::string rest = url.substr(kScheme.size());
  if (rest.ends_with('/')) rest.pop_back();
  Address out;
  out.port = kPort;
  std::size_t end = rest.find(':');
  if (rest.starts_with('[')) {
    const std::size_t bracket = rest.find(']');
    if (bracket == std::string::npos) wrong_url(url, "the bracket of the address is not closed");
    out.host = rest.substr(1, bracket - 1);
    end = bracket + 1;
    if (end < rest.size() && rest[end] != ':') wrong_url(url, "only :PORT may follow the address");
  } else {
    out.host = rest.substr(0, end);
  }
  if (end < rest.size()) out.port = rest.substr(end + 1);
  const bool number =
      !out.port.empty() && out.port.size() <= 5 &&
      std::all_of(out.port.begin(), out.port.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
      std::stoi(out.port) <= 65535;
  if (!number) wrong_url(url, "the port must be a number up to 65535, with nothing behind it");
  if (out.host.empty() || out.host.find('/') != std::string::npos) wrong_url(url, "no host");
  return out;
}

std::vector<Address> default_addresses() {
  std::vector<Address> out;
  const auto add = [&](const std::string& path) {
    const Address address{path, "", ""};
    if (std::find(out.begin(), out.end(), address) == out.end()) out.push_back(address);
  };
  const auto from = [&](const char* variable, const std::string& rest) {
    const char* const folder = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
    if (folder != nullptr && *folder != '\0') add(folder + rest);
  };
  from("RUNTIME_DIRECTORY", "/control.sock");
  if (geteuid() != 0) from("XDG_RUNTIME_DIR", "/qdiscsim/control.sock");
  add(kSystemSocket);
  out.push_back({"", "127.0.0.1", kPort});
  return out;
}

}  // namespace qdiscsim::ctl
