// "plays": a corpus that this library makes itself, for training without a download.
//
//   const Plays plays = MakePlays(kPlaysSeed);
//   plays.text                 // 1,115,394 characters over the course's 65, as tiny Shakespeare
//   has plays.nats_per_character   // what no model can beat on average: the entropy rate
//
// The text is the first characters of an endless series of scenes drawn from plays_grammar.h. Its
// entropy is known exactly, so a training run can show how far the model is from the optimum:
//   - `nats_per_character` is a property of the source: the expected -ln p per character of the
//     endless text (grammar.h says how it is computed). For the text of a seed the mean differs
//     from it by chance, with a standard deviation of `standard_deviation`.
//   - `train_nats_per_character` and `val_nats_per_character` are -ln p of the two parts themselves
//     under the source, per character: the loss there of a reader who knows the grammar and all of
//     the text before. No luck of the draw is left in these; compare a validation loss with the
//     latter.
//
// The text stops at its length, which may be in the middle of a word. What is cut off is not
// counted: each choice counts at the character where the word starts that reveals it, so a part is
// charged for at most one word too much at its end (some 20 nats, 0.0002 a character of the
// validation part), and at its start may be spared as much.
//
// A model that sees only the last T characters cannot know all that came before, so its optimum is
// above these numbers, by little when T is some lines: it misses names and the place of the scene.
#ifndef LEMMA_DATASETS_PLAYS_H_
#define LEMMA_DATASETS_PLAYS_H_

#include <cstdint>
#include <string>

namespace lemma::datasets {

inline constexpr uint64_t kPlaysSeed = 1;
inline constexpr int64_t kPlaysCharacters = 1115394;

struct Plays {
  std::string text;
  double nats_per_character = 0;
  double standard_deviation = 0;
  double train_nats_per_character = 0;  // of the first int(0.9 * length) characters
  double val_nats_per_character = 0;    // of the others
};

// The same seed gives the same text on every machine. At the full length each of the 65 characters
// occurs: the rarest, $, is expected more than 100 times. Needs length >= 2.
Plays MakePlays(uint64_t seed, int64_t length = kPlaysCharacters);

}  // namespace lemma::datasets

#endif  // LEMMA_DATASETS_PLAYS_H_
