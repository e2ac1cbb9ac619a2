// Jobs of pktgen's control files on the real engine: they count like any other generator, keep
// their counters from run to run, and leave nothing behind.
#include "daemon/pktgen_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/daemon/engine_lab.h"

namespace qdiscsim {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::uint64_t kSent = 500;

config::Config controlled(std::uint32_t threads) {
  config::Config config;
  config.pktgen = {"/not/mounted/here", threads};
  config.devices = {test::a_device("eth0", config::LinkKind::kWire),
                    test::a_device("dummy0", config::LinkKind::kDummy)};
  config.devices[0].queues = 2;
  return test::with_memory(config);
}

pktgenfs::JobRequest request_for(const std::string& interface, std::uint32_t thread,
                                 std::uint64_t count) {
  pktgenfs::JobRequest request;
  request.interface = interface;
  request.thread = thread;
  request.file = interface + "@" + std::to_string(thread);
  request.settings.count = count;
  request.settings.as_pktgen = true;
  return request;
}

class PktgenBackendTest : public ::testing::Test {
 protected:
  explicit PktgenBackendTest(std::uint32_t threads = 2)
      : engine_{controlled(threads)}, backend_{engine_, threads} {
    engine_.start();
  }

  pktgenfs::JobProgress run_to_the_end(const pktgenfs::JobRequest& request) {
    const auto job = backend_.start(request);
    while (backend_.progress(job).running) backend_.wait(kMillisecond);
    const pktgenfs::JobProgress progress = backend_.progress(job);
    backend_.release(job);
    return progress;
  }

  Snapshot stop_and_check() {
    engine_.stop();
    Snapshot last = engine_.snapshot();
    EXPECT_THAT(last.broken_laws, ::testing::IsEmpty());
    test::expect_all_at_home(last);
    return last;
  }

  Engine engine_;
  PktgenBackend backend_;
};

class PktgenBackendOfOneThread : public PktgenBackendTest {
 protected:
  PktgenBackendOfOneThread() : PktgenBackendTest{1} {}
};

TEST_F(PktgenBackendTest, ShowsTheConfiguredDevicesAsInterfaces) {
  ASSERT_TRUE(backend_.find_interface("eth0").has_value());
  EXPECT_EQ(backend_.find_interface("eth0")->tx_queues, 2U);
  EXPECT_TRUE(backend_.find_interface("eth0")->up);
  EXPECT_TRUE(backend_.find_interface("dummy0")->shares_skbs);
  EXPECT_FALSE(backend_.find_interface("eth1").has_value());
  EXPECT_EQ(backend_.threads(), 2U);
}

TEST_F(PktgenBackendTest, CountsEachRunFromZeroAndAllRunsInTheMetrics) {
  for (int run = 1; run <= 3; ++run) {
    const auto progress = run_to_the_end(request_for("eth0", 1, kSent));
    EXPECT_EQ(progress.sofar, kSent) << run;
    EXPECT_EQ(progress.sequence, kSent + 1) << run;
    EXPECT_EQ(progress.bytes, 60 * kSent) << run;
    EXPECT_EQ(progress.current.size, 60U);
    EXPECT_GE(progress.stopped, progress.started);
    EXPECT_LE(progress.idle, progress.stopped - progress.started);
    EXPECT_TRUE(progress.holds_skb);
  }
  const Snapshot last = stop_and_check();
  ASSERT_EQ(last.generators.size(), 1U);
  EXPECT_EQ(last.generators[0].group, "kpktgend_1");
  EXPECT_EQ(last.generators[0].thread, "eth0@1");
  EXPECT_EQ(last.generators[0].device, "eth0");
  EXPECT_EQ(last.generators[0].sent_packets, 3 * kSent);
  EXPECT_EQ(last.pools.at(0).name, "kpktgend_1/eth0@1");
}

TEST_F(PktgenBackendTest, SendsInEveryModeOverEveryLinkWithinTheLaw) {
  std::uint32_t file = 0;
  for (const char* interface : {"eth0", "dummy0"}) {
    for (const TransmitMode mode :
         {TransmitMode::kQueueXmit, TransmitMode::kStartXmit, TransmitMode::kNetifReceive}) {
      for (const bool shared : {true, false}) {
        auto request = request_for(interface, file % 2, kSent);
        request.file = std::string{interface} + "@" + std::to_string(file++);
        request.settings.mode = mode;
        request.settings.shared = shared;
        if (mode == TransmitMode::kStartXmit && shared) request.settings.clone_skb = 5;
        EXPECT_EQ(run_to_the_end(request).sofar, kSent) << request.file;
      }
    }
  }
  EXPECT_EQ(stop_and_check().generators.size(), 12U);
}

TEST_F(PktgenBackendTest, StopsJobsThatHaveNoEnd) {
  const auto endless = backend_.start(request_for("eth0", 0, 0));
  auto never = request_for("dummy0", 1, 0);
  never.settings.period = Pacer::delay(Pacer::kNever);
  const auto waiting = backend_.start(never);
  while (backend_.progress(endless).sofar == 0) backend_.wait(kMillisecond);
  EXPECT_TRUE(backend_.progress(waiting).running);
  EXPECT_EQ(backend_.progress(waiting).sofar, 0U);
  backend_.request_stop(endless);
  backend_.request_stop(waiting);
  backend_.release(endless);
  backend_.release(waiting);
  for (const GeneratorSnapshot& generator : stop_and_check().generators) {
    EXPECT_FALSE(generator.running);
  }
}

TEST_F(PktgenBackendTest, KeepsRunningThroughAReloadThatChangesTheQueues) {
  const auto job = backend_.start(request_for("eth0", 0, 0));
  while (backend_.progress(job).sofar == 0) backend_.wait(kMillisecond);
  config::Config next = controlled(2);
  next.devices[0].tx_queue_len = 50;
  const ReloadOutcome outcome = engine_.reload(next);
  EXPECT_TRUE(outcome.applied) << ::testing::PrintToString(outcome.messages);
  const std::uint64_t before = backend_.progress(job).sofar;
  while (backend_.progress(job).sofar == before) backend_.wait(kMillisecond);
  backend_.request_stop(job);
  backend_.release(job);
  stop_and_check();
}

TEST_F(PktgenBackendOfOneThread, RefusesAJobForWhichThereIsNoPacketMemory) {
  const auto first = backend_.start(request_for("eth0", 0, 0));
  EXPECT_THAT([&] { backend_.start(request_for("dummy0", 0, 1)); },
              ThrowsMessage<std::runtime_error>(HasSubstr("raise memory.limit to ")));
  backend_.request_stop(first);
  backend_.release(first);
  EXPECT_EQ(run_to_the_end(request_for("dummy0", 0, 1)).sofar, 1U);
  stop_and_check();
}

TEST_F(PktgenBackendOfOneThread, RefusesANameBeyondThoseThatItCanKeepTheCountersOf) {
  auto request = request_for("dummy0", 0, 1);
  for (std::uint32_t i = 0; i < Engine::kSpareThreads + 1; ++i) {
    request.file = "dummy0@" + std::to_string(i);
    ASSERT_EQ(run_to_the_end(request).sofar, 1U) << i;
  }
  request.file = "dummy0@new";
  EXPECT_THAT([&] { backend_.start(request); },
              ThrowsMessage<std::runtime_error>(HasSubstr("use these names again, or restart")));
  request.file = "dummy0@0";
  EXPECT_EQ(run_to_the_end(request).sofar, 1U);
  stop_and_check();
}

TEST_F(PktgenBackendTest, DestroysThePoolOfADeviceThatStopped) {
  for (std::uint32_t id = 1; id <= 2; ++id) {
    run_to_the_end(request_for("dummy0", 0, kSent));
    engine_.retry_teardowns(smp::Native::now() + 10 * kSecond);
    const PoolSnapshot pool = engine_.snapshot().pools.at(0);
    EXPECT_EQ(pool.id, id) << "each run has a pool of its own";
    EXPECT_TRUE(pool.freed);
    EXPECT_EQ(pool.inflight_pages, 0U);
  }
  stop_and_check();
}

}  // namespace
}  // namespace qdiscsim
