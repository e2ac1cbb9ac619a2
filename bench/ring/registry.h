// The modes of ring_bench, and the variants that each can run. A variant is one ring (or one
// setting of a scenario) under one mode's workload, instantiated where its own header is included,
// so that nothing stands between the workload's loop and the ring.
//
// To add a ring: write an adapter (adapter.h), call add_ring<Adapter>(registry) from an add_*()
// function, and name that function here.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/ring/params.h"

namespace qdiscsim::ring_bench {

struct Variant {
  std::string name;   // "ptr_ring", "cas", "dpdk_hts": lower case, no spaces
  std::string about;  // one line for --list
  std::function<Outcome(const Params&)> run;
};

struct Mode {
  std::string name;  // what -m takes, besides the number
  std::string about;
  std::string item;  // what is counted: "items", "buffers", "packets"
  std::vector<Variant> variants{};
  // -s is the size of a split ring: a power of two, at most this. 0: any size does.
  std::size_t most_buffers = 0;
};

class Registry {
 public:
  // The mode of this name, made when it is new. Its number for -m is its place in modes().
  Mode& mode(std::string_view name);
  const std::vector<Mode>& modes() const noexcept { return modes_; }
  void add(std::string_view mode_name, Variant variant) {
    mode(mode_name).variants.push_back(std::move(variant));
  }

  // One line for each thing that this build lacks, for the list.
  std::vector<std::string> missing;

 private:
  std::vector<Mode> modes_;
};

// Everything that this build has, in the order to list. Peers only when they were found at build.
Registry all_modes();

// Peers that this build lacks, one line each: name, and the package that brings it.
std::vector<std::string> missing_peers();

void add_ptr_rings(Registry& registry);
void add_mpsc_rings(Registry& registry);
void add_rte_rings(Registry& registry);
void add_peers(Registry& registry);
void add_virtio_test(Registry& registry);
void add_vhost_net(Registry& registry);
void add_page_pool(Registry& registry);
void add_pfifo_fast(Registry& registry);

}  // namespace qdiscsim::ring_bench
