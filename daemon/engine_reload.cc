// Reloading: what changes live, and what is refused.
#include <algorithm>
#include <new>
#include <set>

#include "config/diff.h"
#include "config/kernel_bug_words.h"
#include "config/pages.h"
#include "daemon/engine.h"
#include "daemon/translate.h"

namespace qdiscsim {

// Empty when the change can be made; else one line. Nothing is touched here.
std::string Engine::cannot_apply(const config::Config& next) const {
  const std::lock_guard guard{mutex_};
  const std::uint64_t pages = pages_with_jobs(next, running_jobs());
  if (pages > arena_.size()) {
    return "memory.limit: the new configuration needs " + std::to_string(config::mib_of(pages)) +
           " MiB of packet memory, more than was reserved at start; raise memory.limit and restart";
  }
  // Threads that ended keep their numbers, for their counters: only new labels need one.
  std::set<std::pair<std::string, std::uint32_t>> labels;
  for (const auto& thread : generators_) labels.emplace(thread->group(), thread->index());
  for (const config::GeneratorGroup& group : next.generators) {
    for (const auto& thread : generators_) {
      if (thread->group() == group.name && thread->device_name() != group.device) {
        return "generators: " + group.name + " sent to " + thread->device_name() +
               " before; give the new group another name or restart";
      }
    }
    for (std::uint32_t i = 0; i < group.threads; ++i) labels.emplace(group.name, i);
  }
  const std::size_t room = first_job_cpu_ - first_generator_cpu_;
  if (labels.size() > room) {
    return "generators: reloads may bring the number of threads ever used to " +
           std::to_string(room) + ", this one needs " + std::to_string(labels.size()) +
           "; restart to begin anew";
  }
  return {};
}

ReloadOutcome Engine::reload(const config::Config& next) {
  ReloadOutcome outcome;
  const std::vector<config::Change> changes = config::diff(config_, next);
  for (const config::Change& change : changes) {
    if (change.reload != config::Reload::kLive) {
      outcome.messages.push_back(config::to_string(change));
    }
  }
  if (outcome.messages.empty()) {
    if (std::string reason = cannot_apply(next); !reason.empty()) {
      outcome.messages.push_back(std::move(reason));
    }
  }
  if (!outcome.messages.empty()) return outcome;

  try {
    // What can fail comes first: pools and threads for new labels, and the larger rings.
    {
      const std::lock_guard guard{mutex_};
      for (const config::GeneratorGroup& group : next.generators) {
        for (std::uint32_t i = 0; i < group.threads; ++i) {
          if (find_thread(group.name, i) == nullptr) add_thread(group, i);
        }
      }
    }
    apply_devices(next);
    apply_generators(next);
  } catch (const std::exception& error) {
    outcome.messages.push_back(std::string{"reload stopped half-way: "} + error.what());
    return outcome;
  }
  for (const config::Change& change : changes) {
    outcome.messages.push_back(config::to_string(change));
  }
  if (std::string scarce = config::scarce_memory(next, arena_.size()); !scarce.empty()) {
    outcome.messages.push_back(std::move(scarce));
  }
  const std::lock_guard guard{mutex_};
  config_ = next;
  outcome.applied = true;
  return outcome;
}

void Engine::apply_devices(const config::Config& next) {
  const auto grace = [](void* engine) { static_cast<Engine*>(engine)->grace_period(); };
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    NetDevice<Smp>& device = *devices_[i].device;
    const config::Device& wanted = next.devices[i];
    if (wanted.link.kind == config::LinkKind::kWire &&
        wanted.link.rate_bits_per_second != device.link().rate()) {
      device.link().set_rate(wanted.link.rate_bits_per_second);
    }
    device.set_sojourn_sample(wanted.sojourn_sample);
    device.set_kernel_bugs(KernelBugs{wanted.kernel_bugs});
    devices_[i].kernel_bugs = config::kernel_bug_names(wanted.kernel_bugs);
    if (wanted.tx_queue_len != device.tx_queue_len() &&
        !device.change_tx_queue_len(control_, wanted.tx_queue_len, grace, this)) {
      throw std::bad_alloc{};
    }
  }
}

void Engine::apply_generators(const config::Config& next) {
  const auto wanted_group = [&](const GeneratorThread& thread) {
    return std::find_if(next.generators.begin(), next.generators.end(), [&](const auto& group) {
      return group.enabled && group.name == thread.group() && thread.index() < group.threads;
    });
  };
  for (const auto& thread : generators_) {
    if (thread->running() && wanted_group(*thread) == next.generators.end()) {
      thread->request_stop();
    }
  }
  const Nanoseconds at = replay_start();
  for (const auto& thread : generators_) {
    const auto group = wanted_group(*thread);
    if (group == next.generators.end()) {
      for (const std::string& warning : thread->retire(Smp::now())) {
        teardown_warnings_.push_back(thread->label() + ": " + warning);
      }
      continue;
    }
    GeneratorSettings settings = settings_of(next, *group, thread->index());
    settings.starts_at = at;
    {
      const std::lock_guard guard{mutex_};
      show_pace(*group, *thread);
    }
    if (!thread->running()) {
      thread->start(settings, allowed_cpus(*group, thread->index()));
    } else if (const auto before =
                   std::find_if(config_.generators.begin(), config_.generators.end(),
                                [&](const auto& old) { return old.name == group->name; });
               before == config_.generators.end() || !(*before == *group)) {
      thread->apply(settings);
    }
  }
}

}  // namespace qdiscsim
