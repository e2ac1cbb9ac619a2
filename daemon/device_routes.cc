#include "daemon/device_routes.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "daemon/bql_view.h"
#include "daemon/page_pool_view.h"
#include "daemon/source.h"
#include "daemon/tc_view.h"

namespace qdiscsim {
namespace {

using Devices = std::span<const DeviceSnapshot>;

struct View {
  std::string_view path;  // of the JSON; .txt behind it is the text
  std::string (*json)(const Snapshot& snapshot, Devices devices, bool all);
  std::string (*text)(const Snapshot& snapshot, Devices devices, bool all);
};

constexpr auto kViews = std::to_array<View>({
    {"/api/v1/qdisc", [](const Snapshot&, Devices of, bool all) { return tc_qdisc_json(of, all); },
     [](const Snapshot&, Devices of, bool all) { return tc_qdisc_text(of, all); }},
    {"/api/v1/bql", [](const Snapshot&, Devices of, bool) { return bql_json(of); },
     [](const Snapshot&, Devices of, bool) { return bql_text(of); }},
    {"/api/v1/page-pools",
     [](const Snapshot& all, Devices of, bool) { return page_pools_json(all, of); },
     [](const Snapshot& all, Devices of, bool) { return page_pools_text(all, of); }},
});

HttpReply no_such_device(const std::string& name, const Snapshot& snapshot) {
  std::string body = "Cannot find device \"" + name.substr(0, 200) + "\"; there are\n";
  for (const DeviceSnapshot& device : snapshot.devices) body += "  " + device.name + "\n";
  return text_reply(404, std::move(body));
}

HttpReply show(const View& view, bool as_text, const HttpRequest& request,
               const SnapshotSource& source) {
  const QueryParameters parameters = query_of(request.target);
  for (const auto& [name, value] : parameters) {
    if (name == "dev") continue;
    return text_reply(400, "unknown parameter \"" + name.substr(0, 200) +
                               "\": " + std::string{view.path} + " knows dev=NAME\n");
  }
  if (parameters.size() > 1) {
    return text_reply(400, "dev is given more than once: leave it out to see all devices\n");
  }
  const Snapshot snapshot = source.snapshot();
  Devices devices{snapshot.devices};
  if (!parameters.empty()) {
    const std::string& wanted = parameters.front().second;
    const auto found = std::find_if(devices.begin(), devices.end(),
                                    [&](const auto& device) { return device.name == wanted; });
    if (found == devices.end()) return no_such_device(wanted, snapshot);
    devices = devices.subspan(static_cast<std::size_t>(found - devices.begin()), 1);
  }
  const bool all = parameters.empty();
  return as_text ? text_reply(200, view.text(snapshot, devices, all))
                 : json_reply(view.json(snapshot, devices, all));
}

}  // namespace

std::vector<std::string> device_paths() {
  std::vector<std::string> out;
  for (const View& view : kViews) {
    out.emplace_back(view.path);
    out.push_back(out.back() + ".txt");
  }
  return out;
}

std::optional<HttpReply> device_reply(const HttpRequest& request, const SnapshotSource& source) {
  std::string_view path = path_of(request.target);
  const bool text_address = path.ends_with(".txt");
  if (text_address) path.remove_suffix(4);
  for (const View& view : kViews) {
    if (path != view.path) continue;
    return show(view, text_address || prefers_text(request.accept), request, source);
  }
  return std::nullopt;
}

}  // namespace qdiscsim
