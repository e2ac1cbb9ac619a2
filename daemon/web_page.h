// The page at /: self-contained HTML (no other file, no other host), light or dark as the reader's
// system is, readable without colours and without JavaScript. With JavaScript it fetches itself
// once a second and swaps the figures in; a checkbox stops that.
#pragma once

#include <string>
#include <string_view>

#include "daemon/summary.h"

namespace qdiscsim {

std::string render_web_page(const Summary& summary);

// & < > " ' as entities.
std::string escape_html(std::string_view text);

}  // namespace qdiscsim
