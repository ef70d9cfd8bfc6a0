"""Programs of several client processes on one cluster of a parameter server or two and two workers, with stock TensorFlow alone.

`replicas.py CLUSTER_JSON FOLDER INDEX NAME...` is the client of worker INDEX: it prints one line of JSON, what each named program
gave there. All clients are started with the same names. Every wait has an end: a step takes WAIT_MILLIS at most.
"""
import glob
import json
import os
import sys
import threading

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_resource_variables()
WORKERS = 2
WAIT_MILLIS = 60_000
CONFIG = tf1.ConfigProto(operation_timeout_in_ms=WAIT_MILLIS)


class Client:
    def __init__(self, text, folder, index):
        self.spec = tf.train.ClusterSpec(json.loads(text))
        self.folder = folder
        self.index = int(index)
        self.target = "grpc://" + self.spec.task_address("worker", self.index)

    @property
    def is_chief(self):
        return self.index == 0

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def device(self):
        return tf1.device(tf1.train.replica_device_setter(worker_device="/job:worker/task:%d" % self.index, cluster=self.spec))

    def session(self):
        return tf1.Session(self.target, config=CONFIG)

    def tell(self, what, times=1, value=""):
        """Says something to whoever waits for it, so many times."""
        with tf.Graph().as_default(), tf1.device("/job:ps/task:0"):
            told = channel(what).enqueue(value)
            with self.session() as session:
                for _ in range(times):
                    session.run(told)

    def wait_for(self, what):
        with tf.Graph().as_default(), tf1.device("/job:ps/task:0"):
            heard = channel(what).dequeue()
            with self.session() as session:
                return session.run(heard).decode()


def channel(what):
    return tf1.FIFOQueue(10, [tf.string], [[]], shared_name="channel_" + what)


class Together(tf1.train.SessionRunHook):
    """The chief's session ends when all others have ended: its threads serve them."""

    def __init__(self, client, name, at_end=lambda session: None):
        self.client, self.name, self.at_end = client, name, at_end

    def after_create_session(self, session, coord):
        if self.client.is_chief:
            self.client.tell(self.name + "_ready", WORKERS - 1)

    def end(self, session):
        if self.client.is_chief:
            for _ in range(WORKERS - 1):
                self.client.wait_for(self.name + "_done")
            self.at_end(session)
        else:
            self.client.tell(self.name + "_done")


def join(client, name):
    """A session that finds no model yet looks again only after 30 seconds."""
    if not client.is_chief:
        client.wait_for(name + "_ready")


def together(client, name):
    """Both have their sessions."""
    if client.is_chief:
        client.wait_for(name + "_joined")
        client.tell(name + "_begun")
    else:
        client.tell(name + "_joined")
        client.wait_for(name + "_begun")


def synchronous(client, name, replicas_to_aggregate, last):
    """Updates by the mean of gradients that are the same everywhere: so many steps, so many times the same change."""
    found = []
    with client.device():
        w = tf1.get_variable("w", initializer=np.float32([1, 2]))
        loss = tf.reduce_sum(w * [0.5, -2.0])
        global_step = tf1.train.get_or_create_global_step()
        optimizer = tf1.train.SyncReplicasOptimizer(
            tf1.train.GradientDescentOptimizer(0.1), replicas_to_aggregate=replicas_to_aggregate, total_num_replicas=WORKERS
        )
        train = optimizer.minimize(loss, global_step=global_step)
    values = [global_step, w]

    def look(session):
        # An update that the last gradients brought about may be under way: it changes the weights first.
        for _ in range(100):
            step, weights = session.run(values)
            if np.allclose(weights, np.float32([1, 2]) - 0.1 * step * np.float32([0.5, -2.0]), atol=1e-4):
                found.append(step >= last)
                return
        found.append("%s after %d steps" % (weights, step))

    join(client, name)
    steps = []
    with tf1.train.MonitoredTrainingSession(
        client.target, is_chief=client.is_chief, config=CONFIG, save_checkpoint_secs=None, save_summaries_steps=None, stop_grace_period_secs=5,
        hooks=[optimizer.make_session_run_hook(client.is_chief), Together(client, name, look), tf1.train.StopAtStepHook(last_step=last)],
    ) as session:
        together(client, name)
        while not session.should_stop():
            steps.append(int(session.run([train, global_step])[1]))
    return [len(steps) > 0, steps == sorted(steps), found]


def sync_replicas(client):
    return synchronous(client, "sync_replicas", 2, 12)


def sync_replicas_with_a_backup(client):
    return synchronous(client, "sync_replicas_with_a_backup", 1, 12)


def hooks(client):
    """Hooks as an Estimator adds them, on asynchronous workers; at last one of them finds a loss that is no number."""
    folder = client.path("hooks")
    with client.device():
        global_step = tf1.train.get_or_create_global_step()
        w = tf1.get_variable("w", initializer=np.float32([3, -3]))
        loss = tf.reduce_sum(tf.square(w), name="loss")
        scale = tf1.placeholder_with_default(1.0, [], name="scale")
        scaled = loss * scale
        tf1.summary.scalar("loss", loss)
        tf1.summary.histogram("w", w)
        train = tf1.train.GradientDescentOptimizer(0.001).minimize(loss, global_step=global_step)
    final = tf1.train.FinalOpsHook({"step": tf.identity(global_step), "loss": loss})
    feed = tf1.train.FeedFnHook(lambda: {scale: 2.0})
    mine = [
        Together(client, "hooks"), final, feed, tf1.train.StopAtStepHook(last_step=30), tf1.train.NanTensorHook(scaled, fail_on_nan_loss=True),
        tf1.train.LoggingTensorHook({"loss": loss, "step": global_step}, every_n_iter=5, at_end=True),
    ]
    chief_only = [
        tf1.train.CheckpointSaverHook(folder, save_steps=5), tf1.train.StepCounterHook(every_n_steps=5, output_dir=folder),
        tf1.train.SummarySaverHook(save_steps=5, output_dir=folder, summary_op=tf1.summary.merge_all()),
    ] if client.is_chief else [tf1.train.GlobalStepWaiterHook(wait_until_step=3)]
    join(client, "hooks")
    with tf1.train.MonitoredTrainingSession(
        client.target, is_chief=client.is_chief, config=CONFIG, hooks=mine, chief_only_hooks=chief_only if client.is_chief else None,
        save_checkpoint_secs=None, save_summaries_steps=None, stop_grace_period_secs=5,
    ) as session:
        doubled = all(value == 2.0 for value in [session.run([train, scale])[1] for _ in range(3)])
        while not session.should_stop():
            session.run(train)
    results = [doubled, int(final.final_ops_values["step"]) >= 30, bool(final.final_ops_values["loss"] < 18)]
    if client.is_chief:
        tags = {value.tag for path in glob.glob(folder + "/events*") for event in tf1.train.summary_iterator(path) for value in event.summary.value}
        reader = tf.train.load_checkpoint(folder)
        results += [sorted(tags), reader.get_tensor("global_step") >= 30, sorted(reader.get_variable_to_shape_map())]
    try:
        with tf1.train.MonitoredSession(
            tf1.train.WorkerSessionCreator(master=client.target, config=CONFIG), hooks=[tf1.train.NanTensorHook(scaled)]
        ) as session:
            session.run(scaled, {scale: float("nan")})
        results.append("no error")
    except tf1.train.NanLossDuringTrainingError as error:
        results.append(type(error).__name__)
    return results


def queue_runners(client):
    """One process fills a queue until its source ends, the other empties it with threads of its own until it is closed."""
    with tf1.device("/job:ps/task:0"):
        queue = tf1.FIFOQueue(8, [tf.int32], [[]], shared_name="numbers")
        full = tf1.FIFOQueue(1, [tf.int32], [[]], shared_name="full")
        counter = tf1.get_variable("counter", initializer=0)
    coordinator = tf1.train.Coordinator()
    with tf1.device("/job:worker/task:%d" % client.index):
        runner = tf1.train.QueueRunner(queue, [queue.enqueue(tf1.count_up_to(counter, 60))] * 3)
        ends = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
        blocked = tf1.train.QueueRunner(full, [full.enqueue(1)] * 2, queue_closed_exception_types=ends)
        number = queue.dequeue()
        waiting = full.size()
        close = full.close(cancel_pending_enqueues=True)
    with client.session() as session:
        if client.is_chief:
            session.run(counter.initializer)
            client.tell("queue_runners_ready")
            threads = runner.create_threads(session, coord=coordinator, start=True)
            threads += blocked.create_threads(session, coord=coordinator, start=True)
            consumed = client.wait_for("consumed")
            # The source's end and a closed queue are no errors.
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=60)
            return [consumed]
        client.wait_for("queue_runners_ready")
        seen = []

        def take():
            with coordinator.stop_on_exception():
                while not coordinator.should_stop():
                    seen.append(int(session.run(number)))

        threads = [threading.Thread(target=take) for _ in range(3)]
        [thread.start() for thread in threads]
        coordinator.join(threads, stop_grace_period_secs=60)
        while session.run(waiting) == 0:
            pass
        session.run(close)
        client.tell("consumed", value="%d numbers" % len(seen))
        return [sorted(seen) == list(range(60))]


def savers(client):
    """One process saves what the other trains; every checkpoint is of whole updates, and the other goes on from the last."""
    with client.device():
        v = tf1.get_variable("v", initializer=tf.zeros([500, 300]), use_resource=True)
        step = tf1.get_variable("step", initializer=np.int64(0))
        parts = [tf1.get_variable("part%d" % i, initializer=np.float32([i, 1])) for i in range(3)]
        train = tf.group(v.assign_add(tf.ones([500, 300])), tf1.assign_add(step, 1), *[tf1.assign_add(p, [1.0, 1.0]) for p in parts])
        saver = tf1.train.Saver(max_to_keep=2, sharded=True)
        cleared = tf.group(v.assign(tf.zeros([500, 300])), tf1.assign(step, 0), *[tf1.assign(p, [0.0, 0.0]) for p in parts])
    prefix = client.path("saved", "model")
    with client.session() as session:
        if client.is_chief:
            os.makedirs(os.path.dirname(prefix))
            session.run(tf1.global_variables_initializer())
            client.tell("savers_ready")
            for _ in range(3):
                client.wait_for("trained")
                path = saver.save(session, prefix, global_step=step)
            client.wait_for("trained")
            client.tell("saved", value=path)
            whole = []
            for each in saver.last_checkpoints:
                reader = tf.train.load_checkpoint(each)
                saved = reader.get_tensor("v")
                whole.append(bool((saved == saved[0, 0]).all() and saved[0, 0] > 0))
            kept = len(glob.glob(prefix + "-*.index"))
            return [whole, kept, os.path.basename(path) == os.path.basename(tf.train.latest_checkpoint(os.path.dirname(prefix)))]
        client.wait_for("savers_ready")
        for _ in range(4):
            for _ in range(5):
                session.run(train)
            client.tell("trained")
        path = client.wait_for("saved")
        session.run(cleared)
        saver.restore(session, path)
        restored = session.run([step, v[0, 0], *parts])
        reader = tf.train.load_checkpoint(path)
        same = [bool(np.all(reader.get_tensor(name) == value)) for name, value in zip(["step", "part0", "part1", "part2"], [restored[0], *restored[2:]])]
        session.run(train)
        return [same, bool((reader.get_tensor("v") == restored[1]).all()), int(session.run(step) - restored[0])]


PROGRAMS = {program.__name__: program for program in (sync_replicas, sync_replicas_with_a_backup, hooks, queue_runners, savers)}


def main():
    client = Client(*sys.argv[1:4])
    results = {}
    for name in sys.argv[4:] or PROGRAMS:
        # The remains of one program are not the next one's.
        with tf.Graph().as_default(), tf1.container(name.replace("_", "-")):
            results[name] = PROGRAMS[name](client)
        print("%s ended" % name, file=sys.stderr, flush=True)
    print(json.dumps(results, default=bool), flush=True)


main()
