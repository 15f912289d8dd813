"""Which hands does a file hold?

Begin with `hands`: it opens a file of any format and yields its hands, which are `matchlog.HandRecord`. A format has a
reader and a writer: `read_acpc` and `write_acpc` for logs, `read_phh` and `write_phh`, `read_pokerstars` and
`write_pokerstars`. PokerStars' text has a second reader, `quick_pokerstars`, for plain hands; `pokerstars_grammar` is that of
the careful one. `convert` goes from any format to any, and `scaled` from one table's blinds to another's.

The readers share `hand_file` (what is counted, and players' other names), `blocks` (a file cut into hands), `packed`
(compressed files), `betting` (amounts of a street, and the end of a hand), `payoffs` (a check of what was won) and `skipped`
(hands left out).
"""
