// Limpet's own program, linked against slumbot2019's objects: puts every hand into a bucket by its strength and writes the files
// that slumbot2019's trainer and players read (buckets.* and num_buckets.*, for flop, turn and river).
//
// slumbot2019 has programs for this, but their roll-outs of a full deck take the better part of an hour on one core. This one takes
// minutes. River: wins minus losses against a random hand, in steps. Flop and turn: the mean of that over the cards to come, in
// steps, times its spread, in steps (what tells a draw from a middling made hand).
//
//   hands GAME_PARAMS NAME SCALE     e.g. hands holdem_params lm 1.0  (a larger scale: finer steps)

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "board_tree.h"
#include "cards.h"
#include "files.h"
#include "game.h"
#include "game_params.h"
#include "params.h"
#include "strength.h"

static const int kCards = 52, kRiverHands = 1081, kMost = 990, kBlocked = 32000;
// Wins minus losses against every other hand, for each pair of cards (hi * 52 + lo), on a board of five.
static void WinsMinusLosses(const Card *board, short *values) {
  static uint32_t keys[kRiverHands], other[kRiverHands];
  static uint16_t pairs[kRiverHands], other_pairs[kRiverHands];
  int suits[4] = {0, 0, 0, 0}, counts[4] = {0, 0, 0, 0};
  uint64_t taken = 0;
  for (int i = 0; i < 5; ++i) { Add(board[i], suits, counts); taken |= 1ULL << board[i]; }
  int n = 0;
  for (int hi = 1; hi < kCards; ++hi) {
    if (taken >> hi & 1) continue;
    int suits1[4], counts1[4];
    for (int i = 0; i < 4; ++i) { suits1[i] = suits[i]; counts1[i] = counts[i]; }
    Add(hi, suits1, counts1);
    for (int lo = 0; lo < hi; ++lo) {
      if (taken >> lo & 1) continue;
      int suits2[4], counts2[4];
      for (int i = 0; i < 4; ++i) { suits2[i] = suits1[i]; counts2[i] = counts1[i]; }
      Add(lo, suits2, counts2);
      keys[n] = Strength(suits2, counts2);
      pairs[n++] = hi * kCards + lo;
    }
  }
  for (int shift = 0; shift < 24; shift += 8) {   // radix sort by strength
    int start[257] = {0};
    for (int i = 0; i < n; ++i) ++start[(keys[i] >> shift & 255) + 1];
    for (int b = 0; b < 256; ++b) start[b + 1] += start[b];
    for (int i = 0; i < n; ++i) {
      int at = start[keys[i] >> shift & 255]++;
      other[at] = keys[i];
      other_pairs[at] = pairs[i];
    }
    for (int i = 0; i < n; ++i) { keys[i] = other[i]; pairs[i] = other_pairs[i]; }
  }
  int below[kCards] = {0};   // hands already passed that hold this card
  for (int begin = 0, end; begin < n; begin = end) {
    for (end = begin; end < n && keys[end] == keys[begin]; ++end) {
      int hi = pairs[end] / kCards, lo = pairs[end] % kCards;
      values[pairs[end]] = begin - below[hi] - below[lo];
    }
    for (int i = begin; i < end; ++i) { ++below[pairs[i] / kCards]; ++below[pairs[i] % kCards]; }
    for (int i = begin; i < end; ++i) {   // 46 hands hold a given card that is not on the board
      int hi = pairs[i] / kCards, lo = pairs[i] % kCards;
      values[pairs[i]] -= (n - end) - (46 - below[hi]) - (46 - below[lo]);
    }
  }
}

class Output {
public:
  Output(const char *name, int street) {
    for (int i = 0; i < 2; ++i) {
      char buf[500];
      sprintf(buf, "%s/%s.%s.13.4.3.%s.%i", Files::StaticBase(), i ? "num_buckets" : "buckets", Game::GameName().c_str(), name, street);
      file_[i] = fopen(buf, "wb");
      if (!file_[i]) { perror(buf); exit(1); }
    }
  }
  void Hands(const std::vector<uint16_t> &hands) { fwrite(hands.data(), 2, hands.size(), file_[0]); }
  void Close(int buckets) {
    fwrite(&buckets, 4, 1, file_[1]);
    fclose(file_[0]);
    fclose(file_[1]);
  }
private:
  FILE *file_[2];
};

// The cards to come, summed up for every pair of cards of one board of the flop or the turn.
class Outlook {
public:
  Outlook() : sum_(kCards * kCards), squares_(kCards * kCards), seen_(kCards * kCards) {}
  void Add(const Card *board, const short *values) {
    uint64_t taken = 0;
    for (int i = 0; i < 5; ++i) taken |= 1ULL << board[i];
    for (int hi = 1; hi < kCards; ++hi) {
      if (taken >> hi & 1) continue;
      for (int lo = 0; lo < hi; ++lo) {
        if (taken >> lo & 1) continue;
        int pair = hi * kCards + lo;
        double value = values[pair] / (double)kMost;
        sum_[pair] += value;
        squares_[pair] += value * value;
        ++seen_[pair];
      }
    }
  }
  int Bucket(int pair, int means, int spreads) const {
    double mean = sum_[pair] / seen_[pair];
    double spread = std::sqrt(std::max(0.0, squares_[pair] / seen_[pair] - mean * mean));
    int m = std::min(means - 1, (int)((mean + 1) / 2 * means));
    int s = std::min(spreads - 1, (int)(spread / 0.7 * spreads));
    return m * spreads + s;
  }
private:
  std::vector<double> sum_, squares_;
  std::vector<int> seen_;
};

static std::vector<uint16_t> Buckets(const Card *board, int cards, const Outlook &outlook, int means, int spreads) {
  uint64_t taken = 0;
  for (int i = 0; i < cards; ++i) taken |= 1ULL << board[i];
  std::vector<uint16_t> hands;
  for (int hi = 1; hi < kCards; ++hi) {
    if (taken >> hi & 1) continue;
    for (int lo = 0; lo < hi; ++lo) {
      if (!(taken >> lo & 1)) hands.push_back(outlook.Bucket(hi * kCards + lo, means, spreads));
    }
  }
  return hands;
}

int main(int argc, char *argv[]) {
  if (argc != 4) { fprintf(stderr, "USAGE: %s GAME_PARAMS NAME SCALE\n", argv[0]); return 1; }
  Files::Init();
  std::unique_ptr<Params> params = CreateGameParams();
  params->ReadFromFile(argv[1]);
  Game::Initialize(*params);
  double scale = atof(argv[3]);
  int means = 40 * scale, spreads = 8, rivers = 180 * scale;
  FillTables();
  BoardTree::Create();
  std::vector<short> values(kCards * kCards);
  Card board[5];

  Output flop(argv[2], 1);
  for (int bd = 0; bd < BoardTree::NumBoards(1); ++bd) {
    for (int i = 0; i < 3; ++i) board[i] = BoardTree::Board(1, bd)[i];
    Outlook outlook;
    for (board[3] = 1; board[3] < kCards; ++board[3]) {
      if (InCards(board[3], board, 3)) continue;
      for (board[4] = 0; board[4] < board[3]; ++board[4]) {
        if (InCards(board[4], board, 3)) continue;
        WinsMinusLosses(board, values.data());
        outlook.Add(board, values.data());
      }
    }
    flop.Hands(Buckets(board, 3, outlook, means, spreads));
  }
  flop.Close(means * spreads);
  fprintf(stderr, "flop done\n");

  // One pass over the turn's boards does the river too: a river board that stands for its likes is one of the turn board's 48.
  Output turn(argv[2], 2), river(argv[2], 3);
  std::vector<uint16_t> hands(kRiverHands);
  for (int bd = 0; bd < BoardTree::NumBoards(2); ++bd) {
    if (bd % 5000 == 0) fprintf(stderr, "turn board %i of %i\n", bd, BoardTree::NumBoards(2));
    uint64_t taken = 0;
    for (int i = 0; i < 4; ++i) { board[i] = BoardTree::Board(2, bd)[i]; taken |= 1ULL << board[i]; }
    Outlook outlook;
    std::vector<std::vector<uint16_t>> by_card(kCards);
    for (int c = 0; c < kCards; ++c) {
      if (taken >> c & 1) continue;
      board[4] = c;
      WinsMinusLosses(board, values.data());
      outlook.Add(board, values.data());
      int n = 0;
      for (int hi = 1; hi < kCards; ++hi) {
        if ((taken >> hi & 1) || hi == c) continue;
        for (int lo = 0; lo < hi; ++lo) {
          if ((taken >> lo & 1) || lo == c) continue;
          hands[n++] = (values[hi * kCards + lo] + kMost) * rivers / (2 * kMost + 1);
        }
      }
      by_card[c] = hands;
    }
    turn.Hands(Buckets(board, 4, outlook, means, spreads));
    for (int rb = BoardTree::SuccBoardBegin(2, bd, 3); rb < BoardTree::SuccBoardEnd(2, bd, 3); ++rb) {
      river.Hands(by_card[BoardTree::Board(3, rb)[4]]);
    }
  }
  turn.Close(means * spreads);
  river.Close(rivers);
  return 0;
}
