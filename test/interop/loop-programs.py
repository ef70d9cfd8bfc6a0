"""Programs that take gradients inside loops of the ops Enter and Exit, and TensorFlow's answers.

A program gets `grad(y, xs)`: tf.gradients, or for the graph that is completed elsewhere a function that leaves holes,
identities whose inputs are to be replaced by gradients. Prints, for each program, the graph with holes and the results;
and for each program of REFUSED what tf.gradients answers.
"""
import base64
import json

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
while_loop = v1.while_loop


def uniform(shape, seed):
    return np.random.default_rng(seed).uniform(-0.9, 0.9, shape)


def descent(x, w, grad):
    """Each iteration goes against the gradient of what it computes."""
    def body(i, s):
        y = tf.reduce_sum(tf.square(tf.tanh(s @ w) - x))
        return i + 1, s - 0.1 * grad(y, [s])[0]

    return while_loop(lambda i, s: i < 4, body, [0, x])[1]


def of_what_enters(x, w, grad):
    """With respect to tensors from outside, through what was computed of them there."""
    wide = tf.sin(w) * 2.0

    def body(i, s):
        of_w, of_wide = grad(tf.sin(s @ wide), [w, wide])
        return i + 1, s - 0.1 * of_w + 0.01 * of_wide

    return while_loop(lambda i, s: i < 3, body, [0, x])[1]


def of_a_tensor_from_outside(x, w, grad):
    """Of a tensor that was computed outside of the loop."""
    y = tf.square(tf.tanh(w))
    return while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + grad(y, [w])[0]), [0, x])[1]


def through_an_inner_loop(x, w, grad):
    """An inner loop that runs longer in each iteration."""
    def body(i, s):
        inner = while_loop(lambda j, t: j < i + 1, lambda j, t: (j + 1, tf.sin(t @ w) * s), [0, s])[1]
        of_s, of_w = grad(inner, [s, w])
        return i + 1, s - 0.1 * of_s + 0.05 * of_w

    return while_loop(lambda i, s: i < 3, body, [0, x])[1]


def through_two_inner_loops(x, w, grad):
    """A loop in a loop in the body."""
    def body(i, s):
        def middle(j, t):
            return j + 1, while_loop(lambda k, u: k < j + 1, lambda k, u: (k + 1, tf.tanh(u @ w) + s), [0, t])[1]

        inner = while_loop(lambda j, t: j < 2, middle, [0, s])[1]
        return i + 1, s - 0.1 * grad(inner, [s])[0]

    return while_loop(lambda i, s: i < 2, body, [0, x])[1]


def in_an_inner_loop(x, w, grad):
    """In the body of the inner one of two loops, with respect to its variable and to what the outer one computed."""
    def body(i, s):
        scaled = tf.exp(-s)

        def inner(j, t):
            of_t, of_scaled, of_w = grad(tf.sin(t @ w) * scaled, [t, scaled, w])
            return j + 1, t - 0.1 * of_t + 0.1 * of_scaled - 0.02 * of_w

        return i + 1, while_loop(lambda j, t: j < 2, inner, [0, x])[1] + s

    return while_loop(lambda i, s: i < 3, body, [0, x])[1]


def of_a_branch(x, w, grad):
    """With a branch between: cond in a loop."""
    def body(i, s):
        y = v1.cond(tf.equal(i % 2, 0), lambda: tf.tanh(s @ w), lambda: tf.exp(-s) * w)
        of_s, of_w = grad(y, [s, w])
        return i + 1, s - 0.1 * of_s + 0.1 * of_w

    return while_loop(lambda i, s: i < 5, body, [0, x])[1]


def of_a_branch_with_a_loop(x, w, grad):
    """With a loop in one branch only, which is entered in some iterations."""
    def body(i, s):
        def some():
            return while_loop(lambda j, t: j < 2, lambda j, t: (j + 1, tf.tanh(t @ w)), [0, s])[1]

        y = v1.cond(tf.equal(i % 2, 1), some, lambda: s * w)
        return i + 1, s - 0.1 * grad(y, [s])[0]

    return while_loop(lambda i, s: i < 4, body, [0, x])[1]


def of_a_loop_with_a_branch(x, w, grad):
    """With an inner loop that takes a branch or another."""
    def body(i, s):
        def inner(j, t):
            return j + 1, v1.cond(tf.equal((i + j) % 2, 0), lambda: tf.sin(t @ w), lambda: t * s)

        y = while_loop(lambda j, t: j < 3, inner, [0, s])[1]
        of_s, of_w = grad(y, [s, w])
        return i + 1, s - 0.1 * of_s + 0.1 * of_w

    return while_loop(lambda i, s: i < 3, body, [0, x])[1]


def twice(x, w, grad):
    """Of several results, with respect to the same variable."""
    def body(i, s, n):
        [once] = grad(tf.tanh(s @ w), [s])
        [other] = grad(s * s * n, [s])
        return i + 1, s - 0.1 * once, n + 0.1 * other

    return while_loop(lambda i, s, n: i < 3, body, [0, x, w])[2]


PROGRAMS = [descent, of_what_enters, of_a_tensor_from_outside, through_an_inner_loop, through_two_inner_loops,
    in_an_inner_loop, of_a_branch, of_a_branch_with_a_loop, of_a_loop_with_a_branch, twice]


def flat(value):
    return {"shape": list(np.shape(value)), "values": np.asarray(value, np.float64).flatten().tolist()}


def inputs():
    return v1.placeholder(tf.float64, [3, 3], name="x"), v1.placeholder(tf.float64, [3, 3], name="w")


class Holes:
    def __init__(self):
        self.made = []

    def __call__(self, y, xs):
        holes = [tf.identity(tf.zeros([3, 3], tf.float64), name="hole") for _ in xs]
        self.made.append({"y": y.name, "xs": [x.name for x in xs], "holes": [hole.op.name for hole in holes]})
        return holes


def with_holes(program):
    with tf.Graph().as_default() as graph:
        holes = Holes()
        tf.identity(program(*inputs(), holes), name="result")
        return {"graph": base64.b64encode(graph.as_graph_def().SerializeToString()).decode(), "holes": holes.made}


FED = [uniform((3, 3), seed) for seed in (1, 2)]


def computed(program, with_gradients):
    with tf.Graph().as_default(), v1.Session() as session:
        x, w = inputs()
        y = program(x, w, lambda y, xs: tf.gradients(y, xs))
        outer = tf.gradients(y, [x, w]) if with_gradients else []
        return [flat(value) for value in session.run([y, *outer], {x: FED[0], w: FED[1]})]


def in_both_forms(program):
    """The result with the ops Enter and Exit; with its gradients with the op While, as Enter and Exit have few second ones."""
    try:
        result = computed(program, False)[0]
    except tf.errors.OpError as error:
        # TensorFlow makes an invalid graph of a loop in a branch in a loop.
        assert "Invalid loop structure" in str(error)
        result = None
    v1.enable_control_flow_v2()
    try:
        return {"primitives": result, "functions": computed(program, True)}
    finally:
        v1.disable_control_flow_v2()


def kept(x, w):
    """A finished loop, with tensors of its body."""
    inside = {}

    def body(i, s):
        inside["s"] = s
        inside["dead end"] = tf.exp(s)
        inside["t"] = tf.sin(s @ w)
        return i + 1, inside["t"]

    inside["y"] = while_loop(lambda i, s: i < 3, body, [0, x])[1]
    return inside


def in_body(make):
    def program(x, w):
        return while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + make(x, w, s)), [0, x])[1]
    return program


def in_inner_body(make):
    def program(x, w):
        def body(i, s):
            inner = while_loop(lambda j, t: j < 2, lambda j, t: (j + 1, t + make(x, w, s, t)), [0, s * 1.0])
            return i + 1, inner[1]
        return while_loop(lambda i, s: i < 3, body, [0, x])[1]
    return program


def elsewhere(x, w):
    inside = kept(x, w)
    return in_body(lambda x, w, s: tf.gradients(inside["y"] * s, [w])[0])(x, w)


REFUSED = {
    "of a tensor in a loop": lambda x, w: tf.gradients(kept(x, w)["t"], [w])[0],
    "of a tensor in a loop that leads nowhere": lambda x, w: tf.gradients(kept(x, w)["dead end"], [x])[0],
    "with respect to a tensor in a loop": lambda x, w: (lambda k: tf.gradients(k["y"], [k["s"]])[0])(kept(x, w)),
    "both in a loop": lambda x, w: (lambda k: tf.gradients(k["t"], [k["s"]])[0])(kept(x, w)),
    "through what a variable begins with": in_body(lambda x, w, s: tf.gradients(tf.sin(s), [x])[0]),
    "through what an inner variable begins with":
        in_inner_body(lambda x, w, s, t: tf.gradients(tf.sin(t) * s, [s])[0]),
    "through what both begin with": in_inner_body(lambda x, w, s, t: tf.gradients(tf.sin(t), [x])[0]),
    "through a loop elsewhere": elsewhere,
}


def answer(program):
    with tf.Graph().as_default(), v1.Session() as session:
        x, w = inputs()
        try:
            made = program(x, w)
            if made is None:
                return "none"
            session.run(made, {x: FED[0], w: FED[1]})
            return "a value"
        except (ValueError, TypeError, AttributeError, tf.errors.OpError) as error:
            return "an error"


v1.disable_eager_execution()
v1.disable_control_flow_v2()
print("RESULT " + json.dumps({
    "fed": [flat(value) for value in FED],
    "programs": [{"name": p.__name__, **with_holes(p), **in_both_forms(p)} for p in PROGRAMS],
    "refused": {name: answer(program) for name, program in REFUSED.items()},
}))
