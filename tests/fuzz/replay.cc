// Runs a fuzz target on files and on every file of folders, without libFuzzer: each input that ever
// found something stays a test under every compiler.
//
// usage: fuzz_NAME FILE-OR-FOLDER...
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/fuzz/fuzz.h"

namespace {

void replay(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  const std::string input{std::istreambuf_iterator<char>{in}, {}};
  std::printf("%s: %zu bytes\n", file.c_str(), input.size());
  std::fflush(stdout);  // the last line names the input that ends the program
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      replay(argv[i]);
      ++files;
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator{argv[i]}) {
      replay(entry.path());
      ++files;
    }
  }
  if (files == 0) std::fprintf(stderr, "fuzz: there is no input\n");
  return files == 0 ? 1 : 0;
}
