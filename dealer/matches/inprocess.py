"""A seating in this process, without a network: the cards, positions and hand numbers are the dealer's.

So a bot that is fixed by its seed makes the same decisions here as over TCP.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path

from limpet.common.folders import replace_file
from limpet.dealer.matches.faults import MatchFailed
from limpet.dealer.matches.matchconfig import GAME_FILE, Match
from limpet.dealer.table.deals import Deal, Deals
from limpet.dealer.table.files import LineFile, read_text
from limpet.dealer.table.score import MatchScore, by_position
from limpet.protocol.draws import Hands, visible_draws
from limpet.protocol.errors import IllegalAction
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord, Header, numbered_lines, read_entry, whole_lines
from limpet.protocol.messages import MatchState
from limpet.protocol.settlement import settle
from limpet.protocol.state import State
from limpet.strategies.base.agent import Agent, WrongRows

CHUNK = 100
"""Hands between two calls of `look`."""

PlayRest = Callable[[Match, Sequence[int], Sequence[Agent], int], Iterator[HandRecord]]
"""Function that plays a seating's hands from a number on, see `play_rest`."""


class WrongAnswer(ValueError):
    """An agent's answer cannot be played. `seat` is the agent's number."""

    def __init__(self, seat: int, message: str) -> None:
        super().__init__(message)
        self.seat = seat


def play_hands(
    game: GameDef, agents: Sequence[Agent], deals: Iterable[Deal], first_hand: int = 0, fixed_button: bool = False
) -> Iterator[HandRecord]:
    """Play one hand for each deal, numbered from `first_hand`. The hands have no names.

    `agents` are per seat; see `by_position` for their positions in each hand. Raises `WrongAnswer`.
    """
    if len(agents) != game.num_players:
        raise ValueError(f"{len(agents)} agents, but the game seats {game.num_players}")
    beginning = State.start(game)
    for number, (holes, board, stub) in enumerate(deals, first_hand):
        visible_holes = [tuple(hole if p == own else () for p, hole in enumerate(holes)) for own in range(len(holes))]
        at = by_position(agents, number, fixed_button)
        state, hands = beginning.with_board(board), Hands(holes, stub)
        while (actor := state.actor) >= 0:
            draws = visible_draws(state, hands.draws, actor) if game.num_draws else ()
            try:
                action = at[actor].decide(MatchState(actor, number, state, visible_holes[actor], draws))
                hands = hands.after(state, action)
                state = state.apply(action).with_board(board)
            except (WrongRows, IllegalAction) as error:
                raise WrongAnswer(agents.index(at[actor]), f"hand {number}: {error}") from error
        for position, agent in enumerate(at):
            agent.observe(MatchState(position, number, state, holes, hands.draws))
        yield HandRecord(number, state, holes, settle(state, hands.now), (), hands.draws)


def play_rest(match: Match, seating: Sequence[int], agents: Sequence[Agent], first: int) -> Iterator[HandRecord]:
    """Play the hands of a seating from number `first` on, one decision after the other.

    `agents` are per player, `seating` is the player number at each seat. Raises `WrongAnswer`.
    """
    config, deals = match.config, Deals(match.game, match.config.seed)
    deals.skip(first)
    left = islice(deals, config.hands - first)
    return play_hands(match.game, [agents[player] for player in seating], left, first, config.fixed_button)


def play_seating_here(
    match: Match,
    seating: Sequence[int],
    agents: Sequence[Agent],
    log_path: Path,
    look: Callable[[], None],
    play: PlayRest = play_rest,
) -> None:
    """Play one seating, or the rest of it, and write the log that the dealer would write.

    `agents` are per player, `seating` is the player number at each seat. Agents that learn begin anew, and learn from the
    hands that the log holds already. `look` is called every `CHUNK` hands. `play` plays the hands that are missing.

    Raises `MatchFailed` for an answer that cannot be played.
    """
    names = [match.names[player] for player in seating]
    config, fixed_button = match.config, match.config.fixed_button
    score = MatchScore(names, fixed_button)
    kept = whole_lines(read_text(log_path))
    replace_file(log_path, kept or f"{Header(log_path.stem, GAME_FILE, config.hands, config.seed)}\n")
    table = [agents[player] for player in seating]
    for agent in table:
        agent.start_match()
    with closing(LineFile(log_path, append=True)) as log:
        for number, line in numbered_lines(kept):
            entry = read_entry(line, match.game, f"{log_path}:{number}")
            if isinstance(entry, HandRecord):
                # The values are computed again, because the log rounds them to six decimals.
                for position, agent in enumerate(by_position(table, score.hands, fixed_button)):
                    agent.observe(MatchState(position, score.hands, entry.state, entry.holes, entry.draws))
                score.add(entry._replace(values=settle(entry.state, entry.hands)))
        try:
            for hand in play(match, seating, agents, score.hands):
                log.write([score.add(hand)])
                if score.hands % CHUNK == 0:
                    look()
        except WrongAnswer as error:
            raise MatchFailed(f"{names[error.seat]}: {error}") from error
        log.write([str(score)])
