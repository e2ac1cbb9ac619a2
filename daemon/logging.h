// The log: spdlog's default logger on stderr, dressed for whoever reads it.
//
//   kTerminal  "12:34:56 info listening on ..." with the level in colour; each line first wipes the
//              progress line
//   kJournal   "<6>listening on ...": systemd takes the number as the priority and adds the time
//   kPlain     "2026-01-31T12:34:56.789+0100 info listening on ..."
//
// A reader that does not read (a stuck journal, a stopped terminal, a pipe nobody empties) stops no
// thread for longer than 100 ms, once: lines that cannot be written are counted, and the log says
// how many when it moves again.
#pragma once

#include <spdlog/formatter.h>

#include <chrono>
#include <memory>
#include <string_view>

#include "config/config.h"

namespace qdiscsim {

enum class LogStyle { kTerminal, kJournal, kPlain };

// kJournal when JOURNAL_STREAM names the stream that stderr is.
LogStyle detect_log_style();

std::unique_ptr<spdlog::formatter> make_log_formatter(LogStyle style);

// Replaces the default logger. Call before other threads log.
void start_logging(LogStyle style, config::LogLevel level);

// Whether stderr takes a line of up to 4 KiB without blocking, within `patience`. Any thread, and
// signal handlers.
bool stderr_takes_more(std::chrono::milliseconds patience) noexcept;

// Any thread.
void set_log_level(config::LogLevel level);

// "qdiscsimd: MESSAGE" on stderr, one line: why the process ends, whatever the log level. Given up
// after a second where nobody reads.
void print_failure(std::string_view message);

}  // namespace qdiscsim
