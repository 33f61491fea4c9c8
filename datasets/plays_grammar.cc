#include "datasets/plays_grammar.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "datasets/plays_clauses.h"
#include "datasets/plays_words.h"

namespace lemma::datasets {
namespace {

Words Split(const char* text) { return absl::StrSplit(text, ' ', absl::SkipEmpty()); }

class Builder : public ClauseBuilder {
 public:
  PlaysGrammar Build() && {
    const int scene = Scene();
    return {std::move(g_), scene};
  }

 private:
  // Units: what a speech is made of.
  int QuestionSubject(const Line& line);
  int Question(const Line& line);
  int Command(const Line& line, bool capital);
  int Vocative(const Line& line, const Player& listener);
  int Gossip(const Line& line, const Player& absent);
  int Echo(const Line& line, bool next_line);
  int Couplet(int place);
  int Bargain(const Line& line);
  int Unit(int place, size_t speaker, size_t listener);

  int Turn(int place, size_t speaker, size_t listener);
  int Next(int place, size_t speaker, size_t listener);
  int Scene();
};

int Builder::QuestionSubject(const Line& line) {
  return Define(absl::StrCat("question subject/", line.Key()), [&](int head) {
    const int noun = AgreeingGroup(line.place, {BaseVerb(line, kIt), BaseVerb(line, kThey)});
    for (const char* word : {" the", " my"}) g_.Add(head, 4, {T(word), noun});
    for (const Person person : {kI, kWe, line.Listener(), kHe, kShe, kThey}) {
      g_.Add(head, 1, {T(absl::StrCat(" ", Forms(person).name)), BaseVerb(line, person)});
    }
  });
}

int Builder::Question(const Line& asked) {
  const Line line{asked.place, asked.thou, true};
  return Define(absl::StrCat("question/", line.Key()), [&](int head) {
    const Person listener = line.Listener();
    const int plural = NounGroup(line.place, kPlural);
    const int why = Define(absl::StrCat("why/", line.Key()), [&](int auxiliary) {
      g_.Add(auxiliary, 4, {T(" doth the"), NounGroup(line.place, kSingular), BaseVerb(line, kIt)});
      if (line.thou) g_.Add(auxiliary, 3, {T(" dost thou"), BaseVerb(line, kThou)});
      const int after_do = Define(absl::StrCat("do/", line.Key()), [&](int subject) {
        for (const char* word : {" the", " my", " these"})
          g_.Add(subject, 2, {T(word), plural, BaseVerb(line, kThey)});
        if (!line.thou) g_.Add(subject, 6, {T(" you"), BaseVerb(line, kYou)});
      });
      g_.Add(auxiliary, line.thou ? 2 : 5, {T(" do"), after_do});
      for (const char* word : {" must", " shall"}) {
        g_.Add(auxiliary, 1, {T(word), QuestionSubject(line)});
      }
    });
    const int what = Define(absl::StrCat("what/", line.Key()), [&](int noun) {
      AddNouns(noun, line.place, kOne, 1, {T(" is this?\n")});
      AddNouns(noun, line.place, kMany, 1, {T(" are these?\n")});
    });
    for (const char* word : {"Why", "When", "How", "Where"}) g_.Add(head, 3, {T(word), why});
    for (const char* word : {"Shall", "Must", "Will", "Can"}) {
      g_.Add(head, 1, {T(word), QuestionSubject(line)});
    }
    g_.Add(head, 5, {T("Who"), VerbPhrase(line, kHe)});
    g_.Add(head, 2, {T("What"), what});
    g_.Add(head, 3,
           {T(line.thou ? "Hast thou" : "Have you"), OneOf("participle", Participles()),
            Object(line, listener, 0)});
  });
}

int Builder::Command(const Line& line, bool capital) {
  return Define(absl::StrCat("command/", line.Key(), capital ? "/capital" : ""), [&](int head) {
    const Person listener = line.Listener();
    if (capital) {
      const int transitive = OneOf("command verb", AllCapitalized(TransitiveVerbs()), "");
      const int intransitive = OneOf("command alone", AllCapitalized(IntransitiveVerbs()), "");
      const int coined = OneOf("command coined", AllCapitalized(CoinedVerbs()), "");
      g_.Add(head, 3, {transitive, Object(line, listener, 0)});
      g_.Add(head, 1, {intransitive, AfterVerb(line, listener)});
      g_.Add(head, 4, {coined, AfterCoinedVerb(line, listener)});
    } else {
      g_.Add(head, 8, {BaseVerb(line, listener)});
    }
    const int let = Define(absl::StrCat("let/", line.Key()), [&](int subject) {
      g_.Add(subject, 1, {T(" us"), BaseVerb(line, kWe)});
      g_.Add(subject, 1, {T(" me"), BaseVerb(line, kI)});
      g_.Add(subject, 2,
             {T(" the"), AgreeingGroup(line.place, {BaseVerb(line, kIt), BaseVerb(line, kThey)})});
    });
    g_.Add(head, 2, {T(capital ? "Let" : " let"), let});
  });
}

int Builder::Vocative(const Line& line, const Player& listener) {
  return Define(absl::StrCat("vocative/", line.Key(), "/", listener.name), [&](int head) {
    const int rest = Define(absl::StrCat("addressed/", line.Key()), [&](int clause) {
      g_.Add(clause, 3, {Clause(line, false)});
      g_.Add(clause, 2, {Command(line, false)});
    });
    const int name = Define(absl::StrCat("called/", listener.name), [&](int called) {
      g_.Add(called, 4, {T(absl::StrCat(" ", listener.name, ","))});
      g_.Add(called, 1, {T(listener.she ? " madam," : " sir,")});
    });
    for (const char* word : {"Good", "Sweet", "Dear", "Gentle", "O"}) {
      g_.Add(head, 1, {T(word), name, rest});
    }
    for (const char* word : {"Nay,", "Hark,", "Peace,", "Alas,", "Ho,"}) {
      g_.Add(head, 1, {T(word), name, rest});
    }
  });
}

int Builder::Gossip(const Line& line, const Player& absent) {
  return Define(absl::StrCat("gossip/", line.Key(), "/", absent.name), [&](int head) {
    g_.Add(head, 3, {T(absent.name), VerbPhrase(line, absent.she ? kShe : kHe)});
    g_.Add(head, 1,
           {T(absl::StrCat(absent.name, "'s")),
            AgreeingGroup(line.place, {VerbPhrase(line, kIt), VerbPhrase(line, kThey)})});
  });
}

int Builder::Echo(const Line& line, bool next_line) {
  return Define(absl::StrCat(next_line ? "beware/" : "fie/", line.Key()), [&](int head) {
    const auto add = [&](const Words& nouns, uint32_t weight) {
      for (const std::string& noun : nouns) {
        if (next_line) {
          g_.Add(head, weight,
                 {T(absl::StrCat(" ", noun, ",\nFor every ", noun)), VerbPhrase(line, kIt)});
        } else {
          g_.Add(head, weight, {T(absl::StrCat(" ", noun, ", and fie on every ", noun, "!\n"))});
        }
      }
    };
    add(Places()[line.place].nouns, 40);
    add(CommonNouns(), 20);
    add(CoinedNouns(), 1);
  });
}

int Builder::Couplet(int place) {
  return Define(absl::StrCat("couplet/", place), [&](int head) {
    const int second =
        OneOf("couplet verb", Split("fear love keep seek lose want praise mourn steal "
                                    "share guard crave"));
    const int rhymes = Define(absl::StrCat("rhyme/", place), [&](int first) {
      for (const Words& words : Rhymes()) {
        for (const std::string& word : words) {
          Words others = words;
          others.erase(std::find(others.begin(), others.end(), word));
          g_.Add(first, 1,
                 {T(absl::StrCat(" ", word, ",\nAnd")), PlaceNoun(place, true),
                  OneOf("couplet modal", Split("will shall must may")), second, T(" the"),
                  OneOf(absl::StrCat("rhyme with ", word), others), T(".\n")});
        }
      }
    });
    g_.Add(head, 1,
           {OneOf("couplet subject", Split("we I they all some")),
            OneOf("couplet phrase", Split("sing dream speak hear think")), T(" of"), Adjective(),
            rhymes});
  });
}

int Builder::Bargain(const Line& line) {
  return Define(absl::StrCat("bargain/", line.Key()), [&](int head) {
    g_.Add(head, 1, {T(" $3, and I"), VerbPhrase(line, kI)});
    g_.Add(head, 1, {T(" 3"), NounGroup(line.place, kPlural), End(line)});
  });
}

int Builder::Unit(int place, size_t speaker, size_t listener) {
  const std::vector<Player>& cast = Places()[place].cast;
  const Line line{place, cast[speaker].thou, false};
  return Define(absl::StrCat("unit/", place, "/", speaker, "/", listener), [&](int head) {
    g_.Add(head, 16, {Clause(line, true)});
    g_.Add(head, 10, {Question(line)});
    g_.Add(head, 8, {Command(line, true)});
    g_.Add(head, 10, {Vocative(line, cast[listener])});
    for (size_t absent = 0; absent < cast.size(); ++absent) {
      if (absent != speaker && absent != listener) g_.Add(head, 3, {Gossip(line, cast[absent])});
    }
    g_.Add(head, 3, {T("Fie on the"), Echo(line, false)});
    g_.Add(head, 3, {T("Beware the"), Echo(line, true)});
    g_.Add(head, 4, {T("Thus"), Couplet(place)});
    g_.Add(head, 1, {T("Lend me"), Bargain(line)});
    const Words signs = AllCapitalized(Places()[place].nouns);
    const int sign = OneOf(absl::StrCat("sign/", place), signs);
    g_.Add(head, 1, {T("Meet me at the"), sign, T(" &"), sign, End(line)});
    g_.Add(head, 4, {T("'Tis"), Predicate(line, kIt)});
  });
}

int Builder::Turn(int place, size_t speaker, size_t listener) {
  const std::string key = absl::StrCat(place, "/", speaker, "/", listener);
  return Define(absl::StrCat("turn/", key), [&](int head) {
    const int unit = Unit(place, speaker, listener);
    const int more = Define(absl::StrCat("more/", key), [&](int rest) {
      g_.Add(rest, 3, {unit, rest});
      g_.Add(rest, 2, {T("\n")});
    });
    const std::string name = InCapitals(Places()[place].cast[speaker].name);
    g_.Add(head, 1, {T(absl::StrCat(name, ":\n")), unit, more, Next(place, listener, speaker)});
  });
}

int Builder::Next(int place, size_t speaker, size_t listener) {
  return Define(absl::StrCat("next/", place, "/", speaker, "/", listener), [&](int head) {
    const int farewell = Define("farewell", [&](int words) {
      for (const char* text :
           {"Away, away!", "Farewell, sweet friends, farewell.", "Home, ere the candles die.",
            "Enough: the rest is for the owls.", "Music, and let the dance begin!"}) {
        g_.Add(words, 1, {T(absl::StrCat(text, "\n\n"))});
      }
    });
    g_.Add(head, 16, {Turn(place, speaker, listener)});
    g_.Add(head, 1, {T("MESSENGER:\n"), Clause({place, false, false}, true), T("\n"), head});
    g_.Add(head, 2, {T("ALL:\n"), farewell});
  });
}

int Builder::Scene() {
  return Define("scene", [&](int head) {
    const int places = Define("place", [&](int where) {
      const int hour = OneOf("hour", Split("dawn daybreak noon dusk sunset night midnight"));
      for (size_t place = 0; place < Places().size(); ++place) {
        const std::vector<Player>& cast = Places()[place].cast;
        const int entrance = Define(absl::StrCat("entrance/", place), [&](int first) {
          for (size_t a = 0; a < cast.size(); ++a) {
            const int partner = Define(absl::StrCat("partner/", place, "/", a), [&](int second) {
              for (size_t b = 0; b < cast.size(); ++b) {
                if (b == a) continue;
                g_.Add(second, 1, {T(absl::StrCat(" ", cast[b].name, ".\n\n")), Turn(place, a, b)});
              }
            });
            const char* with = cast[a].she ? " with her" : " with his";
            g_.Add(first, 1,
                   {T(absl::StrCat(" ", cast[a].name, with)), PlaceNoun(place, false), T(", and"),
                    partner});
          }
        });
        g_.Add(where, 1,
               {T(absl::StrCat(" ", Places()[place].name, " at")), hour, T(".\nEnter"), entrance});
      }
    });
    g_.Add(head, 1, {T("CHORUS:\nThe scene is a"), places});
  });
}

}  // namespace

PlaysGrammar BuildPlaysGrammar() { return Builder().Build(); }

}  // namespace lemma::datasets
