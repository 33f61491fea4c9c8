#include "datasets/plays_clauses.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"

namespace lemma::datasets {
namespace {

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

Words AllWithS(Words words) {
  for (std::string& word : words) word = WithS(word);
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

}  // namespace

const PersonForms& Forms(Person person) { return kForms[person]; }

Words AllCapitalized(Words words) {
  for (std::string& word : words) word = Capitalized(word);
  return words;
}

int ClauseBuilder::PlaceNoun(int place, bool plural) {
  const Words& nouns = Places()[place].nouns;
  return OneOf(absl::StrCat("place noun/", place, "/", plural ? kMany : kOne),
               plural ? AllWithS(nouns) : nouns);
}

int ClauseBuilder::Verb(bool transitive, bool takes_s) {
  const Words& verbs = transitive ? TransitiveVerbs() : IntransitiveVerbs();
  return OneOf(
      absl::StrCat("verb/", transitive ? "transitive" : "intransitive", takes_s ? "/s" : ""),
      takes_s ? AllWithS(verbs) : verbs);
}

int ClauseBuilder::CoinedVerb(bool takes_s) {
  return OneOf(takes_s ? "coined verb/s" : "coined verb",
               takes_s ? AllWithS(CoinedVerbs()) : CoinedVerbs());
}

void ClauseBuilder::AddNouns(int head, int place, Form form, uint32_t weight, const Body& rest) {
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
void ClauseBuilder::AddGroup(int head, int nouns) {
  g_.Add(head, 3, {Adjective(), nouns});
  g_.Add(head, 7, {OneOf("coined adjective", CoinedAdjectives()), nouns});
  g_.Add(head, 1, {OneOf("compound adjective", CompoundAdjectives()), nouns});
  g_.Add(head, 9, {nouns});
}

int ClauseBuilder::NounGroup(int place, Number number) {
  const std::string key = absl::StrCat(place, "/", number);
  return Define(absl::StrCat("noun group/", key), [&](int head) {
    AddGroup(head, Define(absl::StrCat("noun/", key), [&](int nouns) {
               if (number != kPlural) AddNouns(nouns, place, kOne, 2, {});
               if (number != kSingular) AddNouns(nouns, place, kMany, 1, {});
             }));
  });
}

int ClauseBuilder::AgreeingGroup(int place, const Rest& rest) {
  const std::string key = absl::StrCat(place, "/", rest.one, "/", rest.many);
  return Define(absl::StrCat("agreeing group/", key), [&](int head) {
    AddGroup(head, Define(absl::StrCat("agreeing noun/", key), [&](int nouns) {
               AddNouns(nouns, place, kOne, 2, {rest.one});
               AddNouns(nouns, place, kMany, 1, {rest.many});
             }));
  });
}

int ClauseBuilder::AfterArticle(int place, bool an) {
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

void ClauseBuilder::AddNounPhrases(int head, const Line& line, Person subject, bool capital,
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
  add_any(3, Forms(line.Listener()).possessive + 1);
  add_any(1, "some");
  if (subject != kI && subject != line.Listener()) add_any(5, Forms(subject).possessive + 1);
  g_.Add(head, 5, {text("a"), AfterArticle(line.place, false), rest.one});
  g_.Add(head, 1, {text("an"), AfterArticle(line.place, true), rest.one});
  for (const char* word : {"this", "that", "each", "every", "no"}) {
    g_.Add(head, 1, {text(word), NounGroup(line.place, kSingular), rest.one});
  }
  for (const char* word : {"these", "those", "two", "all", "few"}) {
    g_.Add(head, 1, {text(word), NounGroup(line.place, kPlural), rest.many});
  }
}

int ClauseBuilder::End(const Line& line) {
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

int ClauseBuilder::AfterNoun(const Line& line, Person subject, int depth) {
  if (depth > 0) return End(line);
  const std::string key = absl::StrCat(line.Key(), "/", Forms(subject).name);
  return Define(absl::StrCat("after noun/", key), [&](int head) {
    g_.Add(head, 9, {End(line)});
    g_.Add(head, 3, {OneOf("preposition", Prepositions()), Object(line, subject, 1)});
    g_.Add(head, 2, {T(" and"), Object(line, subject, 1)});
    g_.Add(head, 2, {T(" of"), Object(line, subject, 1)});
  });
}

int ClauseBuilder::AfterVerb(const Line& line, Person subject) {
  const std::string key = absl::StrCat(line.Key(), "/", Forms(subject).name);
  return Define(absl::StrCat("after verb/", key), [&](int head) {
    g_.Add(head, 2, {End(line)});
    g_.Add(head, 4, {OneOf("preposition", Prepositions()), Object(line, subject, 1)});
    g_.Add(head, 3, {OneOf("adverb", Adverbs()), End(line)});
  });
}

// A made-up verb may have an object or not.
int ClauseBuilder::AfterCoinedVerb(const Line& line, Person subject) {
  const std::string key = absl::StrCat(line.Key(), "/", Forms(subject).name);
  return Define(absl::StrCat("after coined verb/", key), [&](int head) {
    g_.Add(head, 3, {Object(line, subject, 0)});
    g_.Add(head, 2, {AfterVerb(line, subject)});
  });
}

int ClauseBuilder::Object(const Line& line, Person subject, int depth) {
  const std::string key = absl::StrCat("object/", depth, "/", line.Key(), "/", Forms(subject).name);
  return Define(key, [&](int head) {
    const int after = AfterNoun(line, subject, depth);
    AddNounPhrases(head, line, subject, false, {after, after});
    g_.Add(head, 2, {T(" me"), End(line)});
    g_.Add(head, 2, {T(line.thou ? " thee" : " you"), End(line)});
    g_.Add(head, 1, {T(" him"), End(line)});
    g_.Add(head, 1, {T(" them"), End(line)});
  });
}

int ClauseBuilder::Predicate(const Line& line, Person subject) {
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

int ClauseBuilder::BaseVerb(const Line& line, Person subject) {
  const std::string key = absl::StrCat(line.Key(), "/", Forms(subject).name);
  return Define(absl::StrCat("base verb/", key), [&](int head) {
    g_.Add(head, 4, {Verb(true, false), Object(line, subject, 0)});
    g_.Add(head, 1, {Verb(false, false), AfterVerb(line, subject)});
    g_.Add(head, 7, {CoinedVerb(false), AfterCoinedVerb(line, subject)});
  });
}

int ClauseBuilder::VerbPhrase(const Line& line, Person subject) {
  const PersonForms& forms = Forms(subject);
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

int ClauseBuilder::AfterSubject(const Line& line, Person subject) {
  const std::string key = absl::StrCat("after subject/", line.Key(), "/", Forms(subject).name);
  return Define(key, [&](int head) {
    const int rest = VerbPhrase(line, subject);
    g_.Add(head, 7, {rest});
    g_.Add(head, 2, {T(" of the"), NounGroup(line.place, kAnyNumber), rest});
  });
}

int ClauseBuilder::Clause(const Line& line, bool capital) {
  const std::string name = absl::StrCat("clause/", line.Key(), capital ? "/capital" : "");
  return Define(name, [&](int head) {
    AddNounPhrases(head, line, kI, capital, {AfterSubject(line, kIt), AfterSubject(line, kThey)});
    const std::pair<Person, uint32_t> pronouns[] = {{kI, 8},    {kWe, 3}, {line.Listener(), 5},
                                                    {kThey, 2}, {kHe, 3}, {kShe, 3}};
    for (const auto& [person, weight] : pronouns) {
      const char* word = Forms(person).name;
      const int text = T(capital ? Capitalized(word) : absl::StrCat(" ", word));
      g_.Add(head, weight, {text, VerbPhrase(line, person)});
    }
  });
}

}  // namespace lemma::datasets
