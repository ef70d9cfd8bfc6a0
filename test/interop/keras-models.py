"""Saves models of Keras in a folder, and prints what each predicts. Used by keras-files.test.ts."""

import json
import os
import sys

import keras
import numpy as np

L = keras.layers
folder = sys.argv[1]
random = np.random.default_rng(11)
keras.utils.set_random_seed(3)
results = {}


def save(name, model, formats=("keras", "h5"), integers=0, rows=None):
    """Gives the model weights that are neither 0 nor 1, saves it and predicts, for a number of rows."""
    for weight in model.weights:
        if "seed" in weight.path or weight.path.startswith("normalization"):
            continue
        value = random.normal(0, 0.3, weight.shape)
        weight.assign(np.abs(value) + 0.1 if "variance" in weight.path else value)
    feeds = []
    for tensor in model.inputs:
        shape = [3 if size is None else size for size in tensor.shape]
        shape[0] = rows or shape[0]
        whole = integers > 0 and tensor.dtype != "float32"
        value = random.integers(0, integers, shape) if whole else random.normal(size=shape)
        feeds.append(value.astype(tensor.dtype))
    outputs = model(feeds[0] if len(feeds) == 1 else feeds, training=False)
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    flat = lambda a: {"dtype": str(a.dtype), "shape": list(a.shape), "values": a.flatten().tolist()}
    results[name] = {
        "formats": formats,
        "feeds": [flat(v) for v in feeds],
        "outputs": [flat(np.asarray(o)) for o in outputs],
    }
    for ending in formats:
        model.save(os.path.join(folder, f"{name}.{ending}"))
    model.save_weights(os.path.join(folder, f"{name}.weights.h5"))


def sequential(*layers):
    return keras.Sequential(list(layers))


activations = ["relu", "relu6", "sigmoid", "tanh", "softmax", "log_softmax", "elu", "selu", "softplus", "softsign"]
activations += ["exponential", "leaky_relu", "silu", "mish", "hard_sigmoid", "hard_silu", "gelu"]
x = keras.Input((6,), name="features")
parts = [L.Dense(4, name=f"with_{name}", activation=name)(x) for name in activations]
parts += [L.Activation("swish")(x), L.ReLU(max_value=0.7, negative_slope=0.1)(x), L.ReLU(6.0)(x)]
parts += [L.LeakyReLU(0.2)(x), L.ELU()(x), L.PReLU()(x), L.Softmax()(x), L.Dropout(0.5)(x)]
save("activations", keras.Model(x, L.Concatenate()(parts)))

save(
    "images",
    sequential(
        keras.Input((13, 12, 3)),
        L.Rescaling(1 / 127.5, offset=-1),
        L.ZeroPadding2D(((1, 0), (2, 1))),
        L.Conv2D(8, (3, 2), strides=2, padding="same", activation="relu"),
        L.BatchNormalization(),
        L.DepthwiseConv2D(3, depth_multiplier=2, padding="same"),
        L.SeparableConv2D(6, 3, padding="same"),
        L.Conv2D(6, 3, dilation_rate=2, padding="same", use_bias=False),
        L.Conv2D(6, 3, padding="same", groups=2),
        L.MaxPooling2D(),
        L.UpSampling2D(2),
        L.UpSampling2D((2, 3), interpolation="bilinear"),
        L.Cropping2D(((1, 2), (0, 3))),
        L.AveragePooling2D(3, 1, padding="same"),
        L.Conv2DTranspose(4, 3, strides=2, padding="same"),
        L.Conv2DTranspose(4, 3, strides=2, activation="tanh"),
        L.SpatialDropout2D(0.1),
        L.BatchNormalization(axis=1, center=False),
        L.Permute((2, 1, 3)),
        L.LayerNormalization(axis=[2, 3]),
        L.Conv2D(3, 1, strides=4),
        L.Flatten(),
        L.Dense(5, activation="softmax"),
    ),
)

x = keras.Input((None, None, 3), name="image")
y = L.Conv2D(4, 3, activation="relu")(x)
heads = [L.GlobalMaxPooling2D()(y), L.GlobalAveragePooling2D(keepdims=False)(y)]
save("any_size", keras.Model(x, L.Concatenate()(heads)))

x = keras.Input((7,), dtype="int32", name="words")
e = L.Embedding(20, 6)(x)
y = L.Bidirectional(L.LSTM(4, return_sequences=True))(e)
y = L.TimeDistributed(L.Dense(5, activation="tanh"))(y)
z = L.MultiHeadAttention(2, 3, value_dim=4)(y, y, use_causal_mask=True)
y = L.LayerNormalization()(L.Add()([y, z]))
g = L.GRU(4, return_sequences=True, go_backwards=True)(y)
g = L.Bidirectional(L.GRU(3, reset_after=False, use_bias=False), merge_mode="ave")(g)
c = L.Conv1D(4, 3, padding="causal", dilation_rate=2)(e)
c = L.MaxPooling1D(2)(L.UpSampling1D(2)(c))
c = L.Cropping1D(1)(L.ZeroPadding1D((1, 2))(L.AveragePooling1D(2, 1, padding="same")(c)))
encoder = L.LSTM(4, return_state=True)
_, h, s = encoder(c)
d = L.LSTM(4, recurrent_activation="hard_sigmoid")(L.RepeatVector(3)(h), initial_state=[h, s])
r = L.SimpleRNN(3, activation="relu")(L.Reshape((-1, 3))(L.Flatten()(e)))
p = L.GlobalAveragePooling1D()(c)
save("sequences", keras.Model(x, [g, d, r, p]), integers=20)

x, m = keras.Input((6,), dtype="int32", name="words"), keras.Input((6, 2), name="steps")
e = L.Embedding(3, 4, mask_zero=True)(x)
y = L.LayerNormalization()(L.Dense(4, activation="tanh")(e))
n = L.Masking(0.5)(L.Rescaling(1.0, 0.5)(L.ReLU()(m)))
s = L.Bidirectional(L.LSTM(3, return_sequences=True))(y)
inner = keras.Model(x, L.GRU(3, return_sequences=True)(L.Embedding(3, 4, mask_zero=True)(x)), name="masking_model")
attended = L.MultiHeadAttention(2, 3)(y, L.TimeDistributed(L.Dense(4))(n))
first = L.Dense(4)(e)
second = L.LayerNormalization()(L.Add()([first, L.MultiHeadAttention(2, 3)(first, first, use_causal_mask=True)]))
outputs = [
    L.LSTM(3)(y),
    L.LSTM(2, return_sequences=True, go_backwards=True)(s),
    L.GRU(3, reset_after=False)(L.Dropout(0.5)(n)),
    L.Bidirectional(L.SimpleRNN(2), merge_mode="sum")(s),
    L.GlobalAveragePooling1D()(L.Add()([s, L.Dense(6)(n)])),
    L.GlobalAveragePooling1D()(L.MultiHeadAttention(2, 3)(second, second)),
    attended,
    L.LSTM(2)(attended),
    L.GRU(2)(L.Concatenate()([y, n])),
    L.GlobalAveragePooling1D(keepdims=True)(L.Concatenate(axis=1)([y, L.Dense(4)(m), e])),
    L.GlobalAveragePooling1D()(inner(x)),
    L.GlobalAveragePooling1D()(L.Conv1D(2, 2)(y)),
    *L.LSTM(2, return_state=True)(n, initial_state=[L.Dense(2)(L.Flatten()(m)), L.Dense(2)(L.Flatten()(m))]),
]
save("masks", keras.Model([x, m], outputs), formats=("keras",), integers=3)

x = keras.Input((6,), dtype="int32", name="words")
e = L.Embedding(3, 4, mask_zero=True)(x)
attend, again = L.MultiHeadAttention(2, 3), L.MultiHeadAttention(2, 3)
outputs = [L.GlobalAveragePooling1D()(attend(e, e)), L.GlobalAveragePooling1D()(again(e, e))]
deep = L.Embedding(3, 4, mask_zero=True)(x)
one, other, third = (L.MultiHeadAttention(2, 3)(deep, deep) for _ in range(3))
outputs += [L.Dense(2)(L.Dense(3)(other)), L.GlobalAveragePooling1D()(L.Dense(2)(one)), L.LSTM(2)(third)]
common = L.MultiHeadAttention(2, 3)
twice = L.Embedding(3, 4, mask_zero=True)(x)
outputs += [L.LSTM(2)(common(twice, twice)), L.LSTM(2)(common(twice, L.Dense(4)(twice)))]
save("shared_masks", keras.Model(x, outputs), formats=("keras",), integers=3)

shared = L.Dense(4, name="shared")
frozen = L.BatchNormalization(trainable=False)
inner = sequential(keras.Input((4,)), L.Dense(3, activation="relu"), L.BatchNormalization(), L.Dense(3), frozen)
inner.name = "inner"
left, right = keras.Input((4,), name="left"), keras.Input((4,), name="right")
a, b = shared(left), shared(right)
u, v = inner(a), inner(b)
merged = [L.Add()([u, v]), L.Subtract()([u, v]), L.Multiply()([u, v]), L.Average()([u, v])]
merged += [L.Maximum()([u, v]), L.Minimum()([u, v])]
joined = L.Concatenate(axis=1)(merged)
core = keras.Model([left, right], joined, name="core")
first, second = keras.Input((4,), name="first"), keras.Input((4,), name="second")
y = core([first, second])
y = 2.0 * y - core([second, first]) / 4.0
outputs = [L.Dense(2, name="classes", activation="softmax")(y), L.Dense(1, name="value")(y)]
save("nested", keras.Model([first, second], outputs), formats=("keras",))
save("nested_old", keras.Model([first, second], L.Dense(2)(core([first, second]))), formats=("h5",))

ids, small = keras.Input((4,), dtype="int32", name="ids"), keras.Input((4,), dtype="uint8", name="small")
numbers = [ids + 1, 2 * ids - small, ids / 4, small + 0.5, ids + 2.0, ids * small]
numbers += [L.Add()([ids, small]), L.Average()([ids, ids]), L.Maximum()([ids, small]), L.Concatenate()([ids, small])]
numbers += [L.Dense(2)(ids), L.Embedding(9, 2)(ids + small - small)]
save("integers", keras.Model([ids, small], [L.Flatten()(one) * 1.5 for one in numbers]), formats=("keras",), integers=8)
# Nothing takes the results, whose dtypes the file does not say.
save("last_operators", keras.Model(ids, [ids + 1.0, 2.0 * ids, ids + 1, ids - 1e20, ids * -0.0]), formats=("keras",), integers=8)

built = keras.Input(batch_shape=(2, 5, 4), name="built")
steps = L.TimeDistributed(L.Dense(3))(L.Conv1D(4, 2, padding="causal")(built))
fixed = [L.LSTM(3)(steps), L.Flatten()(steps), L.Reshape((3, 5))(steps), L.GlobalAveragePooling1D()(built * 2.0)]
save("batches", keras.Model(built, [*fixed, L.MultiHeadAttention(2, 3)(steps, steps)]), rows=5)

adapted = L.Normalization()
adapted.adapt(random.normal(3, 2, (32, 5)).astype("float32"))
fixed = L.Normalization(axis=None, mean=0.5, variance=4.0)
save("normalized", sequential(keras.Input((5,)), adapted, fixed, L.Dense(2)))

mobile = keras.applications.MobileNetV2((32, 32, 3), alpha=0.35, weights=None, classes=10)
for layer in mobile.layers:
    if isinstance(layer, L.BatchNormalization):
        layer.gamma.assign(random.uniform(0.5, 1.5, layer.gamma.shape))
x = random.uniform(-1, 1, (2, 32, 32, 3)).astype("float32")
results["mobilenet"] = {
    "formats": ("keras", "h5"),
    "feeds": [{"dtype": "float32", "shape": list(x.shape), "values": x.flatten().tolist()}],
    "outputs": [{"dtype": "float32", "shape": [2, 10], "values": np.asarray(mobile(x, training=False)).flatten().tolist()}],
}
for ending in ("keras", "h5"):
    mobile.save(os.path.join(folder, f"mobilenet.{ending}"))

sequential(keras.Input((2,)), L.Lambda(lambda x: x * 2)).save(os.path.join(folder, "lambda.keras"))


@keras.saving.register_keras_serializable("mine")
class Doubled(L.Layer):
    def call(self, x):
        return x * 2


sequential(keras.Input((2,)), Doubled()).save(os.path.join(folder, "custom.keras"))
x = keras.Input((4,), dtype="int32")
masked = L.Softmax(axis=1)(L.Embedding(5, 3, mask_zero=True)(x))
keras.Model(x, masked).save(os.path.join(folder, "masked.keras"))
sequential(keras.Input((2,)), L.Dense(3)).save_weights(os.path.join(folder, "only.weights.h5"))
print("RESULT " + json.dumps(results))
