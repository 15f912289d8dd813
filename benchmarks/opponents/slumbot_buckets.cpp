// Limpet's own program, linked against slumbot2019's objects: says which bucket each hand is in on a board. slumbot_seat.py asks it.
//
//   buckets GAME_PARAMS NAME     with the files that `hands GAME_PARAMS NAME` wrote
//
// Prints a line "ready", then answers each line of board cards (numbers, rank * 4 + suit; an empty line before the flop) on standard
// input with the buckets of all 1,326 hands, 16 bits each: that of the cards i < j at place i + j * (j - 1) / 2, -1 where the board has
// one of them.

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <memory>

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

int main(int argc, char *argv[]) {
  if (argc != 3) { fprintf(stderr, "USAGE: %s GAME_PARAMS NAME\n", argv[0]); return 1; }
  Files::Init();
  std::unique_ptr<Params> params = CreateGameParams();
  params->ReadFromFile(argv[1]);
  Game::Initialize(*params);
  BoardTree::Create();
  BoardTree::CreateLookup();
  const uint16_t *buckets[4];
  for (int street = 0; street < 4; ++street) buckets[street] = Mapped(argv[2], street);
  printf("ready\n");
  fflush(stdout);

  char line[200];
  while (fgets(line, sizeof line, stdin)) {
    int board[5];
    int cards = std::max(0, sscanf(line, "%d %d %d %d %d", board, board + 1, board + 2, board + 3, board + 4));
    int street = cards ? cards - 2 : 0;
    uint64_t taken = 0;
    for (int i = 0; i < cards; ++i) taken |= 1ULL << board[i];
    std::sort(board, board + std::min(cards, 3), std::greater<int>());   // its indices want the flop with the high card first
    Card raw[5], canonical_board[5], canonical[7];
    for (int i = 0; i < cards; ++i) raw[i] = board[i];
    int16_t answers[1326], *answer = answers;
    for (int high = 1; high < 52; ++high) {
      for (int low = 0; low < high; ++low, ++answer) {
        *answer = -1;
        if ((taken >> high | taken >> low) & 1) continue;
        Card hole[2] = {(Card)high, (Card)low};
        CanonicalizeCards(raw, hole, street, canonical_board, canonical);
        for (int i = 0; i < cards; ++i) canonical[i + 2] = canonical_board[i];
        unsigned int bd = street ? BoardTree::LookupBoard(canonical_board, street) : 0;
        *answer = buckets[street][bd * (unsigned int)Game::NumHoleCardPairs(street) + HCPIndex(street, canonical)];
      }
    }
    fwrite(answers, sizeof answers, 1, stdout);
    fflush(stdout);
  }
  return 0;
}
