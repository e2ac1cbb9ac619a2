// What the daemon logs, for tests that wait for a line. While one lives, nothing goes to stderr.
#pragma once

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace qdiscsim::test {

class LogLines {
 public:
  LogLines() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("qdiscsimd", sink_)); }
  ~LogLines() { spdlog::set_default_logger(std::move(before_)); }
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;

  // Returns when a line holds the text; lines of before count. The test's own time limit is ours.
  void wait_for(const std::string& text) { sink_->wait_for(text); }

 private:
  class Sink final : public spdlog::sinks::base_sink<std::mutex> {
   public:
    void wait_for(const std::string& text) {
      std::unique_lock guard{mutex_};
      came_.wait(guard, [&] {
        for (const std::string& line : lines_) {
          if (line.find(text) != std::string::npos) return true;
        }
        return false;
      });
    }

   private:
    void sink_it_(const spdlog::details::log_msg& message) override {
      lines_.emplace_back(message.payload.data(), message.payload.size());
      came_.notify_all();
    }
    void flush_() override {}

    std::condition_variable came_;
    std::vector<std::string> lines_;
  };

  std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
  std::shared_ptr<Sink> sink_ = std::make_shared<Sink>();
};

}  // namespace qdiscsim::test
