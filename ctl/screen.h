// Screen: the terminal's alternate screen, by ncurses, from construction to destruction. One at a
// time; the main thread.
#pragma once

#include <cstddef>
#include <vector>

#include "ctl/canvas.h"

namespace qdiscsim::ctl {

enum class Key { kNone, kQuit, kPause, kNext, kPrevious, kSort, kHelp, kResized };

class Screen {
 public:
  // Throws Failure (kExitUsage) when stdin or stdout is no terminal, or TERM is not known.
  Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen();  // gives the terminal back as it was

  std::size_t width() const;   // columns
  std::size_t height() const;  // lines

  // ncurses sends only what differs from what is there.
  void show(const std::vector<Line>& lines);

  // The next key, or kNone after at most 100 ms, or when a signal came.
  Key key();
};

}  // namespace qdiscsim::ctl
