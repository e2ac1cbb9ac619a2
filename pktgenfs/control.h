// Control: the threads and their devices, and the commands of pgctrl and of the thread files.
// Any thread; one mutex, which no wait holds but the short one for a job that was told to stop.
// Source: linux net/core/pktgen.c, pgctrl_write(), pktgen_thread_write(), pktgen_thread_worker().
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pktgenfs/device.h"
#include "pktgenfs/files.h"
#include "pktgenfs/rules.h"

namespace qdiscsim::pktgenfs {

class Files::Control {
 public:
  Control(Backend& backend, const Rules& rules, std::uint64_t seed);

  std::vector<std::string> names();
  std::optional<std::string> read(std::string_view name);
  long write(std::string_view name, std::string_view text,
             const std::function<bool()>& interrupted);

 private:
  struct Thread {
    std::string name;
    std::string result;
    std::list<std::unique_ptr<Device>> devices;  // the newest first
  };

  // All but write_pgctrl and run_all: the mutex is held.
  long write_pgctrl(std::string_view text, const std::function<bool()>& interrupted);
  long write_thread(Thread& thread, std::string_view text);
  long add_device(Thread& thread, const std::string& name);
  void run_all(const std::function<bool()>& interrupted);
  void stop_all();
  void remove_devices(Thread& thread);
  bool any_running();
  Device* find_device(std::string_view name);
  Thread* find_thread(std::string_view name);
  static std::string text_of(Thread& thread);

  template <class Function>
  void for_each_device(Function function) {
    for (Thread& thread : threads_) {
      for (auto& device : thread.devices) function(*device);
    }
  }

  Backend& backend_;
  const Rules rules_;
  std::uint64_t seed_;  // of the next device
  std::mutex mutex_;
  std::vector<Thread> threads_;
};

}  // namespace qdiscsim::pktgenfs
