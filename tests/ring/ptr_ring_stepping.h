// Stepping: an Smp policy of one thread, with a hook after every access to an atomic. What other
// threads could do or see between any two steps of the one under test, a test does or asks there:
// no luck is involved. The machine is sequentially consistent, so orders are not tested.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "base/smp.h"

namespace qdiscsim::test {

struct Stepping {
  enum class Step : std::uint8_t { kLoad, kStore };
  using Hook = std::function<void(Step)>;

  template <class T>
  class atomic {
   public:
    constexpr atomic() noexcept : value_{} {}
    constexpr explicit atomic(T value) noexcept : value_{value} {}

    // What was read stays read, whatever the hook does.
    T load(smp::order /*order*/) const {
      const T value = value_;
      step(Step::kLoad);
      return value;
    }
    void store(T value, smp::order /*order*/) {
      value_ = value;
      step(Step::kStore);
    }

   private:
    T value_;
  };

  template <class T>
  class var {
   public:
    T get() const { return value_; }
    void set(T value) { value_ = value; }

   private:
    T value_{};
  };

  // Hooks in for as long as it lives. The hook's own accesses are not steps.
  class Hooked {
   public:
    explicit Hooked(Hook hook) { hook_ = std::move(hook); }
    ~Hooked() { hook_ = nullptr; }
    Hooked(const Hooked&) = delete;
    Hooked& operator=(const Hooked&) = delete;
  };

 private:
  static void step(Step what) {
    if (hook_ == nullptr || inside_) return;
    inside_ = true;
    hook_(what);
    inside_ = false;
  }

  static inline Hook hook_;
  static inline bool inside_ = false;
};

}  // namespace qdiscsim::test
