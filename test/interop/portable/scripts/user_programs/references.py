"""Reads of variables before an update of the same step, whose values are used after it: what shares the variable's memory."""
import numpy as np
import tensorflow as tf

from support import drawn, initialized, program, session_on, tf1

raw = tf.raw_ops
ROWS, COLUMNS = 32, 16

# Each gives a value made of a variable of ROWS rows. Those that TensorFlow hands on share its memory, the rest are copies.
READS = {
    "Identity": tf.identity,
    "IdentityN": lambda v: raw.IdentityN(input=[v])[0],
    "Reshape": lambda v: tf.reshape(v, [COLUMNS, ROWS]),
    "Squeeze": lambda v: tf.squeeze(tf.expand_dims(v, 0), [0]),
    "StopGradient": tf.stop_gradient,
    "PreventGradient": lambda v: raw.PreventGradient(input=v),
    "Bitcast": lambda v: tf.bitcast(tf.bitcast(v, tf.uint8), tf.int32),
    "Snapshot": lambda v: raw.Snapshot(input=v),
    "PlaceholderWithDefault": lambda v: tf1.placeholder_with_default(v, [ROWS, COLUMNS]),
    "Cast to its own type": lambda v: raw.Cast(x=v, DstT=tf.float32),
    "Slice of all": lambda v: raw.Slice(input=v, begin=[0, 0], size=[ROWS, COLUMNS]),
    "Slice of rows": lambda v: raw.Slice(input=v, begin=[4, 0], size=[8, COLUMNS]),
    "Slice of columns": lambda v: raw.Slice(input=v, begin=[0, 4], size=[ROWS, 8]),
    "StridedSlice of all": lambda v: tf1.strided_slice(v, [0, 0], [ROWS, COLUMNS], [1, 1]),
    "StridedSlice of rows": lambda v: v[4:8],
    "StridedSlice of a row": lambda v: v[4],
    "StridedSlice of every other row": lambda v: v[4:8:2],
    "StridedSlice of an element": lambda v: v[4, 4],
    "Split in rows": lambda v: tf.split(v, 4)[1],
    "Split in rows that are not aligned": lambda v: tf.split(tf.reshape(v, [4 * ROWS, 4]), 4)[1],
    "SplitV in rows": lambda v: tf.split(v, [4, 28])[1],
    "Unpack": lambda v: tf.unstack(v)[3],
    "Split in columns": lambda v: tf.split(v, 4, 1)[1],
    "Split in one": lambda v: raw.Split(axis=0, value=v, num_split=1)[0],
    "SplitV in one": lambda v: raw.SplitV(value=v, size_splits=[ROWS], axis=0, num_split=1)[0],
    "Pack of one": lambda v: raw.Pack(values=[v], axis=0),
    "Concat": lambda v: raw.ConcatV2(values=[v, np.zeros([0, COLUMNS], np.float32)], axis=0),
    "Transpose that moves nothing": lambda v: raw.Transpose(x=raw.ExpandDims(input=v, axis=0), perm=[1, 0, 2]),
    "BroadcastTo its own shape": lambda v: raw.BroadcastTo(input=v, shape=[ROWS, COLUMNS]),
    "Tile once": lambda v: raw.Tile(input=v, multiples=[1, 1]),
    "Pad by nothing": lambda v: raw.Pad(input=v, paddings=[[0, 0], [0, 0]]),
    "MirrorPad by nothing": lambda v: raw.MirrorPad(input=v, paddings=[[0, 0], [0, 0]], mode="REFLECT"),
    "Sum of nothing": lambda v: raw.Sum(input=v, axis=np.zeros([0], np.int32)),
    "Max of single elements": lambda v: raw.Max(input=raw.ExpandDims(input=v, axis=0), axis=[0]),
    "AddN of one": lambda v: raw.AddN(inputs=[v]),
    "Mean with a row of its own": lambda v: raw.Mean(input=raw.ExpandDims(input=v, axis=1), axis=[1], keep_dims=True),
    "AddN of two": lambda v: raw.AddN(inputs=[v, np.zeros([ROWS, COLUMNS], np.float32)]),
    "Select": lambda v: raw.Select(condition=True, x=v, y=np.zeros([ROWS, COLUMNS], np.float32)),
    "CheckNumerics": lambda v: raw.CheckNumerics(tensor=v, message=""),
    "EnsureShape": lambda v: raw.EnsureShape(input=v, shape=[ROWS, COLUMNS]),
    "Print": lambda v: raw.Print(input=v, data=[1.0], first_n=0),
    "GuaranteeConst": lambda v: raw.GuaranteeConst(input=v),
    "Relu": lambda v: raw.Relu(features=v),
    "Mul": lambda v: v * 1.0,
    "MatrixBandPart of all": lambda v: raw.MatrixBandPart(input=v, num_lower=-1, num_upper=-1),
    "SpaceToBatchND of nothing": lambda v: raw.SpaceToBatchND(input=raw.ExpandDims(input=v, axis=0), block_shape=[1], paddings=[[0, 0]]),
    "DeepCopy": lambda v: raw.DeepCopy(x=v),
    "Gather": lambda v: tf.gather(v, np.arange(ROWS)),
    "Switch and Merge": lambda v: raw.Merge(inputs=list(raw.Switch(data=v, pred=True)))[0],
    "cond": lambda v: tf1.cond(tf1.placeholder_with_default(True, []), lambda: tf.identity(v), lambda: tf.zeros([ROWS, COLUMNS])),
    "loop": lambda v: tf1.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, tf.identity(x)), [0, tf.identity(v)])[1],
    "loop with an invariant": lambda v: tf1.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, v), [0, tf.zeros([ROWS, COLUMNS])])[1],
    "While": lambda v: in_v2(lambda: tf1.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, tf.identity(x)), [0, tf.identity(v)])[1]),
    "If": lambda v: in_v2(lambda: tf1.cond(tf1.placeholder_with_default(True, []), lambda: tf.identity(v), lambda: tf.zeros([ROWS, COLUMNS]))),
    "function": lambda v: tf.function(tf.identity)(tf.identity(v)),
    "TensorArray": lambda v: tf1.TensorArray(tf.float32, 1, clear_after_read=False).write(0, tf.identity(v)).read(0),
    "stack of a TensorArray": lambda v: tf1.TensorArray(tf.float32, 1).write(0, tf.identity(v)).stack(),
    "queue": lambda v: through_queue(v),
}


def in_v2(make):
    tf1.enable_control_flow_v2()
    try:
        return make()
    finally:
        tf1.disable_control_flow_v2()


def through_queue(v):
    queue = tf1.FIFOQueue(1, tf.float32, [[ROWS, COLUMNS]])
    with tf.control_dependencies([queue.enqueue(v)]):
        return queue.dequeue()


def copied(value):
    """A copy of what a value is now."""
    return tf.stack([value, value])


def then(first, make):
    with tf.control_dependencies([first]):
        return make()


def first_element(value):
    return np.asarray(value).ravel()[0]


@program
def what_a_read_shares(cluster):
    """For each way to read: a copy that was made of it after an update, and the value itself, fetched with the update."""
    made = {}
    for name, read in READS.items():
        # A read of a resource variable that goes through a function is shared by TensorFlow, too, as no other is.
        for use_resource in (False,) if name == "function" else (False, True):
            v = tf1.get_variable("v%d" % len(made), initializer=np.zeros([ROWS, COLUMNS], np.float32), use_resource=use_resource)
            value = read(v)
            update = then(value, lambda: tf1.assign_add(v, tf.ones([ROWS, COLUMNS])))
            made["%s, %s" % (name, use_resource)] = [then(update, lambda: copied(value)), value]
    with initialized(cluster) as session:
        return {name: [first_element(value) for value in session.run(fetches)] for name, fetches in made.items()}


def updates_of(v, use_resource):
    """Every way to change a variable of shape [4, 2]."""
    ones = np.ones([4, 2], np.float32)
    optimizers = {
        "GradientDescent": tf1.train.GradientDescentOptimizer(1.0),
        "Momentum": tf1.train.MomentumOptimizer(1.0, 0.9),
        "Adam": tf1.train.AdamOptimizer(1.0),
        "Adagrad": tf1.train.AdagradOptimizer(1.0),
        "Ftrl": tf1.train.FtrlOptimizer(1.0),
        "RMSProp": tf1.train.RMSPropOptimizer(1.0),
    }
    updates = {
        "assign": lambda: tf1.assign(v, ones * 5),
        "assign without a lock": lambda: tf1.assign(v, ones * 5, use_locking=False),
        "assign_add": lambda: tf1.assign_add(v, ones),
        "assign_sub with a lock": lambda: tf1.assign_sub(v, ones, use_locking=True),
        "scatter_update": lambda: tf1.scatter_update(v, [0, 2], ones[:2]),
        "scatter_add": lambda: tf1.scatter_add(v, [0, 2], ones[:2]),
        "scatter_max": lambda: tf1.scatter_max(v, [0, 2], ones[:2]),
        "scatter_nd_add": lambda: tf1.scatter_nd_add(v, [[0, 0]], [1.0]),
        "scatter_nd_update": lambda: tf1.scatter_nd_update(v, [[0, 0]], [1.0]),
        "assign to a slice": lambda: v[0:2, 0].assign([8.0, 9.0]),
    }
    for name, optimizer in optimizers.items():
        updates[name] = lambda optimizer=optimizer: optimizer.apply_gradients([(tf.constant(ones), v)])
        slices = tf.IndexedSlices(tf.ones([2, 2]), tf.constant([0, 3]), tf.constant([4, 2]))
        updates[name + " of rows"] = lambda optimizer=optimizer: optimizer.apply_gradients([(slices, v)])
    if not use_resource:
        updates["assign of another shape"] = lambda: tf1.assign(v, tf.ones([2, 4]), validate_shape=False)
        updates["assign of another size"] = lambda: tf1.assign(v, tf.ones([3, 2]), validate_shape=False)
    return updates


@program
def what_an_update_changes(cluster):
    """A value that was read before each kind of update, copied after it; then the variable."""
    made = {}
    for use_resource in (False, True):
        count = len(updates_of(tf1.get_variable("none%s" % use_resource, [4, 2], use_resource=use_resource), use_resource))
        for i in range(count):
            v = tf1.get_variable("v%s%d" % (use_resource, i), initializer=np.zeros([4, 2], np.float32), use_resource=use_resource)
            name, update = list(updates_of(v, use_resource).items())[i]
            value = v.read_value()
            updated = then(value, update)
            made["%s, %s" % (name, use_resource)] = then(updated, lambda: [copied(value), copied(v.read_value())])
    count = tf1.get_variable("count", initializer=np.int64(0), use_resource=False)
    before = tf.identity(count)
    counted = then(before, lambda: tf1.count_up_to(count, 5))
    made["count_up_to"] = then(counted, lambda: [copied(before), copied(counted)])
    names = tf1.get_variable("names", initializer=["a", "b"], use_resource=False)
    before = tf.identity(names)
    named = then(before, lambda: tf1.assign(names, ["c", "d"]))
    made["strings"] = then(named, lambda: [copied(before), copied(named)])
    half = tf1.get_variable("half", initializer=np.zeros([3], np.float16), use_resource=False)
    before = tf.identity(half)
    applied = then(before, lambda: tf1.train.GradientDescentOptimizer(1.0).apply_gradients([(tf.ones([3], tf.float16), half)]))
    made["float16"] = then(applied, lambda: [copied(before), copied(half)])
    with initialized(cluster) as session:
        return {name: session.run(fetches) for name, fetches in made.items()}


@program
def what_an_assignment_takes(cluster):
    """The value that a variable was given, after the variable has changed; and variables that were given each other's."""
    results = {}
    for use_resource in (False, True):
        given = tf.constant(drawn(1, 3))
        computed = given * 2.0
        v = tf1.get_variable("v%s" % use_resource, [3], initializer=tf1.zeros_initializer(), use_resource=use_resource)
        w = tf1.get_variable("w%s" % use_resource, [3], initializer=tf1.zeros_initializer(), use_resource=use_resource)
        by_constant = then(tf1.assign(v, given), lambda: tf1.assign_add(v, tf.ones([3])))
        by_result = then(tf1.assign(w, computed), lambda: tf1.assign_add(w, tf.ones([3])))
        with tf.control_dependencies([by_constant, by_result]):
            after = [copied(given), copied(computed), copied(v.read_value()), copied(w.read_value())]
        swapped = then(tf1.assign(v, w.read_value()), lambda: tf1.assign_add(w, tf.ones([3])))
        both = then(swapped, lambda: [copied(v.read_value()), copied(w.read_value())])
        with session_on(cluster) as session:
            results[use_resource] = [session.run(after), session.run(both), session.run([v, w])]
    old = tf1.get_variable("old", initializer=np.zeros(3, np.float32), use_resource=False)
    new = tf1.get_variable("new", initializer=np.zeros(3, np.float32), use_resource=True)
    added = then(tf1.assign(new, tf.identity(old)), lambda: tf1.assign_add(old, tf.ones([3])))
    both = then(added, lambda: [copied(old.read_value()), copied(new.read_value())])
    with initialized(cluster) as session:
        results["of both kinds"] = [session.run(both), session.run([old, new])]
    return results


@program
def references_that_are_handed_on(cluster):
    """Operations that hand on the reference itself: what is behind it is read where it is used."""
    v = tf1.get_variable("v", initializer=np.int64(0), use_resource=False)
    w = tf1.get_variable("w", initializer=np.int64(10), use_resource=False)
    off, on = raw.RefSwitch(data=v._ref(), pred=tf1.placeholder_with_default(True, []))
    references = {
        "Assign": tf1.assign(v, np.int64(3)).op.outputs[0],
        "AssignAdd": tf1.assign_add(v, np.int64(1)).op.outputs[0],
        "RefIdentity": raw.RefIdentity(input=v._ref()),
        "RefSwitch": on,
        "RefMerge": raw.RefMerge(inputs=[off, on])[0],
        "RefSelect": raw.RefSelect(index=1, inputs=[w._ref(), v._ref()]),
    }
    with initialized(cluster) as session:
        results = {}
        for name, reference in references.items():
            update = then(reference, lambda: tf1.assign_add(v, np.int64(100)))
            results[name] = session.run(then(update, lambda: [tf.fill([2], reference), tf.identity(reference)]))
        return results


@program
def reads_on_another_task(cluster):
    """The variable on a parameter server, what reads it there or on a worker, and tokens made of a global step that went on."""
    with tf1.device("/job:ps/task:1"):
        v = tf1.get_variable("v", initializer=np.int64(0), use_resource=False)
        read = tf.identity(v)
        update = then(read, lambda: tf1.assign_add(v, np.int64(1)))
        there = then(update, lambda: tf.fill([2], read))
    with tf1.device("/job:worker/task:1"):
        elsewhere = tf.identity(v)
    with tf1.device("/job:ps/task:1"):
        late = then(elsewhere, lambda: tf1.assign_add(v, np.int64(1)))
    with tf1.device("/job:worker/task:1"):
        here = then(late, lambda: tf.fill([2], elsewhere))
    with initialized(cluster) as session:
        return [session.run([there, update]), session.run([here, late]), session.run(v), session.run(tf.fill([2], there[0]))]
