// Limpet's own program, linked against slumbot2019's objects: says which bucket a hand is in. slumbot_seat.py asks it.
//
//   buckets GAME_PARAMS NAME     with the files that `hands GAME_PARAMS NAME` wrote
//
// Prints "ready", then answers each line `STREET CARD CARD BOARD...` on standard input (cards are numbers: rank * 4 + suit) with the
// bucket's number.

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
    int street, c[7] = {0};
    int read = sscanf(line, "%d %d %d %d %d %d %d %d", &street, c, c + 1, c + 2, c + 3, c + 4, c + 5, c + 6) - 1;
    if (street < 0 || street > 3 || read != 2 + Game::NumBoardCards(street)) {
      printf("what?\n");
    } else {
      std::sort(c, c + 2, std::greater<int>());   // its indices want the hand and the flop with the high card first
      std::sort(c + 2, c + std::min(read, 5), std::greater<int>());
      Card hole[2] = {(Card)c[0], (Card)c[1]}, board[5], canonical_board[5], canonical[7];
      for (int i = 2; i < read; ++i) board[i - 2] = c[i];
      CanonicalizeCards(board, hole, street, canonical_board, canonical);
      for (int i = 2; i < read; ++i) canonical[i] = canonical_board[i - 2];
      unsigned int bd = street ? BoardTree::LookupBoard(canonical_board, street) : 0;
      printf("%d\n", buckets[street][bd * (unsigned int)Game::NumHoleCardPairs(street) + HCPIndex(street, canonical)]);
    }
    fflush(stdout);
  }
  return 0;
}
