"""Our games as OpenSpiel plays them: the same decisions with the same actions in the same order, so that a hand is followed.

OpenSpiel is an extra: it is imported where one of its games is asked for.
"""

from typing import Any

from limpet.protocol.gamedef import Betting, GameDef
from limpet.protocol.handhistory import is_casino
from limpet.protocol.state import State
from limpet.strategies.cards.handspace import game_hands

_NUMBERS = ("numPlayers", "numRounds", "numSuits", "numRanks", "numHoleCards")


def openspiel() -> Any:
    """Return the module ``pyspiel``. Raises `ValueError` where it is not installed."""
    try:
        import pyspiel
    except ImportError as error:
        raise ValueError("OpenSpiel is not installed; install it with: pip install open_spiel") from error
    return pyspiel


def openspiel_game(game: GameDef) -> Any:
    """Return OpenSpiel's game with the rules of `game`: ``kuhn_poker``, ``leduc_poker``, else ``universal_poker``.

    Raises `ValueError` where OpenSpiel is not installed or has no such game.
    """
    pyspiel = openspiel()
    if any((game.num_draws, game.raise_fractions, game.hole_cards_used, game.betting is Betting.POT_LIMIT)):
        raise ValueError(
            "OpenSpiel has no draws, no pot-limit betting, no raise fractions and no Omaha; it plays the rest"
        )
    if is_casino(game):
        raise ValueError("OpenSpiel has no antes beside the blinds and no smallest bet of its own; it plays the rest")
    if not max(game.blind):
        raise ValueError("OpenSpiel cannot pay out an empty pot, so that its games need a blind or an ante")
    if name := _textbook_name(game):
        return pyspiel.load_game(name, {"players": game.num_players})
    try:
        return universal_poker(pyspiel, game)
    except pyspiel.SpielError as error:
        raise ValueError(f"OpenSpiel does not play this game: {str(error).splitlines()[-1]}") from error


def _textbook_name(game: GameDef) -> str:
    """Return ``kuhn_poker`` or ``leduc_poker`` if `game` has its rules, else nothing."""
    players = game.num_players
    ante_and_card = (game.betting, game.blind, game.num_hole_cards, game.num_ranks) == (
        Betting.LIMIT, (1,) * players, 1, players + 1,
    )  # fmt: skip
    if not ante_and_card or any(game.first_player) or min(game.stack) < 13:  # the most that a hand of Leduc takes
        return ""
    rules = game.num_suits, game.raise_size, game.max_raises, game.num_board_cards
    return {
        (1, (1,), (1,), (0,)): "kuhn_poker",
        (2, (2, 4), (2, 2), (0, 1)): "leduc_poker",
    }.get(rules, "")


def universal_poker(pyspiel: Any, game: GameDef) -> Any:
    """Return OpenSpiel's ``universal_poker`` of a definition, with all of its raises."""
    keys = dict(line.split(" = ") for line in str(game).splitlines() if " = " in line)
    parameters: dict[str, Any] = {key: int(value) if key in _NUMBERS else value for key, value in keys.items()}
    abstraction = "fullgame" if game.no_limit else "fcpa"  # in limit games its "pot bet" is the one raise
    if not game.no_limit and "stack" in keys:
        # OpenSpiel leaves the stacks of limit games out of the definition that it writes for the reference dealer's code
        # inside it. It copies the text of a list as it is, so that the line can stand there.
        parameters["maxRaises"] = f"{parameters.get('maxRaises', '255 ' * game.num_rounds)}\nstack = {keys['stack']}"
    return pyspiel.load_game(
        "universal_poker", parameters | {"betting": game.betting.value, "bettingAbstraction": abstraction}
    )


def openspiel_state(table: Any, state: State, hole: tuple[int, ...]) -> Any:
    """Return OpenSpiel's state of a decision of ours.

    The actor holds `hole`. The others' cards are made up of those that are left: what is known to the actor is all that
    an answer may depend on.

    Args:
        table: the `openspiel_game` of the state's game.
        state: an unfinished state with its board.

    Raises `ValueError` where the two games differ in who acts or in the number of actions.
    """
    deck, held = game_hands(state.game).deck, len(hole)
    left = [card for card in deck if card not in hole and card not in state.board]
    others = iter(left)
    dealt = [
        card
        for position in range(state.game.num_players)
        for card in (hole if position == state.actor else [next(others) for _ in range(held)])
    ]
    cards = iter([deck.index(card) for card in (*dealt, *state.board)])
    theirs = table.new_initial_state()
    path = list(state.path())
    for at, later in zip(path, [*path[1:], None], strict=True):
        while theirs.is_chance_node():
            theirs.apply_action(next(cards))
        legal, ours = theirs.legal_actions(), at.legal_actions()
        if theirs.current_player() != at.actor or len(legal) != len(ours):
            raise ValueError(f"{table}: after '{at.betting}' it is another decision than in the game of these rules")
        if later is not None:
            theirs.apply_action(legal[ours.index(later.action)])
    return theirs
