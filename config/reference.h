// docs/configuration.md, generated from the schema, so that it never says something else than the
// loader does. A test compares the file in the repository with this text.
#pragma once

#include <string>

namespace qdiscsim::config {

std::string reference_markdown();

}  // namespace qdiscsim::config
