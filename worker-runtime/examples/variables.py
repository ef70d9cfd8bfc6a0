"""Where variables are, and how collections list them (VariableDef). Needs no cluster."""
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

variables = [tf.Variable(0.0, name="free")]
for index in range(2):
    with tf.device("/job:ps/task:%d" % index):
        variables.append(tf.Variable(0.0, name="var%d" % index))
for variable in variables:
    print("%s is on '%s'" % (variable.op.name, variable.device))
    proto = variable.to_proto()
    print("variable_name: %s, initializer_name: %s, snapshot_name: %s" % (
        proto.variable_name, proto.initializer_name, proto.snapshot_name))
