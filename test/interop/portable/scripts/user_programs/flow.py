"""Control flow, recurrent networks, functions."""
import numpy as np
import tensorflow as tf

from support import drawn, error_of, evaluated, initialized, losses, program, session_on, tf1


def in_both_versions(build):
    results = {}
    for name, switch in (("v1", tf1.disable_control_flow_v2), ("v2", tf1.enable_control_flow_v2)):
        switch()
        try:
            with tf1.name_scope(name), tf1.variable_scope(name):
                results[name] = build()
        finally:
            tf1.disable_control_flow_v2()
    return results


@program
def conditionals(cluster):
    x = tf1.placeholder(tf.float32, [2])

    def build():
        w = tf1.get_variable("w", initializer=np.float32([1, 2]), use_resource=True)
        y = tf1.cond(tf.reduce_sum(x) > 0, lambda: x * w, lambda: tf1.cond(x[0] > -1, lambda: w - x, lambda: w / x))
        chosen = tf1.case([(x[0] < 0, lambda: tf.constant(1)), (x[0] < 2, lambda: tf.constant(2))], lambda: tf.constant(3))
        switched = tf.switch_case(tf.cast(tf.abs(x[0]), tf.int32), [lambda: x + 1, lambda: x + 2, lambda: x + 3])
        updated = tf1.cond(x[1] > 0, lambda: w.assign_add([1.0, 1.0]), lambda: w.assign_sub([0.5, 0.5]))
        return [y, tf1.gradients(y, [x, w]), chosen, switched], updated

    made = in_both_versions(build)
    with initialized(cluster) as session:
        results = []
        for value in ([1.0, 2.0], [-0.5, -1.0], [-2.0, 1.0], [3.0, 0.0]):
            for name, (fetches, updated) in made.items():
                results.append([name, session.run(fetches, {x: value}), session.run(updated, {x: value})])
        return results


@program
def functions_over_tasks(cluster):
    x = tf1.placeholder(tf.float32, [2])
    index = tf1.placeholder(tf.int32, [])

    def on(device, compute):
        def body():
            with tf1.device("/job:" + device):
                return compute()

        return body

    def nested():
        branches = [on("worker/task:1", lambda: x - 1.0), on("ps/task:0", lambda: x / 2.0)]
        return tf1.cond(x[0] > x[1], on("ps/task:1", lambda: -x), lambda: tf.switch_case(index - 1, branches))

    tf1.enable_control_flow_v2()
    try:
        with tf1.device("/job:worker/task:1"):
            w = tf1.get_variable("w", initializer=np.float32([1, 2]), use_resource=True)
        two = tf.switch_case(
            index,
            [
                on("ps/task:0", lambda: (x * 2.0, tf.reduce_sum(x))),
                on("ps/task:1", lambda: (tf.tanh(x), tf.constant(4.0))),
                lambda: (on("worker/task:0", lambda: x + 1.0)(), on("worker/task:1", lambda: x[0])()),
            ],
        )
        one = tf.switch_case(index, [on("ps/task:1", lambda: x * 3.0)])
        read = tf.switch_case(index, [on("ps/task:0", lambda: x + w), on("ps/task:1", lambda: x * w), nested])
        updated = tf.switch_case(
            index,
            [
                on("ps/task:0", lambda: w.assign_add(tf.exp(-x))),
                on("worker/task:0", lambda: w.assign_sub([0.5, 0.5])),
                on("ps/task:1", lambda: w.assign(x + 1.0)),
            ],
        )
        repeated = tf.while_loop(
            lambda i, v: i < 3,
            lambda i, v: (i + 1, tf.switch_case(i, [on("ps/task:0", lambda: v + 1.0), on("ps/task:1", lambda: v * 2.0)])),
            (0, x),
        )
        fetches = [two, one, read, repeated, tf1.gradients([two[0], read], [x, w])]
    finally:
        tf1.disable_control_flow_v2()
    with initialized(cluster) as session:
        results = []
        for chosen in (0, 1, 2, 3, -1):
            for value in ([1.0, 2.0], [0.5, -1.0]):
                given = {x: value, index: chosen}
                results.append([session.run(fetches, given), session.run(updated, given), session.run(w)])
        return results


@program
def loops_over_parameter_servers(cluster):
    """Loops whose bodies read variables of two tasks, and nothing else there: each iteration must read them anew."""
    results = []
    tf1.enable_control_flow_v2()
    try:
        for where in (None, "/job:worker/task:1"):
            with tf1.variable_scope("at%d" % len(results)):
                with tf1.device("/job:ps/task:0"):
                    a = tf1.get_variable("a", initializer=2.0, use_resource=True)
                with tf1.device("/job:ps/task:1"):
                    b = tf1.get_variable("b", initializer=3.0, use_resource=True)
                with tf1.device(where):
                    plain = tf.while_loop(lambda i, x: x < a * 10.0 + b, lambda i, x: (i + 1, x * a + b), (0, 1.0))
                    kept = tf.while_loop(
                        lambda i, x, rows: i < 3,
                        lambda i, x, rows: (i + 1, x * a + b, rows.write(i, x)),
                        (0, 1.0, tf.TensorArray(tf.float32, 3)),
                    )
                    total = kept[1] + tf.reduce_sum(kept[2].stack())
                    results.append([plain, total, tf1.gradients([plain[1], total], [a, b])])
    finally:
        tf1.disable_control_flow_v2()
    with initialized(cluster) as session:
        return session.run(results)


@program
def loops(cluster):
    x = tf.constant(drawn(1, 5, 3))
    start = tf1.placeholder_with_default(tf.ones([3]), [3])

    def build():
        w = tf1.get_variable("w", initializer=drawn(2, 3, 3), use_resource=True)
        _, power, taken = tf.while_loop(
            lambda i, v, t: i < 5,
            lambda i, v, t: (i + 1, tf.tanh(tf.linalg.matvec(w, v)) + v, t.write(i, tf.reduce_sum(v))),
            (0, start, tf.TensorArray(tf.float32, 5)),
            maximum_iterations=9,
        )
        grown = tf1.while_loop(
            lambda v: tf.shape(v)[0] < 20, lambda v: tf.concat([v, v * 2], 0), [start], [tf.TensorShape([None])]
        )
        nested = tf1.while_loop(
            lambda i, s: i < 3,
            lambda i, s: [i + 1, tf1.while_loop(lambda j, t: j < i, lambda j, t: [j + 1, t * w[0, 0] + 1.0], [0, s])[1]],
            [0, tf.constant(1.0)],
        )[1]
        mapped = tf.map_fn(lambda row: tf.reduce_sum(row * w[0]) + row, x)
        doubled = tf.map_fn(lambda pair: (pair[0] * 2, pair[1] + 1), (x, tf.range(5)))
        scanned = tf.scan(lambda a, row: a * 0.5 + row, x, initializer=tf.zeros([3]))
        back = tf.scan(lambda a, row: tf.maximum(a, row), x, reverse=True)
        folded = tf.foldl(lambda a, row: a + tf.sin(row), x), tf.foldr(lambda a, row: a * row, x)
        total = tf.reduce_sum(power) + tf.reduce_sum(taken.stack()) + nested + tf.reduce_sum(mapped) + tf.reduce_sum(scanned)
        fetches = [power, taken.stack(), grown, nested, mapped, doubled, scanned, back, folded]
        return fetches + [tf1.gradients(total, [w, start])]

    return evaluated(cluster, in_both_versions(build))


@program
def tensor_arrays(cluster):
    def build():
        parts = tf.TensorArray(tf.float32, 3, dynamic_size=True, clear_after_read=False, infer_shape=False)
        parts = parts.unstack(tf.constant(drawn(1, 4, 2))).write(5, tf.ones([2]))
        pieces = tf.TensorArray(tf.float32, 3, infer_shape=False).split(tf.constant(drawn(2, 6, 2)), [1, 2, 3])
        return [parts.read(1), parts.size(), parts.gather([5, 0]), pieces.read(2)]

    return evaluated(cluster, in_both_versions(build))


def lstm(x, state, kernel, bias):
    i, j, f, o = tf.split(tf.matmul(tf.concat([x, state[1]], 1), kernel) + bias, 4, 1)
    c = state[0] * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
    return c, tf.tanh(c) * tf.sigmoid(o)


@program
def recurrent(cluster):
    """A recurrent net written by hand, as the tutorials have it: lengths, a loop, and training through it."""
    x = tf1.placeholder(tf.float32, [None, None, 4])
    lengths = tf1.placeholder(tf.int32, [None])

    def build():
        kernel = tf1.get_variable("kernel", initializer=drawn(1, 9, 20))
        bias = tf1.get_variable("bias", initializer=np.zeros(20, np.float32))
        time, batch = tf.shape(x)[1], tf.shape(x)[0]
        inputs = tf.TensorArray(tf.float32, time).unstack(tf.transpose(x, [1, 0, 2]))

        def body(t, c, h, outputs):
            new = lstm(inputs.read(t), (c, h), kernel, bias)
            alive = tf.expand_dims(t < lengths, 1)
            c, h = tf1.where_v2(alive, new[0], c), tf1.where_v2(alive, new[1], h)
            return t + 1, c, h, outputs.write(t, h)

        zeros = tf.zeros([batch, 5])
        _, _, last, outputs = tf1.while_loop(
            lambda t, *_: t < time, body, [0, zeros, zeros, tf.TensorArray(tf.float32, time)], parallel_iterations=4
        )
        loss = tf.reduce_mean(tf.square(last - 0.3)) + 0.1 * tf.reduce_mean(tf.square(outputs.stack()))
        return loss, tf1.train.AdamOptimizer(0.05).minimize(loss)

    made = in_both_versions(build)
    with initialized(cluster) as session:
        feeds = {x: drawn(2, 3, 6, 4), lengths: [6, 2, 4]}
        return {name: losses(session, loss, step, feeds) for name, (loss, step) in made.items()}


@program
def functions(cluster):
    """tf.function in a v1 graph: calls, gradients, AutoGraph, recursion-free nesting, custom gradients."""
    w = tf1.get_variable("w", initializer=drawn(1, 3, 3), use_resource=True)

    @tf.function
    def layer(v, activation_is_relu):
        y = tf.linalg.matvec(w, v)
        if activation_is_relu:
            y = tf.nn.relu(y)
        for i in tf.range(3):
            if tf.reduce_sum(y) > 0.1:
                y = y - 0.1 * tf.cast(i, tf.float32)
            else:
                y = y + 0.2
        return y

    @tf.custom_gradient
    def clipped(v):
        return tf.exp(v), lambda d: tf.clip_by_value(d, -0.5, 0.5)

    @tf.function
    def product(a, b):
        return a * b

    x = tf.constant([0.1, -0.2, 0.3])
    y = layer(layer(x, True), False)
    z = clipped(y) + product(y, x)
    mapped = tf.vectorized_map(lambda row: tf.reduce_sum(row * row), w)
    jacobian = tf1.gradients(z, [w, x])
    return evaluated(cluster, [y, z, mapped, jacobian, tf.recompute_grad(lambda v: tf.sin(v) * v)(x)])


@program
def exported_function(cluster):
    """A graph that was written elsewhere comes in under another name."""
    graph = tf.Graph()
    with graph.as_default():
        a = tf1.placeholder(tf.float32, [None, 3], name="a")
        tf.identity(tf.nn.softmax(tf.matmul(a, tf.constant(drawn(1, 3, 4)))), name="b")
        meta = tf1.train.export_meta_graph(graph_def=graph.as_graph_def())
    tf1.train.import_meta_graph(meta, import_scope="again")
    with session_on(cluster) as session:
        return session.run("again/b:0", {"again/a:0": drawn(2, 2, 3)})


@program
def checks(cluster):
    """Assertions, printed values, checks of numbers: what they let pass, and how they fail."""
    x = tf1.placeholder(tf.float32, [None])
    with tf.control_dependencies([
        tf1.assert_positive(x, message="must be above 0"), tf1.assert_rank(x, 1), tf1.assert_less(x, 100.0),
        tf.debugging.assert_all_finite(x, "finite"), tf1.Assert(tf.size(x) < 5, [x, "long"]),
    ]):
        y = tf1.Print(tf.sqrt(x), [x], "values: ", summarize=2)
    z = tf1.verify_tensor_all_finite(1.0 / (x - 4.0), "not finite")
    with session_on(cluster) as session:
        run = lambda fetch, value: lambda: session.run(fetch, {x: value})
        texts = []
        for value in ([-1.0], [1, 2, 3, 4, 5, 6]):
            try:
                session.run(y, {x: value})
            except tf.errors.InvalidArgumentError as error:
                texts.append(sorted(word for word in ("must be above 0", "long", "assertion failed") if word in error.message))
        return [
            session.run(y, {x: [1.0, 4.0]}), texts, error_of(run(y, [-1.0])), error_of(run(y, [float("nan")])),
            error_of(run(z, [4.0])), error_of(run(y, [1.0] * 6)),
        ]


@program
def python_functions_fail(cluster):
    """py_func has its Python in another process: it must say so at once. (Stock: no such function in the server.)"""
    y = tf1.py_func(lambda v: v + 1, [tf.constant(1.0)], tf.float32)
    with session_on(cluster) as session:
        try:
            session.run(y)
            return "ran"
        except tf.errors.OpError:
            return "failed"
