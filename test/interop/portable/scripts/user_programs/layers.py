"""Layers: Keras models traced into graphs, and the ops of tf.nn in v1 style."""
import numpy as np
import tensorflow as tf

from support import drawn, eager_program, evaluated, initialized, losses, program, tf1


def traced_training(cluster, scope, make, x, y, loss_of, optimizer, steps=4):
    """Traces a training step of a Keras model, and runs its graph in a session with variables of the session's own."""
    model = make()
    for i, variable in enumerate(model.trainable_variables):
        variable.assign(drawn(i, *variable.shape))
    optimizer.build(model.trainable_variables)

    def step(xs, ys):
        with tf.GradientTape() as tape:
            outputs = model(xs, training=True)
            loss = loss_of(ys, outputs)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss

    train = tf.function(step).get_concrete_function(tf.TensorSpec(x.shape, x.dtype), tf.TensorSpec(y.shape, y.dtype))
    infer = tf.function(lambda xs: model(xs, training=False)).get_concrete_function(tf.TensorSpec(x.shape, x.dtype))
    values = {id(v.handle): (v.numpy(), v.handle) for f in (train, infer) for v in f.graph.variables}
    captured = {id(f): [(outer, inner.name, outer.numpy() if id(outer) not in values else None)
                        for outer, inner in f.graph.captures] for f in (train, infer)}
    with tf.Graph().as_default():
        return run_both(cluster, scope, train, infer, values, captured, x, y, steps)


def run_both(cluster, scope, train, infer, values, captured, x, y, steps):
    handles, initializers = {}, []
    for key, (value, _) in values.items():
        with tf1.device("/job:ps/task:%d" % (len(handles) % 2)):
            handles[key] = tf.raw_ops.VarHandleOp(dtype=value.dtype, shape=value.shape, shared_name="%s_%d" % (scope, len(handles)))
            initializers.append(tf.raw_ops.AssignVariableOp(resource=handles[key], value=value))

    def imported(f, returned):
        mapped = {name: handles[id(outer)] if constant is None else tf.constant(constant) for outer, name, constant in captured[id(f)]}
        mapped.update(zip([t.name for t in f.inputs], [tf.constant(v) for v in (x, y)][: 2 if f is train else 1]))
        names = [t.name for t in f.outputs] + ([op.name for op in f.graph.control_outputs] if returned else [])
        return tf1.import_graph_def(f.graph.as_graph_def(), input_map=mapped, return_elements=names, name=scope)

    with tf1.device("/job:worker/task:0"):
        outputs, found = imported(infer, False), imported(train, True)
    with tf1.Session(cluster.target()) as session:
        session.run(initializers)
        return [losses(session, found[0], found[1:], None, steps), session.run(outputs[0])]


def keras_program(name, make, x, y, loss=None, optimizer=lambda: tf.keras.optimizers.SGD(0.05)):
    def run(cluster):
        loss_of = loss or (lambda ys, outputs: tf.reduce_mean(tf.square(ys - outputs)))
        return traced_training(cluster, name, make, x, y, loss_of, optimizer())

    run.__name__ = name
    eager_program(run)


K = tf.keras
L = K.layers
pictures = drawn(50, 4, 8, 8, 3)
words = np.random.RandomState(1).randint(0, 12, (4, 6)).astype(np.int32)
series = drawn(51, 4, 6, 5)
classes = np.int32([0, 1, 2, 1])
sparse_loss = lambda ys, outputs: tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(ys, outputs))

keras_program("keras_convolutional", lambda: K.Sequential([
    L.Input([8, 8, 3]), L.Conv2D(4, 3, padding="same", activation="relu"), L.BatchNormalization(), L.MaxPooling2D(2),
    L.SeparableConv2D(6, 3, activation="elu"), L.DepthwiseConv2D(2), L.Dropout(0.0), L.GlobalAveragePooling2D(), L.Dense(3),
]), pictures, classes, sparse_loss, lambda: K.optimizers.Adam(0.01))
keras_program("keras_upsampling", lambda: K.Sequential([
    L.Input([8, 8, 3]), L.Conv2D(4, 3, strides=2, padding="same"), L.Conv2DTranspose(3, 3, strides=2, padding="same"),
    L.UpSampling2D(2), L.AveragePooling2D(2), L.ZeroPadding2D(1), L.Cropping2D(1), L.LeakyReLU(), L.PReLU(),
]), pictures, pictures * 0.5)
keras_program("keras_lstm", lambda: K.Sequential([
    L.Input([6], dtype="int32"), L.Embedding(12, 5), L.LSTM(4, return_sequences=True), L.LSTM(4), L.Dense(3),
]), words, classes, sparse_loss, lambda: K.optimizers.RMSprop(0.01))
keras_program("keras_gru", lambda: K.Sequential([
    L.Input([6, 5]), L.Bidirectional(L.GRU(3, return_sequences=True)), L.SimpleRNN(4), L.LayerNormalization(), L.Dense(3),
]), series, classes, sparse_loss, lambda: K.optimizers.Adagrad(0.1))
keras_program("keras_one_dimension", lambda: K.Sequential([
    L.Input([6, 5]), L.Conv1D(4, 2, dilation_rate=2, padding="causal"), L.MaxPooling1D(2), L.Flatten(), L.Dense(3, activation="softplus"),
    L.UnitNormalization(), L.Reshape([3, 1]), L.Permute([2, 1]), L.Flatten(),
]), series, drawn(5, 4, 3), None, lambda: K.optimizers.Nadam(0.01))
keras_program("keras_three_dimensions", lambda: K.Sequential([
    L.Input([4, 4, 4, 1]), L.Conv3D(2, 2), L.MaxPooling3D(2), L.Flatten(), L.Dense(2),
]), drawn(6, 2, 4, 4, 4, 1), drawn(7, 2, 2))


def attention():
    x = K.Input([6, 5])
    y = L.MultiHeadAttention(2, 3)(x, x)
    y = L.LayerNormalization()(x + y)
    y = L.GroupNormalization(5)(y)
    y = L.Attention()([y, y])
    y = L.Concatenate()([L.GlobalMaxPooling1D()(y), L.GlobalAveragePooling1D()(y)])
    return K.Model(x, L.Dense(3, activation="gelu")(y))


keras_program("keras_attention", attention, series, drawn(8, 4, 3), None, lambda: K.optimizers.AdamW(0.01))
keras_program("keras_mixed_activations", lambda: K.Sequential(
    [L.Input([5])] + [L.Dense(5, activation=a) for a in ("selu", "softsign", "hard_sigmoid", "swish", "mish", "relu6", "log_softmax")]
), drawn(9, 4, 5), drawn(10, 4, 5), None, lambda: K.optimizers.Adamax(0.01))
keras_program("keras_ftrl_clipped", lambda: K.Sequential([
    L.Input([5]), L.Dense(5, kernel_regularizer="l2", kernel_constraint="max_norm"), L.GaussianNoise(0.0), L.Dense(2)
]), drawn(9, 4, 5), drawn(10, 4, 2), None, lambda: K.optimizers.Ftrl(0.1, clipnorm=0.5))


@program
def v1_convolution(cluster):
    """The two-layer picture classifier of the old tutorials, with summaries and regularization."""
    x = tf1.placeholder(tf.float32, [None, 16, 16, 1])
    y = tf1.placeholder(tf.int64, [None])
    with tf1.variable_scope("net", regularizer=lambda w: 0.01 * tf.nn.l2_loss(w)):
        w1 = tf1.get_variable("w1", initializer=drawn(1, 5, 5, 1, 4))
        w2 = tf1.get_variable("w2", initializer=drawn(2, 3, 3, 4, 8))
        w3 = tf1.get_variable("w3", initializer=drawn(3, 128, 10) / 5)
    h = tf.nn.relu(tf1.nn.bias_add(tf1.nn.conv2d(x, w1, [1, 1, 1, 1], "SAME"), tf.fill([4], 0.1)))
    h = tf1.nn.max_pool(h, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    h = tf1.nn.local_response_normalization(h, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75)
    h = tf1.nn.avg_pool(tf.nn.relu6(tf1.nn.conv2d(h, w2, [1, 1, 1, 1], "SAME")), [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    h = tf1.nn.dropout(tf.reshape(h, [-1, 128]), rate=0.0)
    mean, variance = tf1.nn.moments(h, [0])
    h = tf1.nn.batch_normalization(h, mean, variance, None, None, 1e-3)
    logits = tf.matmul(h, w3)
    loss = tf1.losses.sparse_softmax_cross_entropy(y, logits) + tf1.losses.get_regularization_loss()
    train = tf1.train.MomentumOptimizer(0.01, 0.9).minimize(loss)
    right = tf.nn.in_top_k(y, logits, 3)
    with initialized(cluster) as session:
        feeds = {x: drawn(4, 6, 16, 16, 1), y: [0, 1, 2, 3, 4, 9]}
        return [losses(session, loss, train, feeds), session.run([right, tf.nn.top_k(logits, 2), tf.argmax(logits, 1)], feeds)]


@program
def random_initializers(cluster):
    """Weights that the servers draw from the graph's seeds are the same as stock servers draw."""
    i = tf1.initializers
    made = [i.glorot_uniform(1), i.he_normal(2), i.truncated_normal(seed=3), i.random_normal(seed=4), i.lecun_normal(5),
            i.random_uniform(seed=6), i.variance_scaling(seed=7), i.identity(), i.orthogonal(seed=8)]
    variables = [tf1.get_variable("v%d" % n, [4, 4], initializer=maker) for n, maker in enumerate(made[:-1])]
    drawn_ones = [tf.random.shuffle(tf.range(6), seed=1), tf1.multinomial(tf.zeros([1, 4]), 5, seed=2),
                  tf1.nn.dropout(tf.ones([8]), rate=0.5, seed=3), tf1.random_gamma([3], 2.0, seed=4), tf.random.stateless_normal([3], [1, 2])]
    with initialized(cluster) as session:
        return session.run([variables, drawn_ones])


@program
def image_ops(cluster):
    pictures = tf1.get_variable("pictures", initializer=np.abs(drawn(1, 2, 6, 6, 3)))
    i = tf1.image
    made = {
        "bilinear": i.resize_bilinear(pictures, [9, 4]),
        "nearest": i.resize_nearest_neighbor(pictures, [9, 4]),
        "bilinear2": tf.image.resize(pictures, [9, 4]),
        "flip": i.flip_left_right(pictures),
        "central": i.central_crop(pictures, 0.5),
        "pad": i.resize_image_with_crop_or_pad(pictures, 4, 8),
        "brightness": i.adjust_brightness(pictures, 0.1),
        "contrast": i.adjust_contrast(pictures, 0.5),
        "standard": i.per_image_standardization(pictures),
        "gray": i.rgb_to_grayscale(pictures),
        "hsv": i.rgb_to_hsv(pictures),
        "rgb": i.hsv_to_rgb(i.rgb_to_hsv(pictures)),
        "saturation": i.adjust_saturation(pictures, 0.5),
        "hue": i.adjust_hue(pictures, 0.1),
        "rot90": i.rot90(pictures),
        "crop": i.crop_and_resize(pictures, [[0.1, 0.1, 0.9, 0.8]], [1], [3, 3]),
        "tv": i.total_variation(pictures),
        "ssim": i.psnr(pictures, pictures * 0.9, 1.0),
    }
    gradients = {name: tf1.gradients(made[name], pictures)[0] for name in ("bilinear", "nearest", "bilinear2", "flip")}
    return evaluated(cluster, [made, gradients])


@program
def linear_algebra(cluster):
    a = tf1.get_variable("a", initializer=drawn(1, 2, 4, 4) + 2 * np.eye(4, dtype=np.float32))
    b = tf.constant(drawn(2, 2, 4, 3))
    square = tf.matmul(a, a, transpose_b=True)
    made = [tf.linalg.inv(a), tf.linalg.det(a), tf.linalg.solve(a, b), tf.linalg.cholesky(square), tf.linalg.slogdet(square),
            tf.linalg.triangular_solve(a, b), tf.einsum("bij,bjk->bik", a, b), tf.tensordot(a, b, [[0, 2], [0, 1]]),
            tf.linalg.band_part(a, 1, 0), tf.linalg.trace(a), tf.linalg.norm(a, axis=[1, 2]), tf.linalg.diag_part(a),
            tf.linalg.matmul(a, b, transpose_a=True), tf.linalg.logdet(square), tf.linalg.expm(a * 0.1)]
    total = tf.add_n([tf.reduce_sum(t) for t in (made[0], made[1], made[2], made[3], made[5], made[6])])
    decomposed = [tf.linalg.svd(a, compute_uv=False), tf.linalg.eigvalsh(square), tf.abs(tf.linalg.qr(a)[1])]
    return evaluated(cluster, [made, tf1.gradients(total, a), decomposed])


@program
def signals(cluster):
    x = tf1.get_variable("x", initializer=drawn(1, 3, 16))
    spectrum = tf1.spectral.rfft(x)
    window = tf.signal.stft(x, 8, 4)
    power = tf.reduce_sum(tf.abs(spectrum) ** 2)
    made = [spectrum, tf1.spectral.irfft(spectrum), tf.signal.fft(tf.cast(x, tf.complex64)), window, tf.signal.dct(x), tf.signal.fft2d(tf.cast(x, tf.complex64))]
    return evaluated(cluster, [[[tf.math.real(m), tf.math.imag(m)] if m.dtype.is_complex else m for m in made], tf1.gradients(power, x)])
