"""A between-graph script of TensorFlow 1: flags name the cluster, a ps joins, and each worker adds to a shared variable."""

import argparse

import tensorflow.compat.v1 as tf

parser = argparse.ArgumentParser()
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int)
parser.add_argument("--ps_hosts")
parser.add_argument("--worker_hosts")
parser.add_argument("--steps", type=int)
flags = parser.parse_args()

tf.disable_eager_execution()
cluster = tf.train.ClusterSpec({"ps": flags.ps_hosts.split(","), "worker": flags.worker_hosts.split(",")})
server = tf.train.Server(cluster, job_name=flags.job_name, task_index=flags.task_index)
if flags.job_name == "ps":
    server.join()

with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{flags.task_index}")):
    total = tf.get_variable("total", shape=[], initializer=tf.zeros_initializer())
    done = tf.get_variable("done", shape=[], dtype=tf.int32, initializer=tf.zeros_initializer())
    add = total.assign_add(flags.task_index + 1.0, use_locking=True)
    finish = done.assign_add(1, use_locking=True)
    init = tf.global_variables_initializer()

# Only the first worker initializes; the others wait until it has.
supervisor = tf.train.Supervisor(is_chief=flags.task_index == 0, init_op=init, recovery_wait_secs=1)
with supervisor.prepare_or_wait_for_session(server.target) as session:
    for _ in range(flags.steps):
        session.run(add)
    session.run(finish)
    while session.run(done) < 2:
        pass
    print(f"worker {flags.task_index} sees {session.run(total)} on {total.device}")
