#!/usr/bin/env bash
# ray 2.60.0: a driver that has a token (RAY_AUTH_MODE=token) in a cluster that wants none.
#
# Guess, written down first: a token that nobody asked for is ignored; at most the driver is refused
# when it connects, with a word about the token.
#
# Seen: it connects, and on a cluster of one node all its tasks run. Once a second node is there,
# tasks that run on it and take what the driver has put into the store fail: `OwnerDiedError`, "the
# object's owner has exited", while the driver waits for them. Nothing names the token. (It seems
# that the driver answers no worker without a token, and what does not answer is taken for dead.)
# Without a token in the driver, all is well. The other way round (a cluster with a token, a driver in no mode) it is refused
# when it connects, after some 20 seconds, by "Failed to connect to Ray cluster".
#
# One comes to it unasked: `ray.init()` without an address makes a token for the account, which
# `ray start --head` then takes, and `ray start --address` does not.
set -euo pipefail
folder=$(mktemp -d)
nodes=()
finish() {
    for node in "${nodes[@]}"; do kill "$node" 2>/dev/null && wait "$node" || true; done
    rm -rf "$folder"
}
trap finish EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "ray[default]==2.60.0"
export HOME="$folder" RAY_USAGE_STATS_ENABLED=0 PYTHONWARNINGS=ignore
unset RAY_AUTH_TOKEN RAY_AUTH_TOKEN_PATH RAY_ADDRESS
mkdir "$folder/.ray"
printf '%064d' 7 >"$folder/.ray/auth_token"

begin() { # a node of one core, in the mode and with the arguments that are given
    RAY_AUTH_MODE=$1 "$folder/venv/bin/ray" start --block --node-ip-address 127.0.0.1 --num-cpus 1 \
        --object-store-memory 80000000 "${@:2}" >"$folder/log" 2>&1 &
    nodes+=($!)
    for _ in $(seq 120); do
        ! grep -q "Ray runtime started" "$folder/log" || return 0
        sleep 1
    done
    cat "$folder/log"
    return 1
}

cat >"$folder/driver.py" <<'PYTHON'
import logging
import sys
import time

import ray

ray.init("127.0.0.1:46379", log_to_driver=False, logging_level=logging.CRITICAL)


@ray.remote(num_cpus=1)
def node_of(text: str) -> str:
    time.sleep(0.3)
    return ray.get_runtime_context().get_node_id()


shared = ray.put("one text")
ended = []
for task in [node_of.remote(shared) for _ in range(20)]:
    try:
        ended.append(ray.get(task))
    except ray.exceptions.RayError as error:
        ended.append(type(error).__name__)
failed = sorted({one for one in ended if "Error" in one})
print(sys.argv[1], len({one for one in ended if "Error" not in one}), "nodes,", *failed or ["no error"])
PYTHON
driver() { RAY_AUTH_MODE=$1 "$folder/venv/bin/python" "$folder/driver.py" "$2" 2>>"$folder/errors"; }

begin disabled --head --port 46379 --include-dashboard false
one=$(driver token "with a token:")
begin disabled --address 127.0.0.1:46379 --dashboard-agent-listen-port 46380
two=$(driver token "with a token:")
alike=$(driver disabled "without:")
printf '%s\n' "$one" "$two" "$alike"
[ "$one" = "with a token: 1 nodes, no error" ]
[ "$two" = "with a token: 1 nodes, RayTaskError(OwnerDiedError)" ]
[ "$alike" = "without: 2 nodes, no error" ]
echo "as described"
