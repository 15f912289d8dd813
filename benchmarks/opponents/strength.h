// The strength of five to seven cards of a hold'em deck as a number. Cards are rank * 4 + suit, ranks from 0 for the deuce.
// Limpet's own code; used by the programs here that are linked against other people's poker programs.

#ifndef LIMPET_OPPONENTS_STRENGTH_H_
#define LIMPET_OPPONENTS_STRENGTH_H_

static int g_straight[8192];   // the top rank of a straight in a set of ranks, or -1
static int g_top[8192][6];     // the top n ranks of a set, packed four bits each

static void FillTables(void) {
  for (int set = 0; set < 8192; ++set) {
    g_straight[set] = -1;
    int wheel = (set << 1) | (set >> 12);   // bit 0 is the ace below the deuce
    for (int top = 3; top < 13; ++top) {
      if (((wheel >> (top - 3)) & 31) == 31) g_straight[set] = top;
    }
    for (int n = 0; n <= 5; ++n) {
      int packed = 0, left = n;
      for (int r = 12; r >= 0 && left > 0; --r) {
        if (set >> r & 1) { packed = packed << 4 | r; --left; }
      }
      g_top[set][n] = packed;
    }
  }
}

// The strength of the cards that were added: better hands have larger numbers.
static int Strength(const int *suits, const int *counts) {
  for (int s = 0; s < 4; ++s) {
    if (__builtin_popcount(suits[s]) < 5) continue;
    int high = g_straight[suits[s]];
    return high >= 0 ? (8 << 20 | high) : (5 << 20 | g_top[suits[s]][5]);
  }
  int all = counts[0], pairs = counts[1], trips = counts[2], quads = counts[3];   // ranks held at least once, twice, ...
  if (quads) {
    int r = 31 - __builtin_clz(quads);
    return 7 << 20 | r << 4 | g_top[all & ~(1 << r)][1];
  }
  if (trips) {
    int r = 31 - __builtin_clz(trips);
    int rest = pairs & ~(1 << r);
    if (rest) return 6 << 20 | r << 4 | (31 - __builtin_clz(rest));
    if (g_straight[all] >= 0) return 4 << 20 | g_straight[all];
    return 3 << 20 | r << 8 | g_top[all & ~(1 << r)][2];
  }
  if (g_straight[all] >= 0) return 4 << 20 | g_straight[all];
  if (pairs) {
    int r = 31 - __builtin_clz(pairs), rest = pairs & ~(1 << r);
    if (!rest) return 1 << 20 | r << 12 | g_top[all & ~(1 << r)][3];
    int r2 = 31 - __builtin_clz(rest);
    return 2 << 20 | r << 8 | r2 << 4 | g_top[all & ~(1 << r) & ~(1 << r2)][1];
  }
  return g_top[all][5];
}

static inline void Add(int card, int *suits, int *counts) {
  int bit = 1 << (card >> 2);
  suits[card & 3] |= bit;
  if (counts[2] & bit) counts[3] |= bit;
  if (counts[1] & bit) counts[2] |= bit;
  if (counts[0] & bit) counts[1] |= bit;
  counts[0] |= bit;
}

#endif
