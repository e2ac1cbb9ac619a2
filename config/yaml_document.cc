#include "config/yaml_document.h"

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>

#include "config/encoding.h"
#include "config/units.h"
#include "config/yaml_builder.h"

namespace qdiscsim::config {
namespace {

// Whatever comes after the first document: only its place matters.
class SecondDocument final : public YAML::EventHandler {
 public:
  explicit SecondDocument(Lines& lines) : lines_(lines) {}
  void OnDocumentStart(const YAML::Mark& mark) override {
    throw Stop{lines_.position(mark), "a second document starts here; only one is allowed"};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {}
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {}
  void OnMapEnd() override {}

 private:
  Lines& lines_;
};

}  // namespace

Node* Node::find(std::string_view name) {
  for (Node& child : children) {
    if (kind == Kind::kMap && child.key == name) return &child;
  }
  return nullptr;
}

bool parse_document(std::string_view text, Document& document,
                    std::vector<Diagnostic>& diagnostics) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte order mark is harmless
  const std::size_t before = diagnostics.size();
  const auto refuse = [&](Position at, std::string message) {
    diagnostics.resize(before);
    diagnostics.push_back({document.name, at, "", std::move(message)});
    return false;
  };
  if (text.size() > kMaxBytes) {
    return refuse({}, "more than " + format_quantity(kMaxBytes, Quantity::kSize) +
                          "; a configuration is never that large");
  }
  if (const auto bad = find_bad_byte(text)) {
    return refuse(position_of_byte(text, bad->offset), bad->what);
  }

  Lines lines(text);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Builder builder(lines, document, diagnostics);
    if (parser.HandleNextDocument(builder)) {
      SecondDocument second(lines);
      try {
        parser.HandleNextDocument(second);
      } catch (const Stop& stop) {
        diagnostics.push_back({document.name, stop.at, "", stop.message});
      }
    }
  } catch (const Stop& stop) {
    return refuse(stop.at, stop.message);
  } catch (const YAML::Exception& error) {
    std::string message = "not valid YAML: " + error.msg;
    if (error.msg.starts_with("the referenced anchor")) {
      message = "aliases (*) are not allowed; write the value again";
    } else if (lines.indentation(error.mark).find('\t') != std::string_view::npos) {
      message += "; the line is indented with a tab, write spaces";
    }
    return refuse(lines.position(error.mark), std::move(message));
  }
  return true;
}

}  // namespace qdiscsim::config
