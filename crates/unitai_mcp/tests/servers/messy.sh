#!/bin/sh
# A server that starts other processes: some in its group, one in a session of its own, one that ignores being told to end.
sleep 300 &
(sleep 301 &) 
setsid sleep 302 &
sh -c 'trap "" TERM; sleep 303; sleep 303' &
python3 "$@"
