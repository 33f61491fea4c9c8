// GeneratorObserver and its scopes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "autograd/error.h"
#include "autograd/mt19937.h"
#include "autograd/random.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

// Writes down which observer was told of which generator, in order.
class Recorder : public GeneratorObserver {
 public:
  Recorder(char name, std::string* log) : name_(name), log_(log) {}
  void BeforeDraw(Generator& generator) override {
    log_->push_back(name_);
    states.push_back(generator.State());
  }
  std::vector<std::string> states;

 private:
  char name_;
  std::string* log_;
};

TEST(GeneratorObserver, IsToldOnceOfEachDrawBeforeIt) {
  std::string log;
  Recorder recorder('a', &log);
  Generator g(41);
  const std::string fresh = g.State();
  std::array<float, 4> f;
  std::array<double, 4> d;
  std::array<int64_t, 4> i;
  std::array<bool, 4> b;
  std::array<uint8_t, 4> u;
  const std::function<void()> draws[] = {
      [&] { g.Random(); },
      [&] { g.Random64(); },
      [&] { g.Uniform(absl::MakeSpan(f)); },
      [&] { g.Uniform(absl::MakeSpan(d)); },
      [&] { g.Normal(absl::MakeSpan(f)); },
      [&] { g.Normal(absl::MakeSpan(d)); },
      [&] { g.RandInt(absl::MakeSpan(i), 0, 5); },
      [&] { g.RandPerm(absl::MakeSpan(i)); },
      [&] { g.Exponential(absl::MakeSpan(f)); },
      [&] { g.Bernoulli(absl::MakeSpan(f), 0.5); },
      [&] { g.Bernoulli(absl::MakeSpan(b), 0.5); },
      [&] { g.Bernoulli(absl::MakeSpan(u), 0.5); },
      [&] {
        g.Multinomial({0.5f, 0.5f});
      },
      [&] {
        g.Multinomial({0.5f, 0.5f}, 2, false);
      },
      [&] {
        g.Multinomial({0.5f, 0.5f}, 2, true);
      },
  };
  size_t told = 0;
  GeneratorObserver::Scope scope(&recorder);
  for (const auto& draw : draws) {
    g.ManualSeed(41);
    draw();
    ++told;
    ASSERT_EQ(recorder.states.size(), told) << "draw " << told;
    EXPECT_EQ(recorder.states.back(), fresh) << "draw " << told;
  }
  g.ManualSeed(1);
  ASSERT_TRUE(g.SetState(fresh).ok());
  EXPECT_EQ(log.size(), told);
}

TEST(GeneratorObserver, ScopesNestAndTheOutermostIsToldFirst) {
  std::string log;
  Recorder outer('o', &log);
  Recorder inner('i', &log);
  Generator g(42);
  g.Random();
  {
    GeneratorObserver::Scope outer_scope(&outer);
    g.Random();
    {
      GeneratorObserver::Scope inner_scope(&inner);
      g.Random();
    }
    g.Random();
  }
  g.Random();
  EXPECT_EQ(log, "ooio");
}

TEST(GeneratorObserver, MayPutAnotherStateInPlace) {
  class Replace : public GeneratorObserver {
   public:
    void BeforeDraw(Generator& generator) override {
      generator = Generator(7);
      generator.Random();  // is not reported, or this would never end
    }
  } replace;
  Generator g(43);
  GeneratorObserver::Scope scope(&replace);
  const uint32_t drawn = g.Random();
  Mt19937 engine(7);
  engine.Next();
  EXPECT_EQ(drawn, engine.Next());
}

TEST(GeneratorObserver, IsToldAgainAfterAnObserverHasThrown) {
  class Throw : public GeneratorObserver {
   public:
    void BeforeDraw(Generator&) override {
      ++told;
      throw Error("no");
    }
    int told = 0;
  } thrower;
  Generator g(44);
  GeneratorObserver::Scope scope(&thrower);
  EXPECT_THROW(g.Random(), Error);
  EXPECT_THROW(g.Random(), Error);
  EXPECT_EQ(thrower.told, 2);
}

}  // namespace
}  // namespace lemma
