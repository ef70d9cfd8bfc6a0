"""`python networks CLUSTER_JSON STEPS NAME...`: trains networks on the first worker of a cluster.

Prints one line of JSON for each: the losses of its steps, and the ops of a traced step that have outputs of their own, which
are those of nodes that kernels ran. The variables of a network named NAME@ps are on the first parameter server.
"""
import json
import re
import sys
import time

import support
import tensorflow as tf
from support import tf1

import dense  # noqa: F401  each of these registers its networks
import images  # noqa: F401
import sequences  # noqa: F401
import tables  # noqa: F401

SEED = 7


def device(cluster, is_on_server):
    worker = "/job:worker/task:0"
    return tf1.device(tf1.train.replica_device_setter(cluster=cluster, worker_device=worker) if is_on_server else worker)


def ops_of_kernels(metadata):
    labels = [
        (node.node_name, node.timeline_label)
        for statistics in metadata.step_stats.dev_stats
        for node in statistics.node_stats
        if node.output and " in a region of " not in node.timeline_label
    ]
    found = [(name, re.search(r" = (\w+)\(", label)) for name, label in labels]
    return sorted({op.group(1) for _, op in found if op})


def train(cluster, name, steps):
    network, _, where = name.partition("@")
    graph = tf.Graph()
    with graph.as_default(), device(cluster, where == "ps"), tf1.name_scope(name.replace("@", "_")):
        tf1.set_random_seed(SEED)
        loss, step, feeds = support.networks[network]()
        initialize = tf1.global_variables_initializer()
    with tf1.Session("grpc://" + cluster.task_address("worker", 0), graph=graph) as session:
        session.run(initialize)
        losses = [float(session.run([loss, step], feeds)[0]) for _ in range(steps)]
        metadata = tf1.RunMetadata()
        traced = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
        session.run([loss, step], feeds, options=traced, run_metadata=metadata)
    return {"losses": losses, "kernels": ops_of_kernels(metadata)}


def main():
    cluster = tf.train.ClusterSpec(json.loads(sys.argv[1]))
    for name in sys.argv[3:]:
        started = time.monotonic()
        result = train(cluster, name, int(sys.argv[2]))
        print("%s %.2f s" % (name, time.monotonic() - started), file=sys.stderr, flush=True)
        print(json.dumps({name: result}), flush=True)


tf1.disable_eager_execution()
main()
