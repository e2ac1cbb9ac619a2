#include "pktgenfs/control.h"

#include <algorithm>
#include <cerrno>

#include "pktgenfs/words.h"

namespace qdiscsim::pktgenfs {
namespace {

constexpr std::string_view kPgctrl = "pgctrl";
constexpr std::string_view kVersion =
    "Packet Generator for packet performance testing. Version: 2.75\n";
// How long a start waits for its threads to begin, and then between two looks at them.
constexpr Nanoseconds kPropagation = 125 * kMillisecond;
constexpr Nanoseconds kLook = 100 * kMillisecond;

}  // namespace

Files::Control::Control(Backend& backend, const Rules& rules, std::uint64_t seed)
    : backend_{backend}, rules_{rules}, seed_{seed} {
  for (std::uint32_t i = 0; i < backend.threads(); ++i) {
    threads_.push_back({thread_name(i), "", {}});
  }
}

std::vector<std::string> Files::Control::names() {
  const std::scoped_lock lock{mutex_};
  std::vector<std::string> names{std::string{kPgctrl}};
  for (const Thread& thread : threads_) names.push_back(thread.name);
  for_each_device([&](const Device& device) { names.push_back(device.name()); });
  return names;
}

std::optional<std::string> Files::Control::read(std::string_view name) {
  const std::scoped_lock lock{mutex_};
  if (name == kPgctrl) return std::string{kVersion};
  if (Thread* thread = find_thread(name)) return text_of(*thread);
  if (Device* device = find_device(name)) {
    device->refresh();
    return device->text();
  }
  return std::nullopt;
}

long Files::Control::write(std::string_view name, std::string_view text,
                           const std::function<bool()>& interrupted) {
  if (name == kPgctrl) return write_pgctrl(text, interrupted);
  const std::scoped_lock lock{mutex_};
  if (Thread* thread = find_thread(name)) return write_thread(*thread, text);
  if (Device* device = find_device(name)) {
    device->refresh();
    const long answer = device->command(text);
    return answer == 0 ? static_cast<long>(text.size()) : answer;
  }
  return -ENOENT;
}

long Files::Control::write_pgctrl(std::string_view text, const std::function<bool()>& interrupted) {
  constexpr std::size_t kMostBytes = 127;
  if (text.empty()) return -EINVAL;
  // The last byte is dropped, whatever it is: it should be the line's end.
  const std::string_view word = text.substr(0, std::min(text.size(), kMostBytes) - 1);
  if (word == "start") {
    run_all(interrupted);
  } else if (word == "stop") {
    const std::scoped_lock lock{mutex_};
    stop_all();
  } else if (word == "reset") {
    const std::scoped_lock lock{mutex_};
    for (Thread& thread : threads_) remove_devices(thread);
  } else {
    return -EINVAL;
  }
  return static_cast<long>(text.size());
}

void Files::Control::run_all(const std::function<bool()>& interrupted) {
  {
    const std::scoped_lock lock{mutex_};
    for_each_device([](Device& device) { device.start(); });
  }
  backend_.wait(kPropagation);
  while (any_running()) {
    if (interrupted && interrupted()) {
      const std::scoped_lock lock{mutex_};
      stop_all();
      return;
    }
    backend_.wait(kLook);
  }
}

void Files::Control::stop_all() {
  for_each_device([](Device& device) { device.request_stop(); });
}

bool Files::Control::any_running() {
  const std::scoped_lock lock{mutex_};
  bool any = false;
  for_each_device([&](Device& device) {
    device.refresh();
    any = any || device.running();
  });
  return any;
}

// All are told before the first is waited for.
void Files::Control::remove_devices(Thread& thread) {
  for (auto& device : thread.devices) device->request_stop();
  thread.devices.clear();
}

long Files::Control::write_thread(Thread& thread, std::string_view text) {
  constexpr std::size_t kMostNameBytes = 39;
  constexpr std::size_t kMostDeviceBytes = 31;
  if (text.empty()) return -EINVAL;
  Words words{text, rules_.equals_ends_word};
  const std::string_view name = words.name(kMostNameBytes);
  if (name == "add_device") {
    const std::string device{words.word(kMostDeviceBytes)};
    if (const long error = add_device(thread, device); error != 0) {
      thread.result = "ERROR: can not add device " + device;
      return error;
    }
    thread.result = "OK: add_device=" + device;
  } else if (name == "rem_device_all") {
    remove_devices(thread);
    thread.result = "OK: rem_device_all";
  } else if (name == "max_before_softirq") {
    thread.result = "OK: Note! max_before_softirq is obsoleted -- Do not use";
  } else {
    return -EINVAL;
  }
  return static_cast<long>(text.size());
}

long Files::Control::add_device(Thread& thread, const std::string& name) {
  if (find_device(name) != nullptr) return -EBUSY;
  const auto interface = backend_.find_interface(interface_of(name));
  if (!interface) return -ENODEV;
  if (!interface->ethernet) return -EINVAL;
  if (!interface->up) return -ENETDOWN;
  if (name.find('/') != std::string::npos) return -EINVAL;  // no name of a file
  const auto number = static_cast<std::uint32_t>(&thread - threads_.data());
  thread.devices.push_front(
      std::make_unique<Device>(backend_, rules_, name, *interface, number, seed_++));
  return 0;
}

Device* Files::Control::find_device(std::string_view name) {
  Device* found = nullptr;
  for_each_device([&](Device& device) {
    if (device.name() == name) found = &device;
  });
  return found;
}

Files::Control::Thread* Files::Control::find_thread(std::string_view name) {
  const auto found =
      std::ranges::find_if(threads_, [&](const Thread& thread) { return thread.name == name; });
  return found == threads_.end() ? nullptr : &*found;
}

std::string Files::Control::text_of(Thread& thread) {
  std::string running;
  std::string stopped;
  for (auto& device : thread.devices) {
    device->refresh();
    (device->running() ? running : stopped) += device->name() + ' ';
  }
  return "Running: " + running + "\nStopped: " + stopped +
         "\nResult: " + (thread.result.empty() ? "NA" : thread.result) + '\n';
}

}  // namespace qdiscsim::pktgenfs
