#include "daemon/logging.h"

#include <fmt/format.h>
#include <poll.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>

namespace qdiscsim {
namespace {

// %*: the level as sd-daemon(3) writes it.
class PriorityFlag : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& out) override {
    constexpr std::array<char, 7> kPriorities{'7', '7', '6', '4', '3', '2', '6'};
    out.push_back('<');
    out.push_back(kPriorities[static_cast<std::size_t>(message.level)]);
    out.push_back('>');
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<PriorityFlag>();
  }
};

// JOURNAL_STREAM is DEVICE:INODE of the stream that systemd gave; stderr may have been redirected
// since.
bool stderr_is_journal() {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat info {};
  if (stream == nullptr || fstat(STDERR_FILENO, &info) != 0) return false;
  return std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino) == stream;
}

spdlog::level::level_enum to_spdlog(config::LogLevel level) {
  switch (level) {
    case config::LogLevel::kTrace:
      return spdlog::level::trace;
    case config::LogLevel::kDebug:
      return spdlog::level::debug;
    case config::LogLevel::kInfo:
      return spdlog::level::info;
    case config::LogLevel::kWarning:
      return spdlog::level::warn;
    case config::LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

// stderr, but never for long.
class PatientSink final : public spdlog::sinks::stderr_color_sink_mt {
  using Base = spdlog::sinks::stderr_color_sink_mt;

 public:
  explicit PatientSink(spdlog::color_mode mode) : Base{mode} {}

  void log(const spdlog::details::log_msg& message) override {
    const std::lock_guard guard{lost_lock_};
    if (!stderr_takes_more(lost_ == 0 ? kPatience : std::chrono::milliseconds{0})) {
      ++lost_;
      return;
    }
    if (lost_ > 0) {
      const std::string note =
          fmt::format("log: {} lines lost while nobody read them", std::exchange(lost_, 0));
      write({message.logger_name, spdlog::level::warn, note});
      if (!stderr_takes_more(std::chrono::milliseconds{0})) {
        ++lost_;
        return;
      }
    }
    write(message);
  }

 private:
  static constexpr std::chrono::milliseconds kPatience{100};
  // With the time before it a line stays below a pipe's page, which is what is known to be free.
  static constexpr std::size_t kLongestPayload = 3800;

  void write(spdlog::details::log_msg message) {
    if (message.payload.size() > kLongestPayload) {
      message.payload = {message.payload.data(), kLongestPayload};
    }
    Base::log(message);
  }

  std::mutex lost_lock_;
  std::uint64_t lost_ = 0;
};

}  // namespace

bool stderr_takes_more(std::chrono::milliseconds patience) noexcept {
  pollfd stream{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  // Anything but "not yet" is the write's own matter.
  int answer = 0;
  do {
    answer = poll(&stream, 1, static_cast<int>(patience.count()));
  } while (answer < 0 && errno == EINTR);
  return answer != 0;
}

LogStyle detect_log_style() {
  if (stderr_is_journal()) return LogStyle::kJournal;
  return isatty(STDERR_FILENO) == 1 ? LogStyle::kTerminal : LogStyle::kPlain;
}

std::unique_ptr<spdlog::formatter> make_log_formatter(LogStyle style) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  switch (style) {
    case LogStyle::kTerminal:
      formatter->set_pattern("\r\033[K%H:%M:%S %^%l%$ %v");
      break;
    case LogStyle::kJournal:
      formatter->add_flag<PriorityFlag>('*').set_pattern("%*%v");
      break;
    case LogStyle::kPlain:
      formatter->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
      break;
  }
  return formatter;
}

void start_logging(LogStyle style, config::LogLevel level) {
  auto sink = std::make_shared<PatientSink>(
      style == LogStyle::kTerminal ? spdlog::color_mode::automatic : spdlog::color_mode::never);
  auto logger = std::make_shared<spdlog::logger>("qdiscsimd", std::move(sink));
  logger->set_formatter(make_log_formatter(style));
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
  set_log_level(level);
}

void set_log_level(config::LogLevel level) {
  spdlog::set_level(to_spdlog(level));
}

void print_failure(std::string_view message) {
  if (!stderr_takes_more(std::chrono::seconds{1})) return;
  std::fprintf(stderr, "%sqdiscsimd: %.*s\n", stderr_is_journal() ? "<3>" : "",
               static_cast<int>(message.size()), message.data());
}

}  // namespace qdiscsim
