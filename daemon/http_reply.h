// HttpReply: what an address answers, without sockets.
#pragma once

#include <string>
#include <utility>

namespace qdiscsim {

struct HttpReply {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::string allow;            // the Allow header; empty = none
  std::string security_policy;  // the Content-Security-Policy header; empty = none
};

inline HttpReply text_reply(unsigned status, std::string body) {
  HttpReply reply;
  reply.status = status;
  reply.body = std::move(body);
  return reply;
}

inline HttpReply json_reply(std::string body) {
  HttpReply reply;
  reply.content_type = "application/json";
  reply.body = std::move(body);
  return reply;
}

}  // namespace qdiscsim
