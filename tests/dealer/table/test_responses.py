"""Draw poker at the table: what the dealer makes of answers, hides, writes down and goes on with."""

import json
import random
import subprocess
import sys
import zlib
from itertools import islice
from pathlib import Path

import pytest

from limpet.configs.loading import load_game
from limpet.dealer.matches.inprocess import play_hands
from limpet.dealer.table.deals import Deals
from limpet.dealer.table.files import resume
from limpet.dealer.table.responses import INVALID_DRAW
from limpet.dealer.table.score import MatchScore
from limpet.dealer.table.table import Table
from limpet.protocol.archives.acpc import LogStream
from limpet.protocol.cards import cards_text, parse_cards
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import DRAW, GameDef
from limpet.protocol.matchlog import HandRecord, read_entry, read_transactions
from limpet.protocol.messages import MatchState, parse_match_state
from limpet.strategies.base.agent import Agent
from limpet.strategies.players.simple import Random
from tests.dealer.helpers import Sitting, terms, text_of
from tests.oracles import draw_client

DRAW5, TRIPLE = load_game("draw5-pl-hu"), load_game("draw-triple")
COMMAND = "from limpet.bot.commands.playing.dealer import dealer; dealer()"
TINY = load_game("draw5-tiny")


def choose(match: MatchState) -> str:
    """A player whose action depends on what it sees and on nothing else."""
    state, rng = match.state, random.Random(zlib.crc32(str(match).encode()))
    if state.phase is DRAW:
        return "d" + cards_text(rng.sample(match.own_hand, rng.randint(0, state.game.max_discard)))
    sizes = state.raise_sizes()
    return rng.choice(["c", "c", f"r{rng.choice(sizes)}" if sizes else "r", "f" if rng.random() < 0.2 else "c"])


def drawing(game: GameDef = DRAW5, seed: int = 0) -> Sitting:
    """A table at which position 0 is to draw."""
    sitting = Sitting(terms(game, 3, seed))
    sitting.answer("c")
    sitting.answer("c")
    return sitting


def test_a_draw_replaces_cards_in_their_places() -> None:
    sitting = drawing()
    deal = next(Deals(DRAW5, 0))
    hole = cards_text(deal.holes[0])
    assert sitting.last[0] == f"MATCHSTATE:0:0:cc/:{hole}|/|"
    sitting.answer(f"d{hole[6:8]}{hole[2:4]}")
    first, second = cards_text(deal.stub[:1]), cards_text(deal.stub[1:2])
    assert sitting.last[0] == f"MATCHSTATE:0:0:cc/d2:{hole}|/{first}{hole[4:6]}{second}{hole[8:]}|"
    assert sitting.last[1] == f"MATCHSTATE:1:0:cc/d2:|{cards_text(deal.holes[1])}/|"
    sitting.answer("d")
    assert sitting.last[1] == f"MATCHSTATE:1:0:cc/d2d0/:|{cards_text(deal.holes[1])}/|"
    assert sitting.notes == [] and [line.split()[0] for line in sitting.transactions] == [
        "c", "c", f"d{hole[2:4]}{hole[6:8]}", "d",
    ]  # fmt: skip


HOLE = cards_text(next(Deals(DRAW5, 0)).holes[0])
OTHER = cards_text(next(Deals(DRAW5, 0)).holes[1])


@pytest.mark.parametrize(
    "answer", ["c", "f", "r300", "d1", "d9", "dXx", f"d{OTHER[:2]}", f"d{HOLE[:2]}{HOLE[:2]}", "", "d2c2d"]
)
def test_an_invalid_draw_stands_pat_with_a_warning(answer: str) -> None:
    sitting = drawing()
    sitting.answer(answer)
    assert sitting.notes == [INVALID_DRAW] and sitting.last[0] == f"MATCHSTATE:0:0:cc/d0:{HOLE}|/|"


@pytest.mark.parametrize("answer", ["d", "d0", "D", "d\r", "d # text"])
def test_ways_to_stand_pat(answer: str) -> None:
    sitting = drawing()
    sitting.answer(answer)
    assert sitting.notes == [] and "cc/d0:" in sitting.last[0]


@pytest.mark.parametrize("answer", [f"d{HOLE[:2].lower()}", f"d {HOLE[:2]}", f"D{HOLE[:2].upper()}"])
def test_cards_may_be_spelt_in_any_case(answer: str) -> None:
    sitting = drawing()
    sitting.answer(answer)
    assert sitting.notes == [] and "cc/d1:" in sitting.last[0]


def test_a_discarded_card_cannot_be_thrown_away_again() -> None:
    sitting = drawing(TRIPLE)
    hole = cards_text(next(Deals(TRIPLE, 0)).holes[0])
    for answer in (f"d{hole[:2]}", "d", "c", "c", f"d{hole[:2]}"):
        sitting.answer(answer)
    assert sitting.notes == [INVALID_DRAW]


def test_an_answer_to_another_hand_is_ignored() -> None:
    sitting = drawing()
    sitting.answer(f"d{HOLE[:2]}")
    before = sitting.last[1]
    sitting.answer("d")
    sitting.say(0, sitting.last[0].replace("|/", "|/2c") + ":c")
    assert len(sitting.notes) == 1 and before != sitting.last[1]


@pytest.mark.parametrize("game", [DRAW5, TINY, TRIPLE])
def test_everybody_reads_its_lines_and_the_log_has_all_cards(game: GameDef) -> None:
    sitting = Sitting(terms(game, 40)).play(choose)
    for seat, line in sitting.shown:
        match = parse_match_state(line, game)
        if not match.state.showdown:
            assert not any(match.holes[1 - match.position]) and seat in (0, 1)
            assert not any(sections[1 - match.position] for sections in match.draws if sections)
    hands = [read_entry(line, game, "log") for line in sitting.log[:-1]]
    shown = {line.split(":", 3)[2]: line for _, line in sitting.shown if parse_match_state(line, game).state.showdown}
    for hand in hands:
        assert isinstance(hand, HandRecord)
        if str(hand.hand) in shown:
            match = parse_match_state(shown[str(hand.hand)], game)
            assert (match.holes, match.draws) == (hand.holes, hand.draws)


@pytest.mark.parametrize("game", [DRAW5, TRIPLE])
def test_resumed_at_any_transaction_the_log_is_that_of_an_unbroken_match(tmp_path: Path, game: GameDef) -> None:
    whole = Sitting(terms(game, 4)).play(choose)
    log, transactions = tmp_path / "gv.log", tmp_path / "gv.tlog"
    for played in range(len(whole.transactions) + 1):
        log.unlink(missing_ok=True)
        transactions.write_text(text_of(whole.transactions[:played]))
        sitting = Sitting(terms(game, 4), versions=False)
        resume(sitting.table, log, transactions)
        sitting.start()
        sitting.play(choose)
        assert text_of([*log.read_text().splitlines(), *sitting.log]) == text_of(
            [str(sitting.table.terms.header), *whole.log]
        )
        assert whole.transactions[:played] + sitting.transactions == whole.transactions


def test_a_transaction_with_anothers_cards_is_refused() -> None:
    whole = drawing()
    lines = [*whole.transactions, f"d{OTHER[:2]} 0 1.000000 2.000000"]
    with pytest.raises(ProtocolError, match="different cards"):
        Table(terms(DRAW5, 3)).replay(read_transactions(text_of(lines), DRAW5))


def test_a_foreign_client_plays_1000_hands() -> None:
    """A client written from docs/protocol.md checks every line, and settles each hand as the dealer does."""
    sitting = Sitting(terms(DRAW5, 1000))
    rng, won, seen = random.Random(5), [0.0, 0.0], 0
    while (seat := sitting.table.awaited) is not None:
        state = draw_client.Hand(sitting.last[seat])
        assert not state.over and state.turn == state.me
        sitting.answer(draw_client.answer(state, rng))
    for seat, line in sitting.shown:
        state = draw_client.Hand(line)
        if state.over:
            won[seat] += state.won()
            seen += 1
    assert seen == 2000 and sitting.notes[:-1] == []
    assert sitting.log[-1] == f"SCORE:{won[0]:g}|{won[1]:g}:P0|P1"


def test_the_foreign_client_plays_over_tcp(tmp_path: Path) -> None:
    command = [sys.executable, "-c", COMMAND, "draw", str(_game_file(tmp_path)), "60", "7", "A", "B"]
    with (tmp_path / "notes").open("w") as notes:
        dealer = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=notes, text=True)
        assert dealer.stdout is not None
        ports = dealer.stdout.readline().split()
        script = str(Path(draw_client.__file__))
        clients = [
            subprocess.Popen([sys.executable, script, "127.0.0.1", port, port], stdout=subprocess.PIPE, text=True)
            for port in ports
        ]
        told = [json.loads(client.communicate(timeout=120)[0]) for client in clients]
        assert dealer.wait(60) == 0
        dealer.stdout.close()
    said = (tmp_path / "notes").read_text()
    assert "WARNING" not in said and "ERROR" not in said
    assert [client["hands"] for client in told] == [60, 60] and told[0]["chips"] == -told[1]["chips"]
    stream = LogStream(tmp_path / "draw.log", DRAW5)
    assert sum(1 for _ in stream.hands()) == 60
    score = (tmp_path / "draw.log").read_text().splitlines()[-1]
    assert score == f"SCORE:{told[0]['chips']:g}|{told[1]['chips']:g}:A|B"


def _game_file(folder: Path) -> Path:
    path = folder / "draw.game"
    path.write_text(str(DRAW5))
    return path


def test_the_deck_is_dealt_by_position_and_then_drawn() -> None:
    deal = next(Deals(DRAW5, 4))
    holes, boards = Deals(DRAW5, 4).take(3)
    assert len(deal.stub) == 10 and not deal.board and boards.shape == (3, 0)
    assert tuple(map(tuple, holes[0].tolist())) == deal.holes
    skipped = Deals(DRAW5, 4)
    skipped.skip(2)
    third = next(skipped)
    assert third.holes == tuple(map(tuple, holes[2].tolist()))
    assert len({*deal.holes[0], *deal.holes[1], *deal.stub}) == 20
    assert parse_cards(cards_text(deal.stub)) == deal.stub


@pytest.mark.parametrize("game", [DRAW5, TINY, TRIPLE])
def test_the_table_deals_and_draws_as_a_match_in_one_process_does(game: GameDef) -> None:
    def agents() -> list[Agent]:
        return [Agent(Random(game, Random.Options(), Path(".")), seed) for seed in (1, 2)]

    here, there = agents(), agents()
    sitting = Sitting(terms(game, 30))
    while (seat := sitting.table.awaited) is not None:
        sitting.answer(str(here[seat].decide(parse_match_state(sitting.last[seat], game))))
    score = MatchScore(("P0", "P1"))
    lines = [score.add(hand) for hand in play_hands(game, there, islice(Deals(game, 0), 30))]
    assert sitting.log == [*lines, str(score)] and sitting.notes[:-1] == []
