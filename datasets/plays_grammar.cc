#include "datasets/plays_grammar.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "datasets/plays_words.h"

namespace lemma::datasets {
namespace {

// The subject of a clause, as far as the rest of it depends on it.
enum Person { kIt, kThey, kHe, kShe, kI, kThou, kYou, kWe };

struct PersonForms {
  const char* name;
  const char* possessive;
  const char* be;
  const char* have;
  const char* will;
  const char* shall;
  const char* can;
  const char* do_not;
  bool takes_s;  // "he adores"; the others have the base form
};

constexpr std::array<PersonForms, 8> kForms = {{
    {"it", " its", " is", " hath", " will", " shall", " can", " doth not", true},
    {"they", " their", " are", " have", " will", " shall", " can", " do not", false},
    {"he", " his", " is", " hath", " will", " shall", " can", " doth not", true},
    {"she", " her", " is", " hath", " will", " shall", " can", " doth not", true},
    {"I", " my", " am", " have", " will", " shall", " can", " do not", false},
    {"thou", " thy", " art", " hast", " wilt", " shalt", " canst", " dost not", false},
    {"you", " your", " are", " have", " will", " shall", " can", " do not", false},
    {"we", " our", " are", " have", " will", " shall", " can", " do not", false},
}};

// What stands still while a line is written: the place, whether the speaker says thou, and whether
// the line is a question.
struct Line {
  int place;
  bool thou;
  bool question;

  Person Listener() const { return thou ? kThou : kYou; }
  std::string Key() const { return absl::StrCat(place, thou ? "t" : "y", question ? "?" : "."); }
};

// Which numbers a noun may have after its determiner.
enum Number { kSingular, kPlural, kAnyNumber };

using Words = std::vector<std::string>;

Words Split(const char* text) { return absl::StrSplit(text, ' ', absl::SkipEmpty()); }

Words AllWithS(Words words) {
  for (std::string& word : words) word = WithS(word);
  return words;
}

Words AllCapitalized(Words words) {
  for (std::string& word : words) word = Capitalized(word);
  return words;
}

// Whether the article before the word is "an".
bool TakesAn(const std::string& word) {
  return absl::StrContains("aeiou", word.substr(0, 1)) || word == "heir" || word == "honest" ||
         word == "hour";
}

Words WithArticle(Words words, bool an) {
  words.erase(std::remove_if(words.begin(), words.end(),
                             [&](const std::string& word) { return TakesAn(word) != an; }),
              words.end());
  return words;
}

class Builder {
 public:
  PlaysGrammar Build() && {
    const int scene = Scene();
    return {std::move(g_), scene};
  }

 private:
  using Body = std::vector<int>;
  enum Form { kOne, kMany, kManyCapital };

  // The symbol after a noun phrase, which may depend on its number.
  struct Rest {
    int one;
    int many;
  };

  // The nonterminal of that name; `fill` adds its alternatives at the first call.
  template <typename Fill>
  int Define(const std::string& name, Fill fill) {
    const int symbol = g_.Nonterminal(name);
    if (defined_.insert(symbol).second) fill(symbol);
    return symbol;
  }
  int T(absl::string_view text) { return g_.Text(text); }

  // One of the words with equal chances, each after `before`.
  int OneOf(const std::string& name, const Words& words, absl::string_view before = " ") {
    return Define(name, [&](int head) {
      for (const std::string& word : words) g_.Add(head, 1, {T(absl::StrCat(before, word))});
    });
  }

  // Words and noun groups.
  int Adjective() { return OneOf("adjective", Adjectives()); }
  int PlaceNoun(int place, bool plural);
  int Verb(bool transitive, bool takes_s);
  int CoinedVerb(bool takes_s);
  void AddNouns(int head, int place, Form form, uint32_t weight, const Body& rest);
  void AddGroup(int head, int nouns);
  int NounGroup(int place, Number number);
  int AgreeingGroup(int place, const Rest& rest);
  int AfterArticle(int place, bool an);
  void AddNounPhrases(int head, const Line& line, Person subject, bool capital, const Rest& rest);

  // Clauses, each with all that follows up to the end of the line, or of the lines joined to it.
  int End(const Line& line);
  int AfterNoun(const Line& line, Person subject, int depth);
  int AfterVerb(const Line& line, Person subject);
  int AfterCoinedVerb(const Line& line, Person subject);
  int Object(const Line& line, Person subject, int depth);
  int Predicate(const Line& line, Person subject);
  int BaseVerb(const Line& line, Person subject);
  int VerbPhrase(const Line& line, Person subject);
  int AfterSubject(const Line& line, Person subject);
  int Clause(const Line& line, bool capital);

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

  Grammar g_;
  std::unordered_set<int> defined_;
};

int Builder::PlaceNoun(int place, bool plural) {
  const Words& nouns = Places()[place].nouns;
  return OneOf(absl::StrCat("place noun/", place, "/", plural ? kMany : kOne),
               plural ? AllWithS(nouns) : nouns);
}

int Builder::Verb(bool transitive, bool takes_s) {
  const Words& verbs = transitive ? TransitiveVerbs() : IntransitiveVerbs();
  return OneOf(
      absl::StrCat("verb/", transitive ? "transitive" : "intransitive", takes_s ? "/s" : ""),
      takes_s ? AllWithS(verbs) : verbs);
}

int Builder::CoinedVerb(bool takes_s) {
  return OneOf(takes_s ? "coined verb/s" : "coined verb",
               takes_s ? AllWithS(CoinedVerbs()) : CoinedVerbs());
}

void Builder::AddNouns(int head, int place, Form form, uint32_t weight, const Body& rest) {
  const auto add = [&](uint32_t share, const std::string& name, Words words) {
    if (form != kOne) words = AllWithS(std::move(words));
    if (form == kManyCapital) words = AllCapitalized(std::move(words));
    const char* before = form == kManyCapital ? "" : " ";
    Body body{OneOf(absl::StrCat(name, "/", form), words, before)};
    body.insert(body.end(), rest.begin(), rest.end());
    g_.Add(head, weight * share, std::move(body));
  };
  add(3, absl::StrCat("place noun/", place), Places()[place].nouns);
  add(1, "common noun", CommonNouns());
  add(6, "coined noun", CoinedNouns());
}

// The alternatives of a noun group: nouns alone or after an adjective.
void Builder::AddGroup(int head, int nouns) {
  g_.Add(head, 3, {Adjective(), nouns});
  g_.Add(head, 7, {OneOf("coined adjective", CoinedAdjectives()), nouns});
  g_.Add(head, 1, {OneOf("compound adjective", CompoundAdjectives()), nouns});
  g_.Add(head, 9, {nouns});
}

int Builder::NounGroup(int place, Number number) {
  const std::string key = absl::StrCat(place, "/", number);
  return Define(absl::StrCat("noun group/", key), [&](int head) {
    AddGroup(head, Define(absl::StrCat("noun/", key), [&](int nouns) {
               if (number != kPlural) AddNouns(nouns, place, kOne, 2, {});
               if (number != kSingular) AddNouns(nouns, place, kMany, 1, {});
             }));
  });
}

int Builder::AgreeingGroup(int place, const Rest& rest) {
  const std::string key = absl::StrCat(place, "/", rest.one, "/", rest.many);
  return Define(absl::StrCat("agreeing group/", key), [&](int head) {
    AddGroup(head, Define(absl::StrCat("agreeing noun/", key), [&](int nouns) {
               AddNouns(nouns, place, kOne, 2, {rest.one});
               AddNouns(nouns, place, kMany, 1, {rest.many});
             }));
  });
}

int Builder::AfterArticle(int place, bool an) {
  return Define(absl::StrCat(an ? "after an/" : "after a/", place), [&](int head) {
    const char* kind = an ? "/an" : "/a";
    const int after = Define(absl::StrCat("noun/", place, "/", kSingular),
                             [&](int nouns) { AddNouns(nouns, place, kOne, 2, {}); });
    g_.Add(head, 4, {OneOf(absl::StrCat("adjective", kind), WithArticle(Adjectives(), an)), after});
    g_.Add(
        head, 3,
        {OneOf(absl::StrCat("place noun/", place, kind), WithArticle(Places()[place].nouns, an))});
    g_.Add(head, 1, {OneOf(absl::StrCat("common noun", kind), WithArticle(CommonNouns(), an))});
    if (an) return;
    g_.Add(head, 4, {OneOf(absl::StrCat("coined noun/", kOne), CoinedNouns())});
    g_.Add(head, 3, {OneOf("coined adjective", CoinedAdjectives()), after});
  });
}

void Builder::AddNounPhrases(int head, const Line& line, Person subject, bool capital,
                             const Rest& rest) {
  const auto text = [&](const std::string& word) {
    return T(capital ? Capitalized(word) : absl::StrCat(" ", word));
  };
  const auto add_any = [&](uint32_t weight, const std::string& word) {
    if (rest.one == rest.many) {
      g_.Add(head, weight, {text(word), NounGroup(line.place, kAnyNumber), rest.one});
    } else {
      g_.Add(head, weight, {text(word), AgreeingGroup(line.place, rest)});
    }
  };
  if (capital) {
    AddNouns(head, line.place, kManyCapital, 1, {rest.many});
  } else {
    g_.Add(head, 10, {NounGroup(line.place, kPlural), rest.many});
  }
  add_any(7, "the");
  add_any(3, "my");
  add_any(3, kForms[line.Listener()].possessive + 1);
  add_any(1, "some");
  if (subject != kI && subject != line.Listener()) add_any(5, kForms[subject].possessive + 1);
  g_.Add(head, 5, {text("a"), AfterArticle(line.place, false), rest.one});
  g_.Add(head, 1, {text("an"), AfterArticle(line.place, true), rest.one});
  for (const char* word : {"this", "that", "each", "every", "no"}) {
    g_.Add(head, 1, {text(word), NounGroup(line.place, kSingular), rest.one});
  }
  for (const char* word : {"these", "those", "two", "all", "few"}) {
    g_.Add(head, 1, {text(word), NounGroup(line.place, kPlural), rest.many});
  }
}

int Builder::End(const Line& line) {
  return Define(absl::StrCat("end/", line.Key()), [&](int head) {
    if (line.question) {
      g_.Add(head, 1, {T("?\n")});
      return;
    }
    const int joined = Define(absl::StrCat("joined/", line.Key()), [&](int conjunction) {
      for (const char* word : {"And", "But", "For", "Yet", "While", "Till", "Though", "When"}) {
        g_.Add(conjunction, 1, {T(word), Clause(line, false)});
      }
    });
    g_.Add(head, 9, {T(".\n")});
    g_.Add(head, 4, {T("!\n")});
    g_.Add(head, 2, {T(";\n"), Clause(line, true)});
    g_.Add(head, 5, {T(",\n"), joined});
  });
}

int Builder::AfterNoun(const Line& line, Person subject, int depth) {
  if (depth > 0) return End(line);
  const std::string key = absl::StrCat(line.Key(), "/", kForms[subject].name);
  return Define(absl::StrCat("after noun/", key), [&](int head) {
    g_.Add(head, 9, {End(line)});
    g_.Add(head, 3, {OneOf("preposition", Prepositions()), Object(line, subject, 1)});
    g_.Add(head, 2, {T(" and"), Object(line, subject, 1)});
    g_.Add(head, 2, {T(" of"), Object(line, subject, 1)});
  });
}

int Builder::AfterVerb(const Line& line, Person subject) {
  const std::string key = absl::StrCat(line.Key(), "/", kForms[subject].name);
  return Define(absl::StrCat("after verb/", key), [&](int head) {
    g_.Add(head, 2, {End(line)});
    g_.Add(head, 4, {OneOf("preposition", Prepositions()), Object(line, subject, 1)});
    g_.Add(head, 3, {OneOf("adverb", Adverbs()), End(line)});
  });
}

// A made-up verb may have an object or not.
int Builder::AfterCoinedVerb(const Line& line, Person subject) {
  const std::string key = absl::StrCat(line.Key(), "/", kForms[subject].name);
  return Define(absl::StrCat("after coined verb/", key), [&](int head) {
    g_.Add(head, 3, {Object(line, subject, 0)});
    g_.Add(head, 2, {AfterVerb(line, subject)});
  });
}

int Builder::Object(const Line& line, Person subject, int depth) {
  const std::string key =
      absl::StrCat("object/", depth, "/", line.Key(), "/", kForms[subject].name);
  return Define(key, [&](int head) {
    const int after = AfterNoun(line, subject, depth);
    AddNounPhrases(head, line, subject, false, {after, after});
    g_.Add(head, 2, {T(" me"), End(line)});
    g_.Add(head, 2, {T(line.thou ? " thee" : " you"), End(line)});
    g_.Add(head, 1, {T(" him"), End(line)});
    g_.Add(head, 1, {T(" them"), End(line)});
  });
}

int Builder::Predicate(const Line& line, Person subject) {
  const bool one = subject != kThey && subject != kWe;
  return Define(absl::StrCat("predicate/", line.Key(), one ? "/one" : "/many"), [&](int head) {
    g_.Add(head, 2, {Adjective(), End(line)});
    g_.Add(head, 4, {OneOf("coined adjective", CoinedAdjectives()), End(line)});
    g_.Add(head, 2, {OneOf("compound adjective", CompoundAdjectives()), End(line)});
    g_.Add(head, 3,
           {T(" as"), Adjective(), T(" as"),
            Define(absl::StrCat("likeness/", line.Key()), [&](int like) {
              AddNounPhrases(like, line, kI, false, {End(line), End(line)});
            })});
    g_.Add(head, 1, {T(" not"), Adjective(), End(line)});
    if (one) g_.Add(head, 2, {T(" but a"), AfterArticle(line.place, false), End(line)});
  });
}

int Builder::BaseVerb(const Line& line, Person subject) {
  const std::string key = absl::StrCat(line.Key(), "/", kForms[subject].name);
  return Define(absl::StrCat("base verb/", key), [&](int head) {
    g_.Add(head, 4, {Verb(true, false), Object(line, subject, 0)});
    g_.Add(head, 1, {Verb(false, false), AfterVerb(line, subject)});
    g_.Add(head, 7, {CoinedVerb(false), AfterCoinedVerb(line, subject)});
  });
}

int Builder::VerbPhrase(const Line& line, Person subject) {
  const PersonForms& forms = kForms[subject];
  return Define(absl::StrCat("verb phrase/", line.Key(), "/", forms.name), [&](int head) {
    const uint32_t modal = subject == kThou ? 4 : 1;
    if (subject != kThou) {
      g_.Add(head, 6, {Verb(true, forms.takes_s), Object(line, subject, 0)});
      g_.Add(head, 2, {Verb(false, forms.takes_s), AfterVerb(line, subject)});
      g_.Add(head, 10, {CoinedVerb(forms.takes_s), AfterCoinedVerb(line, subject)});
    }
    g_.Add(head, 4, {T(forms.be), Predicate(line, subject)});
    g_.Add(head, 2, {T(forms.have), Object(line, subject, 0)});
    for (const char* word : {forms.will, forms.shall, forms.can, " must", forms.do_not}) {
      g_.Add(head, modal, {T(word), BaseVerb(line, subject)});
    }
  });
}

int Builder::AfterSubject(const Line& line, Person subject) {
  const std::string key = absl::StrCat("after subject/", line.Key(), "/", kForms[subject].name);
  return Define(key, [&](int head) {
    const int rest = VerbPhrase(line, subject);
    g_.Add(head, 7, {rest});
    g_.Add(head, 2, {T(" of the"), NounGroup(line.place, kAnyNumber), rest});
  });
}

int Builder::Clause(const Line& line, bool capital) {
  const std::string name = absl::StrCat("clause/", line.Key(), capital ? "/capital" : "");
  return Define(name, [&](int head) {
    AddNounPhrases(head, line, kI, capital, {AfterSubject(line, kIt), AfterSubject(line, kThey)});
    const std::pair<Person, uint32_t> pronouns[] = {{kI, 8},    {kWe, 3}, {line.Listener(), 5},
                                                    {kThey, 2}, {kHe, 3}, {kShe, 3}};
    for (const auto& [person, weight] : pronouns) {
      const char* word = kForms[person].name;
      const int text = T(capital ? Capitalized(word) : absl::StrCat(" ", word));
      g_.Add(head, weight, {text, VerbPhrase(line, person)});
    }
  });
}

int Builder::QuestionSubject(const Line& line) {
  return Define(absl::StrCat("question subject/", line.Key()), [&](int head) {
    const int noun = AgreeingGroup(line.place, {BaseVerb(line, kIt), BaseVerb(line, kThey)});
    for (const char* word : {" the", " my"}) g_.Add(head, 4, {T(word), noun});
    for (const Person person : {kI, kWe, line.Listener(), kHe, kShe, kThey}) {
      g_.Add(head, 1, {T(absl::StrCat(" ", kForms[person].name)), BaseVerb(line, person)});
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
