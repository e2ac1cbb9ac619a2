#include "ctl/top.h"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "ctl/frame.h"
#include "ctl/output.h"
#include "ctl/poller.h"
#include "ctl/screen.h"

namespace qdiscsim::ctl {
namespace {

volatile std::sig_atomic_t ended_by = 0;

void remember(int signal) {
  ended_by = signal;
}

// While it lives, a signal that ends the program is only remembered, so that the terminal is given
// back first. Without SA_RESTART: waiting for a key ends, too.
class EndingSignals {
 public:
  EndingSignals() {
    for (const int signal : kSignals) set(signal, remember);
  }
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;
  ~EndingSignals() {
    for (const int signal : kSignals) set(signal, SIG_DFL);
  }

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

  static void set(int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigaction(signal, &action, nullptr);
  }
};

bool speaks_utf8() {
  return std::string_view{nl_langinfo(CODESET)} == "UTF-8";
}

// A live view's choices, changed by keys. False: the user has seen enough.
bool obey(Key key, FrameInput& input) {
  const std::size_t devices =
      std::max<std::size_t>(input.summary ? input.summary->devices.size() : 0, 1);
  switch (key) {
    case Key::kQuit:
      return false;
    case Key::kPause:
      input.paused = !input.paused;
      break;
    case Key::kNext:
      input.device = (input.device + 1) % devices;
      break;
    case Key::kPrevious:
      input.device = (input.device + devices - 1) % devices;
      break;
    case Key::kSort:
      input.order = next_order(input.order);
      break;
    case Key::kHelp:
      input.help = !input.help;
      break;
    case Key::kNone:
    case Key::kResized:
      break;
  }
  return true;
}

void live(const Options& options, Client& client, FrameInput input) {
  Screen screen;
  Poller poller{client, std::chrono::duration<double>{options.interval}};
  std::uint64_t shown = 0;
  for (Key key = Key::kResized; ended_by == 0 && obey(key, input); key = screen.key()) {
    const Latest latest = poller.latest();
    if (key == Key::kNone && latest.asked == shown) continue;
    shown = latest.asked;
    if (!input.paused) {
      input.summary = latest.summary;
      input.lost = latest.lost;
      input.address = latest.address;
    }
    input.width = screen.width();
    input.height = std::max<std::size_t>(screen.height(), 1);
    screen.show(draw(input));
  }
}

// Columns of the terminal that a batch goes to, or COLUMNS, or 80.
std::size_t batch_width() {
  const char* const columns = std::getenv("COLUMNS");  // NOLINT(concurrency-mt-unsafe)
  if (columns != nullptr) {
    const auto wanted = std::strtoul(columns, nullptr, 10);
    if (wanted >= 40 && wanted <= 1000) return wanted;
  }
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

int batch(const Options& options, Client& client, FrameInput input) {
  input.height = 0;
  input.width = batch_width();
  for (unsigned views = 1;; ++views) {
    input.summary = parse_summary(client.get("/api/v1/summary"));
    input.address = client.address().text();
    if (!print((views == 1 ? "" : "\n") + plain(draw(input)))) return kExitOk;
    if (views == options.count) return kExitOk;
    std::this_thread::sleep_for(std::chrono::duration<double>{options.interval});
  }
}

}  // namespace

int run_top(const Options& options, Client& client) {
  std::setlocale(LC_CTYPE, "");  // NOLINT(concurrency-mt-unsafe)
  FrameInput input;
  input.utf8 = !options.ascii && speaks_utf8();
  input.address = client.address().text();
  if (options.batch) return batch(options, client, input);
  {
    const EndingSignals signals;
    live(options, client, std::move(input));
  }
  // As if it had not been caught, for who waits for the exit status.
  if (ended_by != 0) std::raise(ended_by);
  return kExitOk;
}

}  // namespace qdiscsim::ctl
