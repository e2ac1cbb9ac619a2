#include "ctl/poller.h"

#include <csignal>

#include "ctl/failure.h"

namespace qdiscsim::ctl {
namespace {

// A failure's reason in a line: the first address that was tried, which is the daemon's once it
// has answered.
std::string reason_in_a_line(const Failure& failure) {
  std::string text = failure.what();
  const std::size_t first = text.find("\n  ");
  if (first != std::string::npos) text = text.substr(first + 3);
  text.erase(std::min(text.find('\n'), text.size()));
  return text + "; trying again";
}

}  // namespace

Poller::Poller(Client& client, std::chrono::duration<double> interval)
    : client_{client}, interval_{interval}, latest_{{}, "", client.address().text(), 0} {
  // Signals are the terminal's thread's.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread{[this] { run(); }};
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Poller::~Poller() {
  {
    const std::lock_guard lock{mutex_};
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Latest Poller::latest() const {
  const std::lock_guard lock{mutex_};
  return latest_;
}

void Poller::ask() {
  std::optional<Summary> summary;
  std::string lost;
  try {
    summary = parse_summary(client_.get("/api/v1/summary"));
  } catch (const Failure& failure) {
    lost = reason_in_a_line(failure);
  }
  const std::lock_guard lock{mutex_};
  if (summary) latest_.summary = std::move(summary);
  latest_.lost = std::move(lost);
  latest_.address = client_.address().text();
  ++latest_.asked;
}

void Poller::run() {
  for (;;) {
    const auto began = std::chrono::steady_clock::now();
    ask();
    const auto until =
        began + std::chrono::duration_cast<std::chrono::steady_clock::duration>(interval_);
    std::unique_lock lock{mutex_};
    changed_.wait_until(lock, until, [this] { return stop_; });
    if (stop_) return;
  }
}

}  // namespace qdiscsim::ctl
