"""Prints networks of Keras as JSON: each one's GraphDef (base64) and the shapes that TensorFlow infers when it imports it."""
import base64
import json
import sys

import tensorflow as tf

layers = tf.keras.layers


def sizes(shape):
    return None if shape.rank is None else [-1 if size is None else size for size in shape.as_list()]


def described(name, model, spec):
    function = tf.function(lambda x: model(x, training=False)).get_concrete_function(spec)
    graph_def = function.graph.as_graph_def()
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        shapes = {op.name: [sizes(output.shape) for output in op.outputs] for op in graph.get_operations()}
    return {"name": name, "graph": base64.b64encode(graph_def.SerializeToString()).decode(), "shapes": shapes}


def attention():
    words = tf.keras.Input((20,))
    x = layers.Embedding(100, 16)(words)
    x = layers.LayerNormalization()(layers.MultiHeadAttention(2, 8)(x, x))
    return tf.keras.Model(words, layers.Dense(5, activation="softmax")(layers.Flatten()(x)))


def recurrent():
    sequence = tf.keras.Input((20, 8))
    return tf.keras.Model(sequence, layers.Dense(3)(layers.LSTM(12, unroll=True)(sequence)))


def decoder():
    image = tf.keras.Input((32, 32, 3))
    x = layers.UpSampling2D()(layers.Conv2DTranspose(4, 3, strides=2, padding="same")(image))
    x = layers.Cropping2D()(layers.ZeroPadding2D()(x))
    return tf.keras.Model(image, layers.GlobalAveragePooling1D()(layers.Reshape((-1, 4))(x)))


json.dump(
    [
        described(
            "MobileNetV2",
            tf.keras.applications.MobileNetV2(weights=None),
            tf.TensorSpec([None, 224, 224, 3]),
        ),
        described("attention", attention(), tf.TensorSpec([None, 20], tf.int32)),
        described("LSTM", recurrent(), tf.TensorSpec([None, 20, 8])),
        described("decoder", decoder(), tf.TensorSpec([None, 32, 32, 3])),
    ],
    sys.stdout,
)
