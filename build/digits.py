"""Trains the classifier of the example "Handwritten digits" and writes it as TypeScript.

    python build/digits.py digits.csv.gz

The argument is sklearn/datasets/data/digits.csv.gz of scikit-learn's wheel. Needs TensorFlow and NumPy. The last 360
pictures, of other writers than most before them, are held out: they are never trained on, 20 of them are shown by the
example, and test/worker-runtime/graph/digits.test.ts measures the accuracy on all of them.
"""

import base64
import pathlib
import sys

import numpy as np
import tensorflow as tf

HELD_OUT = 360
EPOCHS = 30
SHOWN_PER_DIGIT = 2
ROOT = pathlib.Path(__file__).resolve().parent.parent
# Pixels from 0 to 16, one letter each.
LETTERS = "0123456789abcdefg"

table = np.loadtxt(sys.argv[1], delimiter=",", dtype=np.int64)
pictures, labels = table[:, :64].reshape(-1, 8, 8, 1), table[:, 64]
train_x, train_y = pictures[:-HELD_OUT].astype(np.float32) / 16, labels[:-HELD_OUT]
test_x, test_y = pictures[-HELD_OUT:].astype(np.float32) / 16, labels[-HELD_OUT:]

tf.keras.utils.set_random_seed(7)
layers = tf.keras.layers
model = tf.keras.Sequential(
    [
        layers.Input([8, 8, 1]),
        layers.Conv2D(12, 3, padding="same", activation="relu"),
        layers.Conv2D(24, 3, strides=2, padding="same", activation="relu"),
        layers.Flatten(),
        layers.Dropout(0.4),
        layers.Dense(10),
    ]
)
model.compile(
    tf.keras.optimizers.Adam(tf.keras.optimizers.schedules.CosineDecay(3e-3, EPOCHS * 113)),
    tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
# Also moved by a pixel, so that the position of a digit matters less.
padded = np.pad(train_x, [(0, 0), (1, 1), (1, 1), (0, 0)])
moves = [(1, 1), (0, 1), (2, 1), (1, 0), (1, 2)]
moved = np.concatenate([padded[:, y : y + 8, x : x + 8] for y, x in moves])
model.fit(moved, np.tile(train_y, len(moves)), batch_size=64, epochs=EPOCHS, verbose=0)
print("held out:", model.evaluate(test_x, test_y, verbose=0)[1])

weights = np.concatenate([value.numpy().flatten() for value in model.trainable_weights]).astype("<f4")
guesses = model.predict(test_x, verbose=0).argmax(1)
shown = [
    index for digit in range(10) for index in np.flatnonzero((test_y == digit) & (guesses == digit))[:SHOWN_PER_DIGIT]
]


def text(indices):
    return [f'  "{labels[i]}{"".join(LETTERS[p] for p in pictures[i].flatten())}",' for i in indices]


def write(path, comment, lines):
    (ROOT / path).write_text("\n".join([f"/** {comment} Made by build/digits.py. */", *lines, ""]))


first_held_out = len(pictures) - HELD_OUT
write(
    "worker-runtime/graph/digits/weights.ts",
    "The trained weights: float32, little-endian, in the order of `digitsGraph`.",
    [f'export const WEIGHTS_BASE64 =\n  "{base64.b64encode(weights.tobytes()).decode()}";'],
)
write(
    "worker-runtime/graph/digits/pictures.ts",
    "Pictures that the classifier was not trained on: the digit, then 8 by 8 pixels from 0 to g (16).",
    ["export const PICTURES: readonly string[] = [", *text(first_held_out + i for i in shown), "];"],
)
write(
    "worker-runtime/graph/digits/training-pictures.ts",
    "All pictures to train on, in the form of pictures.ts.",
    ["export const TRAINING_PICTURES: readonly string[] = [", *text(range(first_held_out)), "];"],
)
write(
    "worker-runtime/graph/digits/held-out-pictures.ts",
    "All pictures to test with, and never to train on, in the form of pictures.ts.",
    ["export const HELD_OUT_PICTURES: readonly string[] = [", *text(range(first_held_out, len(pictures))), "];"],
)
