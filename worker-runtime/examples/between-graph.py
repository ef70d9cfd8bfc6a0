"""Between-graph replication: one program for the ps and for both workers of a cluster, each told its task.

    between-graph.py --ps_hosts=a:2222,b:2222 --worker_hosts=c:2222,d:2222 --job_name=worker --task_index=0 [--sync]

Servers of job ps run until they are stopped. Workers train the shared variables, each for itself or, with --sync, all in
step; worker 0 initializes them.
"""
import argparse

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

STEPS = 150
# Points of y = 2 a - b + 0.5: for each worker its own.
POINTS = [[[0, 0], [1, 0], [0, 1], [1, 1]], [[2, 0], [0, 2], [2, 1], [1, 2]]]

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", required=True)
parser.add_argument("--worker_hosts", required=True)
parser.add_argument("--job_name", default="worker")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--sync", action="store_true")
flags = parser.parse_args()

cluster = tf.train.ClusterSpec({"ps": flags.ps_hosts.split(","), "worker": flags.worker_hosts.split(",")})
index = flags.task_index
is_chief = index == 0
server = tf.train.Server(cluster, job_name=flags.job_name, task_index=index)
print(flags.job_name, index, "serves", flush=True)
if flags.job_name == "ps":
    server.join()

# Lets workers wait for each other: each calls the others, and hears one call of each.
with tf.device("/job:ps/task:0"):
    workers = range(cluster.num_tasks("worker"))
    calls = [tf.FIFOQueue(2 * len(workers), [tf.bool], [[]], shared_name="calls_of_%d" % worker) for worker in workers]
    call = tf.group(*[calls[worker].enqueue(True) for worker in workers if worker != index])
    hear = calls[index].dequeue_many(len(workers) - 1)

with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:%d" % index, cluster=cluster)):
    w = tf.Variable([[0.0], [0.0]], name="w")
    b = tf.Variable([0.0], name="b")
    global_step = tf.train.get_or_create_global_step()
    x = tf.constant(POINTS[index], tf.float32)
    y = tf.constant([[2 * first - second + 0.5] for first, second in POINTS[index]])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    hooks = []
    if flags.sync:
        optimizer = tf.train.SyncReplicasOptimizer(optimizer, replicas_to_aggregate=len(workers))
        hooks.append(optimizer.make_session_run_hook(is_chief, num_tokens=0))
    train = optimizer.minimize(loss, global_step=global_step)

# A worker needs the parameter servers, not the other workers.
config = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:%d" % index])
if not is_chief:
    # A monitored session that comes before the chief's looks again only after 30 seconds.
    with tf.Session(server.target, config=config) as waiting:
        waiting.run(hear)
# The chief's thread that applies updates waits for gradients that nobody sends any more until its session is closed.
with tf.train.MonitoredTrainingSession(
    server.target, is_chief=is_chief, config=config, hooks=hooks,
    save_checkpoint_secs=None, save_summaries_steps=None, stop_grace_period_secs=1,
) as session:
    # Without hooks, which would count on a whole step.
    def run(fetches):
        return session.run_step_fn(lambda step_context: step_context.session.run(fetches))

    if is_chief:
        run(call)

    def together():
        run(call)
        run(hear)

    for _ in range(STEPS):
        session.run(train)
        if flags.sync:
            # Else a worker could take both tokens of an update, and the other would wait for one that never comes.
            together()
    together()
    updates, error, weights, bias = run([global_step, loss, w, b])
    print("%d updates: loss %.3f" % (updates, error))
    print("y = %.2f a + %.2f b + %.2f" % (weights[0][0], weights[1][0], bias[0]), flush=True)
    # None leaves while another reads.
    together()
