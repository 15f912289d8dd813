#!/bin/sh
# Start the bot that competes: startme.sh HOST PORT. A dealer's scripts call it so.
# The config is fixed here: the name of a bot that ships, or a path. LIMPET_BOT overrides it.
BOT=${LIMPET_BOT:-blueprint}
# The Python that Limpet is installed in.
PYTHON=${LIMPET_PYTHON:-python3}

if [ $# -ne 2 ]; then
    echo "usage: $0 HOST PORT" >&2
    exit 2
fi
exec "$PYTHON" -m limpet.bot "$BOT" "$1" "$2"
