/* A player of tournaments in C that shares no code with Limpet: it connects for every hand, and jams with an ace or a pair.
 *
 *     guest GAME PORT
 *
 * GAME is the file of the hand's definition. The program plays at 127.0.0.1, and ends once the file says that no hand follows.
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SEATS 10
#define OVER "# tournaments over"

typedef struct {
    int players, stack[SEATS], blind[SEATS], first[SEATS];
} Game;

static int numbers(const char *text, int *into) {
    int count = 0, used;
    while (count < SEATS && sscanf(text, "%d%n", &into[count], &used) == 1) {
        text += used;
        count++;
    }
    return count;
}

/* Read the definition, and return whether a hand may follow. */
static int read_game(const char *path, Game *game) {
    char line[4096];
    FILE *file = fopen(path, "r");
    if (!file) return 1;
    int follows = 1;
    while (fgets(line, sizeof line, file)) {
        char *values = strchr(line, '=');
        if (!strncmp(line, OVER, strlen(OVER))) follows = 0;
        if (!values) continue;
        if (!strncmp(line, "stack", 5)) game->players = numbers(values + 1, game->stack);
        if (!strncmp(line, "blind", 5)) numbers(values + 1, game->blind);
        if (!strncmp(line, "firstPlayer", 11)) numbers(values + 1, game->first);
    }
    fclose(file);
    return follows;
}

/* Return the next position from `turn` on that can act, -1 if none can. */
static int able(const Game *game, const int *spent, const int *folded, int turn) {
    for (int step = 0; step < game->players; step++) {
        int p = (turn + step) % game->players;
        if (!folded[p] && spent[p] < game->stack[p]) return p;
    }
    return -1;
}

/* Return the position to act, -1 if all but one have folded. */
static int actor(const Game *game, const char *betting) {
    int spent[SEATS], folded[SEATS] = {0}, out = 0, street = 0;
    memcpy(spent, game->blind, sizeof spent);
    int turn = able(game, spent, folded, game->first[0] - 1);
    for (const char *at = betting; *at && turn >= 0; at++) {
        if (*at == '/') {
            turn = able(game, spent, folded, game->first[++street] - 1);
            continue;
        }
        if (*at == 'f') {
            folded[turn] = 1;
            if (++out == game->players - 1) return -1;
        } else if (*at == 'r') {
            spent[turn] = (int)strtol(at + 1, (char **)&at, 10);
            at--;
        } else {
            int most = 0;
            for (int p = 0; p < game->players; p++) most = spent[p] > most ? spent[p] : most;
            spent[turn] = most < game->stack[turn] ? most : game->stack[turn];
        }
        turn = able(game, spent, folded, turn + 1);
    }
    return turn;
}

/* Answer a state if it is this player's turn. */
static void answer(FILE *dealer, const Game *game, char *state) {
    char betting[4096] = "", cards[1024] = "", *hole = cards;
    int position, hand, shown = 0;
    if (sscanf(state, "MATCHSTATE:%d:%d:%4095[^:]:%1023s", &position, &hand, betting, cards) != 4) {
        betting[0] = 0; /* nobody has acted */
        if (sscanf(state, "MATCHSTATE:%d:%d::%1023s", &position, &hand, cards) != 3) return;
    }
    cards[strcspn(cards, "/")] = 0;
    for (char *c = cards; *c; c++) shown += *c != '|' && (c == cards || c[-1] == '|');
    if (shown > 1 || actor(game, betting) != position) return;
    for (int p = 0; p < position; p++) hole = strchr(hole, '|') + 1;
    int good = hole[0] == 'A' || hole[2] == 'A' || hole[0] == hole[2];
    if (good && !strchr(betting, 'r'))
        fprintf(dealer, "%s:r%d\r\n", state, game->stack[position]);
    else
        fprintf(dealer, "%s:c\r\n", state);
    fflush(dealer);
}

/* Play the hand that is dealt on the port, and return whether one was. */
static int play(const char *path, int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int socket_ = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(socket_, (struct sockaddr *)&address, sizeof address)) {
        close(socket_);
        return 0;
    }
    FILE *from = fdopen(socket_, "r"), *to = fdopen(dup(socket_), "w");
    Game game = {0};
    char line[8192];
    fprintf(to, "VERSION:2.0.0\r\n");
    fflush(to);
    read_game(path, &game);
    while (fgets(line, sizeof line, from)) {
        line[strcspn(line, "\r\n")] = 0;
        answer(to, &game, line);
    }
    fclose(from);
    fclose(to);
    return 1;
}

int main(int count, char **words) {
    Game game = {0};
    struct timespec moment = {0, 20000000};
    if (count != 3) {
        fprintf(stderr, "guest GAME PORT\n");
        return 2;
    }
    while (read_game(words[1], &game))
        if (!play(words[1], atoi(words[2]))) nanosleep(&moment, NULL);
    return 0;
}
