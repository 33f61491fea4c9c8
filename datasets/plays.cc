#include "datasets/plays.h"

#include <cmath>
#include <numeric>
#include <vector>

#include "absl/status/statusor.h"
#include "autograd/error.h"
#include "autograd/random.h"
#include "datasets/grammar.h"
#include "datasets/plays_grammar.h"
#include "datasets/split.h"

namespace lemma::datasets {

Plays MakePlays(uint64_t seed, int64_t length) {
  LEMMA_CHECK(length >= 2, length);
  const PlaysGrammar source = BuildPlaysGrammar();
  const absl::StatusOr<Grammar::Expectation> expected = source.grammar.Expect(source.scene);
  LEMMA_CHECK(expected.ok(), expected.status().ToString());

  Plays plays;
  Generator generator(seed);
  std::vector<float> nats;
  plays.text = source.grammar.Generate(source.scene, length, generator, &nats);
  plays.nats_per_character = expected->nats_per_character;
  plays.standard_deviation = std::sqrt(expected->variance_per_character / length);
  const int64_t train = TrainCharacters(length);
  const auto split = nats.begin() + train;
  plays.train_nats_per_character = std::accumulate(nats.begin(), split, 0.0) / train;
  plays.val_nats_per_character = std::accumulate(split, nats.end(), 0.0) / (length - train);
  return plays;
}

}  // namespace lemma::datasets
