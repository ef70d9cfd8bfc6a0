"""Programs that users of distributed TensorFlow write, on a cluster of two ps and two workers, with stock TensorFlow alone.

`scenarios.py CLUSTER_JSON FOLDER NAME...` prints one line of JSON: what each named scenario gave. CLUSTER_JSON is
{"ps": [...], "worker": [...]}, FOLDER a place that the servers may write to. Numbers are drawn from seeds, so two
clusters that compute alike print alike, to rounding.
"""
import json
import os
import sys
import threading

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
STEPS = 20
OPTIMIZERS = {
    "sgd": lambda: tf1.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf1.train.MomentumOptimizer(0.05, 0.9),
    "nesterov": lambda: tf1.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True),
    "adam": lambda: tf1.train.AdamOptimizer(0.01),
    "adagrad": lambda: tf1.train.AdagradOptimizer(0.1),
    "rmsprop": lambda: tf1.train.RMSPropOptimizer(0.01, momentum=0.5),
}


class Cluster:
    def __init__(self, text, folder):
        self.spec = tf.train.ClusterSpec(json.loads(text))
        self.folder = folder

    def target(self, index=0):
        return "grpc://" + self.spec.task_address("worker", index)


def drawn(seed, *shape):
    return np.random.RandomState(seed).uniform(-0.5, 0.5, shape).astype(np.float32)


def digits(seed, count, size=784):
    """Random pictures, and labels that a linear model can tell."""
    pictures = np.random.RandomState(seed).uniform(0, 1, (count, size)).astype(np.float32)
    return pictures, (pictures @ drawn(99, size, 10)).argmax(axis=1).astype(np.int64)


def variable(name, value, use_resource):
    return tf1.get_variable(name, initializer=value, use_resource=use_resource)


def dense(x, units, name, seed, use_resource=True):
    w = variable(name + "/kernel", drawn(seed, int(x.shape[-1]), units) / 5, use_resource)
    b = variable(name + "/bias", np.zeros([units], np.float32), use_resource)
    return tf1.nn.bias_add(tf.matmul(x, w), b)


def softmax_loss(logits, labels):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))


def train(session, loss, step, feeds):
    """The loss before each of some steps."""
    return [float(session.run([loss, step], feeds)[0]) for _ in range(STEPS)]


def model_parallel(cluster):
    """Two layers whose variables lie on two parameter servers, the training on a worker."""
    pictures, labels = digits(1, 50, 20)
    with tf.Graph().as_default():
        with tf1.device("/job:ps/task:0"):
            w1 = tf1.Variable(drawn(2, 20, 16), name="w1", use_resource=False)
            b1 = tf1.Variable(np.zeros(16, np.float32), name="b1", use_resource=False)
        with tf1.device("/job:ps/task:1"):
            w2 = tf1.Variable(drawn(3, 16, 10), name="w2", use_resource=False)
            b2 = tf1.Variable(np.zeros(10, np.float32), name="b2", use_resource=False)
        with tf1.device("/job:worker/task:0"):
            x = tf1.placeholder(tf.float32, [None, 20])
            y = tf1.placeholder(tf.int64, [None])
            layer1 = tf.nn.relu(tf.matmul(x, w1) + b1)
            layer2 = tf.nn.relu(tf.matmul(layer1, w2) + b2)
            loss = softmax_loss(layer2, y)
            step = tf1.train.GradientDescentOptimizer(0.2).minimize(loss)
        with tf1.Session(cluster.target()) as session:
            session.run(tf1.global_variables_initializer())
            return train(session, loss, step, {x: pictures, y: labels})


def loops(cluster):
    """A loop whose body runs on three tasks, and its gradient."""
    with tf.Graph().as_default():
        start = tf1.placeholder(tf.float32, [3])

        def body(i, value):
            with tf1.device("/job:worker/task:1"):
                doubled = value * 2.0
            with tf1.device("/job:ps/task:0"):
                return i + 1, tf.sin(doubled * 0.4) + 1.0

        with tf1.device("/job:worker/task:0"):
            tf1.disable_control_flow_v2()
            count, result = tf1.while_loop(lambda i, _: i < 4, body, [tf.constant(0), start])
            gradient = tf1.gradients(result, start)[0]
        with tf1.Session(cluster.target()) as session:
            values = session.run([count, result, gradient], {start: [0.1, 0.2, 0.3]})
            return [float(value) for part in values for value in np.ravel(part)]


def optimizers(cluster):
    """A classifier trained by each optimizer, with variables of both kinds spread over the parameter servers."""
    pictures, labels = digits(4, 40, 30)
    losses = {}
    for name, optimizer in OPTIMIZERS.items():
        for use_resource in (True, False):
            with tf.Graph().as_default():
                scope = "%s_%s" % (name, use_resource)
                with tf1.device(tf1.train.replica_device_setter(cluster=cluster.spec)), tf1.variable_scope(scope):
                    x = tf1.placeholder(tf.float32, [None, 30])
                    y = tf1.placeholder(tf.int64, [None])
                    hidden = tf.nn.relu(dense(x, 16, "hidden", 5, use_resource))
                    loss = softmax_loss(dense(hidden, 10, "top", 6, use_resource), y)
                    step = optimizer().minimize(loss, global_step=tf1.train.get_or_create_global_step())
                with tf1.Session(cluster.target()) as session:
                    session.run(tf1.global_variables_initializer())
                    losses[scope] = train(session, loss, step, {x: pictures, y: labels})
    return losses


def keras(cluster):
    """A model made by Keras: its graph for prediction, and its training step as Keras' own optimizers write it."""
    pictures, labels = digits(7, 32, 12)
    results = {}
    makers = {
        "sgd": lambda: tf.keras.optimizers.SGD(0.1, momentum=0.9),
        "adam": lambda: tf.keras.optimizers.Adam(0.01),
        "rmsprop": lambda: tf.keras.optimizers.RMSprop(0.01),
        "adagrad": lambda: tf.keras.optimizers.Adagrad(0.1),
    }
    for name, maker in makers.items():
        model, optimizer, loss_of = keras_model(maker)

        def step(x, y):
            with tf.GradientTape() as tape:
                logits = model(x, training=True)
                loss = loss_of(y, logits)
            optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
            return loss, logits

        traced = tf.function(step).get_concrete_function(
            tf.TensorSpec([None, 12], tf.float32), tf.TensorSpec([None], tf.int64)
        )
        variables = [(v.handle, v.numpy(), v.dtype, v.shape) for v in traced.graph.variables]
        captured = [outer for outer, _ in traced.graph.captures]
        results[name] = run_traced(cluster, name, traced, variables, captured, pictures, labels)
    return results


def keras_model(maker):
    model = tf.keras.Sequential([
        tf.keras.layers.Input([12]),
        tf.keras.layers.Dense(16, activation="relu"),
        tf.keras.layers.Dense(8, activation="tanh"),
        tf.keras.layers.Dense(10),
    ])
    model.set_weights([drawn(8 + i, *w.shape) for i, w in enumerate(model.get_weights())])
    optimizer = maker()
    optimizer.build(model.trainable_variables)
    return model, optimizer, tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def run_traced(cluster, scope, traced, variables, captured, pictures, labels):
    """Runs a traced function's graph in a session, with variables of the session's own in place of those it captured."""
    with tf.Graph().as_default(), tf1.device("/job:worker/task:0"):
        handles, initializers = [], []
        for i, (handle, value, dtype, shape) in enumerate(variables):
            with tf1.device("/job:ps/task:%d" % (i % 2)):
                own = tf.raw_ops.VarHandleOp(dtype=dtype, shape=shape, shared_name="keras_%s_%d" % (scope, i))
                handles.append((handle, own))
                initializers.append(tf.raw_ops.AssignVariableOp(resource=own, value=value))
        mapped = {}
        for outer, placeholder in zip(captured, [inner for _, inner in traced.graph.captures]):
            own = next((mine for handle, mine in handles if handle is outer), None)
            mapped[placeholder.name] = tf.constant(outer.numpy()) if own is None else own
        x, y = [tensor.name for tensor in traced.inputs[:2]]
        outputs = [tensor.name for tensor in traced.outputs]
        updates = [op.name for op in traced.graph.control_outputs]
        found = tf1.import_graph_def(
            traced.graph.as_graph_def(), input_map=mapped, return_elements=outputs + updates, name="traced"
        )
        loss, logits = found[:2]
        with tf1.Session(cluster.target()) as session:
            session.run(initializers)
            feeds = {"traced/" + x: pictures, "traced/" + y: labels}
            first = session.run(logits, feeds)
            return {"logits": [float(v) for v in np.ravel(first)], "losses": train(session, loss, found[2:], feeds)}


def between_graph(cluster):
    """A graph of each worker's own, trained without waiting for the other: the MNIST-sized model of the tutorials."""
    counts = {}

    def work(index, chief_is_ready):
        pictures, labels = digits(20 + index, 200)
        with tf.Graph().as_default():
            setter = tf1.train.replica_device_setter(worker_device="/job:worker/task:%d" % index, cluster=cluster.spec)
            with tf1.device(setter):
                x = tf1.placeholder(tf.float32, [None, 784])
                y = tf1.placeholder(tf.int64, [None])
                hidden = tf.nn.relu(dense(x, 256, "between/hidden", 21))
                loss = softmax_loss(dense(hidden, 10, "between/top", 22), y)
                global_step = tf1.train.get_or_create_global_step()
                step = tf1.train.GradientDescentOptimizer(0.01).minimize(loss, global_step=global_step)
            wait_for_chief(index, chief_is_ready)
            with tf1.train.MonitoredTrainingSession(
                master=cluster.target(index), is_chief=index == 0, save_checkpoint_secs=None, save_summaries_steps=None,
            ) as session:
                chief_is_ready.set()
                losses = train(session, loss, step, {x: pictures[:100], y: labels[:100]})
                counts[index] = (losses[-1] < losses[0], int(session.run(global_step)))
                finished.wait()

    finished = threading.Barrier(2)
    in_threads(work)
    return [all(better for better, _ in counts.values()), max(count for _, count in counts.values())]


def synchronous(cluster):
    """SyncReplicasOptimizer: every update is the mean of both workers' gradients."""
    values = {}

    def work(index, chief_is_ready):
        with tf.Graph().as_default():
            setter = tf1.train.replica_device_setter(worker_device="/job:worker/task:%d" % index, cluster=cluster.spec)
            with tf1.device(setter):
                w = tf1.get_variable("synchronous/w", initializer=np.float32([4, -4]), use_resource=False)
                loss = tf.reduce_sum(tf.square(w - float(index)))
                global_step = tf1.train.get_or_create_global_step()
                optimizer = tf1.train.SyncReplicasOptimizer(
                    tf1.train.GradientDescentOptimizer(0.1), replicas_to_aggregate=2, total_num_replicas=2
                )
                step = optimizer.minimize(loss, global_step=global_step)
            hook = optimizer.make_session_run_hook(is_chief=index == 0, num_tokens=0)
            wait_for_chief(index, chief_is_ready)
            # The chief's thread waits for gradients that nobody sends any more until its session is closed.
            with tf1.train.MonitoredTrainingSession(
                master=cluster.target(index), is_chief=index == 0, hooks=[hook],
                save_checkpoint_secs=None, save_summaries_steps=None, stop_grace_period_secs=1,
            ) as session:
                chief_is_ready.set()
                # Step by step: a worker that takes both tokens of an update is a step ahead, its fellow's next gradient
                # comes too late and is dropped, and the last tokens are never made.
                for _ in range(5):
                    both.wait()
                    session.run(step)
                # Until both are here, the other's last update may still be under way.
                both.wait()
                values[index] = session.run(w)
                both.wait()

    both = threading.Barrier(2)
    in_threads(work)
    return [float(v) for v in values[0]]


def wait_for_chief(index, chief_is_ready):
    """A session that finds no model yet looks again only after 30 seconds."""
    if index > 0:
        chief_is_ready.wait(60)


def in_threads(work):
    failures = []
    chief_is_ready = threading.Event()

    def guarded(index):
        try:
            work(index, chief_is_ready)
        except Exception as error:  # Shown by the main thread.
            failures.append(error)
            raise

    threads = [threading.Thread(target=guarded, args=(index,), daemon=True) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    if failures:
        raise failures[0]
    if any(thread.is_alive() for thread in threads):
        raise RuntimeError("a worker's client did not end")


def queue_runners(cluster):
    """Threads that fill a queue while the training takes batches from it, and stop when it is closed."""
    with tf.Graph().as_default():
        with tf1.device("/job:ps/task:0"):
            queue = tf1.FIFOQueue(8, [tf.float32], [[]], shared_name="examples")
            source = tf1.Variable(0.0, use_resource=True, name="source")
        with tf1.device("/job:worker/task:1"):
            enqueue = queue.enqueue([source.assign_add(1.0)])
            batch = queue.dequeue_many(5)
            result = tf.stack([tf.reduce_sum(batch), tf.reduce_max(batch)])
        runner = tf1.train.QueueRunner(queue, [enqueue] * 2)
        with tf1.Session(cluster.target()) as session:
            session.run(tf1.global_variables_initializer())
            coordinator = tf1.train.Coordinator()
            threads = runner.create_threads(session, coord=coordinator, start=True)
            seen = sum(int(session.run(tf.size(batch))) for _ in range(3))
            largest = max(float(session.run(result)[1]) for _ in range(4))
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=30)
            return [seen, largest >= 20]


def checkpoints(cluster):
    """A Saver's files, written and read by the servers."""
    with tf.Graph().as_default():
        with tf1.device(tf1.train.replica_device_setter(cluster=cluster.spec)):
            a = tf1.get_variable("saved/a", initializer=drawn(30, 3, 4), use_resource=True)
            b = tf1.get_variable("saved/b", initializer=np.int64([1, 2]), use_resource=False)
            saver = tf1.train.Saver([a, b], sharded=True)
            clear = tf.group(a.assign(tf.zeros([3, 4])), tf1.assign(b, np.int64([0, 0])))
        with tf1.Session(cluster.target()) as session:
            session.run(tf1.global_variables_initializer())
            path = saver.save(session, os.path.join(cluster.folder, "model"), global_step=3)
            session.run(clear)
            saver.restore(session, path)
            names = sorted(name for name, _ in tf.train.list_variables(path))
            return [names, [float(v) for v in np.ravel(session.run(a))], [int(v) for v in session.run(b)]]


def main():
    cluster = Cluster(sys.argv[1], sys.argv[2])
    print(json.dumps({name: globals()[name](cluster) for name in sys.argv[3:]}), flush=True)


main()
