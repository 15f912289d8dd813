"""Which hands does a file hold?

Begin with `hands`: it opens a file of any format and yields its hands, which are `matchlog.HandRecord`. `acpc` reads and
writes logs; `read_phh` and `write_phh`, `read_pokerstars` and `write_pokerstars` are the other formats, and `read_irc` reads
the IRC poker database. PokerStars' text has a second reader, `quick_pokerstars`, for plain hands; `pokerstars_grammar` is
the careful one's. `convert` goes from any format to any, and `scaled` from one table's blinds to another's. The readers
share `hand_file` and `blocks` (a file cut into hands).
"""
