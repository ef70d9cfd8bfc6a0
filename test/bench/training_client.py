"""The stock script of the training benchmark: the sessions of all workers, each in a thread of one process.

Usage: training_client.py CLUSTER_JSON. For each line of JSON on standard input it answers with one line, {"error": TEXT} if
that failed:

{"do": "train", "scheme": …, "model": …, "workers": N, "seconds": S}  {"steps": those of S seconds, "seconds": the time}
{"do": "trace", "scheme": …, "model": …, "workers": N, "steps": N}    {"stats": StepStats of steps of worker 0, in base64}
{"do": "end"}                                                         closes sessions, and clears the servers
{"do": "recover", "folder": PATH}                                     two workers train until it ends, with checkpoints
{"do": "mark"}                                                        before a task is killed
{"do": "recovered", "worker": I}                                      once it has trained in a session made after the mark

The first of these with a scheme makes its graphs and sessions. A step is a change of the variables.
"""
import base64
import json
import os
import sys
import threading
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
import tensorflow as tf

import models

tf1 = tf.compat.v1
tf1.disable_eager_execution()
tf1.logging.set_verbosity(tf1.logging.FATAL)
spec = tf.train.ClusterSpec(json.loads(sys.argv[1]))
PS = "/job:ps/task:0"
LEADER = "/job:worker/replica:0/task:0"
RECOVERING_WORKERS = 2
CHECKPOINT_STEPS = 100
# Steps of each worker before a task is killed.
STEPS_BEFORE = 20


def target(worker):
    return "grpc://" + spec.task_address("worker", worker)


def task(worker):
    return "/job:worker/task:%d" % worker


def replica_setter(worker):
    return tf1.train.replica_device_setter(worker_device=task(worker), cluster=spec)


def only(workers):
    """A session that uses these workers and the parameter server."""
    config = tf1.ConfigProto(device_filters=["/job:ps"] + [task(worker) for worker in workers])
    config.experimental.collective_group_leader = LEADER
    return config


def loss_of(model, worker):
    return {"mlp": models.mlp_loss, "cnn": models.cnn_loss}[model](seed=1 + worker)


def mean_of(values):
    return values[0] if len(values) == 1 else tf.add_n(values) / len(values)


class OneSession:
    """Replicas of all workers in one graph, which the session of worker 0 runs."""

    def __init__(self, build, model, workers):
        with tf.Graph().as_default() as graph:
            self.fetches, self.feeds = build(model, workers)
            initializer = tf1.global_variables_initializer()
        self.session = tf1.Session(target(0), graph=graph, config=only(range(workers)))
        self.session.run(initializer)

    def step(self, **trace):
        self.session.run(self.fetches, self.feeds, **trace)

    def turn(self, seconds):
        start, steps = time.perf_counter(), 0
        while time.perf_counter() < start + seconds:
            self.step()
            steps += 1
        return steps, time.perf_counter() - start

    def trace(self, **options):
        self.step(**options)

    def close(self):
        self.session.close()


def in_graph(model, workers):
    """The parameter server applies the means of the replicas' gradients."""
    replicas, feeds = [], {}
    for worker in range(workers):
        with tf1.device(replica_setter(worker)), tf1.variable_scope("model", reuse=tf1.AUTO_REUSE):
            loss, fed = loss_of(model, worker)
            replicas.append((loss, models.optimizer().compute_gradients(loss)))
            feeds.update(fed)
    with tf1.device(PS):
        means = [(mean_of([g for g, _ in all_of]), all_of[0][1]) for all_of in zip(*[both for _, both in replicas])]
        loss = mean_of([loss for loss, _ in replicas])
        return [loss, models.optimizer().apply_gradients(means)], feeds


# A server remembers the shape of an instance as long as it runs: each model has instances of its own.
FIRST_INSTANCES = {"mlp": 1, "cnn": 101}


def ring(model, workers):
    """Each worker has variables of its own; collective operations average their gradients."""
    losses, updates, feeds = [], [], {}
    for worker in range(workers):
        with tf1.device(task(worker)), tf1.variable_scope("replica_%d" % worker) as scope:
            loss, fed = loss_of(model, worker)
            feeds.update(fed)
            losses.append(loss)
            own = tf1.trainable_variables(scope.name)
            gradients = models.optimizer().compute_gradients(loss, own)
            first = FIRST_INSTANCES[model]
            means = [(reduced(gradient, workers, first + at), one) for at, (gradient, one) in enumerate(gradients)]
            updates.append(models.optimizer().apply_gradients(means))
    with tf1.device(task(0)):
        return [mean_of(losses), tf.group(*updates)], feeds


def reduced(value, workers, instance):
    if workers == 1:
        return value
    return tf.raw_ops.CollectiveReduceV2(
        input=value, group_size=workers, group_key=100 + workers, instance_key=instance, ordering_token=[],
        merge_op="Add", final_op="Div",
    )


class BetweenGraph:
    """A session for each worker. With `sync`, all give gradients for each step."""

    def __init__(self, model, workers, sync):
        self.sync = sync
        self.steps = []
        for worker in range(workers):
            with tf.Graph().as_default(), tf1.device(replica_setter(worker)):
                global_step = tf1.train.get_or_create_global_step()
                loss, feeds = loss_of(model, worker)
                optimizer, hooks = models.optimizer(), []
                if sync:
                    optimizer = tf1.train.SyncReplicasOptimizer(optimizer, replicas_to_aggregate=workers)
                    hooks.append(optimizer.make_session_run_hook(worker == 0, num_tokens=0))
                train = optimizer.minimize(loss, global_step=global_step)
                session = tf1.train.MonitoredTrainingSession(
                    target(worker), is_chief=worker == 0, config=only([worker]), hooks=hooks,
                    save_checkpoint_secs=None, save_summaries_steps=None, stop_grace_period_secs=1,
                )
            self.steps.append((session, [loss, train], feeds))

    def step(self, worker, **trace):
        session, fetches, feeds = self.steps[worker]
        session.run(fetches, feeds, **trace)

    def turn(self, seconds):
        """Asynchronous: each trains until the time is over. Synchronous: all do a step, as long as there is time."""
        counts = [0] * len(self.steps)
        start = time.perf_counter()
        goes_on = [True]

        def decide():
            goes_on[0] = time.perf_counter() < start + seconds

        barrier = threading.Barrier(len(self.steps), decide)

        def loop(worker):
            while time.perf_counter() < start + seconds:
                self.step(worker)
                counts[worker] += 1

        def loop_in_step(worker):
            while True:
                barrier.wait()
                if not goes_on[0]:
                    return
                self.step(worker)
                counts[worker] += 1

        self.together(loop_in_step if self.sync else loop, barrier.abort)
        return (counts[0] if self.sync else sum(counts)), time.perf_counter() - start

    def trace(self, **options):
        self.together(lambda worker: self.step(worker, **(options if worker == 0 else {})))

    def together(self, loop, failed=lambda: None):
        """Runs the workers' loops, each in a thread; raises the first error."""
        errors = []

        def guarded(worker):
            try:
                loop(worker)
            except threading.BrokenBarrierError:
                pass
            except Exception as error:
                errors.append(error)
                failed()

        threads = [threading.Thread(target=guarded, args=[worker], daemon=True) for worker in range(len(self.steps))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]

    def close(self):
        for session, _, _ in reversed(self.steps):
            session.close()


class Sessions(tf1.train.SessionRunHook):
    """Counts the sessions of a training loop."""

    def __init__(self):
        self.number = 0

    def after_create_session(self, session, coord):
        self.number += 1


class Recovery:
    """Asynchronous training that goes on after failures."""

    def __init__(self, folder):
        self.changed = threading.Condition()
        self.sessions = [Sessions() for _ in range(RECOVERING_WORKERS)]
        # By worker: how many steps, and the number of the session of the last one.
        self.steps = [0] * RECOVERING_WORKERS
        self.last = [0] * RECOVERING_WORKERS
        self.marked = list(self.last)
        self.error = None
        for worker in range(RECOVERING_WORKERS):
            threading.Thread(target=self.guarded, args=[worker, folder], daemon=True).start()
            # The other worker would look again for initialized variables only after 30 seconds.
            self.wait(lambda: self.steps[worker] >= STEPS_BEFORE)

    def guarded(self, worker, folder):
        try:
            self.loop(worker, folder)
        except Exception as error:
            with self.changed:
                self.error = error
                self.changed.notify_all()

    def loop(self, worker, folder):
        with tf.Graph().as_default(), tf1.device(replica_setter(worker)):
            global_step = tf1.train.get_or_create_global_step()
            loss, feeds = loss_of("mlp", worker)
            train = models.optimizer().minimize(loss, global_step=global_step)
            with tf1.train.MonitoredTrainingSession(
                target(worker), is_chief=worker == 0, config=only([worker]), hooks=[self.sessions[worker]],
                checkpoint_dir=folder, save_checkpoint_steps=CHECKPOINT_STEPS,
                save_summaries_steps=None, save_summaries_secs=None, log_step_count_steps=None,
            ) as session:
                while True:
                    session.run([loss, train], feeds)
                    with self.changed:
                        self.steps[worker] += 1
                        self.last[worker] = self.sessions[worker].number
                        self.changed.notify_all()

    def wait(self, condition):
        with self.changed:
            self.changed.wait_for(lambda: self.error is not None or condition())
        if self.error is not None:
            raise self.error

    def mark(self):
        self.marked = list(self.last)

    def recovered(self, worker):
        self.wait(lambda: self.last[worker] > self.marked[worker])


class Client:
    def __init__(self):
        self.training = None
        self.recovery = None

    def trained(self, scheme, model, workers):
        if self.training is None:
            if scheme in ("async", "sync"):
                self.training = BetweenGraph(model, workers, scheme == "sync")
            else:
                self.training = OneSession({"in-graph": in_graph, "ring": ring}[scheme], model, workers)
        return self.training

    def train(self, scheme, model, workers, seconds):
        steps, taken = self.trained(scheme, model, workers).turn(seconds)
        return {"steps": steps, "seconds": taken}

    def trace(self, scheme, model, workers, steps):
        training, stats = self.trained(scheme, model, workers), []
        for _ in range(steps):
            metadata = tf1.RunMetadata()
            training.trace(options=tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE), run_metadata=metadata)
            stats.append(base64.b64encode(metadata.step_stats.SerializeToString()).decode())
        return {"stats": stats}

    def end(self):
        if self.training is not None:
            self.training.close()
            self.training = None
            tf1.Session.reset(target(0))
        return {}

    def recover(self, folder):
        self.recovery = Recovery(folder)
        return {}

    def mark(self):
        self.recovery.mark()
        return {}

    def recovered(self, worker):
        self.recovery.recovered(worker)
        return {}


client = Client()
for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = getattr(client, request.pop("do"))(**request)
    except Exception as error:
        answer = {"error": str(error)[-2000:]}
    print(json.dumps(answer), flush=True)
# Threads of a recovery go on for ever.
os._exit(0)
