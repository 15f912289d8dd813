"""Games with draws: the numbers of Tarasiewicz's thesis (2018), and what holds in any such game."""

import random
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limpet.configs.loading import load_game
from limpet.protocol.cards import cards_text, parse_cards
from limpet.protocol.draws import Hands, all_cards, hand_after, sections_of, visible_draws
from limpet.protocol.errors import GameDefError, IllegalAction, ProtocolError
from limpet.protocol.gamedef import BET, DRAW, Betting, GameDef
from limpet.protocol.matchlog import HandRecord, read_entry
from limpet.protocol.messages import MatchState, parse_match_state, read_action, read_match_state, visible_holes
from limpet.protocol.settlement import settle
from limpet.protocol.state import CALL, FOLD, PAT, Action, State, discard, raise_to
from tests.protocol.walks import Pick

DRAW5 = load_game("draw5-pl-hu")
TRIPLE = load_game("draw-triple")
GAMES = {name: load_game(name) for name in ("draw5-pl-hu", "draw5-tiny", "draw-triple")}


def thesis_line(text: str) -> State:
    """Return the state after a history of the thesis without its first letter, the blind: ``ppc(01)cprp``."""
    state = State.start(DRAW5)
    for letter in text:
        if letter in "()":
            continue
        if letter.isdigit():
            state = state.apply(Action("d", int(letter)))
        elif letter in "pr":
            state = state.apply(raise_to(state.max_spent * (3 if letter == "p" else 2)))
        else:
            state = state.apply(CALL if letter == "c" else FOLD)
    return state


def all_states(root: State) -> list[State]:
    """Return every state of one round's betting, from its first on, and the first states of the next phase."""
    states, found = [root], []
    while states:
        state = states.pop()
        found.append(state)
        if state.finished or state.round != root.round or state.phase is not root.phase:
            continue
        sizes = state.raise_sizes() or ()
        states += [state.apply(action) for action in ([FOLD] if state.can_fold else [])]
        states += [state.apply(CALL), *(state.apply(raise_to(size)) for size in sizes)]
    return found


def test_2_1_the_hand_of_the_thesis_wins_108_big_blinds() -> None:
    sb, bb = parse_cards("AcQcTcJc2h"), parse_cards("KcKhTsTh7s")
    hands, state = Hands((bb, sb), parse_cards("Td8c")), State.start(DRAW5)
    pots = []
    for text in ("r300", "r900", "c", "d7s", "d2h", "r2700", "r5400", "r10800", "c"):
        action, end = read_action(text, 0, DRAW5)
        assert end == len(text) and state.is_legal(action)
        hands, state = hands.after(state, action), state.apply(action)
        if action.kind != "d":
            pots.append(state.pot // 100)
    assert pots == [4, 12, 18, 36, 81, 162, 216]
    assert state.betting == "r300r900c/d1d1/r2700r5400r10800c"
    assert hands.now == (parse_cards("KcKhTsThTd"), parse_cards("AcQcTcJc8c"))
    assert settle(state, hands.now) == (10800, -10800)
    line = str(HandRecord(0, state, hands.dealt, (10800, -10800), ("BB", "SB"), hands.draws))
    assert line.split(":", 2)[2] == ("r300r900c/d1d1/r2700r5400r10800c:KcKhTsTh7s|AcQcTcJc2h/Td|8c:10800|-10800:BB|SB")


def test_2_3_after_pppc01cprp_the_big_blind_may_fold_or_call() -> None:
    state = thesis_line("ppc(01)cprp")
    assert state.actor == 0 and state.spent == (5400, 16200) and state.pot == 21600
    assert state.can_fold and state.raise_bounds() is None and state.is_legal(CALL)
    before = [after.parent for after in state.path() if after.action and after.action.kind == "r"]
    paid = [after.spent[after.parent.actor] - 900 for after in state.path() if after.parent in before and after.parent]
    assert paid[2:] == [1800, 4500, 15300]  # round 2: SB 18, BB 45, SB 153


def test_2_4_state_counts() -> None:
    """The thesis counts 6 folds in round 1 and 59 ends in round 2: one and two more, where nothing is to be called."""
    first = all_states(State.start(DRAW5))
    assert sum(not s.finished and s.phase is BET for s in first) == 6
    assert sum(s.finished for s in first) == 5
    draws = [s for s in first if s.phase is DRAW]
    assert len(draws) == 5
    second = all_states(draws[0].apply(PAT).apply(PAT))
    assert sum(not s.finished for s in second) == 30 and sum(s.finished for s in second) == 57
    # With folds against nothing, of the big blind after a limp, and of both players before a bet in round 2:
    assert sum(not s.can_fold for s in first if not s.finished and s.phase is BET) == 1
    assert sum(not s.can_fold for s in second if not s.finished) == 2


def test_2_largest_contributions_are_9_and_243_big_blinds() -> None:
    first = all_states(State.start(DRAW5))
    assert max(s.spent[0] for s in first if s.phase is DRAW) == 900
    deepest = thesis_line("ppc(00)")
    assert max(s.max_spent for s in all_states(deepest)) == 24_300


def test_2_1_pot_and_half_pot_are_3_and_2_times_the_other_contribution() -> None:
    for state in all_states(thesis_line("cc(00)")):
        sizes = state.raise_sizes()
        assert sizes is None or sizes == (2 * state.max_spent, 3 * state.max_spent)


def test_3_2_one_shuffle_fixes_all_replacements_in_the_order_of_the_draws() -> None:
    deck = list(DRAW5.deck)
    random.Random(3).shuffle(deck)
    holes, stub = (tuple(deck[:5]), tuple(deck[5:10])), tuple(deck[10:20])
    for counts in ((0, 5), (2, 3), (5, 5)):
        hands, state = Hands(holes, stub), thesis_line("cc")
        for position, count in enumerate(counts):
            assert state.actor == position
            action = discard(holes[position][:count])
            hands, state = hands.after(state, action), state.apply(action)
        assert hands.now[0] == (*stub[: counts[0]], *holes[0][counts[0] :])
        assert hands.now[1] == (*stub[counts[0] : sum(counts)], *holes[1][counts[1] :])


def test_a_draw_names_distinct_cards_of_the_own_hand() -> None:
    hands, state = (
        Hands((parse_cards("2c3c4c5c6c"), parse_cards("2d3d4d5d6d")), parse_cards("AsKsQsJsTs")),
        thesis_line("cc"),
    )
    for bad in (discard(parse_cards("2d")), discard(parse_cards("2c2c")), Action("d", 1)):
        with pytest.raises(IllegalAction):
            hands.after(state, bad)
    after = hands.after(state, discard(parse_cards("5c3c")))
    assert cards_text(after.now[0]) == "2cAs4cKs6c" and after.draws == ((parse_cards("As4cKs6c"), ()),)


def test_pot_limit_caps_a_raise_in_holdem_too() -> None:
    text = str(load_game("holdem.nolimit.2p.reverse_blinds")).replace("nolimit", "betting = potlimit")
    game = GameDef.parse(text)
    assert game.betting is Betting.POT_LIMIT and game.no_limit and GameDef.parse(str(game)) == game
    state = State.start(game)
    assert state.raise_bounds() == (200, 300) and state.fixed(raise_to(5000)) == raise_to(300)
    state = state.apply(raise_to(300))
    assert state.raise_bounds() == (500, 900) and not state.is_legal(raise_to(901))
    state = state.apply(CALL)
    assert state.betting == "r300c/" and state.raise_bounds() == (400, 900) and state.raise_sizes() is None


def test_a_raise_moves_to_the_nearest_fraction() -> None:
    state = thesis_line("cc(00)")
    assert [state.fixed(raise_to(size)).size for size in (0, 249, 250, 251, 9999)] == [200, 200, 200, 300, 300]
    with pytest.raises(IllegalAction, match="r200, r300"):
        state.apply(raise_to(250))


def test_a_stack_that_ends_below_a_fraction_is_all_in() -> None:
    game = GameDef.parse(str(DRAW5).replace("30000 30000", "1000 1000"))
    state = State.start(game)
    for action in (raise_to(300), raise_to(900), CALL, PAT, PAT):
        state = state.apply(action)
    assert state.raise_bounds() == (1000, 1000) and state.raise_sizes() == (1000,)
    assert state.apply(raise_to(1000)).apply(CALL).showdown


def test_players_who_are_all_in_draw() -> None:
    game = GameDef.parse(str(TRIPLE).replace("20000 20000", "200 200"))
    state = State.start(game).apply(Action("r")).apply(CALL)
    assert (state.betting, state.phase, state.actor) == ("rc/", DRAW, 0)
    for action in (Action("d", 1), PAT, PAT, PAT, Action("d", 5), PAT):
        assert state.to_call == 0 and not state.can_fold and state.raise_bounds() is None
        state = state.apply(action)
    assert state.showdown and state.betting == "rc/d1d0//d0d0//d5d0/" and state.round == 3


WRONG = {
    "numDraws = 1 1": "before the first round",
    "numDraws = 0 2": "not from 0 to 1",
    "numDraws = 0": "needs 2",
    "maxDiscard = 6": "not from 1 to 5",
    "numBoardCards = 0 3": "no board",
    "betting = potlinit": "write potlimit",
    "raiseFractions = 1 / 2": "at most the pot",
    "raiseFractions = 1 / half": "no fractions",
    "raiseFractions = 1 / 1 / 1": "3 lists for 2 rounds",
    "betting = limit\nraiseSize = 1 1": "one raise",
}


@pytest.mark.parametrize("line", WRONG)
def test_wrong_definitions_say_why(line: str) -> None:
    text = str(DRAW5).replace("END GAMEDEF", f"{line}\nEND GAMEDEF")
    with pytest.raises(GameDefError, match=WRONG[line]):
        GameDef.parse(text)


def test_five_hole_cards_need_one_of_the_new_keys() -> None:
    stock = str(load_game("holdem.nolimit.2p.reverse_blinds")).replace("numHoleCards = 2", "numHoleCards = 4")
    with pytest.raises(GameDefError, match="not from 1 to 3"):
        GameDef.parse(stock)
    assert GameDef.parse(stock.replace("nolimit", "betting = potlimit")).num_hole_cards == 4
    without = GameDef.parse(str(DRAW5).replace("numDraws = 0 1\nmaxDiscard = 5\n", ""))
    assert without.num_draws == () and State.start(without).apply(raise_to(300)).apply(CALL).phase is BET


def random_draw_game(pick: Pick) -> GameDef:
    """Return any game with draws: 2-4 players, 1-5 cards, each kind of betting, short and uneven stacks."""
    players, holes, rounds = pick(2, 4), pick(1, 5), pick(2, 4)
    draws = [0, *(pick(0, 1) for _ in range(rounds - 2)), 1]
    most = min(holes, (52 - holes * players) // (players * sum(draws)))
    if most < 1:
        players, holes, most = 2, 5, 5
    blind = [pick(0, 10) for _ in range(players)]
    kind = pick(0, 2)
    lines = [
        ("limit", "nolimit", "betting = potlimit")[kind],
        f"numPlayers = {players}",
        f"numRounds = {rounds}",
        "stack = " + " ".join(str(chips + pick(1, 200)) for chips in blind),
        "blind = " + " ".join(map(str, blind)),
        "raiseSize = " + " ".join(str(pick(1, 20)) for _ in range(rounds)),
        "firstPlayer = " + " ".join(str(pick(1, players)) for _ in range(rounds)),
        "maxRaises = " + " ".join(str(pick(0, 4)) for _ in range(rounds)),
        "numSuits = 4\nnumRanks = 13",
        f"numHoleCards = {holes}",
        "numBoardCards = " + "0 " * rounds,
        "numDraws = " + " ".join(map(str, draws)),
        f"maxDiscard = {min(most, pick(1, holes))}",
    ]
    if kind and pick(0, 1):
        lines.append("raiseFractions = " + ("0.5 1", "1 / 0.333", "0.25")[pick(0, 2)])
    return GameDef.parse("\n".join(lines))


def random_draw_hand(game: GameDef, rng: random.Random) -> list[tuple[State, Hands]]:
    """Return the states of a random hand, and everybody's cards in each."""
    deck = list(game.deck)
    rng.shuffle(deck)
    players, held = game.num_players, game.num_hole_cards
    holes = tuple(tuple(deck[p * held : (p + 1) * held]) for p in range(players))
    hands, state = Hands(holes, tuple(deck[players * held :])), State.start(game)
    steps = [(state, hands)]
    while not state.finished:
        if state.phase is DRAW:
            own = hands.now[state.actor]
            action = discard(tuple(rng.sample(own, rng.randint(0, min(game.max_discard, len(own))))))
        else:
            bounds = state.raise_bounds()
            action = rng.choice([CALL, CALL, CALL, *([FOLD] if state.can_fold and rng.random() < 0.3 else [])])
            if bounds and rng.random() < 0.5:
                action = state.fixed(Action("r", rng.randint(*bounds)))
        hands, state = hands.after(state, action), state.apply(action)
        steps.append((state, hands))
    return steps


seeds = st.integers(0, 2**32)


@given(seeds)
@settings(max_examples=60, deadline=None)
def test_any_definition_prints_and_reads_back(seed: int) -> None:
    game = random_draw_game(random.Random(seed).randint)
    assert GameDef.parse(str(game)) == game and hash(GameDef.parse(str(game))) == hash(game)


@given(seeds, st.sampled_from(sorted(GAMES)) | st.none())
@settings(max_examples=120, deadline=None)
def test_any_hand_prints_and_reads_back(seed: int, name: str | None) -> None:
    rng = random.Random(seed)
    game = GAMES[name] if name else random_draw_game(rng.randint)
    steps = random_draw_hand(game, rng)
    for state, hands in steps:
        for position in range(game.num_players):
            shown = visible_holes(state, hands.dealt, position), visible_draws(state, hands.draws, position)
            match = MatchState(position, 5, state, *shown)
            read = parse_match_state(str(match), game)
            assert read == match and read.own_hand == hands.now[position]
            assert read.state.phase is state.phase and read.state.actor == state.actor
            sloppy, end = read_match_state(str(match) + ":d", game)
            assert sloppy == match and end == len(str(match))
    state, hands = steps[-1]
    values = settle(state, hands.now)
    # A limit raise by a short stack may lower the bet: if the largest bet then folds, its excess is nobody's.
    matched = max(chips for p, chips in enumerate(state.spent) if not state.folded >> p & 1)
    excess = sum(max(0, chips - matched) for chips in state.spent) if state.remaining > 1 else 0
    assert abs(sum(values) + excess) < 1e-6
    names = tuple(f"P{position}" for position in range(game.num_players))
    record = HandRecord(7, state, hands.dealt, tuple(map(round, values)), names, hands.draws)
    entry = read_entry(str(record), game, "log:1")
    assert isinstance(entry, HandRecord) and str(entry) == str(record) and entry.hands == hands.now
    dealt = all_cards(state, hands.dealt, hands.draws)
    assert len(dealt) == len(set(dealt)) == game.num_players * game.num_hole_cards + hands.drawn


@given(seeds, seeds)
@settings(max_examples=100, deadline=None)
def test_the_opponents_stream_reveals_only_the_count(seed: int, other: int) -> None:
    """Whatever the others hold and throw away, a player's lines are the same until a showdown."""
    game = GAMES["draw5-pl-hu"]
    steps = random_draw_hand(game, random.Random(seed))
    rng = random.Random(other)
    watched = rng.randint(0, 1)
    own = set(chain(*([hands.now[watched] for _, hands in steps])))
    rest = [card for card in game.deck if card not in own]
    rng.shuffle(rest)
    known = {card: card for card in own}
    swap = dict(zip([card for card in game.deck if card not in own], rest, strict=True)) | known

    def swapped(cards: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(swap[card] for card in cards)

    for state, hands in steps:
        if state.showdown:
            continue
        holes = tuple(map(swapped, hands.dealt))
        draws = tuple(tuple(map(swapped, sections)) for sections in hands.draws)
        lines = [
            str(
                MatchState(
                    watched, 0, state, visible_holes(state, cards, watched), visible_draws(state, sections, watched)
                )
            )
            for cards, sections in ((hands.dealt, hands.draws), (holes, draws))
        ]
        assert lines[0] == lines[1]
        assert not any(sections_of(visible_draws(state, hands.draws, watched), 1 - watched))


def test_a_state_never_holds_discards() -> None:
    state = thesis_line("cc").apply(discard(parse_cards("2c3c")))
    assert state.action == Action("d", 2) and state.betting == "cc/d2"


BAD_LINES = [
    "MATCHSTATE:0:0:cc/d1:KcKhTsTh7s|/|",  # its own draw is missing
    "MATCHSTATE:0:0:cc/d1:KcKhTsTh7s|/7s|",  # nothing changed
    "MATCHSTATE:0:0:cc/d1:KcKhTsTh7s|/KhTsTh2c|",  # begins with a card that stayed
    "MATCHSTATE:0:0:cc/d1:KcKhTsTh7s|/Kc|",  # a card twice
    "MATCHSTATE:0:0:cc/d2:KcKhTsTh7s|/2c|",  # two cards, and one came
    "MATCHSTATE:0:0:cc/d1:KcKhTsTh7s|/2c|3c",  # the other has not drawn yet
    "MATCHSTATE:0:0:cc/d6:KcKhTsTh7s|/2c|",
    "MATCHSTATE:0:0:cc/c:KcKhTsTh7s|/|",  # a call in a draw
    "MATCHSTATE:0:0:d1:KcKhTsTh7s|",  # a draw in the betting
    "MATCHSTATE:0:0:cc/d1d1:KcKhTsTh7s|/2c|",  # the slash behind the draw is missing
]


@pytest.mark.parametrize("line", BAD_LINES)
def test_impossible_lines_are_refused(line: str) -> None:
    with pytest.raises(ProtocolError):
        parse_match_state(line, DRAW5)


def test_hand_after_replaces_the_end_of_the_hand() -> None:
    assert hand_after((1, 2, 3), [(9,), (8, 3, 9)]) == (8, 3, 9)


def test_a_game_without_draws_has_none_to_show() -> None:
    state = State.start(load_game("holdem.nolimit.2p.reverse_blinds")).apply(CALL).apply(CALL)
    assert state.round == 1
    assert visible_draws(state, (), 0) == ()
