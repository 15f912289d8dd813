"""``limpet equity`` and ``limpet range``: what they print, and how mistakes end."""

import pytest

from tests.commands import json_of, printed, refused, run


def test_two_hands() -> None:
    result = printed("equity", "AsAh", "KdKc")
    assert [line.split() for line in result.splitlines()] == [
        ["before", "the", "flop", "win", "tie", "lose", "equity"],
        ["AsAh", "81.06", "0.38", "18.55", "81.26"],
        ["KdKc", "18.55", "0.38", "81.06", "18.74"],
        ["1,388,072", "boards", "won,", "6,538", "tied", "and", "317,694", "lost", "of", "1,712,304"],
    ]
    # The help shows this very output.
    assert "\n".join(f"    {line}" for line in result.splitlines()) in run("equity", "--help").output


def test_a_board() -> None:
    result = run("equity", "AsAh", "KdKc", "--board", "Ts 9h 2c")
    assert result.output.splitlines()[0].startswith("board Ts9h2c ")
    assert result.output.splitlines()[-1] == "891 boards won, 0 tied and 99 lost of 990"


def test_ranges_as_json_with_classes() -> None:
    answer = json_of("equity", "QQ+,AKs:0.5", "random", "--board", "QhJh2c", "--by-class")
    first, second = answer["players"]
    assert answer["board"] == "QhJh2c"
    assert "boards" not in answer  # hands only
    assert first["combos"] == 3 + 6 + 6 + 0.5 * 4
    assert second["combos"] == 1176
    assert first["equity"] + second["equity"] == pytest.approx(100)
    assert first["win"] + first["tie"] + first["lose"] == pytest.approx(100)
    assert list(first["classes"]) == ["QQ", "AA", "KK", "AKs"]
    assert first["classes"]["AKs"]["combos"] == 2
    assert len(second["classes"]) == 169
    equities = [figures["equity"] for figures in second["classes"].values()]
    assert equities == sorted(equities, reverse=True)


def test_classes_in_text() -> None:
    result = run("equity", "55+,A9+,KT+,QT+,JT+,A4s+,K8s+", "AsAh", "-b", "AdKs7h", "--by-class")
    lines = [line.split() for line in result.output.splitlines()]
    assert lines[1][0] == "55+,A9+,KT+,QT+,JT+,A..."
    assert lines[4][-1] == "combos"
    names = [line[0] for line in lines[5:-3]]
    # With three aces gone nobody else can hold two.
    assert "AA" not in names and {"AKs", "KK", "55"} <= set(names)
    assert lines[-1] == ["AA", "94.56", "0.00", "5.44", "94.56", "1"]


def test_a_weighted_single_hand_is_a_range() -> None:
    assert "boards won" not in run("equity", "AsAh", "KdKc:0.5").output
    assert "81.26" in run("equity", "AsAh", "KdKc:0.5").output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["equity", "AsAh", "AsKd"], "As is dealt twice"),
        (["equity", "AsAh", "AsKd,AhKd"], "can meet"),
        (["equity", "AsAh", "AXs"], "item 'AXs'"),
        (["equity", "AsAh", "QQ", "--board", "2c2c3c"], "not 2c2c3c"),
        (["equity", "AsAh", "QQ", "--board", "2c3"], "'3'"),
        (["equity", "AsAh", "QQ", "--board", "AdAc2h3h4h5h"], "up to five"),
        (["equity", "AsAh", "QsQd", "--board", "QsAd2h"], "Qs is dealt twice"),
        (["range", "AXs"], "item 'AXs'"),
        (["range", "AA", "--board", "AsAs"], "not AsAs"),
        (["range", "  "], "names no hand"),
    ],
)
def test_mistakes_are_one_line_and_status_2(arguments: list[str], words: str) -> None:
    said = refused(*arguments)
    assert words in said
    assert said.startswith("limpet: ")
    assert said.count("\n") == 1


def test_kujaths_range() -> None:
    result = run("range", "A9+,KT+,QT+,JT+,A4s+,K8s+,Q9s+,J9s+,T9s+,55+")
    lines = result.output.splitlines()
    assert lines[:2] == ["55+,A4s+,A9o+,K8s+,KTo+,Q9s+,QTo+,J9s+,JTo,T9s", "276 of 1326 hands, 20.81 %"]
    picture = [line.split() for line in lines[2:]]
    assert [len(row) for row in picture] == [13] * 13
    assert picture[0] == ["AA", "AKs", "AQs", "AJs", "ATs", "A9s", "A8s", "A7s", "A6s", "A5s", "A4s", "·", "·"]
    assert picture[4][:6] == ["ATo", "KTo", "QTo", "JTo", "TT", "T9s"]
    assert picture[12] == ["·"] * 13


def test_a_range_held_in_part_on_a_board() -> None:
    result = run("range", "77+, AKs:0.5, KhJd", "--board", "Kd7c2h")
    lines = result.output.splitlines()
    assert lines[:2] == ["77+,KhJd,AKs:0.5", "44.5 of 1176 hands that miss Kd7c2h, 3.78 %"]
    assert lines[2].split()[:2] == ["AA", "AKs.5"]
    assert max(len(line) for line in lines) <= 80


def test_a_range_for_other_programs() -> None:
    pio = run("range", "99-88,AKs:0.5", "--board", "9h", "--to", "pio")
    assert pio.output == "88,9s9d,9s9c,9d9c,AKs:0.5\n"
    assert run("range", "99-88,AKs:0.5", "--to", "gto+").output == "99-88,[50]AKs[/50]\n"
    assert run("range", "99-88,AQ+", "--to", "equilab").output == "99-88, AQs+, AQo+\n"
    assert "AsKs is 0.5; make it 0 or 1" in run("range", "AKs:0.5", "--to", "equilab").output
    assert run("range", "AA:100,AKs:50", "--weights", "percent").output.startswith("AA,AKs:0.5\n")


def test_a_range_as_json() -> None:
    answer = json_of("range", "77+,AKs:0.5,KhJd", "--board", "Kd7c2h")
    assert answer["range"] == "77+,KhJd,AKs:0.5"
    assert (answer["board"], answer["combos"], answer["possible"]) == ("Kd7c2h", 44.5, 1176)
    assert answer["percent"] == pytest.approx(100 * 44.5 / 1176)
    assert answer["classes"]["AKs"] == 0.5
    assert answer["classes"]["KJo"] == pytest.approx(1 / 9)
