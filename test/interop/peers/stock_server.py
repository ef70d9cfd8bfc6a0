"""Runs stock TensorFlow servers, several tasks of a cluster in one process.

Usage: stock_server.py CLUSTER_JSON JOB/INDEX...
Prints "target JOB/INDEX grpc://host:port" for each, then "all ready", and runs until its stdin is closed or it is ended.
Without arguments: one local server of its own.
"""

import json
import os
import signal
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import tensorflow as tf  # noqa: E402

# A stock server cannot be shut down; the process just goes.
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))


def main():
    servers = []
    if len(sys.argv) > 1:
        cluster = tf.train.ClusterSpec(json.loads(sys.argv[1]))
        for task in sys.argv[2:]:
            job, index = task.split("/")
            server = tf.distribute.Server(cluster, job_name=job, task_index=int(index))
            servers.append((task, server))
    else:
        servers.append(("local/0", tf.distribute.Server.create_local_server()))
    for task, server in servers:
        print(f"target {task} {server.target}", flush=True)
    print("all ready", flush=True)
    signal.pause()


main()
