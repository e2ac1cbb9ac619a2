#include "daemon/pool_life.h"

namespace qdiscsim {

void PoolLife::begin(CpuId owner) {
  const std::lock_guard guard{mutex_};
  if (teardown_ && teardown_->state() == TeardownState::kFreed) id_ = next_id();
  teardown_.reset();
  pool_.set_owner_cpu(owner);
}

std::vector<std::string> PoolLife::end(Nanoseconds now) {
  const std::lock_guard guard{mutex_};
  if (teardown_) return {};
  return teardown_.emplace(pool_, id_, kernel_).destroy(now);
}

std::vector<std::string> PoolLife::retry(Nanoseconds now) {
  const std::lock_guard guard{mutex_};
  return teardown_ ? teardown_->retry(now) : std::vector<std::string>{};
}

PoolLife::Reading PoolLife::read() const {
  const std::lock_guard guard{mutex_};
  if (!teardown_) return {id_, std::nullopt, false};
  return {id_, teardown_->detached_at(), teardown_->state() == TeardownState::kFreed};
}

}  // namespace qdiscsim
