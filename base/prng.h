// Seeded integer random numbers: one seed repeats a whole run on any machine.
// Generator: xoshiro256** (Blackman and Vigna, 2018), seeded through SplitMix64.
// Not thread-safe: one object per thread. Not for secrets.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace qdiscsim {

class Prng {
 public:
  explicit constexpr Prng(std::uint64_t seed) noexcept {
    for (auto& word : state_) {
      seed += 0x9e3779b97f4a7c15U;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
      z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
      word = z ^ (z >> 31U);
    }
  }

  constexpr std::uint64_t next() noexcept {
    const std::uint64_t result = std::rotl(state_[1] * 5U, 7) * 9U;
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound) for bound >= 1 up to a bias below bound / 2^32. Multiplies instead of
  // dividing.
  constexpr std::uint32_t below(std::uint32_t bound) noexcept {
    return static_cast<std::uint32_t>(((next() >> 32U) * bound) >> 32U);
  }

  // Uniform in [low, high], low <= high.
  constexpr std::uint32_t between(std::uint32_t low, std::uint32_t high) noexcept {
    const std::uint64_t span = std::uint64_t{high} - low + 1U;
    return low + static_cast<std::uint32_t>(((next() >> 32U) * span) >> 32U);
  }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace qdiscsim
