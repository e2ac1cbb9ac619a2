// The live page at / (dashboards/web): one self-contained document, put together at build
// (cmake/EmbedPage.cmake). It draws what /api/v1/events sends it.
#pragma once

#include <string_view>

#include "daemon/http_reply.h"

namespace qdiscsim {

// With @NONCE@ where a style or script needs this answer's nonce. Lives for ever.
std::string_view web_page_source() noexcept;

// The page, and a policy under which nothing runs, loads or connects but what is its own.
HttpReply web_page();

}  // namespace qdiscsim
