// Limpet's own program, linked against slumbot2019's objects: says which bucket each hand is in on a board. slumbot_seat.py asks it.
//
//   buckets GAME_PARAMS NAME     with the files that `hands GAME_PARAMS NAME` wrote
//
// Prints a line "ready", then answers each line of board cards (numbers, rank * 4 + suit; an empty line before the flop) on standard
// input with the buckets of all 1,326 hands, 16 bits each: that of the cards i < j at place i + j * (j - 1) / 2, -1 where the board has
// one of them. A line "hands CARDS COUNT" is followed by COUNT times the bytes of CARDS board cards and two of a hand; the answer is
// the bucket of each.

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "board_tree.h"
#include "canonical.h"
#include "cards.h"
#include "files.h"
#include "game.h"
#include "game_params.h"
#include "hand_tree.h"
#include "params.h"

static const uint16_t *Mapped(const char *name, int street) {
  char path[500];
  sprintf(path, "%s/buckets.%s.13.4.3.%s.%i", Files::StaticBase(), Game::GameName().c_str(), street ? name : "null", street);
  int file = open(path, O_RDONLY);
  struct stat about;
  if (file < 0 || fstat(file, &about)) { perror(path); exit(1); }
  void *at = mmap(nullptr, about.st_size, PROT_READ, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) { perror(path); exit(1); }
  return (const uint16_t *)at;
}

static const uint16_t *buckets[4];

// The bucket of the hand high > low on a board, whose first three cards come with the high card first, as its indices want them.
static int16_t Bucket(const Card *board, int cards, Card high, Card low) {
  int street = cards ? cards - 2 : 0;
  Card hole[2] = {high, low}, canonical_board[5], canonical[7];
  CanonicalizeCards(board, hole, street, canonical_board, canonical);
  for (int i = 0; i < cards; ++i) canonical[i + 2] = canonical_board[i];
  unsigned int bd = street ? BoardTree::LookupBoard(canonical_board, street) : 0;
  return buckets[street][bd * (unsigned int)Game::NumHoleCardPairs(street) + HCPIndex(street, canonical)];
}

int main(int argc, char *argv[]) {
  if (argc != 3) { fprintf(stderr, "USAGE: %s GAME_PARAMS NAME\n", argv[0]); return 1; }
  Files::Init();
  std::unique_ptr<Params> params = CreateGameParams();
  params->ReadFromFile(argv[1]);
  Game::Initialize(*params);
  BoardTree::Create();
  BoardTree::CreateLookup();
  for (int street = 0; street < 4; ++street) buckets[street] = Mapped(argv[2], street);
  printf("ready\n");
  fflush(stdout);

  char line[200];
  while (fgets(line, sizeof line, stdin)) {
    int cards, count;
    if (sscanf(line, "hands %d %d", &cards, &count) == 2) {
      std::vector<int8_t> asked(count * (cards + 2));
      if (fread(asked.data(), cards + 2, count, stdin) != (size_t)count) return 1;
      std::vector<int16_t> answers(count);
      for (int n = 0; n < count; ++n) {
        Card board[5];
        const int8_t *row = &asked[n * (cards + 2)];
        std::copy(row, row + cards, board);
        std::sort(board, board + std::min(cards, 3), std::greater<Card>());
        answers[n] = Bucket(board, cards, std::max(row[cards], row[cards + 1]), std::min(row[cards], row[cards + 1]));
      }
      fwrite(answers.data(), 2, count, stdout);
      fflush(stdout);
      continue;
    }
    int numbers[5];
    cards = std::max(0, sscanf(line, "%d %d %d %d %d", numbers, numbers + 1, numbers + 2, numbers + 3, numbers + 4));
    uint64_t taken = 0;
    Card board[5];
    for (int i = 0; i < cards; ++i) taken |= 1ULL << numbers[i], board[i] = numbers[i];
    std::sort(board, board + std::min(cards, 3), std::greater<Card>());
    int16_t answers[1326], *answer = answers;
    for (int high = 1; high < 52; ++high) {
      for (int low = 0; low < high; ++low, ++answer) {
        *answer = (taken >> high | taken >> low) & 1 ? -1 : Bucket(board, cards, high, low);
      }
    }
    fwrite(answers, sizeof answers, 1, stdout);
    fflush(stdout);
  }
  return 0;
}
