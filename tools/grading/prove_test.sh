#!/usr/bin/env bash
# Proves one exercise: correct solutions pass, the starter fails, known mistakes are failed and named,
# and every check earns its place.
exec "$TEST_SRCDIR/$TEST_WORKSPACE/tools/grade" prove "$1"
