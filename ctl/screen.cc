#include "ctl/screen.h"

#define NCURSES_NOMACROS
#include <ncurses.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "ctl/exit_codes.h"
#include "ctl/failure.h"

namespace qdiscsim::ctl {
namespace {

constexpr int kKeyWaitMilliseconds = 100;

attr_t attribute_of(Style style, bool colours) {
  const auto pair = [&](short number) { return colours ? COLOR_PAIR(number) : A_NORMAL; };
  switch (style) {
    case Style::kPlain:
      return A_NORMAL;
    case Style::kBold:
      return A_BOLD;
    case Style::kDim:
      return A_DIM;
    case Style::kGood:
      return pair(1);
    case Style::kWarn:
      return pair(2) | A_BOLD;
    case Style::kBad:
      return pair(3) | A_BOLD;
    case Style::kTitle:
      return pair(4) | A_BOLD;
  }
  return A_NORMAL;
}

bool colours_are_wanted() {
  const char* const no = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe)
  return (no == nullptr || *no == '\0') && has_colors();
}

void start_colours() {
  start_color();
  use_default_colors();
  constexpr short kOwn = -1;
  init_pair(1, COLOR_GREEN, kOwn);
  init_pair(2, COLOR_YELLOW, kOwn);
  init_pair(3, COLOR_RED, kOwn);
  init_pair(4, COLOR_CYAN, kOwn);
}

}  // namespace

Screen::Screen() {
  constexpr const char* kWayOut =
      "; qdiscsimctl top --once prints one view, --batch one after "
      "the other";
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) {
    throw Failure{kExitUsage, std::string{"top: this is no terminal"} + kWayOut};
  }
  // Not initscr, which ends the process where it cannot start.
  SCREEN* const screen = newterm(nullptr, stdout, stdin);
  if (screen == nullptr) {
    throw Failure{kExitUsage,
                  std::string{"top: the terminal is not known (TERM, ncurses-term)"} + kWayOut};
  }
  set_term(screen);
  cbreak();
  noecho();
  curs_set(0);
  keypad(stdscr, TRUE);
  set_escdelay(25);
  wtimeout(stdscr, kKeyWaitMilliseconds);
  if (colours_are_wanted()) start_colours();
}

Screen::~Screen() {
  endwin();
}

std::size_t Screen::width() const {
  return static_cast<std::size_t>(getmaxx(stdscr));
}

std::size_t Screen::height() const {
  return static_cast<std::size_t>(getmaxy(stdscr));
}

void Screen::show(const std::vector<Line>& lines) {
  const bool colours = colours_are_wanted();
  werase(stdscr);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    wmove(stdscr, static_cast<int>(i), 0);
    for (const Span& span : lines[i]) {
      wattrset(stdscr, static_cast<int>(attribute_of(span.style, colours)));
      waddnstr(stdscr, span.text.c_str(), -1);
    }
  }
  wattrset(stdscr, A_NORMAL);
  wrefresh(stdscr);
}

Key Screen::key() {
  switch (wgetch(stdscr)) {
    case 'q':
    case 'Q':
      return Key::kQuit;
    case ' ':
      return Key::kPause;
    case '\t':
    case KEY_RIGHT:
    case KEY_DOWN:
      return Key::kNext;
    case KEY_BTAB:
    case KEY_LEFT:
    case KEY_UP:
      return Key::kPrevious;
    case 's':
      return Key::kSort;
    case 'h':
    case '?':
      return Key::kHelp;
    case KEY_RESIZE:
      return Key::kResized;
    default:
      return Key::kNone;
  }
}

}  // namespace qdiscsim::ctl
