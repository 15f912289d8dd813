"""A person at the terminal decides, draws, and hears how a hand ended."""

from pathlib import Path

from limpet.bot.commands.playing.asking import AskingAgent
from limpet.configs.loading import load_game
from limpet.protocol.messages import parse_match_state
from limpet.protocol.state import CALL, PAT, discard, raise_to
from limpet.strategies.players.simple import Call

GAME = load_game("draw5-pl-hu")


def asked(*answers: str) -> tuple[AskingAgent, list[str]]:
    """Return an agent that is answered so, and what it shows; after the last answer the input ends."""
    left, shown = list(answers), []

    def ask(prompt: str) -> str:
        shown.append(prompt)
        if not left:
            raise EOFError
        return left.pop(0)

    strategy = Call(GAME, Call.Options(), Path("."))
    return AskingAgent(strategy, 1, ask, shown.append), shown


def test_a_person_bets_and_draws() -> None:
    agent, shown = asked("r200", "x", "r300", "d2c", "d7sTs", "", "")
    before = parse_match_state("MATCHSTATE:0:0:c:KcKhTsTh7s|", GAME)
    assert agent.decide(before) == raise_to(300)
    assert "c to check, r300 to raise" in shown[0] and "'r200' is not possible here" in shown[2]
    draw = parse_match_state("MATCHSTATE:0:0:cc/:KcKhTsTh7s|/|", GAME)
    assert agent.decide(draw) == discard(tuple(draw.own_hand[at] for at in (4, 2)))
    assert any("up to 5 cards" in text for text in shown)
    assert agent.decide(draw) == PAT and agent.decide(before) == CALL
    assert agent.decide(draw) == PAT, "the input has ended"
    assert agent.slow(draw)


def test_the_end_of_a_hand_is_shown() -> None:
    agent, shown = asked()
    agent.observe(parse_match_state("MATCHSTATE:0:4:r300c/d1d1/cc:KcKhTsTh7s|AcQcTcJc2h/Td|8c", GAME))
    assert shown[-1].endswith("you win 300") and "KcKhTsThTd, against AcQcTcJc8c" in shown[-1]
    agent.observe(parse_match_state("MATCHSTATE:1:4:f:|AcQcTcJc2h", GAME))
    assert shown[-1].endswith("you win -50")
