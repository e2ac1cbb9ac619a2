// The addresses that show devices as tc and sysfs would: /api/v1/qdisc, /api/v1/bql and
// /api/v1/page-pools, as JSON; as text with .txt, or when Accept asks for text/plain. ?dev=NAME
// chooses one device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/http_reply.h"
#include "daemon/http_request.h"
#include "daemon/snapshot.h"

namespace qdiscsim {

class SnapshotSource;

// The addresses, for whoever lists them.
std::vector<std::string> device_paths();

// None: another address. An unknown device is a 404 that names those that exist, an unknown
// parameter a 400. Only GET and HEAD get here.
std::optional<HttpReply> device_reply(const HttpRequest& request, const SnapshotSource& source);

}  // namespace qdiscsim
