"""Adds the number of workers to two variables that outlive the session: `gateway_growing.py TARGET WORKERS`."""
import sys

import tensorflow as tf

tf.compat.v1.disable_v2_behavior()

target, workers = sys.argv[1], int(sys.argv[2])
with tf.compat.v1.device("/job:worker/task:0"):
    resource = tf.compat.v1.Variable(0.0, name="resource", use_resource=True)
    reference = tf.compat.v1.Variable(0.0, name="reference", use_resource=False)
ones = []
for i in range(workers):
    with tf.compat.v1.device("/job:worker/task:%d" % i):
        ones.append(tf.identity(tf.compat.v1.placeholder_with_default(1.0, []), name="one%d" % i))
total = tf.add_n(ones)
add = tf.group(resource.assign_add(total), reference.assign_add(total))

with tf.compat.v1.Session(target) as sess:
    print("tasks", len({device.name.split("/device")[0] for device in sess.list_devices()}))
    if not sess.run(tf.compat.v1.is_variable_initialized(reference)):
        sess.run(tf.compat.v1.global_variables_initializer())
    sess.run(add)
    print("variables", *sess.run([resource, reference]))
    try:
        sess.run(tf.compat.v1.assert_equal(resource, -1.0, message="as it should"))
    except tf.errors.InvalidArgumentError as error:
        print("refused", "as it should" in error.message, error.op.type)
