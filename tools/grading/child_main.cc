#include "tools/grading/child_main.h"

#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <new>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "autograd/threads.h"
#include "tools/grading/frame.h"

namespace lemma::tools::grading {
namespace {

constexpr absl::string_view kFlag = "--grading_child=";

std::map<std::string, Callable>& Functions() {
  static auto* functions = new std::map<std::string, Callable>;
  return *functions;
}

// Where the stack of main begins, for the handler.
std::atomic<const char*> stack_begin = nullptr;

// An address where no stack may grow any more is named by a signal of its own. Others come again,
// and end the process as they do without this.
void OnFault(int number, siginfo_t* info, void*) {
  rlimit limit = {};
  getrlimit(RLIMIT_STACK, &limit);
  const int64_t depth = stack_begin - static_cast<const char*>(info->si_addr);
  const auto size = static_cast<int64_t>(limit.rlim_cur);
  constexpr int64_t kEntry = int64_t{256} << 10, kLargestFrame = int64_t{64} << 20;
  if (depth > size - kEntry && depth < size + kLargestFrame) raise(kStackSignal);
  signal(number, SIG_DFL);
}

void NameStackOverflow() {
  static char handlers_stack[1 << 16];
  stack_t stack = {};
  stack.ss_sp = handlers_stack;
  stack.ss_size = sizeof(handlers_stack);
  sigaltstack(&stack, nullptr);
  stack_begin = static_cast<const char*>(__builtin_frame_address(0));
  struct sigaction action = {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
}

// What was answered: the kind of record and its payload.
std::pair<FrameKind, std::string> Call(const Callable& function, const Values& inputs) {
  try {
    const Values given = DeepCopy(inputs);
    const std::string outputs = Encode(function(given));
    const uint64_t size = outputs.size();
    std::string payload(reinterpret_cast<const char*>(&size), sizeof(size));
    absl::StrAppend(&payload, outputs, Encode(given));
    if (payload.size() > kMaxPayload) {
      return {FrameKind::kTooLarge,
              absl::StrCat("they take ", payload.size() >> 20, " MiB; at most ", kMaxPayload >> 20,
                           " are taken")};
    }
    return {FrameKind::kAnswer, payload};
  } catch (const std::bad_alloc&) {
    return {FrameKind::kNoMemory, ""};
  } catch (const std::exception& error) {
    return {FrameKind::kThrew, error.what()};
  } catch (...) {
    return {FrameKind::kThrew, "something that is no std::exception"};
  }
}

}  // namespace

Registration::Registration(const std::string& name, Callable function) {
  Functions()[name] = std::move(function);
}

std::string ChildArgument(const std::string& name) { return absl::StrCat(kFlag, name); }

bool IsChild(int argc, const char* const* argv) {
  return argc >= 2 && absl::StartsWith(argv[1], kFlag);
}

int ChildMain(int argc, const char* const* argv) {
  if (!IsChild(argc, argv)) {
    std::fprintf(stderr, "This program is run by the grader: grade check EXERCISE\n");
    return 2;
  }
  const auto found = Functions().find(argv[1] + kFlag.size());
  if (found == Functions().end()) {
    std::fprintf(stderr, "nothing here is called %s\n", argv[1] + kFlag.size());
    return kNoSuchFunction;
  }
  // One thread, so that any other is the learner's.
  SetNumThreads(1);
  NameStackOverflow();
  const std::optional<Frame> hello = ReadFrame(kRequestFile);
  if (!hello || hello->header.kind != FrameKind::kHello) return kLostPipes;
  const Nonce nonce = hello->header.nonce;
  while (const std::optional<Frame> request = ReadFrame(kRequestFile)) {
    const absl::StatusOr<Values> inputs = Decode(request->payload);
    if (!inputs.ok()) return kLostPipes;
    const auto [kind, payload] = Call(found->second, *inputs);
    const std::string answer = MakeFrame(nonce, request->header.sequence, kind, payload);
    if (!WriteAll(kAnswerFile, answer)) return kLostPipes;
  }
  // The grader reads this only where it has not hung up itself.
  return kLostPipes;
}

}  // namespace lemma::tools::grading
