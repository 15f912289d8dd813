// Limpet's own cards for open-pure-cfr, which comes with two card abstractions only: every hand by itself (for toy games), and one that
// does not look at its cards at all. This file implements the classes that its card_abstraction.hpp declares and is linked in place
// of its card_abstraction.o; what it calls BLIND then looks at its cards:
//
//   before the flop   the 169 starting hands
//   flop and turn     the share of all other hands that are behind now, in 20 steps, and what the hand draws to: nothing, a straight, a
//                     flush, both
//   river             the share of all other hands that are behind, in 60 steps
//
// The share is counted over one in five of the other hands, always the same ones, so that training spends its time on training.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

#include "card_abstraction.hpp"
#include "strength.h"

static const int kSteps = 20, kRiverSteps = 60, kDraws = 4, kDeck = 52;
static const int kEvery = 5;   // one in five of the other hands is compared with: five times as many iterations
static const int kBuckets[4] = {169, kSteps * kDraws, kSteps * kDraws, kRiverSteps};

struct Cards {
  int suits[4] = {0, 0, 0, 0}, counts[4] = {0, 0, 0, 0};
  void Take(int card) { Add(card, suits, counts); }
};

static int StartingHand(const uint8_t *hole) {
  int a = rankOfCard(hole[0]), b = rankOfCard(hole[1]);
  int high = std::max(a, b), low = std::min(a, b);
  int pair = high * (high + 1) / 2 + low;   // 91 pairs of ranks; then the 78 suited ones
  return suitOfCard(hole[0]) == suitOfCard(hole[1]) ? 91 + high * (high - 1) / 2 + low : pair;
}

// One card short of a straight (1), of a flush (2), or of both (3), with the hand's help.
static int Draws(const Cards &all, const Cards &board) {
  int draws = 0;
  for (int s = 0; s < 4; ++s) {
    if (__builtin_popcount(all.suits[s]) == 4 && __builtin_popcount(board.suits[s]) < 4) draws |= 2;
  }
  int ways = 0, board_ways = 0;   // ranks that would make a straight
  for (int r = 0; r < 13; ++r) {
    ways += g_straight[all.counts[0] | 1 << r] >= 0;
    board_ways += g_straight[board.counts[0] | 1 << r] >= 0;
  }
  if (g_straight[all.counts[0]] < 0 && ways > board_ways) draws |= 1;
  return draws;
}

static void Buckets(const uint8_t *board, int round, const uint8_t (*holes)[MAX_HOLE_CARDS], int players, int *buckets) {
  if (round == 0) {
    for (int p = 0; p < players; ++p) buckets[p] = StartingHand(holes[p]);
    return;
  }
  Cards shown, hands[MAX_PURE_CFR_PLAYERS];
  uint64_t taken = 0;
  for (int i = 0; i < round + 2; ++i) { shown.Take(board[i]); taken |= 1ULL << board[i]; }
  int own[MAX_PURE_CFR_PLAYERS], ahead[MAX_PURE_CFR_PLAYERS] = {0}, seen[MAX_PURE_CFR_PLAYERS] = {0};
  for (int p = 0; p < players; ++p) {
    hands[p] = shown;
    for (int i = 0; i < 2; ++i) hands[p].Take(holes[p][i]);
    own[p] = Strength(hands[p].suits, hands[p].counts);
  }
  for (int high = 1; high < kDeck; ++high) {
    if (taken >> high & 1) continue;
    Cards one = shown;
    one.Take(high);
    for (int low = high % kEvery; low < high; low += kEvery) {
      if (taken >> low & 1) continue;
      Cards two = one;
      two.Take(low);
      int other = Strength(two.suits, two.counts);
      for (int p = 0; p < players; ++p) {
        uint64_t mine = 1ULL << holes[p][0] | 1ULL << holes[p][1];
        if ((mine >> high | mine >> low) & 1) continue;
        ahead[p] += 2 * (own[p] > other) + (own[p] == other);
        seen[p] += 2;
      }
    }
  }
  for (int p = 0; p < players; ++p) {
    int steps = round == 3 ? kRiverSteps : kSteps;
    int step = std::min(steps - 1, ahead[p] * steps / seen[p]);
    buckets[p] = round == 3 ? step : step * kDraws + Draws(hands[p], shown);
  }
}

CardAbstraction::CardAbstraction() {}
CardAbstraction::~CardAbstraction() {}
void CardAbstraction::precompute_buckets(const Game *, hand_t &) const { abort(); }

// Not usable in this build: a hand by itself is for toy games, which open-pure-cfr's own build plays.
NullCardAbstraction::NullCardAbstraction(const Game *) : deck_size(0) {
  fprintf(stderr, "this build plays BLIND only, which looks at its cards\n");
  exit(1);
}
NullCardAbstraction::~NullCardAbstraction() {}
int NullCardAbstraction::num_buckets(const Game *, const BettingNode *) const { abort(); }
int NullCardAbstraction::num_buckets(const Game *, const State &) const { abort(); }
int NullCardAbstraction::get_bucket(const Game *, const BettingNode *, const uint8_t *, const uint8_t (*)[MAX_HOLE_CARDS]) const {
  abort();
}
void NullCardAbstraction::precompute_buckets(const Game *, hand_t &) const { abort(); }
int NullCardAbstraction::get_bucket_internal(const Game *, const uint8_t *, const uint8_t (*)[MAX_HOLE_CARDS], int, int) const {
  abort();
}

BlindCardAbstraction::BlindCardAbstraction() { FillTables(); }
BlindCardAbstraction::~BlindCardAbstraction() {}
int BlindCardAbstraction::num_buckets(const Game *, const BettingNode *node) const { return kBuckets[node->get_round()]; }
int BlindCardAbstraction::num_buckets(const Game *, const State &state) const { return kBuckets[state.round]; }

int BlindCardAbstraction::get_bucket(const Game *, const BettingNode *node, const uint8_t *board,
                                     const uint8_t (*holes)[MAX_HOLE_CARDS]) const {
  int bucket;
  Buckets(board, node->get_round(), holes + node->get_player(), 1, &bucket);
  return bucket;
}

void BlindCardAbstraction::precompute_buckets(const Game *game, hand_t &hand) const {
  int buckets[MAX_PURE_CFR_PLAYERS];
  for (int round = 0; round < game->numRounds; ++round) {
    Buckets(hand.board_cards, round, hand.hole_cards, game->numPlayers, buckets);
    for (int p = 0; p < game->numPlayers; ++p) hand.precomputed_buckets[p][round] = buckets[p];
  }
}
