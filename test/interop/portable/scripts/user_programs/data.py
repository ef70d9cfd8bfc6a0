"""Input: strings, tables, queues, readers, parsing, sparse and ragged values."""
import numpy as np
import tensorflow as tf

from support import drawn, error_of, evaluated, initialized, program, session_on, tf1


@program
def strings(cluster):
    s = tf1.placeholder(tf.string, [None])
    made = [
        tf.strings.join([s, s], "-"), tf.strings.upper(s), tf.strings.substr(s, 0, 2),
        tf.strings.regex_replace(s, "[aeiou]+", "*"), tf.strings.length(s), tf1.string_split(s, " "),
        tf.strings.to_hash_bucket_fast(s, 10), tf.strings.to_hash_bucket_strong(s, 10, [1, 2]), tf.strings.strip(s),
        tf.strings.as_string(tf.constant([1.5, 2.25]), precision=2), tf.strings.to_number(tf.constant(["1.5", "-2"])),
        tf.strings.reduce_join(s), tf.strings.regex_full_match(s, ".*o.*"), tf1.decode_csv(["1,a,2.5", "3,b,"], [[0], ["x"], [9.0]]),
        tf.io.decode_raw(tf.constant(["abcd", "efgh"]), tf.uint8), tf.io.encode_base64(s), tf.strings.format("{} and {}", (s, 1)),
        tf.strings.split(s).values, tf.strings.unicode_decode(s, "UTF-8").values, tf.strings.bytes_split(s).values,
        tf.strings.ngrams(tf.strings.split(s), 2).values, tf.strings.unicode_transcode(s, "UTF-8", "UTF-16-BE"),
        tf.strings.unicode_script([104, 1047]), tf.strings.unicode_encode([[104, 233]], "UTF-8"),
    ]
    with session_on(cluster) as session:
        return session.run(made, {s: ["hello world", " grüße o ", ""]})


@program
def lookup_tables(cluster):
    path = cluster.path("words.txt")
    with open(path, "w") as file:
        file.write("zero\none\ntwo\n")
    with tf1.device("/job:ps/task:0"):
        from_file = tf.lookup.StaticVocabularyTable(
            tf.lookup.TextFileInitializer(path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), 2)
        static = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1.5, 2.5]), -1.0)
    mutable = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, 0.0)
    back = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(path, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE), "?")
    filled = [mutable.insert([1, 2], [10.0, 20.0])]
    keys = tf.constant(["one", "two", "other"])
    fetches = [from_file.lookup(keys), from_file.size(), static.lookup(tf.constant(["b", "z"])), mutable.lookup(tf.constant([2, 3], tf.int64)),
               back.lookup(tf.constant([2, 8], tf.int64))]
    with session_on(cluster) as session:
        failed = error_of(lambda: session.run(fetches[2]))
        session.run(tf1.tables_initializer())
        session.run(filled)
        keys_and_values = session.run(mutable.export())
        return [failed, session.run(fetches), sorted(zip(*[v.tolist() for v in keys_and_values]))]


@program
def feature_columns(cluster):
    """Sparse inputs as the old wide-and-deep models take them."""
    sparse = tf1.sparse_placeholder(tf.float32, [3, 4])
    dense = tf.constant(drawn(1, 4, 2))
    other = tf.SparseTensor([[0, 1], [2, 2]], [1.0, 2.0], [3, 4])
    made = [
        tf.sparse.to_dense(sparse), tf.sparse.sparse_dense_matmul(sparse, dense), tf.sparse.reorder(sparse), tf.sparse.add(sparse, other),
        tf1.sparse_reduce_sum(sparse, 1), tf.sparse.transpose(sparse), tf.sparse.reshape(sparse, [4, 3]), tf.sparse.concat(0, [sparse, other]),
        tf1.sparse_fill_empty_rows(sparse, 7.0), tf.sparse.retain(sparse, [True, False, True]), tf.sparse.slice(sparse, [0, 0], [2, 3]),
        tf.sparse.softmax(sparse), sparse * dense[0, 0], tf.sparse.to_indicator(tf.SparseTensor([[0, 0], [1, 0]], [2, 0], [2, 1]), 3),
        tf.sparse.split(sp_input=sparse, num_split=2, axis=1), tf.sparse.maximum(sparse, other), tf.sparse.expand_dims(sparse, 1),
        tf.sparse.segment_sum(dense, [0, 1, 3], [0, 0, 1]), tf.sparse.from_dense(dense), tf.sparse.reset_shape(sparse),
        tf1.sparse_merge(tf.SparseTensor([[0, 0], [1, 0]], tf.constant([1, 3], tf.int64), [2, 1]), tf.SparseTensor([[0, 0], [1, 0]], [5.0, 6.0], [2, 1]), 4),
        tf1.sparse_to_dense([[0, 1], [2, 0]], [3, 2], [4, 5]), tf.sparse.bincount([0, 1, 1, 3]),
    ]
    value = tf1.SparseTensorValue(np.int64([[0, 0], [0, 3], [2, 1]]), np.float32([1, 2, 3]), np.int64([3, 4]))
    with session_on(cluster) as session:
        return session.run(made, {sparse: value})


@program
def ragged(cluster):
    r = tf.ragged.constant([[3, 1, 2], [], [5, 9]], tf.float32)
    made = [r.to_tensor(), tf.reduce_sum(r, 1), tf.reduce_mean(r, 1), r.row_lengths(), tf.concat([r, r], 1), r[:, :1], tf.ragged.map_flat_values(tf.square, r),
            tf.gather(r, [2, 0]), r.to_sparse(), tf.RaggedTensor.from_sparse(r.to_sparse()), tf.ragged.range([2, 3]), tf.stack([r, r]), tf.sort(r.flat_values)]
    return evaluated(cluster, [[m.flat_values, m.nested_row_splits] if isinstance(m, tf.RaggedTensor) else m for m in made])


def whole_of(tensor):
    return [tensor.flat_values, tensor.nested_row_splits] if isinstance(tensor, tf.RaggedTensor) else tensor


@program
def ragged_as_objects(cluster):
    """Ragged tensors through map_fn and datasets, which hand their rows on as variants."""
    r = tf.RaggedTensor.from_row_splits(tf.constant([3.0, 1.0, 2.0, 5.0, 9.0]), [0, 3, 3, 5])
    deep = tf.RaggedTensor.from_row_splits(r, [0, 2, 3])
    tf1.enable_control_flow_v2()
    try:
        made = [
            tf.map_fn(tf.reduce_sum, r, fn_output_signature=tf.float32),
            tf.map_fn(lambda row: row * 2.0, r, fn_output_signature=tf.RaggedTensorSpec([None], tf.float32)),
            tf.map_fn(tf.range, tf.constant([2, 0, 3]), fn_output_signature=tf.RaggedTensorSpec([None], tf.int32)),
            tf.map_fn(lambda rows: rows + 1.0, deep, fn_output_signature=tf.RaggedTensorSpec([None, None], tf.float32)),
        ]
    finally:
        tf1.disable_control_flow_v2()
    rows = tf1.data.make_one_shot_iterator(tf.data.Dataset.from_tensor_slices(r).map(lambda row: row + 1.0)).get_next()
    batches = tf1.data.make_one_shot_iterator(tf.data.Dataset.from_tensor_slices(deep).batch(2)).get_next()
    built = tf1.data.make_one_shot_iterator(tf.data.Dataset.range(4).map(lambda n: tf.range(n)).apply(tf.data.experimental.dense_to_ragged_batch(3))).get_next()
    with session_on(cluster) as session:
        return [session.run([whole_of(m) for m in made]), [session.run(rows) for _ in range(3)],
                session.run(whole_of(batches)), [session.run(whole_of(built)) for _ in range(2)]]


def example(**features):
    made = {}
    for name, value in features.items():
        if isinstance(value[0], bytes):
            made[name] = tf.train.Feature(bytes_list=tf.train.BytesList(value=value))
        elif isinstance(value[0], float):
            made[name] = tf.train.Feature(float_list=tf.train.FloatList(value=value))
        else:
            made[name] = tf.train.Feature(int64_list=tf.train.Int64List(value=value))
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()


EXAMPLES = [example(x=[1.0, 2.0], label=[3], words=[b"a", b"b"]), example(x=[4.0, 5.0], label=[6]), example(x=[7.0, 8.0], label=[9], words=[b"c"])]
FEATURES = {
    "x": tf.io.FixedLenFeature([2], tf.float32), "label": tf.io.FixedLenFeature([], tf.int64), "words": tf.io.VarLenFeature(tf.string),
    "y": tf.io.FixedLenFeature([1], tf.float32, default_value=[0.5]),
}


def write_records(cluster, name):
    path = cluster.path(name)
    with tf.io.TFRecordWriter(path) as writer:
        for record in EXAMPLES:
            writer.write(record)
    return path


def sequence(context, **lists):
    feature = lambda values: tf.train.Example.FromString(example(v=values)).features.feature["v"]
    made = {name: tf.train.FeatureList(feature=[feature(step) if step else tf.train.Feature() for step in steps]) for name, steps in lists.items()}
    first = tf.train.Example.FromString(example(**context)).features
    return tf.train.SequenceExample(context=first, feature_lists=tf.train.FeatureLists(feature_list=made)).SerializeToString()


@program
def parsing_sequences(cluster):
    """Examples with a value at each time, one and many, dense, sparse and ragged, with what a server refuses."""
    some = tf1.placeholder(tf.string)
    context = {"x": tf.io.FixedLenFeature([2], tf.float32, default_value=[7.0, 8.0]), "w": tf.io.VarLenFeature(tf.string), "n": tf.io.RaggedFeature(tf.int64)}
    steps = {"d": tf.io.FixedLenSequenceFeature([2], tf.float32), "e": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
             "s": tf.io.VarLenFeature(tf.int64), "r": tf.io.RaggedFeature(tf.string)}
    whole = [sequence(dict(x=[1.0, 2.0], w=[b"a"], n=[4, 5]), d=[[1.0, 2.0], [3.0, 4.0]], s=[[1, 2], [], [3]], r=[[b"q"], [b"z", b"y"]], e=[[5]]),
             sequence(dict(w=[b"b", b"c"]), d=[[9.0, 9.0]], s=[[7]])]
    wrong = [sequence({}), sequence({}, d=[[1, 2]]), sequence({}, d=[[1.0]]), b"no example"]
    batch = tf.io.parse_sequence_example(tf.reshape(some, [-1]), context, steps)
    del context["n"], steps["r"]
    single = tf.io.parse_single_sequence_example(tf.reshape(some, []), context, steps)
    flat = lambda parsed: [{key: item if isinstance(item, tf.SparseTensor) else whole_of(item) for key, item in part.items()} for part in parsed]
    with session_on(cluster) as session:
        run = lambda parsed, given: session.run(flat(parsed), {some: given})
        return [run(batch, whole), run(batch, whole[1:]), run(single, whole[0]), run(single, whole[1]),
                [error_of(lambda: run(batch, [whole[0], one])) for one in wrong], [error_of(lambda: run(single, one)) for one in wrong]]


@program
def parsing(cluster):
    serialized = tf1.placeholder(tf.string, [None])
    parsed = tf.io.parse_example(serialized, FEATURES)
    single = tf.io.parse_single_example(serialized[0], FEATURES)
    with session_on(cluster) as session:
        bad = error_of(lambda: session.run(parsed["x"], {serialized: ["nonsense"]}))
        return [session.run([parsed, single], {serialized: EXAMPLES}), bad]


@program
def readers_and_producers(cluster):
    """The input pipelines from before tf.data: producers, readers, batches, threads that a coordinator ends."""
    lines = cluster.path("lines.csv")
    with open(lines, "w") as file:
        file.write("".join("%d,%d.5\n" % (i, i) for i in range(10)))
    records = write_records(cluster, "queue.tfrecords")
    with tf1.device("/job:worker/task:0"):
        names = tf1.train.string_input_producer([lines], num_epochs=2, shuffle=False)
        _, line = tf1.TextLineReader(skip_header_lines=1).read(names)
        a, b = tf1.decode_csv(line, [[0], [0.0]])
        batch = tf1.train.batch([a, b], 4, allow_smaller_final_batch=True)
        record_names = tf1.train.string_input_producer([records], num_epochs=1)
        _, record = tf1.TFRecordReader().read(record_names)
        label = tf.io.parse_single_example(record, FEATURES)["label"]
        labels = tf1.train.batch([label], 3)
        whole = tf1.WholeFileReader().read(tf1.train.string_input_producer([lines], shuffle=False))[1]
        sliced = tf1.train.slice_input_producer([tf.range(5), tf.range(5) * 10], shuffle=False)
        shuffled = tf1.train.shuffle_batch(sliced, 2, capacity=10, min_after_dequeue=2, seed=1)
        ranged = tf1.train.range_input_producer(3, shuffle=False).dequeue()
    with initialized(cluster) as session:
        coordinator = tf1.train.Coordinator()
        threads = tf1.train.start_queue_runners(session, coordinator)
        batches = []
        try:
            while not coordinator.should_stop():
                batches.append(session.run(batch))
        except tf.errors.OutOfRangeError:
            pass
        got = [session.run(labels), len(session.run(whole)), [int(session.run(ranged)) for _ in range(4)],
               all(10 * x == y for x, y in zip(*session.run(shuffled)))]
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=30)
        return [batches, got]


@program
def queues(cluster):
    fifo = tf1.FIFOQueue(5, [tf.int32, tf.string], [[], []], names=["n", "s"], shared_name="named")
    padded = tf1.PaddingFIFOQueue(5, [tf.float32], [[None]])
    priority = tf1.PriorityQueue(5, [tf.string], [[]])
    shuffled = tf1.RandomShuffleQueue(9, 2, tf.int32, [[]], seed=1)
    with session_on(cluster) as session:
        session.run(fifo.enqueue_many({"n": [1, 2, 3], "s": ["a", "b", "c"]}))
        session.run([padded.enqueue([[1.0]]), padded.enqueue([[2.0, 3.0]])])
        session.run(priority.enqueue_many([np.int64([3, 1]), ["late", "soon"]]))
        session.run(shuffled.enqueue_many([list(range(8))]))
        results = [session.run(fifo.dequeue()), session.run(fifo.size()), session.run(tf.shape(padded.dequeue_many(2))), session.run(priority.dequeue()),
                   len(set(session.run(shuffled.dequeue_many(5))))]
        session.run(fifo.close())
        return results + [error_of(lambda: session.run(fifo.dequeue_many(5))), error_of(lambda: session.run(fifo.enqueue({"n": 1, "s": "x"}))),
                          session.run(fifo.dequeue_up_to(5)), session.run(fifo.is_closed())]


@program
def staging(cluster):
    area = tf.raw_ops
    stage = area.Stage(values=[tf.constant([1.0, 2.0]), tf.constant(3)], shared_name="area")
    with tf.control_dependencies([stage]):
        out = area.Unstage(dtypes=[tf.float32, tf.int32], shared_name="area")
    return evaluated(cluster, [out])
