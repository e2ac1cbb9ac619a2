// Grace periods as they are used: what readers may still look at is poisoned only after
// synchronize(), so no reader ever sees poison.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "base/quiescence.h"
#include "base/smp_native.h"

namespace qdiscsim {
namespace {

using Smp = smp::Native;

#if defined(__SANITIZE_THREAD__)
constexpr int kReplacements = 300;
#else
constexpr int kReplacements = 3'000;
#endif
constexpr int kReaders = 3;

struct Data {
  std::uint64_t left = 0;
  std::uint64_t right = 0;  // equal to left while anyone may look
};

class Readers {
 public:
  // sleepy: every so often a reader goes offline and comes back.
  void run(bool sleepy) {
    Data* first = new Data{};
    shared_.store(first, smp::release);
    std::vector<std::thread> threads;
    for (auto& reader : readers_) {
      threads.emplace_back([this, &reader, sleepy] { read(reader, sleepy); });
    }
    std::vector<QuiescentReader<Smp>*> all;
    for (auto& reader : readers_) all.push_back(&reader);
    for (int i = 1; i <= kReplacements; ++i) {
      const auto value = static_cast<std::uint64_t>(i);
      Data* old = shared_.exchange(new Data{value, value}, smp::acq_rel);
      epoch_.synchronize(all);
      old->left = ~std::uint64_t{0};  // poison: nobody is looking any more
      old->right = 0;
      delete old;
    }
    stop_.store(true);
    for (std::thread& thread : threads) thread.join();
    delete shared_.load(smp::acquire);
    EXPECT_EQ(poisoned_.load(), 0U);
    EXPECT_GT(looks_.load(), 0U);
  }

 private:
  void read(QuiescentReader<Smp>& reader, bool sleepy) {
    std::uint64_t looks = 0;
    std::uint64_t poisoned = 0;
    reader.go_online(epoch_);
    do {
      const Data* data = shared_.load(smp::acquire);
      const std::uint64_t left = data->left;
      if (looks % 64 == 0) Smp::yield();  // the writer gets a chance to be too early
      if (left != data->right) ++poisoned;
      ++looks;
      if (sleepy && looks % 16 == 0) {
        reader.go_offline();
        Smp::yield();
        reader.go_online(epoch_);
      } else {
        reader.quiescent(epoch_);
      }
    } while (!stop_.load());
    reader.go_offline();
    poisoned_.fetch_add(poisoned);
    looks_.fetch_add(looks);
  }

  QuiescentEpoch<Smp> epoch_;
  QuiescentReader<Smp> readers_[kReaders];
  Smp::atomic<Data*> shared_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> poisoned_{0};
  std::atomic<std::uint64_t> looks_{0};
};

TEST(Quiescence, KeepsWhatReadersLookAtUntilTheyArePastIt) {
  Readers{}.run(false);
}

TEST(Quiescence, KeepsWhatReadersLookAtThatComeAndGo) {
  Readers{}.run(true);
}

TEST(Quiescence, DoesNotWaitForReadersThatAreOffline) {
  QuiescentEpoch<Smp> epoch;
  QuiescentReader<Smp> never;
  QuiescentReader<Smp> gone;
  gone.go_online(epoch);
  gone.go_offline();
  QuiescentReader<Smp>* const all[]{&never, &gone};
  epoch.synchronize(all);
}

TEST(Quiescence, WaitsForAReaderThatIsOnline) {
  QuiescentEpoch<Smp> epoch;
  QuiescentReader<Smp> reader;
  reader.go_online(epoch);
  std::atomic<bool> passed{false};
  std::thread writer{[&] {
    QuiescentReader<Smp>* const all[]{&reader};
    epoch.synchronize(all);
    passed.store(true);
  }};
  for (int i = 0; i < 100; ++i) Smp::yield();
  EXPECT_FALSE(passed.load());
  // The writer may open its epoch only now: be quiescent until it is through.
  while (!passed.load()) {
    reader.quiescent(epoch);
    Smp::yield();
  }
  writer.join();
}

}  // namespace
}  // namespace qdiscsim
