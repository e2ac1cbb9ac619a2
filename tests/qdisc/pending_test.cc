// Rings without a lock let a sender return while one before it is in the middle of its call: its
// packet is in the ring, and the runner finds nothing. Its next packet must not bypass it.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/smp_native.h"
#include "qdisc/device.h"
#include "ring/mpsc_ring.h"
#include "tests/qdisc/lab.h"

namespace qdiscsim {
namespace {

// Calls out before each store: also between a producer's reservation and its entry.
struct InterruptedSmp : smp::Native {
  static inline std::function<void()> before_store;
  template <class T>
  class atomic : public smp::Native::atomic<T> {
   public:
    using smp::Native::atomic<T>::atomic;
    void store(T value, smp::order order) noexcept {
      if (before_store) before_store();
      smp::Native::atomic<T>::store(value, order);
    }
  };
};

TEST(Pending, APacketBehindASenderInTheMiddleOfItsCallIsNotBypassedByTheNextOne) {
  using Slow = InterruptedSmp;
  test::RecordingSink<Slow> sink;
  auto link = std::make_unique<test::FakeLink<Slow>>(sink);
  DeviceOptions options;
  options.qdisc.cpus = 2;
  Device<Slow, MpscRing<Slow>> device{options, std::move(link), sink};
  Cpu<Slow> slow{0};
  Cpu<Slow> quick{1};
  std::array<Skb<Slow>, 3> skbs;
  for (Skb<Slow>& skb : skbs) skb.len = 60;

  // Something was missed, so the first packet is enqueued and not sent directly.
  device.qdisc(0).state().set_missed();
  bool interrupted = false;
  Slow::before_store = [&] {
    if (interrupted || !device.qdisc(0).fifo().pending()) return;
    interrupted = true;
    for (const std::size_t i : {1U, 2U}) {
      EXPECT_EQ(device.queue_xmit(quick, &skbs[i]), Verdict::kOk);
      quick.run_softirqs();
    }
    EXPECT_TRUE(sink.home.empty());
  };
  EXPECT_EQ(device.queue_xmit(slow, skbs.data()), Verdict::kOk);
  Slow::before_store = nullptr;
  slow.run_softirqs();
  EXPECT_TRUE(interrupted);

  EXPECT_EQ(sink.home, (std::vector<Skb<Slow>*>{&skbs[0], &skbs[1], &skbs[2]}));
  EXPECT_TRUE(device.qdisc(0).state().looks_empty());
  EXPECT_EQ(broken_law(device.account(0, true)), "");
}

}  // namespace
}  // namespace qdiscsim
