// The grammar of the made-up plays: a probabilistic grammar (see grammar.h) whose rounds are
// scenes.
//
//   PlaysGrammar plays = BuildPlaysGrammar();
//   plays.grammar.Expect(plays.scene)->nats_per_character;
//
// A scene is announced by a chorus, played by two players of one place who speak in turn, and
// closed by all:
//
//   CHORUS:
//   The scene is a harbour at noon.
//   Enter Xanthe with her net, and Marlo.
//
//   XANTHE:
//   Good Marlo, thy pale gull adores the rudder;
//   ...
//
// What a reader has to notice to predict it well, from near to far:
//   - spelling: words, made-up words whose endings tell nouns from verbs, plurals, a or an
//   - the number of the subject in the verb, also across "of the gulls"; thou art, he is, they are
//   - the subject's possessive (his, her, their, thy) later in the line; the question mark that an
//     opening word promises
//   - a word that comes back ("Fie on the brollow, and fie on every brollow!"), also in the next
//     line; the second rhyme of a couplet
//   - the nouns of a place belong to it, so the nouns before tell those to come
//   - a player always says thou, or always you; players alternate; names have a gender
// A context of a few characters gives spelling only, so counts of n-grams stay well above the
// entropy rate, and a model with a short context stays a little above it.
#ifndef LEMMA_DATASETS_PLAYS_GRAMMAR_H_
#define LEMMA_DATASETS_PLAYS_GRAMMAR_H_

#include "datasets/grammar.h"

namespace lemma::datasets {

struct PlaysGrammar {
  Grammar grammar;
  int scene = 0;  // the start symbol
};

PlaysGrammar BuildPlaysGrammar();

}  // namespace lemma::datasets

#endif  // LEMMA_DATASETS_PLAYS_GRAMMAR_H_
