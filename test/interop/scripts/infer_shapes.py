"""Reads GraphDefs (JSON, base64) from stdin; prints the shapes that TensorFlow infers for each one's last node, or why it refuses it."""
import base64
import json
import sys

import tensorflow.compat.v1 as tf
from tensorflow.core.framework import graph_pb2


def sizes(shape):
    return None if shape.rank is None else [-1 if size is None else size for size in shape.as_list()]


def inferred(graph_def):
    name = graph_def.node[-1].name
    with tf.Graph().as_default():
        try:
            op, = tf.import_graph_def(graph_def, return_elements=[name], name="")
        except ValueError as error:
            return {"error": str(error).split("\n")[0][:300]}
        return {"shapes": [sizes(output.shape) for output in op.outputs]}


graphs = [graph_pb2.GraphDef.FromString(base64.b64decode(one)) for one in json.load(sys.stdin)]
json.dump([inferred(one) for one in graphs], sys.stdout)
