"""`all-reduce.py clusterspec.json`: three workers add up vectors, each ending with the sum, in three ways.

In a ring, through a parameter server, and by TensorFlow's collective operation; and how many bytes each task received, from
the traces. The collective operation, which also goes in a ring, leaves no trace of its transfers.
"""
import json
import re
import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

WORKERS = 3
CHUNK = 30
# Stock servers do not record transfers that end before the request to record them has come: some step has all.
TRACED_STEPS = 10
cluster = tf.train.ClusterSpec(json.load(open(sys.argv[1])))


def on(worker):
    return tf.device("/job:worker/task:%d" % (worker % WORKERS))


def vector(worker):
    with on(worker):
        return tf.constant(np.arange(1, WORKERS * CHUNK + 1) * 10**worker, tf.float32)


def ring():
    known = []
    for worker in range(WORKERS):
        with on(worker):
            known.append(tf.split(vector(worker), WORKERS))
    # Every worker adds a chunk to the one that it gets from its neighbour and passes the sum on; then the sums go round.
    for step in range(2 * (WORKERS - 1)):
        adds = step < WORKERS - 1
        first = 0 if adds else 1
        sent = [((worker + 1) % WORKERS, (worker + first - step % (WORKERS - 1)) % WORKERS) for worker in range(WORKERS)]
        values = [known[to - 1][chunk] for to, chunk in sent]
        for (to, chunk), value in zip(sent, values):
            with on(to):
                known[to][chunk] = tf.add(value, known[to][chunk]) if adds else tf.identity(value)
    sums = []
    for worker in range(WORKERS):
        with on(worker):
            sums.append(tf.concat(known[worker], 0))
    return sums


def parameter_server():
    vectors = [vector(worker) for worker in range(WORKERS)]
    with tf.device("/job:ps/task:0"):
        total = tf.add_n(vectors)
    sums = []
    for worker in range(WORKERS):
        with on(worker):
            sums.append(tf.identity(total))
    return sums


def collective():
    sums = []
    for worker in range(WORKERS):
        with on(worker):
            sums.append(tf.raw_ops.CollectiveReduceV2(
                input=vector(worker), group_size=WORKERS, group_key=1, instance_key=1, ordering_token=[],
                merge_op="Add", final_op="Id",
            ))
    return sums


def task_of(device):
    job, task = re.search(r"/job:(\w+)/.*task:(\d+)", device).groups()
    return "/job:%s/task:%s" % (job, task)


def bytes_received(metadata):
    received = {}
    for dev in metadata.step_stats.dev_stats:
        for node in dev.node_stats:
            label = re.match(r"\[(\d+)B\].* from (\S+) to (\S+)", node.timeline_label)
            if node.node_name.startswith("RecvTensor") and label:
                task = task_of(label.group(3))
                received[task] = received.get(task, 0) + int(label.group(1))
    return received


config = tf.ConfigProto()
config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
config.graph_options.rewrite_options.disable_meta_optimizer = True
config.experimental.collective_group_leader = "/job:worker/replica:0/task:0"
for name, build in [("ring", ring), ("parameter server", parameter_server), ("collective operation", collective)]:
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    received = {}
    with tf.Graph().as_default():
        sums = build()
        with tf.Session("grpc://" + cluster.task_address("worker", 0), config=config) as session:
            values = session.run(sums)
            # A step that fetches nothing moves no more than the sum needs.
            for _ in range(TRACED_STEPS):
                metadata = tf.RunMetadata()
                session.run([total.op for total in sums], options=options, run_metadata=metadata)
                for task, total in bytes_received(metadata).items():
                    received[task] = max(total, received.get(task, 0))
    for worker, value in enumerate(values):
        print("%s, worker %d: %s" % (name, worker, ",".join("%d" % element for element in value[:4]) + ",...,%d" % value[-1]))
    for task, total in sorted(received.items()):
        print("%s, %s received %d bytes" % (name, task, total))
