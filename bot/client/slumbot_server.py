"""A site that speaks Slumbot's API over HTTP and plays a bot: for trying clients out, and to measure them by."""

import secrets
from collections.abc import Callable
from typing import Any

import msgspec
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request
from twisted.web.server import Site as HttpSite

from limpet.bot.client.safe_agent import SafeAgent, SolverQueue, Tally
from limpet.bot.client.slumbot_hands import SlumbotAnswer, betting_text, hand_answer, read_action, slumbot_game
from limpet.dealer.table.deals import Deals, new_secret
from limpet.protocol.errors import ProtocolError
from limpet.protocol.messages import MatchState, visible_holes
from limpet.protocol.state import State
from limpet.strategies.base.agent import Agent

MOST_BODY = 10_000
"""Bytes of the longest request that is read."""
MOST_SESSIONS = 10_000
"""Number of sessions that are remembered; the oldest are forgotten."""


class Wrong(Exception):
    """A request that the site refuses; the message is its ``error_msg``."""


class HostedSession:
    """A client's hands against the bot. The client is the big blind in the first hand, then every other hand.

    A hand that the client leaves for a new one counts as folded.
    """

    def __init__(self, agent: SafeAgent, solver: SolverQueue, deals: Deals) -> None:
        self._agent, self._solver, self._deals = agent, solver, deals
        self.hands = self.total = 0
        self._hand = -1
        self._match: MatchState | None = None  # of the hand in play, as the client's, with everybody's cards
        self._board: tuple[int, ...] = ()
        self._busy = False

    async def new_hand(self) -> SlumbotAnswer:
        """Deal a hand, and act in it as far as it is the bot's turn. Raises `Wrong`."""
        self._refuse_if_busy()
        if self._match is not None:
            self._count(-self._match.state.spent[self._match.position])
        self._hand += 1
        holes, self._board, _ = next(self._deals)
        self._match = MatchState(self._hand % 2, self._hand, State.start(slumbot_game()), holes)
        return await self._answer("")

    async def act(self, incr: str) -> SlumbotAnswer:
        """Take an action of the client's. Raises `Wrong`."""
        self._refuse_if_busy()
        if self._match is None:
            raise Wrong("Unexpected action: no hand is being played")
        before = self._match.state
        try:
            action = read_action(before, incr)
        except ProtocolError as error:
            raise Wrong(f"Illegal action: {error}") from error
        self._play(before.apply(action))
        return await self._answer(betting_text(before))

    def _refuse_if_busy(self) -> None:
        if self._busy:
            raise Wrong("Too many requests: the one before is not answered yet")

    def _play(self, state: State) -> None:
        assert self._match is not None
        self._match = self._match._replace(state=state.with_board(self._board))

    async def _answer(self, old_action: str) -> SlumbotAnswer:
        assert self._match is not None
        self._busy = True
        try:
            while not self._match.state.finished and not self._match.my_turn:
                action = await self._agent.decide_by(self._solver, self._seen_by_the_bot(self._match))
                self._play(self._match.state.apply(action))
        finally:
            self._busy = False
        match = self._match
        told = hand_answer(match, old_action)
        if told.winnings is not None:
            self._match = None
            self._count(int(told.winnings))
            told.session_num_hands, told.session_total = self.hands, self.total
            self._agent.observe(self._seen_by_the_bot(match))
        return told

    def _seen_by_the_bot(self, match: MatchState) -> MatchState:
        position = 1 - match.position
        return match._replace(position=position, holes=visible_holes(match.state, match.holes, position))

    def _count(self, chips: int) -> None:
        self.hands += 1
        self.total += chips


class SlumbotHost:
    """The sessions of all clients, who share a bot. `new_agent` is called for each session."""

    def __init__(self, new_agent: Callable[[], Agent], solver: SolverQueue, seed: int | None = None) -> None:
        """`seed` fixes the cards of every session; they are secret without it."""
        self._new_agent, self._solver, self._seed = new_agent, solver, seed
        self._sessions: dict[str, HostedSession] = {}
        self.tally = Tally()

    async def answer(self, path: str, body: dict[str, Any]) -> SlumbotAnswer:
        """Answer a request. Raises `Wrong`."""
        token = body.get("token")
        if path == "login":
            if not (body.get("username") and body.get("password")):
                raise Wrong("Missing username or password")
            return SlumbotAnswer(token=self._begin())
        if path == "new_hand":
            token = token or self._begin()
            answer = await self._session(token).new_hand()
            answer.token = token
            return answer
        if path == "act":
            incr = body.get("incr")
            if not isinstance(incr, str):
                raise Wrong("Missing incr: an action")
            return await self._session(token).act(incr)
        raise Wrong(f"Unknown request {path!r}: login, new_hand and act are answered")

    def _session(self, token: Any) -> HostedSession:
        session = self._sessions.get(token) if isinstance(token, str) else None
        if session is None:
            raise Wrong("Bad token")
        return session

    def _begin(self) -> str:
        token = secrets.token_hex(16)
        deals = Deals(slumbot_game(), new_secret() if self._seed is None else self._seed)
        self._sessions[token] = HostedSession(SafeAgent(self._new_agent(), self.tally), self._solver, deals)
        if len(self._sessions) > MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return token


# --- The network edge.


class _Api(Resource):
    isLeaf = True
    _log = Logger()

    def __init__(self, host: SlumbotHost) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._host = host

    def render_POST(self, request: Request) -> int:
        async def respond() -> None:
            status = 200
            try:
                answer = await self._asked(request)
            except Wrong as error:
                answer = SlumbotAnswer(error_msg=str(error))
            except Exception:  # noqa: BLE001 - one client's failure is not the others'
                self._log.failure("a request has failed")
                status, answer = 500, SlumbotAnswer(error_msg="Internal error")
            told = {name: value for name, value in msgspec.structs.asdict(answer).items() if value is not None}
            if answer.error_msg or not answer.hole_cards:
                told = {name: told[name] for name in ("token", "error_msg") if name in told}
            if not gone:
                request.setResponseCode(status)
                request.setHeader(b"content-type", b"application/json")  # type: ignore[no-untyped-call]
                request.write(msgspec.json.encode(told))  # type: ignore[no-untyped-call]
                request.finish()  # type: ignore[no-untyped-call]

        gone: list[object] = []
        request.notifyFinish().addErrback(gone.append)
        Deferred.fromCoroutine(respond())
        return NOT_DONE_YET

    async def _asked(self, request: Any) -> SlumbotAnswer:
        """Return the answer to a request. Raises `Wrong`."""
        prefix, _, path = request.path.decode("latin-1").rpartition("/")
        if prefix not in ("/api", "/slumbot/api"):
            raise Wrong("Unknown address: the API is below /slumbot/api")
        if not (request.getHeader("content-type") or "").startswith("application/json"):
            raise Wrong("Bad request: the content type is application/json")
        content = request.content.read(MOST_BODY + 1)
        try:
            body = msgspec.json.decode(content, type=dict[str, Any])
        except msgspec.DecodeError as error:
            raise Wrong(f"Bad request: {error}") from error
        if len(content) > MOST_BODY:
            raise Wrong("Bad request: too long")
        return await self._host.answer(path, body)


def http_site(host: SlumbotHost) -> HttpSite:
    """Return the factory of HTTP connections."""
    return HttpSite(_Api(host))  # type: ignore[no-untyped-call]
