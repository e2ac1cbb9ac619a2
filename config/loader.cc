#include "config/loader.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "config/checks.h"
#include "config/checks_tap.h"
#include "config/overrides.h"
#include "config/schema.h"
#include "config/walk.h"
#include "config/yaml_document.h"

namespace qdiscsim::config {
namespace {

Result unreadable(const std::string& path, int error) {
  Result result;
  result.diagnostics.push_back(
      {path, {}, "", "cannot be read: " + std::generic_category().message(error)});
  result.exit_code = kExitNoInput;
  return result;
}

// The whole file up to one byte more than is allowed, or errno.
int read_all(const std::string& path, std::string& text) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  std::array<char, 65'536> block{};
  int error = 0;
  while (text.size() <= kMaxBytes) {
    const ssize_t got = read(file, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error = errno;
    if (got <= 0) break;
    text.append(block.data(), static_cast<std::size_t>(got));
  }
  close(file);
  return error;
}

// The absolute path of a file that a configuration names.
std::string from_folder_of(const std::string& configuration, const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(configuration).parent_path();
  std::error_code error;  // no current folder: it stays as it is
  const auto absolute = std::filesystem::absolute(folder / path, error);
  return (error ? folder / path : absolute).lexically_normal().string();
}

void read_document(Document& document, const Cpus& cpus, std::span<const std::string> sources,
                   Config& config, Result& result) {
  std::vector<Diagnostic>& diagnostics = result.diagnostics;
  if (document.root.kind == Node::Kind::kNull) {
    diagnostics.push_back(
        {document.name,
         {0, 1, 1},
         "",
         std::string("the file is empty; at least one device is needed, for example ") +
             kMinimalDevices});
    return;
  }
  if (document.root.kind != Node::Kind::kMap) {
    if (document.root.kind != Node::Kind::kBroken) {
      diagnostics.push_back({document.name, document.root.at, "",
                             "the file must be a map of keys; allowed: " + map_text(schema())});
    }
    return;
  }
  Places places;
  Walk(sources, cpus, places, diagnostics).map(schema(), document.root, "", &config);
  name_taps(config);
  check_taps(config, places, sources, diagnostics);
  check_rules(config, places, sources, diagnostics);
  for (std::size_t i = 0; i < config.generators.size(); ++i) {
    std::string& path = config.generators[i].traffic.pcap;
    if (path.empty()) continue;
    path = from_folder_of(document.name, path);
    const std::string key = "generators[" + std::to_string(i) + "].traffic.pcap";
    const Position at = places.of(key);
    result.captures.push_back({i, {sources[at.source], at, key, ""}});
  }
}

}  // namespace

Result load_text(std::string_view text, const std::string& name,
                 std::span<const Override> overrides, const Cpus& cpus) {
  Result result;
  Document document;
  document.name = name;
  if (parse_document(text, document, result.diagnostics)) {
    std::vector<std::string> sources{name};
    for (const Override& change : overrides) {
      apply_override(change, static_cast<std::uint32_t>(sources.size()), document,
                     result.diagnostics);
      sources.push_back(change.option);
    }
    Config config;
    read_document(document, cpus, sources, config, result);
    if (result.diagnostics.empty()) result.config = std::move(config);
  }
  sort(result.diagnostics);
  if (!result.config) result.exit_code = kExitConfig;
  return result;
}

Result load_file(const std::string& path, std::span<const Override> overrides, const Cpus& cpus) {
  std::string text;
  if (const int error = read_all(path, text)) return unreadable(path, error);
  return load_text(text, path, overrides, cpus);
}

std::string to_string(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += to_string(diagnostic) + '\n';
  return text;
}

}  // namespace qdiscsim::config
