// The main of a test that gives files to a fuzzer's entry function: each as it is, each cut short
// at every place, and with every byte changed in some ways. So what a fuzzer once found stays
// mended, with any compiler, and the neighbours of every file are tried too.
//
//   safetensors_fuzzer_test FILE...
//
// Where the function ends the program, the last line says which input did it.

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
// Only under a sanitizer.
extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*callback)());

namespace {

constexpr std::array<int, 4> kSignals = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE};
// Of a longer file only so many places are tried.
constexpr size_t kMostPlaces = 2048;

char current[300] = "nothing yet";
struct sigaction before[NSIG];

void SayCurrent() {
  if (write(STDERR_FILENO, current, std::strlen(current)) < 0) return;
}

// What a sanitizer, or nobody, did about the signal comes next: the faulty code runs once more.
void OnSignal(int number) {
  SayCurrent();
  sigaction(number, &before[number], nullptr);
}

void SayWhatEndsTheProgram() {
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  for (const int number : kSignals) sigaction(number, &action, &before[number]);
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(SayCurrent);
}

std::string Read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

class Corpus {
 public:
  void TryAround(const char* path) {
    path_ = path;
    const std::string file = Read(path);
    Try(file, "as it is", 0);
    for (size_t at = 0; at < file.size(); at += file.size() / kMostPlaces + 1) TryPlace(file, at);
  }
  int inputs() const { return inputs_; }

 private:
  void TryPlace(const std::string& file, size_t at) {
    Try(file.substr(0, at), "cut", at);
    Try(file.substr(0, at) + file.substr(at + 1), "without a byte", at);
    Try(file.substr(0, at) + file.substr(at, 1) + file.substr(at), "with a byte twice", at);
    const auto byte = static_cast<uint8_t>(file[at]);
    for (const int to : {0x00, 0xff, byte ^ 0x01, byte ^ 0x80, int{'9'}}) {
      std::string changed = file;
      changed[at] = static_cast<char>(to);
      Try(changed, "with another byte", at);
    }
  }

  void Try(const std::string& bytes, const char* change, size_t at) {
    std::snprintf(current, sizeof(current), "the input was %s, %s at %zu\n", path_, change, at);
    // Memory of its own size, so that a sanitizer sees a step beyond it.
    const std::vector<uint8_t> exact(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
    ++inputs_;
  }

  const char* path_ = "";
  int inputs_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  SayWhatEndsTheProgram();
  Corpus corpus;
  for (int i = 1; i < argc; ++i) corpus.TryAround(argv[i]);
  std::printf("%d files, %d inputs\n", argc - 1, corpus.inputs());
  return corpus.inputs() > argc ? 0 : 1;
}
