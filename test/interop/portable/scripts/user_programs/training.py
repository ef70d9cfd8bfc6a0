"""Training loops: optimizers, replication, hooks, sparse gradients."""
import threading

import numpy as np
import tensorflow as tf

from support import drawn, initialized, losses, program, session_on, tf1

OPTIMIZERS = {
    "GradientDescent": lambda t: t.GradientDescentOptimizer(0.1),
    "Momentum": lambda t: t.MomentumOptimizer(0.05, 0.9),
    "Nesterov": lambda t: t.MomentumOptimizer(0.05, 0.9, use_nesterov=True),
    "Adam": lambda t: t.AdamOptimizer(0.01),
    "Adagrad": lambda t: t.AdagradOptimizer(0.1),
    "Adadelta": lambda t: t.AdadeltaOptimizer(1.0),
    "AdagradDA": lambda t: t.AdagradDAOptimizer(0.1, tf1.train.get_or_create_global_step()),
    "Ftrl": lambda t: t.FtrlOptimizer(0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.01),
    "RMSProp": lambda t: t.RMSPropOptimizer(0.01, momentum=0.5),
    "CenteredRMSProp": lambda t: t.RMSPropOptimizer(0.01, centered=True),
    "ProximalAdagrad": lambda t: t.ProximalAdagradOptimizer(0.1, l1_regularization_strength=0.01),
    "ProximalGradientDescent": lambda t: t.ProximalGradientDescentOptimizer(0.1, l2_regularization_strength=0.01),
}


def regression(scope, use_resource, sparse):
    with tf1.variable_scope(scope, use_resource=use_resource):
        w = tf1.get_variable("w", initializer=drawn(1, 6, 3))
        x = tf.constant(drawn(2, 8, 6))
        if sparse:
            rows = tf.nn.embedding_lookup(w, tf.constant([0, 2, 2, 5, 0, 1, 2, 5]))
            y = tf.reduce_sum(rows * tf.constant(drawn(3, 8, 3)), 1)
        else:
            y = tf.reduce_sum(tf.tanh(tf.matmul(x, w)), 1)
        return w, tf.reduce_mean(tf.square(y - tf.constant(drawn(4, 8))))


@program
def all_optimizers(cluster):
    results, made = {}, {}
    for name, maker in OPTIMIZERS.items():
        for use_resource in (True, False):
            for sparse in (True, False):
                scope = "%s_%s_%s" % (name, use_resource, sparse)
                with tf1.device(tf1.train.replica_device_setter(cluster=cluster.spec)):
                    w, loss = regression(scope, use_resource, sparse)
                    made[scope] = (w, loss, maker(tf1.train).minimize(loss))
    with initialized(cluster) as session:
        for scope, (w, loss, step) in made.items():
            results[scope] = [losses(session, loss, step), session.run(w)]
    return results


# Optimizers that no class of tf.compat.v1.train has: the op, its slots, and its arguments after the variables.
RAW_UPDATES = {
    "AddSign": (1, dict(lr=0.01, alpha=1.0, sign_decay=0.9, beta=0.9)),
    "PowerSign": (1, dict(lr=0.01, logbase=1.0, sign_decay=0.9, beta=0.9)),
    "AdaMax": (2, dict(beta1_power=0.9, lr=0.01, beta1=0.9, beta2=0.99, epsilon=1e-7)),
    "AdamWithAmsgrad": (3, dict(beta1_power=0.9, beta2_power=0.99, lr=0.01, beta1=0.9, beta2=0.99, epsilon=1e-7)),
    "KerasMomentum": (1, dict(lr=0.01, momentum=0.9)),
}
SLOTS = {"AddSign": ["m"], "PowerSign": ["m"], "KerasMomentum": ["accum"]}


def wide_regression(scope, use_resource):
    """As `regression`, with weights that are large enough to stay with what computes them."""
    with tf1.variable_scope(scope, use_resource=use_resource):
        w = tf1.get_variable("w", initializer=drawn(1, 64, 128))
        y = tf.reduce_mean(tf.tanh(tf.matmul(tf.constant(drawn(2, 16, 64)), w)), 1)
        return w, tf.reduce_mean(tf.square(y - tf.constant(drawn(4, 16)))) * 10.0


def raw_update(name, w, loss):
    count, scalars = RAW_UPDATES[name]
    names = SLOTS.get(name, ["m", "v", "vhat"][:count])
    slots = {slot: tf1.get_variable("%s/%s" % (name, slot), [64, 128], initializer=tf1.zeros_initializer(), use_resource=True).handle for slot in names}
    apply = getattr(tf.raw_ops, "ResourceApply" + name)
    return apply(var=w.handle, grad=tf.gradients(loss, w)[0], use_locking=True, **slots, **scalars)


@program
def optimizers_over_many_steps(cluster):
    """Weights, gradients and updates on one task, for so many steps that a lost or repeated update shows."""
    results, made = {}, {}
    with tf1.device("/job:worker/task:0"):
        for name, maker in OPTIMIZERS.items():
            for use_resource in (True, False):
                scope = "%s_%s" % (name, use_resource)
                w, loss = wide_regression(scope, use_resource)
                made[scope] = (w, loss, maker(tf1.train).minimize(loss))
        for name in RAW_UPDATES:
            w, loss = wide_regression(name, True)
            made[name] = (w, loss, raw_update(name, w, loss))
    with initialized(cluster) as session:
        for scope, (w, loss, step) in made.items():
            results[scope] = [losses(session, loss, step, steps=40), session.run(w)[::16, ::32]]
    return results


@program
def two_clients_that_update_one_variable(cluster):
    """Sums of whole numbers are exact in any order: each update of both clients is in the result."""
    STEPS = 50

    def build():
        with tf1.device("/job:worker/task:0"):
            v = tf1.get_variable("shared", initializer=np.zeros([64, 128], np.float32), use_resource=True)
            w = tf1.get_variable("also_shared", initializer=np.zeros([64, 128], np.float32), use_resource=False)
            ones = tf1.placeholder_with_default(np.ones([64, 128], np.float32), [64, 128])
            updates = [
                tf.raw_ops.ResourceApplyGradientDescent(var=v.handle, alpha=1.0, delta=-ones, use_locking=True),
                tf1.assign_add(v, tf.negative(ones) + ones * 3.0),
                tf1.assign_sub(w, tf.negative(ones), use_locking=True),
            ]
            return v, w, tf.group(*updates)

    def work():
        with tf.Graph().as_default():
            _, _, update = build()
            with session_on(cluster) as session:
                for _ in range(STEPS):
                    session.run(update)

    v, w, _ = build()
    with initialized(cluster) as session:
        threads = [threading.Thread(target=work) for _ in range(2)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        return [[float(part.min()), float(part.max())] for part in session.run([v, w])]


@program
def clipped_averaged_decayed(cluster):
    """Gradient clipping, a moving average of the weights, learning rates that change, and dropout kept off."""
    step = tf1.train.get_or_create_global_step()
    rates = {
        "exponential": tf1.train.exponential_decay(0.5, step, 2, 0.7, staircase=True),
        "polynomial": tf1.train.polynomial_decay(0.5, step, 4, 0.01, power=2.0, cycle=True),
        "piecewise": tf1.train.piecewise_constant(step, [1, 3], [0.5, 0.2, 0.1]),
        "cosine": tf1.train.cosine_decay(0.5, step, 5),
        "inverse": tf1.train.inverse_time_decay(0.5, step, 1, 0.5),
        "natural": tf1.train.natural_exp_decay(0.5, step, 1, 0.3),
        "restarts": tf1.train.cosine_decay_restarts(0.5, step, 2),
        "noisy": tf1.train.linear_cosine_decay(0.5, step, 5),
    }
    w, loss = regression("clipped", True, False)
    optimizer = tf1.train.GradientDescentOptimizer(rates["exponential"])
    gradients, variables = zip(*optimizer.compute_gradients(loss))
    clipped, norm = tf.clip_by_global_norm(gradients, 0.05)
    applied = optimizer.apply_gradients(zip(clipped, variables), global_step=step)
    average = tf1.train.ExponentialMovingAverage(0.9, step)
    with tf.control_dependencies([applied]):
        train = average.apply([w])
    with initialized(cluster) as session:
        values = []
        for _ in range(6):
            values.append(session.run([loss, norm, rates]))
            session.run(train)
        return [values, session.run([w, average.average(w)])]


@program
def partitioned_embedding(cluster):
    """An embedding cut over two parameter servers, looked up with sparse ids, with gradients for its slices."""
    with tf1.device(tf1.train.replica_device_setter(cluster=cluster.spec)):
        with tf1.variable_scope("parts", partitioner=tf1.fixed_size_partitioner(2), use_resource=True):
            table = tf1.get_variable("table", [7, 3], initializer=tf1.random_uniform_initializer(seed=1))
        ids = tf1.placeholder(tf.int64, [None])
        found = tf1.nn.embedding_lookup(table, ids, partition_strategy="mod")
        divided = tf1.nn.embedding_lookup(list(table), ids, partition_strategy="div")
        sparse = tf1.sparse_placeholder(tf.int64)
        bags = tf1.nn.embedding_lookup_sparse(list(table), sparse, None, combiner="mean")
        safe = tf1.nn.safe_embedding_lookup_sparse(list(table), sparse, combiner="sqrtn")
        loss = tf.reduce_sum(tf.square(found)) + tf.reduce_sum(bags * 2.0) + tf.reduce_sum(safe)
        train = tf1.train.AdagradOptimizer(0.1).minimize(loss)
    feeds = {ids: [0, 3, 3, 6], sparse: tf1.SparseTensorValue([[0, 0], [0, 1], [2, 0]], [1, 5, 2], [4, 2])}
    with initialized(cluster) as session:
        first = session.run([found, divided, bags, safe], feeds)
        return [first, losses(session, loss, train, feeds), session.run(tf.convert_to_tensor(table))]


@program
def in_graph_replication(cluster):
    """One client; towers on both workers; the mean of their gradients."""
    with tf1.device("/job:ps/task:0"):
        w = tf1.get_variable("w", initializer=drawn(1, 4, 2), use_resource=False)
        b = tf1.get_variable("b", initializer=np.zeros(2, np.float32), use_resource=True)
    optimizer = tf1.train.AdamOptimizer(0.05)
    x = tf1.placeholder(tf.float32, [None, 4])
    y = tf1.placeholder(tf.int32, [None])
    towers, tower_losses = [], []
    for i, (xs, ys) in enumerate(zip(tf.split(x, 2), tf.split(y, 2))):
        with tf1.device("/job:worker/task:%d" % i), tf1.name_scope("tower%d" % i):
            logits = tf1.nn.xw_plus_b(xs, w, b)
            loss = tf1.losses.sparse_softmax_cross_entropy(ys, logits)
            towers.append(optimizer.compute_gradients(loss))
            tower_losses.append(loss)
    means = [(tf.add_n([g for g, _ in pair]) / 2.0, pair[0][1]) for pair in zip(*towers)]
    train = optimizer.apply_gradients(means)
    with initialized(cluster) as session:
        feeds = {x: drawn(2, 8, 4), y: [0, 1, 0, 1, 1, 1, 0, 0]}
        return losses(session, tf.add_n(tower_losses), train, feeds)


@program
def monitored_with_hooks(cluster):
    """MonitoredTrainingSession with a checkpoint, summaries, counters, and a second life that goes on from the first."""
    folder = cluster.path("monitored")
    seen = []
    for last in (5, 9):
        with tf.Graph().as_default(), tf1.device(tf1.train.replica_device_setter(cluster=cluster.spec)):
            step = tf1.train.get_or_create_global_step()
            w, loss = regression("monitored", True, False)
            tf1.summary.scalar("loss", loss)
            tf1.summary.histogram("w", w)
            train = tf1.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=step)
            hooks = [
                tf1.train.StopAtStepHook(last_step=last),
                tf1.train.StepCounterHook(every_n_steps=2, output_dir=folder),
                tf1.train.NanTensorHook(loss),
                tf1.train.LoggingTensorHook({"loss": loss}, every_n_iter=3),
                tf1.train.FinalOpsHook(tf.identity(loss)),
                tf1.train.ProfilerHook(save_steps=4, output_dir=folder),
            ]
            with tf1.train.MonitoredTrainingSession(
                cluster.target(), checkpoint_dir=folder, save_checkpoint_steps=2, save_summaries_steps=2, hooks=hooks
            ) as session:
                while not session.should_stop():
                    seen.append(session.run([step, loss, train])[:2])
            seen.append(hooks[4].final_ops_values)
    names = sorted(name for name, _ in tf.train.list_variables(folder))
    values = {}
    for path in sorted(tf.io.gfile.glob(folder + "/events*")):
        for event in tf1.train.summary_iterator(path):
            for value in event.summary.value:
                if value.HasField("simple_value") and not value.tag.startswith("global_step"):
                    values["%s %d" % (value.tag, event.step)] = value.simple_value
                elif value.HasField("histo"):
                    values["%s %d" % (value.tag, event.step)] = [value.histo.sum, list(value.histo.bucket)]
    return [seen, names, values]


@program
def two_asynchronous_workers(cluster):
    """Between-graph replication with a parameter server job that is told by a queue when both workers are done."""
    counts = {}
    ready = threading.Event()

    def work(index):
        with tf.Graph().as_default():
            setter = tf1.train.replica_device_setter(worker_device="/job:worker/task:%d" % index, cluster=cluster.spec)
            with tf1.device(setter):
                w, loss = regression("asynchronous", True, index == 0)
                step = tf1.train.get_or_create_global_step()
                train = tf1.train.GradientDescentOptimizer(0.01).minimize(loss, global_step=step)
            with tf1.device("/job:ps/task:0"):
                done = tf1.FIFOQueue(2, tf.int32, shared_name="done").enqueue(index)
            if index:
                ready.wait(60)
            config = tf1.ConfigProto(device_filters=["/job:ps", "/job:worker/task:%d" % index])
            with tf1.train.MonitoredTrainingSession(
                cluster.target(index), is_chief=index == 0, config=config, save_checkpoint_secs=None,
                save_summaries_steps=None, hooks=[tf1.train.FinalOpsHook(done)],
            ) as session:
                ready.set()
                for _ in range(20):
                    session.run(train)
                counts[index] = True

    threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(2)]
    [thread.start() for thread in threads]
    with tf1.device("/job:ps/task:0"):
        queue = tf1.FIFOQueue(2, tf.int32, shared_name="done")
        finished = [queue.dequeue() for _ in range(2)]
    with session_on(cluster) as session:
        order = sorted(session.run(finished[0]) for _ in range(2))
    [thread.join(60) for thread in threads]
    return [order, sorted(counts)]


@program
def metrics(cluster):
    labels = tf1.placeholder(tf.int64, [None])
    scores = tf1.placeholder(tf.float32, [None])
    guesses = tf.cast(scores > 0.5, tf.int64)
    m = tf1.metrics
    made = {
        "accuracy": m.accuracy(labels, guesses),
        "mean": m.mean(scores),
        "auc": m.auc(labels, scores),
        "auc_pr": m.auc(labels, scores, curve="PR", summation_method="careful_interpolation"),
        "precision": m.precision(labels, guesses),
        "recall": m.recall(labels, guesses),
        "mse": m.mean_squared_error(tf.cast(labels, tf.float32), scores),
        "rmse": m.root_mean_squared_error(tf.cast(labels, tf.float32), scores),
        "mae": m.mean_absolute_error(tf.cast(labels, tf.float32), scores),
        "iou": m.mean_iou(labels, guesses, 2),
        "per_class": m.mean_per_class_accuracy(labels, guesses, 2),
        "false_negatives": m.false_negatives(labels, guesses),
        "at_k": m.recall_at_k(labels, tf.stack([1 - scores, scores], 1), 1),
        "sensitivity": m.sensitivity_at_specificity(labels, scores, 0.5),
        "average_precision": m.average_precision_at_k(labels, tf.stack([1 - scores, scores], 1), 2),
        "percentage": m.percentage_below(scores, 0.4),
        "covariance_free": m.mean_cosine_distance(tf.stack([scores, 1 - scores], 1), tf.stack([scores, scores], 1), 1),
    }
    values, updates = zip(*made.values())
    confusion = tf.math.confusion_matrix(labels, guesses)
    with initialized(cluster) as session:
        for batch in range(3):
            random = np.random.RandomState(batch)
            feeds = {labels: random.randint(0, 2, 16), scores: random.uniform(0, 1, 16)}
            session.run(updates, feeds)
        return [dict(zip(made, session.run(values))), session.run(confusion, feeds)]


@program
def losses_of_every_kind(cluster):
    labels = tf.constant(np.eye(4, dtype=np.float32)[[0, 2, 3]])
    logits = tf1.get_variable("logits", initializer=drawn(1, 3, 4) * 4)
    l, n = tf1.losses, tf1.nn
    made = {
        "softmax": l.softmax_cross_entropy(labels, logits, label_smoothing=0.1),
        "sparse": l.sparse_softmax_cross_entropy(tf.constant([0, 2, 3]), logits, weights=tf.constant([1.0, 0.0, 2.0])),
        "sigmoid": l.sigmoid_cross_entropy(labels, logits),
        "hinge": l.hinge_loss(labels, logits),
        "huber": l.huber_loss(labels, logits, delta=0.5),
        "log": l.log_loss(labels, tf.nn.sigmoid(logits)),
        "mse": l.mean_squared_error(labels, logits, reduction=l.Reduction.SUM),
        "absolute": l.absolute_difference(labels, logits),
        "pairwise": l.mean_pairwise_squared_error(labels, logits),
        "cosine": l.cosine_distance(tf.nn.l2_normalize(labels, 1), tf.nn.l2_normalize(logits, 1), axis=1),
        "weighted": tf.reduce_sum(n.weighted_cross_entropy_with_logits(labels, logits, 2.0)),
        "poisson": tf.reduce_sum(n.log_poisson_loss(labels, logits, compute_full_loss=True)),
        "l2": tf.nn.l2_loss(logits),
    }
    gradients = {name: tf1.gradients(loss, logits)[0] for name, loss in made.items()}
    second = tf1.gradients(tf.reduce_sum(gradients["softmax"] * drawn(2, 3, 4)), logits)[0]
    hessian = tf1.hessians(tf.reduce_sum(tf.sin(logits[0])), logits)[0]
    with initialized(cluster) as session:
        return session.run([made, gradients, second, hessian])


@program
def candidate_sampling(cluster):
    """word2vec's losses with samples that are given, and the samplers' ranges and counts."""
    weights = tf1.get_variable("weights", initializer=drawn(1, 20, 5))
    biases = tf1.get_variable("biases", initializer=drawn(2, 20))
    inputs, labels = tf.constant(drawn(3, 4, 5)), tf.constant([[1], [3], [7], [19]], tf.int64)
    sampled = (tf.constant([2, 5, 3], tf.int64), tf.fill([4, 1], 0.3), tf.constant([0.1, 0.2, 0.3]))
    nce = tf1.nn.nce_loss(weights, biases, labels, inputs, 3, 20, sampled_values=sampled)
    soft = tf1.nn.sampled_softmax_loss(weights, biases, labels, inputs, 3, 20, sampled_values=sampled)
    train = tf1.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(nce) + tf.reduce_sum(soft))
    drawn_ones = [
        tf.random.log_uniform_candidate_sampler(labels, 1, 6, True, 20, seed=3)[0],
        tf.random.uniform_candidate_sampler(labels, 1, 6, True, 20, seed=3)[0],
        tf.random.fixed_unigram_candidate_sampler(labels, 1, 6, True, 20, unigrams=list(range(1, 21)), seed=3)[0],
        tf.random.learned_unigram_candidate_sampler(labels, 1, 6, True, 20, seed=3)[0],
    ]
    with initialized(cluster) as session:
        first = session.run([nce, soft])
        session.run(train)
        ranges = [len(set(ids)) == 6 and min(ids) >= 0 and max(ids) < 20 for ids in session.run(drawn_ones)]
        return [first, session.run(weights), ranges]
