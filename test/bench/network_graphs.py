"""Writes Keras's networks as frozen GraphDefs into a folder: network_graphs.py FOLDER NETWORK…"""

import pathlib
import sys

import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

layers = tf.keras.layers


def transformer():
    given = tf.keras.Input((64,), dtype="int32")
    x = layers.Embedding(1000, 64)(given)
    for block in range(4):
        attention = layers.MultiHeadAttention(4, 16, name=f"block_{block}_attention")(x, x)
        x = layers.LayerNormalization(name=f"block_{block}_norm1")(x + attention)
        inner = layers.Dense(128, activation="relu", name=f"block_{block}_up")(x)
        inner = layers.Dense(64, name=f"block_{block}_down")(inner)
        x = layers.LayerNormalization(name=f"block_{block}_norm2")(x + inner)
    return tf.keras.Model(given, layers.Dense(10)(layers.GlobalAveragePooling1D()(x)))


def lstm():
    given = tf.keras.Input((32, 8))
    x = layers.LSTM(32, return_sequences=True)(given)
    return tf.keras.Model(given, layers.Dense(4)(layers.LSTM(32)(x)))


MODELS = {
    "MobileNetV2": lambda: tf.keras.applications.MobileNetV2(weights=None),
    "ResNet50": lambda: tf.keras.applications.ResNet50(weights=None),
    "Transformer": transformer,
    "LSTM": lstm,
}

folder = pathlib.Path(sys.argv[1])
for name in sys.argv[2:]:
    model = MODELS[name]()
    given = model.inputs[0]
    spec = tf.TensorSpec([1, *given.shape[1:]], given.dtype)
    frozen = convert_variables_to_constants_v2(tf.function(model).get_concrete_function(spec))
    (folder / f"{name}.pb").write_bytes(frozen.graph.as_graph_def().SerializeToString())
print("RESULT written")
