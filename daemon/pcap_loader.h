// PcapLoader: reads the captures that a configuration names, before anything starts or changes.
// Control thread only. Throws nothing but std::bad_alloc.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "config/loader.h"
#include "daemon/pcap_reader.h"

namespace qdiscsim {

class PcapLoader {
 public:
  // progress: told in words, now and then, how far a long reading has come.
  explicit PcapLoader(std::function<void(const std::string&)> progress = {})
      : progress_{std::move(progress)} {}

  // Puts the trace of each capture into its group; or makes a valid configuration one with
  // mistakes. A file that holds the same as at the last load gets the same trace, so that
  // configurations compare equal.
  void load(config::Result& result);

  // describe() of every file of the last load that did not fail.
  const std::vector<std::string>& notes() const noexcept { return notes_; }

 private:
  const PcapFile& read(const std::string& path, std::map<std::string, PcapFile>& now);

  std::function<void(const std::string&)> progress_;
  std::map<std::string, PcapFile> known_;  // by path: those of the last load
  std::vector<std::string> notes_;
};

}  // namespace qdiscsim
