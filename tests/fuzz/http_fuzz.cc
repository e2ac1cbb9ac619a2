// What comes over a connection: any bytes are read as HTTP requests under the server's limits, one
// behind the other, and each that can be read gets an answer with a status.
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "daemon/http_routes.h"
#include "daemon/http_server.h"
#include "tests/daemon/sample_snapshot.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace qdiscsim;
namespace http = boost::beast::http;

class SampleSource final : public SnapshotSource {
 public:
  Snapshot snapshot() const override { return sample_snapshot(); }
};

void answer(HttpRoutes& routes, const http::request<http::string_body>& request) {
  const auto view = [](auto text) { return std::string_view{text.data(), text.size()}; };
  const HttpReply reply = routes.handle({.method = view(request.method_string()),
                                         .target = view(request.target()),
                                         .accept = view(request[http::field::accept])});
  test::must(reply.status >= 200 && reply.status < 600, "a status that there is not");
  test::must(reply.status != 500, "a request that the routes break on");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const SampleSource source;
  static const DaemonState state;
  static HttpRoutes routes{source, state};
  const HttpLimits limits;
  std::size_t at = 0;
  while (at < size) {
    http::request_parser<http::string_body> parser;
    parser.header_limit(static_cast<std::uint32_t>(limits.header_bytes));
    parser.body_limit(limits.body_bytes);
    parser.eager(true);
    boost::beast::error_code error;
    const std::size_t taken = parser.put(boost::asio::buffer(data + at, size - at), error);
    if (error || !parser.is_done() || taken == 0) return 0;
    answer(routes, parser.get());
    at += taken;
  }
  return 0;
}
