// ControlFs: pktgen's control files (pktgenfs/files.h) mounted on a directory, through FUSE, so
// that scripts for /proc/net/pktgen run against it. Directory 0500, files 0600, both of the user
// who runs the daemon; nobody else gets in, root included unless root runs it. Sizes are 0 as in
// /proc; every open file is read as it was at its first read.
//
// Threads: construction, start() and destruction on the control thread. One thread answers the
// kernel; each writer to pgctrl gets another one, since `start` blocks until the packets are sent.
// A signal to such a writer stops what it has started.
// Errors: UnusableConfiguration, with one line that names the directory and the way out.
#pragma once

#include <memory>
#include <string>

#include "pktgenfs/files.h"

namespace qdiscsim {

class ControlFs {
 public:
  // Mounts. A mount that a killed daemon left on the directory is taken off first. The files
  // outlive this object.
  ControlFs(pktgenfs::Files& files, const std::string& directory);
  // Writers that still block see their devices stopped; then unmounts.
  ~ControlFs();
  ControlFs(const ControlFs&) = delete;
  ControlFs& operator=(const ControlFs&) = delete;

  // Answers from now on; until then whoever opens a file waits. Throws std::system_error.
  void start();

 private:
  class Session;
  std::unique_ptr<Session> session_;
};

}  // namespace qdiscsim
