"""Programs with functions, branches and loops as stock Python makes them, and TensorFlow's gradients of them.

Prints, for each program, its graph with functions (If, While) and with primitives (Switch, Enter), and the results.
"""
import base64
import json
import sys

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def uniform(shape, seed, dtype=np.float64):
    return np.random.default_rng(seed).uniform(-0.9, 0.9, shape).astype(dtype)


def called(x, w):
    @tf.function
    def inner(a, b):
        return tf.tanh(tf.matmul(a, b)) * a[:, :1], tf.reduce_sum(b * b)

    y, z = inner(x, w)
    return tf.reduce_sum(y * y) * z


def nested_calls(x, w):
    @tf.function
    def inner(a):
        return tf.sin(a) * a

    @tf.function
    def outer(a, b):
        return inner(tf.matmul(a, b)) + inner(b)

    return outer(x, w)


def captured(x, w):
    @tf.function
    def inner(a):
        return tf.exp(a @ w) * tf.reduce_mean(w)

    return inner(x) + inner(2.0 * x)


def branch(x, w):
    return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.sin(x) @ w, lambda: tf.exp(x) + tf.reduce_sum(x))


def other_branch(x, w):
    return tf.cond(tf.reduce_sum(x) > 1e6, lambda: tf.sin(x) @ w, lambda: tf.exp(x) * tf.tanh(x))


def nested_branches(x, w):
    def deep():
        return tf.cond(tf.reduce_sum(w) < 1e6, lambda: tf.tanh(x @ w) * w, lambda: x * x)

    return tf.cond(tf.reduce_sum(x) < 1e6, deep, lambda: x)


def switch_case(x, w):
    index = tf.cast(tf.reduce_sum(x) < 1e6, tf.int32)
    return tf.switch_case(index, [lambda: x * x, lambda: tf.sin(x @ w), lambda: w + x])


def loop(x, w):
    def body(i, s):
        return i + 1, tf.tanh(s @ w) + x

    return tf.while_loop(lambda i, s: i < 5, body, [0, x])[1]


def dynamic_loop(x, w):
    """Runs until a value that depends on what is fed."""
    def body(s, n):
        return s * (1.5 + tf.reduce_mean(w) ** 2), n + tf.sin(s)

    return tf.while_loop(lambda s, n: tf.reduce_sum(s * s) < 50.0, body, [x + 1.0, w])[1]


def no_iteration(x, w):
    return tf.while_loop(lambda s: tf.reduce_sum(s) > 1e6, lambda s: s @ w, [x])[0] * w


def nested_loops(x, w):
    def outer(i, s):
        inner = tf.while_loop(lambda j, t: j < i + 2, lambda j, t: (j + 1, tf.sin(t @ w) * s), [0, s])
        return i + 1, inner[1] + x

    return tf.while_loop(lambda i, s: i < 3, outer, [0, x])[1]


def branch_in_loop(x, w):
    def body(i, s):
        chosen = tf.cond(tf.equal(i % 2, 0), lambda: tf.tanh(s @ w), lambda: tf.exp(-s) * w)
        return i + 1, chosen + x

    return tf.while_loop(lambda i, s: i < 5, body, [0, x])[1]


def nested_branches_in_loop(x, w):
    def body(i, s):
        def deep():
            return tf.cond(i > 2, lambda: tf.sin(s) * s, lambda: tf.cos(s @ w))

        return i + 1, tf.cond(tf.equal(i % 2, 0), deep, lambda: tf.exp(-s)) + x

    return tf.while_loop(lambda i, s: i < 6, body, [0, x])[1]


def loop_in_branch(x, w):
    def some():
        return tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.tanh(s @ w)), [0, x])[1]

    return tf.cond(tf.reduce_sum(x) < 1e6, some, lambda: x * w)


def loop_in_branch_not_taken(x, w):
    def some():
        return tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.tanh(s @ w)), [0, x])[1]

    return tf.cond(tf.reduce_sum(x) > 1e6, some, lambda: x * w)


def loop_in_branch_in_loop(x, w):
    def body(i, s):
        def some():
            return tf.while_loop(lambda j, t: j < 2, lambda j, t: (j + 1, tf.tanh(t @ w)), [0, s])[1]

        return i + 1, tf.cond(tf.equal(i % 2, 1), some, lambda: s * w) + x

    return tf.while_loop(lambda i, s: i < 4, body, [0, x])[1]


def function_in_loop(x, w):
    @tf.function
    def step(s, m):
        return tf.sigmoid(s @ m) * s

    return tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, step(s, w) + x), [0, x])[1]


def recurrence(x, w):
    """An RNN over the rows of x with its outputs in a TensorArray."""
    inputs = tf.TensorArray(tf.float64, size=3).unstack(x)
    outputs = tf.TensorArray(tf.float64, size=3)

    def body(t, state, out):
        state = tf.tanh(tf.linalg.matvec(w, state) + inputs.read(t))
        return t + 1, state, out.write(t, state * state)

    _, state, outputs = tf.while_loop(lambda t, *_: t < 3, body, [0, tf.reduce_mean(w, 0), outputs])
    return outputs.stack() * state


def variable_in_loop(x, w):
    table = v1.get_variable("table", initializer=uniform((3, 3), 7), use_resource=True)
    return tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, tf.tanh(s @ table) + w), [0, x])[1]


PROGRAMS = {one.__name__: one for one in [
    called, nested_calls, captured, branch, other_branch, nested_branches, switch_case, loop, dynamic_loop, no_iteration,
    nested_loops, branch_in_loop, nested_branches_in_loop, loop_in_branch, loop_in_branch_not_taken,
    loop_in_branch_in_loop, function_in_loop,
    recurrence, variable_in_loop,
]}


def values(tensors):
    return [{"shape": list(np.shape(t)), "values": np.asarray(t, np.float64).flatten().tolist()} for t in tensors]


def dense(gradients, xs):
    return [tf.zeros_like(x) if g is None else tf.convert_to_tensor(g) for g, x in zip(gradients, xs)]


def forward(program):
    """The graph of a program, its tensors, and what to take gradients with respect to."""
    x = v1.placeholder(tf.float64, [3, 3], name="x")
    w = v1.placeholder(tf.float64, [3, 3], name="w")
    y = program(x, w)
    return [x, w], tf.identity(y, name="y"), v1.global_variables()


def described(program):
    with tf.Graph().as_default() as graph:
        xs, _, variables = forward(program)
        init = v1.global_variables_initializer().name
        handles = [variable.handle.name for variable in variables]
        return {
            "graph": base64.b64encode(graph.as_graph_def().SerializeToString()).decode(),
            "xs": [x.name for x in xs] + handles,
            "init": init,
        }


def computed(program):
    """First derivatives, and derivatives of their sum."""
    with tf.Graph().as_default():
        xs, y, variables = forward(program)
        sources = xs + variables
        first = dense(tf.gradients(y, sources), xs + [v.value() for v in variables])
        second = dense(tf.gradients(sum(tf.reduce_sum(tf.square(g)) for g in first), sources), first)
        fed = [uniform((3, 3), seed) for seed in (1, 2)]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            found = session.run([first, second], dict(zip(xs, fed)))
        return {"fed": values(fed), "first": values(found[0]), "second": values(found[1])}


def main():
    results = []
    for name, program in PROGRAMS.items():
        v1.enable_control_flow_v2()
        expected = computed(program)
        graphs = {"functions": described(program)}
        v1.disable_control_flow_v2()
        graphs["primitives"] = described(program)
        results.append({"name": name, "graphs": graphs, **expected})
    print("RESULT " + json.dumps(results))


v1.disable_eager_execution()
main()
