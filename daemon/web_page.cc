#include "daemon/web_page.h"

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>

namespace qdiscsim {
namespace {

constexpr std::string_view kMark = "@NONCE@";

std::string make_nonce() {
  std::random_device random;
  const auto half = [&] { return std::uint64_t{random()} << 32 | random(); };
  return fmt::format("{:016x}{:016x}", half(), half());
}

}  // namespace

HttpReply web_page() {
  const std::string nonce = make_nonce();
  HttpReply reply;
  reply.content_type = "text/html; charset=utf-8";
  reply.security_policy = fmt::format(
      "default-src 'none'; style-src 'nonce-{0}'; script-src 'nonce-{0}'; connect-src 'self'; "
      "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      nonce);
  std::string_view rest = web_page_source();
  reply.body.reserve(rest.size() + 128);
  for (auto at = rest.find(kMark); at != std::string_view::npos; at = rest.find(kMark)) {
    reply.body.append(rest.substr(0, at)).append(nonce);
    rest.remove_prefix(at + kMark.size());
  }
  reply.body.append(rest);
  return reply;
}

}  // namespace qdiscsim
