"""Keras models as graphs of TensorFlow 1, with what TensorFlow computes for them.

Writes into a folder, for each model named on the command line: the frozen graph of its inference, the graph of one
training step (loss, gradients and optimizer, with resource variables), and what an in-process session gives for both.
The last line of the output is JSON that names the files.
"""

import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
# Plain kernels: the results do not depend on the processor.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

import keras
import numpy as np
import tensorflow as tf
from keras import layers
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

v1 = tf.compat.v1
CLASSES = 5
VOCABULARY = 30


def application(name, **options):
    build = getattr(keras.applications, name)
    return build(weights=None, input_shape=(32, 32, 3), classes=CLASSES, **options)


def residual():
    """The blocks of a ResNet, in a small size."""

    def block(x, filters, stride):
        y = layers.Conv2D(filters, 3, strides=stride, padding="same")(x)
        y = layers.ReLU()(layers.BatchNormalization()(y))
        y = layers.BatchNormalization()(layers.Conv2D(filters, 3, padding="same")(y))
        if stride > 1:
            x = layers.BatchNormalization()(layers.Conv2D(filters, 1, strides=stride)(x))
        return layers.ReLU()(layers.Add()([x, y]))

    images = layers.Input((16, 16, 3))
    x = layers.ZeroPadding2D(3)(images)
    x = layers.ReLU()(layers.BatchNormalization()(layers.Conv2D(8, 7, strides=2)(x)))
    x = layers.MaxPooling2D(3, strides=2, padding="same")(x)
    x = block(block(x, 8, 1), 16, 2)
    return keras.Model(images, classified(layers.GlobalAveragePooling2D()(x)))


def classified(x):
    return layers.Dense(CLASSES, activation="softmax")(x)


def transformer():
    words = layers.Input((12,), dtype="int32")
    x = layers.Embedding(VOCABULARY, 16, mask_zero=True)(words)
    for _ in range(2):
        attended = layers.MultiHeadAttention(2, 8)(x, x)
        x = layers.LayerNormalization()(layers.Add()([x, layers.Dropout(0.1)(attended)]))
        inner = layers.Dense(16)(layers.Dense(32, activation="gelu")(x))
        x = layers.LayerNormalization()(layers.Add()([x, inner]))
    return keras.Model(words, classified(layers.GlobalAveragePooling1D()(x)))


def recurrent(layer):
    words = layers.Input((7,), dtype="int32")
    x = layers.Embedding(VOCABULARY, 8)(words)
    x = layers.Bidirectional(layer(6, return_sequences=True))(x)
    return keras.Model(words, classified(layer(6)(x)))


def u_net():
    def convolved(x, filters):
        x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        return layers.ReLU()(layers.BatchNormalization()(x))

    images = layers.Input((16, 16, 3))
    top = convolved(images, 4)
    middle = convolved(layers.MaxPooling2D()(top), 8)
    bottom = convolved(layers.AveragePooling2D(2)(middle), 16)
    x = layers.Concatenate()([layers.UpSampling2D(interpolation="bilinear")(bottom), middle])
    x = layers.Conv2DTranspose(4, 2, strides=2)(convolved(x, 8))
    x = layers.UpSampling2D()(layers.MaxPooling2D()(layers.Concatenate()([x, top])))
    return keras.Model(images, layers.Conv2D(CLASSES, 1, activation="softmax")(x))


def volumes():
    inputs = layers.Input((6, 6, 6, 2))
    x = layers.Conv3D(4, 3, padding="same", activation="relu")(inputs)
    x = layers.AveragePooling3D(2)(layers.Conv3D(4, 2, activation="elu")(layers.MaxPooling3D(2, strides=1)(x)))
    return keras.Model(inputs, classified(layers.Flatten()(x)))


def mixture():
    """Layers that the other models lack."""
    images = layers.Input((12, 12, 8))
    x = layers.LeakyReLU()(layers.Conv2D(8, 3, groups=2, padding="same")(images))
    x = layers.PReLU()(layers.SeparableConv2D(8, 3)(x))
    x = layers.ELU()(layers.GroupNormalization(4)(x))
    x = layers.Conv2D(8, 3, dilation_rate=2, padding="same")(x)
    x = layers.SpatialDropout2D(0.1)(x)
    x = layers.UnitNormalization()(layers.GlobalMaxPooling2D()(layers.Cropping2D()(x)))
    return keras.Model(images, classified(x))


def one_dimension():
    words = layers.Input((20,), dtype="int32")
    x = layers.Embedding(VOCABULARY, 8)(words)
    x = layers.MaxPooling1D()(layers.Conv1D(8, 3, padding="causal", activation="swish")(x))
    x = layers.GlobalMaxPooling1D()(layers.Conv1D(8, 3, activation="selu")(x))
    return keras.Model(words, classified(x))


optimizers = keras.optimizers
MODELS = {
    "MobileNetV2": (lambda: application("MobileNetV2", alpha=0.35), lambda: optimizers.SGD(0.05, momentum=0.9)),
    "EfficientNetB0": (lambda: application("EfficientNetB0"), lambda: optimizers.SGD(0.05, momentum=0.9)),
    "ResNet50": (lambda: application("ResNet50"), lambda: optimizers.SGD(0.01)),
    "residual": (residual, lambda: optimizers.SGD(0.05, momentum=0.9, nesterov=True)),
    "transformer": (transformer, lambda: optimizers.AdamW(0.01)),
    "LSTM": (lambda: recurrent(layers.LSTM), lambda: optimizers.RMSprop(0.01)),
    "GRU": (lambda: recurrent(layers.GRU), lambda: optimizers.SGD(0.05)),
    "U-Net": (u_net, lambda: optimizers.Adam(0.01)),
    "volumes": (volumes, lambda: optimizers.Adadelta(0.5)),
    "mixture": (mixture, lambda: optimizers.Nadam(0.01)),
    "one dimension": (one_dimension, lambda: optimizers.Adagrad(0.05)),
}


def examples(model, batch):
    """Inputs, and a label for each output."""
    # No activation of U-Net is within rounding of 0. With another seed one was, and its ReLU's gradient differed.
    random = np.random.RandomState(12)
    shape = (batch, *model.inputs[0].shape[1:])
    if model.inputs[0].dtype == "int32":
        x = random.randint(0, VOCABULARY, shape).astype(np.int32)
    else:
        x = random.uniform(-1, 1, shape).astype(np.float32)
    labels = random.randint(0, CLASSES, (batch, *model.outputs[0].shape[1:-1])).astype(np.int64)
    return x, labels


class Writer:
    def __init__(self, folder, name):
        self.name = name.replace(" ", "-")
        self.prefix = os.path.join(folder, self.name)
        self.files = 0

    def write(self, message):
        self.files += 1
        path = f"{self.prefix}-{self.files}.pb"
        with open(path, "wb") as file:
            file.write(message.SerializeToString())
        return path

    def tensor(self, value):
        return self.write(tf.make_tensor_proto(value))


def inference(model, x, writer):
    spec = tf.TensorSpec((None, *x.shape[1:]), x.dtype)
    function = tf.function(lambda inputs: model(inputs, training=False)).get_concrete_function(spec)
    frozen = convert_variables_to_constants_v2(function)
    graph_def = frozen.graph.as_graph_def()
    feed, fetch = frozen.inputs[0].name, frozen.outputs[0].name
    with v1.Session(graph=frozen.graph) as session:
        expected = session.run(fetch, {feed: x})
    return {
        "graph": writer.write(graph_def),
        "feeds": {feed: writer.tensor(x)},
        "fetches": [fetch],
        "expected": [writer.tensor(expected)],
    }


def training(model, optimizer, x, labels, writer):
    optimizer.build(model.trainable_variables)
    loss = keras.losses.SparseCategoricalCrossentropy()

    @tf.function
    def step(inputs, targets):
        with tf.GradientTape() as tape:
            value = loss(targets, model(inputs, training=True))
        gradients = tape.gradient(value, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return value

    specs = [tf.TensorSpec((None, *value.shape[1:]), value.dtype) for value in (x, labels)]
    function = step.get_concrete_function(*specs)
    inner = function.graph
    values = {id(variable.handle): variable.numpy() for variable in inner.variables}
    captures = [
        (place.op.name, values[id(each)] if each.dtype == tf.resource else each.numpy(), each.dtype)
        for each, place in zip(function.captured_inputs, inner.internal_captures)
    ]
    with tf.Graph().as_default() as graph:
        variables, places = [], {}
        for place, value, dtype in captures:
            if dtype == tf.resource:
                # The variables of all sessions of a server share their names.
                name = f"{writer.name}/v{len(variables)}"
                variables.append(v1.get_variable(name, initializer=tf.constant(value), use_resource=True))
            places[place] = variables[-1].handle if dtype == tf.resource else tf.constant(value)
        feeds = [v1.placeholder(spec.dtype, spec.shape) for spec in specs]
        for feed, place in zip(feeds, inner.inputs[: len(feeds)]):
            places[place.op.name] = feed
        returned = tf.graph_util.import_graph_def(
            inner.as_graph_def(),
            input_map=places,
            return_elements=[inner.outputs[0].name, *(op.name for op in inner.control_outputs)],
            name="step",
        )
        train = tf.group(*returned[1:], name="train")
        initialize = v1.global_variables_initializer()
        floats = [variable for variable in variables if variable.dtype.base_dtype.is_floating]
        reads = [variable.read_value().name for variable in floats]
        with v1.Session(graph=graph) as session:
            session.run(initialize)
            fed = dict(zip(feeds, (x, labels)))
            before = session.run(reads)
            value, _ = session.run([returned[0], train], fed)
            after = session.run(reads)
        return {
            "graph": writer.write(graph.as_graph_def()),
            "initialize": initialize.name,
            "train": train.name,
            "feeds": {feed.name: writer.tensor(each) for feed, each in zip(feeds, (x, labels))},
            "loss": returned[0].name,
            "expectedLoss": writer.tensor(value),
            "variables": [
                {"name": name, "before": writer.tensor(old), "after": writer.tensor(new)}
                for name, old, new in zip(reads, before, after)
            ],
        }


def export(name, folder):
    keras.utils.set_random_seed(11)
    build, optimizer = MODELS[name]
    model = build()
    # The last normalizations of EfficientNetB0 are over one pixel of each image. With three images they amplify rounding
    # so much that on TensorFlow itself the loss is 0.005 (median of ten inputs, at most 0.027) off that of float64.
    x, labels = examples(model, batch=8)
    writer = Writer(folder, name)
    return {
        "inference": inference(model, x, writer),
        "training": training(model, optimizer(), x, labels, writer),
    }


if __name__ == "__main__":
    folder, names = sys.argv[1], sys.argv[2:]
    print(json.dumps({name: export(name, folder) for name in names}))
