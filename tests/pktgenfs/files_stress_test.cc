// Files from many threads at once: writers, readers, a start that blocks, stops and resets.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "pktgenfs/files.h"

namespace qdiscsim {
namespace {

// Jobs that send a packet each time somebody looks, until their count or a stop.
class CountingBackend final : public pktgenfs::Backend {
 public:
  std::uint32_t threads() const override { return 2; }
  std::optional<pktgenfs::Interface> find_interface(std::string_view name) const override {
    if (name != "eth0") return std::nullopt;
    return pktgenfs::Interface{};
  }
  JobId start(const pktgenfs::JobRequest& request) override {
    const std::scoped_lock lock{mutex_};
    jobs_[++last_] = {request.settings.count, 0, false};
    return last_;
  }
  void request_stop(JobId id) override {
    const std::scoped_lock lock{mutex_};
    jobs_.at(id).stop = true;
  }
  pktgenfs::JobProgress progress(JobId id) const override {
    const std::scoped_lock lock{mutex_};
    Job& job = jobs_.at(id);
    const bool running = !job.stop && (job.count == 0 || job.sent < job.count);
    if (running) ++job.sent;
    pktgenfs::JobProgress progress;
    progress.running = running;
    progress.started = kSecond;
    progress.stopped = kSecond + job.sent * kMicrosecond;
    progress.sofar = job.sent;
    progress.sequence = static_cast<std::uint32_t>(job.sent) + 1;
    progress.holds_skb = true;
    return progress;
  }
  void release(JobId id) override {
    const std::scoped_lock lock{mutex_};
    EXPECT_EQ(jobs_.erase(id), 1U) << "released once, and only what was started";
  }
  void wait(Nanoseconds /*at_most*/) override { std::this_thread::yield(); }

  std::size_t left() const {
    const std::scoped_lock lock{mutex_};
    return jobs_.size();
  }

 private:
  struct Job {
    std::uint64_t count;
    std::uint64_t sent;
    bool stop;
  };

  mutable std::mutex mutex_;
  mutable std::map<JobId, Job> jobs_;
  JobId last_ = 0;
};

TEST(PktgenFilesStress, AnyThreadMayReadAndWriteWhileOthersStartAndStop) {
  constexpr int kRounds = 200;
  CountingBackend backend;
  {
    pktgenfs::Files files{backend};
    const auto never = [] { return false; };
    const auto echo = [&](std::string_view name, const std::string& text) {
      return files.write(name, text + '\n', never);
    };
    std::atomic<bool> done{false};
    // Whoever resets takes a device from under its users: they get ENOENT, and go on.
    std::vector<std::thread> others;
    for (int i = 0; i < 2; ++i) {
      others.emplace_back([&, i] {
        const std::string name = "eth0@" + std::to_string(i);
        while (!done.load()) {
          echo("kpktgend_" + std::to_string(i), "add_device " + name);
          echo(name, i == 0 ? "count 0" : "count 50");
          files.read(name);
          for (const std::string& file : files.names()) files.read(file);
        }
      });
    }
    others.emplace_back([&] {
      for (int round = 0; !done.load(); ++round) {
        EXPECT_GT(echo("pgctrl", round % 8 == 0 ? "reset" : "stop"), 0);
        std::this_thread::yield();
      }
    });
    for (int round = 0; round < kRounds; ++round) EXPECT_EQ(echo("pgctrl", "start"), 6);
    done.store(true);
    for (std::thread& thread : others) thread.join();
    EXPECT_EQ(files.names().front(), "pgctrl");
  }
  EXPECT_EQ(backend.left(), 0U) << "the end of the files is the end of their jobs";
}

}  // namespace
}  // namespace qdiscsim
