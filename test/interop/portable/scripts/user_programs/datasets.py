"""Input pipelines of tf.data: datasets of every kind, drained on the cluster."""
import gzip
import zlib

import numpy as np
import tensorflow as tf
from tensorflow.python.data.ops import dataset_ops

from data import EXAMPLES, FEATURES, write_records
from support import drawn, error_of, initialized, program, session_on, tf1


@program
def dataset_one_shot(cluster):
    """One-shot iterators are functions of the graph that the server calls."""
    dataset = tf1.data.Dataset.from_tensor_slices((drawn(1, 10, 2), np.arange(10)))
    dataset = dataset.map(lambda x, y: (x * 2.0, y + 1)).filter(lambda x, y: y % 3 > 0).repeat(2).batch(4).prefetch(2)
    following = tf1.data.make_one_shot_iterator(dataset).get_next()
    with session_on(cluster) as session:
        results = []
        while True:
            try:
                results.append(session.run(following))
            except tf.errors.OutOfRangeError:
                return results


@program
def dataset_initializable(cluster):
    """Iterators that are filled anew, with placeholders, state and shuffling; trained from."""
    values = tf1.placeholder(tf.float32, [None, 2])
    dataset = tf1.data.Dataset.from_tensor_slices(values).shuffle(4, seed=1).batch(3, drop_remainder=True)
    other = tf1.data.Dataset.range(3).map(lambda i: tf.fill([3, 2], tf.cast(i, tf.float32)))
    iterator = tf1.data.make_initializable_iterator(dataset)
    switched = tf1.data.Iterator.from_structure(tf1.data.get_output_types(dataset), tf1.data.get_output_shapes(dataset))
    initial = [switched.make_initializer(dataset), switched.make_initializer(other)]
    w = tf1.get_variable("w", initializer=np.float32([1, 1]))
    following = iterator.get_next()
    loss = tf.reduce_mean(tf.square(tf.linalg.matvec(following, w)))
    train = tf1.train.GradientDescentOptimizer(0.1).minimize(loss)
    either = switched.get_next()
    feeds = {values: drawn(2, 9, 2)}
    with initialized(cluster) as session:
        early = error_of(lambda: session.run(following))
        results = []
        for _ in range(2):
            session.run(iterator.initializer, feeds)
            while True:
                try:
                    results.append(session.run([loss, train])[0])
                except tf.errors.OutOfRangeError:
                    break
        session.run(initial[1])
        second = [session.run(either) for _ in range(3)]
        end = error_of(lambda: session.run(either))
        session.run(initial[0], feeds)
        return [early, results, second, end, np.shape(session.run(either))]


def drained(cluster, made):
    """All elements of each dataset; an error's kind in the place of those that it keeps away."""
    results = {}
    for name, dataset in made.items():
        following = tf1.data.make_initializable_iterator(dataset)
        fetched = following.get_next()
        with session_on(cluster) as session:
            values = []
            try:
                session.run(following.initializer)
                while len(values) < 50:
                    values.append(session.run(fetched))
            except tf.errors.OutOfRangeError:
                pass
            except tf.errors.OpError as error:
                values.append(type(error).__name__)
            results[name] = values
    return results


@program
def dataset_kinds(cluster):
    """Each kind of dataset that scripts use, drained."""
    D = tf1.data.Dataset
    lines = cluster.path("dataset.txt")
    with open(lines, "w") as file:
        file.write("one\ntwo\nthree\n")
    records = write_records(cluster, "dataset.tfrecords")
    numbers = D.range(10)
    made = {
        "batch": numbers.batch(4), "take_skip": numbers.skip(2).take(3), "zip": D.zip((numbers.take(2), numbers.skip(5))),
        "concatenate": numbers.take(2).concatenate(numbers.take(1)), "tensors": D.from_tensors([1, 2]), "shard": numbers.shard(3, 1),
        "flat_map": numbers.take(3).flat_map(lambda i: D.range(i)),
        "interleave": numbers.take(3).interleave(lambda i: D.from_tensors(i).repeat(2), 2, 1),
        "interleave_parallel": numbers.take(3).interleave(lambda i: D.range(i), cycle_length=2, num_parallel_calls=2),
        "cache": numbers.cache().repeat(2).take(12).batch(12), "parallel_map": numbers.map(lambda i: i * i, num_parallel_calls=2),
        "text": tf1.data.TextLineDataset(lines),
        "records": tf1.data.TFRecordDataset([records]).map(lambda r: tf.io.parse_single_example(r, FEATURES)["x"]),
        "shuffle": numbers.shuffle(10, seed=2), "string": D.from_tensor_slices(["a", "b"]),
        "shuffle_small": numbers.shuffle(3, seed=5, reshuffle_each_iteration=False).repeat(2),
        "map_and_batch": numbers.map(lambda i: i + 1).batch(5).map(lambda v: tf.reduce_sum(v)),
        "options": numbers.with_options(tf.data.Options()).take(2), "filter": numbers.filter(lambda i: i > 7),
        "dict": D.from_tensor_slices({"a": [1, 2], "b": [3.0, 4.0]}),
    }
    return drained(cluster, made)


@program
def dataset_windows_and_batches(cluster):
    """Datasets that cut others into pieces, and put pieces together."""
    D = tf1.data.Dataset
    experimental = tf.data.experimental
    numbers = D.range(10)
    growing = numbers.map(lambda i: tf.fill([i % 4], i))
    text = D.from_tensor_slices(["a", "bb", "ccc"]).map(lambda s: tf.strings.bytes_split(s))
    pairs = D.zip((numbers, numbers.map(lambda i: tf.cast(i, tf.float32) / 2)))

    def of_windows(windows):
        return windows.flat_map(lambda window: window.batch(10))

    return drained(cluster, {
        "padded": growing.padded_batch(4, [None]), "padded_to": growing.padded_batch(4, [5], tf.constant(-1, tf.int64), drop_remainder=True),
        "padded_text": text.padded_batch(2, [None], "?"), "padded_too_small": growing.padded_batch(3, [1]),
        "padded_pairs": growing.map(lambda v: (v, {"x": tf.cast(v, tf.float32)})).padded_batch(3, ([None], {"x": [4]}), (tf.constant(7, tf.int64), {"x": 0.5})),
        "padded_scalars": numbers.padded_batch(4, []),
        "unequal": growing.batch(4),
        "window": of_windows(numbers.window(3)), "window_drop": of_windows(numbers.window(4, drop_remainder=True)),
        "window_shift": of_windows(numbers.window(3, 1, 2)), "window_gaps": of_windows(numbers.window(2, 4)),
        "window_stride_drop": of_windows(numbers.window(3, 2, 2, drop_remainder=True)),
        "window_pairs": pairs.window(3).flat_map(lambda a, b: D.zip((a.batch(3), b.batch(3)))),
        "window_wrong": of_windows(numbers.window(tf.constant(0, tf.int64))),
        "groups": numbers.group_by_window(lambda i: i % 3, lambda key, group: group.batch(2).map(lambda v: (key, v)), 2),
        "group_sizes": numbers.group_by_window(lambda i: i % 2, lambda _, group: group.batch(9), window_size_func=lambda key: key + 2),
        "buckets": growing.bucket_by_sequence_length(tf.size, [2, 3], [2, 2, 3]),
        "unbatch": growing.unbatch(), "unbatch_pairs": pairs.batch(4).unbatch(),
        "rebatch": numbers.batch(4).rebatch(3), "rebatch_drop": pairs.batch(2).rebatch(3, drop_remainder=True), "rebatch_many": numbers.batch(2).rebatch([1, 3]),
        "map_and_batch": numbers.apply(experimental.map_and_batch(lambda i: i * 2, 4)),
        "map_and_batch_drop": numbers.apply(experimental.map_and_batch(lambda i: (i, i * 2), 4, drop_remainder=True, num_parallel_calls=2)),
        "parallel_batch": numbers.batch(4, num_parallel_calls=2), "batch_of_none": numbers.batch(tf.constant(0, tf.int64)),
    })


@program
def dataset_choices(cluster):
    """Datasets that go by states, by other datasets and by errors."""
    D = tf1.data.Dataset
    experimental = tf.data.experimental
    numbers = D.range(10)
    sparse = tf.SparseTensor([[0, 0], [0, 3], [2, 1], [2, 2]], [1.0, 2.0, 3.0, 4.0], [4, 5])
    bad = D.from_tensor_slices([1.0, 2.0, 0.0, 4.0]).map(lambda x: tf1.check_numerics(1.0 / x, "wrong"))
    parts = [tf.data.Dataset.from_tensors(i).repeat(i + 1) for i in range(3)]
    choice = tf.data.Dataset.from_tensor_slices(np.int64([2, 0, 0, 1, 2, 1, 1, 2, 2, 2, 0]))
    return drained(cluster, {
        "enumerate": numbers.enumerate(5), "take_while": numbers.take_while(lambda i: i < 4), "take_while_never": numbers.take_while(lambda i: i > 4),
        "scan": numbers.scan(np.int64(0), lambda state, i: (state + i, state * 10)),
        "scan_pairs": numbers.scan((np.int64(0), 1.0), lambda state, i: ((state[0] + i, state[1] * 2.0), (i, state[1]))),
        "sparse": D.from_sparse_tensor_slices(sparse),
        "sparse_unordered": D.from_sparse_tensor_slices(tf.SparseTensor([[1, 0], [0, 0]], [1, 2], [2, 2])),
        "unique": D.from_tensor_slices(np.int64([3, 1, 3, 2, 1])).unique(), "unique_text": D.from_tensor_slices(["a", "b", "a"]).unique(),
        "random": D.random(seed=3).take(5), "random_of_seeds": D.random(seed=7).batch(3).take(2),
        "choose": tf.data.Dataset.choose_from_datasets(parts, choice, stop_on_empty_dataset=False),
        "choose_until_empty": tf.data.Dataset.choose_from_datasets(parts, choice),
        "sample": tf.data.Dataset.sample_from_datasets(parts, [0.2, 0.3, 0.5], seed=4, stop_on_empty_dataset=False),
        "ignore_errors": bad.apply(experimental.ignore_errors()), "errors": bad,
        "cardinality": numbers.apply(experimental.assert_cardinality(10)), "cardinality_more": numbers.apply(experimental.assert_cardinality(4)),
        "cardinality_fewer": numbers.apply(experimental.assert_cardinality(12)),
        "shuffle_and_repeat": numbers.apply(experimental.shuffle_and_repeat(4, 3, seed=6)),
        "parallel_interleave": numbers.apply(experimental.parallel_interleave(lambda i: tf.data.Dataset.from_tensors(i).repeat(i % 4), 3, 2)),
        "single": D.from_tensors(experimental.get_single_element(numbers.skip(9))), "single_of_many": D.from_tensors(experimental.get_single_element(numbers)),
        "reduce": D.from_tensors(numbers.reduce(np.int64(1), lambda total, i: total + i)),
        "counter": experimental.Counter(3, 2).take(4), "shards": numbers.shard(4, 3).repeat(2),
    })


@program
def dataset_files(cluster):
    """The records of files of every kind, packed ones, too, and of damaged ones."""
    D = tf1.data
    lines, fixed, records = cluster.path("files.txt"), cluster.path("files.bin"), cluster.path("files.tfrecords")
    with tf.io.TFRecordWriter(records) as writer:
        [writer.write(record) for record in (b"first", b"", b"third" * 9)]
    with open(lines, "wb") as file:
        file.write(b"a\rb\r\n\n\r\nx\r\r\nlast\r")
    with open(fixed, "wb") as file:
        file.write(b"HaabbccFF")
    packed = {}
    for path in (lines, fixed, records):
        with open(path, "rb") as file:
            content = file.read()
        for name, pack in (("GZIP", gzip.compress), ("ZLIB", zlib.compress)):
            packed[path, name] = "%s.%s" % (path, name)
            with open(packed[path, name], "wb") as file:
                file.write(pack(content))
    cut, changed = cluster.path("files.cut"), cluster.path("files.changed")
    with open(cut, "wb") as file:
        file.write(content[:-3])
    with open(changed, "wb") as file:
        file.write(content[:14] + b"?" + content[15:])
    many = cluster.path("many.txt")
    with open(many, "w") as file:
        file.write("".join("%d %s\n" % (i, "x" * (i % 700)) for i in range(9000)))
    made = {
        "text": D.TextLineDataset([lines, lines]), "text_missing": D.TextLineDataset([lines, lines + "?"]),
        "text_of_files": D.Dataset.from_tensor_slices([lines, lines]).interleave(D.TextLineDataset, 2),
        "text_not_packed": D.TextLineDataset(lines, "GZIP"), "text_of_folder": D.TextLineDataset(cluster.folder),
        "fixed": D.FixedLengthRecordDataset(fixed, 2, 1, 2), "fixed_rest": D.FixedLengthRecordDataset(fixed, 4, 1, 2),
        "fixed_rest_packed": D.FixedLengthRecordDataset(packed[fixed, "GZIP"], 4, 1, 2, compression_type="GZIP"),
        "fixed_header": D.FixedLengthRecordDataset(fixed, 2, 30, 2), "fixed_none": D.FixedLengthRecordDataset(fixed, 0),
        "cut": D.TFRecordDataset([cut, records]), "changed": D.TFRecordDataset([changed, records]),
        "changed_ignored": D.TFRecordDataset([changed, records]).apply(tf.data.experimental.ignore_errors()),
        "many": D.TextLineDataset(many).map(tf.strings.length).batch(9000),
        "list_files": D.Dataset.list_files(cluster.path("files.*"), shuffle=False).map(lambda path: tf.strings.split(path, "/")[-1]),
    }
    for name in ("GZIP", "ZLIB"):
        made["text_" + name] = D.TextLineDataset(packed[lines, name], name)
        made["records_" + name] = D.TFRecordDataset(packed[records, name], name)
        made["fixed_" + name] = D.FixedLengthRecordDataset(packed[fixed, name], 2, 1, 2, compression_type=name)
    return drained(cluster, made)


@program
def dataset_of_csv_files(cluster):
    """Comma-separated values: quotes, ends of lines within fields, missing values, columns by number and by name."""
    Csv = tf1.data.experimental.CsvDataset
    contents = {
        "plain": "a,b,c\n1,2.5,x\n-3,,\"y, z\"\n4,NA,\r\n", "quoted": '1,"two\nlines\r\nand ""quotes"""\r\n2,""\r\n3,end', "empty": "",
        "lines": "1,2\n\n3,4\n", "few": "1\n", "many": "1,2,3\n", "bad": "1,2\nx,4\n", "quote": '1,a"b\n', "open": '1,"never', "tabs": "1\t2\n3\t4\n", "column": "1\n\n2\n",
    }
    paths = {name: cluster.path("csv_" + name) for name in contents}
    for name, content in contents.items():
        with open(paths[name], "wb") as file:
            file.write(content.encode())
    packed = cluster.path("csv_packed")
    with open(packed, "wb") as file:
        file.write(gzip.compress(contents["plain"].encode()))
    integers = [tf.int32, tf.int32]
    defaults = [tf.int32, tf.constant([9.5]), tf.constant(["none"])]
    made = {
        "plain": Csv(paths["plain"], defaults, header=True, na_value="NA"), "two_files": Csv([paths["plain"], paths["empty"], paths["plain"]], defaults, header=True, na_value="NA"),
        "packed": Csv(packed, defaults, compression_type="GZIP", header=True, na_value="NA"),
        "header_is_no_number": Csv(paths["plain"], defaults), "selected": Csv(paths["plain"], [tf.int64, tf.string], header=True, select_cols=[0, 2]),
        "excluded": tf.data.experimental.CsvDataset(paths["plain"], [tf.string], header=True, exclude_cols=[0, 1]), "selected_too_far": Csv(paths["few"], [tf.int32], select_cols=[1]),
        "quoted": Csv(paths["quoted"], [tf.int32, tf.constant(["none"])]), "unquoted": Csv(paths["plain"], [tf.string] * 3, use_quote_delim=False),
        "empty": Csv(paths["empty"], integers), "lines": Csv(paths["lines"], integers), "few": Csv(paths["few"], integers), "many": Csv(paths["many"], integers),
        "bad": Csv(paths["bad"], integers), "quote": Csv(paths["quote"], [tf.int32, tf.string]), "open": Csv(paths["open"], [tf.int32, tf.string]),
        "tabs": Csv(paths["tabs"], integers, field_delim="\t"), "column": Csv(paths["column"], [tf.constant([7])]), "missing": Csv(cluster.path("csv_nowhere"), integers),
        "required": Csv(paths["plain"], [tf.int32, tf.float32, tf.string], header=True),
        "batched": Csv(paths["tabs"], integers, field_delim="\t").map(lambda a, b: a + b).batch(2),
        "by_name": tf1.data.experimental.make_csv_dataset(paths["plain"], 2, label_name="a", na_value="NA", num_epochs=2, shuffle=False),
    }
    return drained(cluster, made)


@program
def dataset_caches(cluster):
    """What is cached is made once: a counter tells how often."""
    with tf1.device("/job:worker/task:0"):
        made = tf1.get_variable("made", initializer=np.int64(0), use_resource=True)

        def counted(i):
            with tf.control_dependencies([made.assign_add(1)]):
                return i * 2

        numbers = tf1.data.Dataset.range(4).map_with_legacy_function(counted)
        variants = {
            "plain": numbers.repeat(3), "cached": numbers.cache().repeat(3), "cut": numbers.cache().take(2).repeat(2),
            "shared": _shared_cache(numbers).repeat(2),
        }
        results = {}
        iterators = {name: tf1.data.make_initializable_iterator(dataset) for name, dataset in variants.items()}
        following = {name: iterator.get_next() for name, iterator in iterators.items()}
    with initialized(cluster) as session:
        for name, iterator in iterators.items():
            session.run([iterator.initializer, made.initializer])
            values = []
            while True:
                try:
                    values.append(session.run(following[name]))
                except tf.errors.OutOfRangeError:
                    break
            results[name] = [values, session.run(made)]
    return results


def _shared_cache(dataset):
    """As tf.data makes it within a tf.function."""
    made = tf1.data.Dataset.range(1)
    made._variant_tensor_attr = tf.raw_ops.CacheDatasetV2(
        input_dataset=dataset._variant_tensor, filename="", cache=tf.raw_ops.DummyMemoryCache(), output_types=[tf.int64], output_shapes=[[]])
    return made


@program
def feedable_iterators(cluster):
    """One of several iterators, chosen by a string that is fed; optionals at the end of one."""
    D = tf1.data
    with tf1.device("/job:worker/task:0"):
        handle = tf1.placeholder(tf.string, [])
        first, second = D.make_one_shot_iterator(D.Dataset.range(3)), D.make_initializable_iterator(D.Dataset.range(10, 12))
        either = D.Iterator.from_string_handle(handle, tf.int64, []).get_next()
        optional = tf.data.experimental.get_next_as_optional(second)
        value = tf.cond(optional.has_value(), optional.get_value, lambda: tf.constant(-1, tf.int64))
        texts = [first.string_handle(), second.string_handle()]
    with session_on(cluster) as session:
        a, b = session.run(texts)
        session.run(second.initializer)
        results = [int(session.run(either, {handle: text})) for text in (a, b, a, b, a)]
        results.append(error_of(lambda: session.run(either, {handle: b})))
        results.append(error_of(lambda: session.run(either, {handle: "nonsense"})))
        session.run(second.initializer)
        return results + [int(session.run(value)) for _ in range(4)]


@program
def dataset_of_sparse_tensors(cluster):
    """Examples with features of any length, batched; sparse tensors between tasks, too."""
    D = tf1.data.Dataset
    raw = tf.raw_ops
    records = D.from_tensor_slices(EXAMPLES)
    single = records.map(lambda record: tf.io.parse_single_example(record, FEATURES))
    growing = D.range(5).map(lambda i: tf.fill([i % 3, 2], i))
    sparse = tf.SparseTensor([[0, 0], [0, 3], [2, 1]], [1.0, 2.0, 3.0], [4, 5])
    datasets = {
        "examples": single, "batched": single.batch(2), "slices": D.from_tensor_slices(sparse), "whole": D.from_tensors((sparse, 7)).repeat(2).batch(2),
        "shuffled": single.map(lambda features: features["words"]).shuffle(3, seed=1).batch(3).prefetch(1),
        "sparse_batch": growing.apply(tf.data.experimental.dense_to_sparse_batch(3, [4, 2])),
        "sparse_batch_too_large": growing.apply(tf.data.experimental.dense_to_sparse_batch(3, [1, 2])),
        "cached": single.map(lambda features: features["words"].values).cache().repeat(2).unbatch(),
        "parsed": records.batch(2).apply(tf.data.experimental.parse_example_dataset(FEATURES, num_parallel_calls=2)),
        "not_parsed": D.from_tensor_slices([["nonsense"]]).apply(tf.data.experimental.parse_example_dataset(FEATURES)),
        "from_files": tf1.data.experimental.make_batched_features_dataset(
            write_records(cluster, "features.tfrecords"), 2, FEATURES, shuffle=False, num_epochs=1, label_key="label"),
    }
    results = drained(cluster, datasets)
    parts = {"sparse_indices": sparse.indices, "sparse_values": sparse.values, "sparse_shape": sparse.dense_shape}
    unordered = {**parts, "sparse_indices": np.int64([[2, 0], [0, 3], [2, 1]])}
    with tf1.device("/job:ps/task:0"):
        texts, variants = [
            [raw.SerializeSparse(out_type=kind, **parts), raw.SerializeManySparse(out_type=kind, **parts)] for kind in (tf.string, tf.variant)]
        wrong = [raw.SerializeManySparse(**unordered), raw.DeserializeSparse(serialized_sparse=["a", "b", "c"], dtype=tf.float32)]
    with tf1.device("/job:worker/task:0"):
        back = [raw.DeserializeSparse(serialized_sparse=value, dtype=tf.float32) for value in texts + variants]
        stacked = raw.DeserializeSparse(serialized_sparse=tf.stack([texts[0], texts[0]])[tf.newaxis], dtype=tf.float32)
        many = raw.DeserializeManySparse(serialized_sparse=texts[1], dtype=tf.float32)
        wrong += [
            raw.DeserializeSparse(serialized_sparse=texts[0], dtype=tf.int32), raw.DeserializeSparse(serialized_sparse=tf1.placeholder_with_default(["a", "b"], None), dtype=tf.float32),
            raw.DeserializeManySparse(serialized_sparse=tf.zeros([0, 3], tf.string), dtype=tf.float32)]
    with session_on(cluster) as session:
        return [results, session.run([texts, back, stacked, many]), [error_of(lambda: session.run(one[0] if isinstance(one, tuple) else one)) for one in wrong]]


@program
def dataset_cardinalities(cluster):
    """How many elements datasets know that they have: finite, empty, endless and unknown ones, and what is made of them."""
    D = tf1.data.Dataset
    experimental = tf.data.experimental
    numbers = D.range(10)
    inputs = {"some": numbers, "none": D.range(3, 1), "endless": D.range(3).repeat(), "unknown": numbers.filter(lambda i: i > 2)}
    made = {
        **inputs, "falling": D.range(10, 0, -3), "steps": D.range(1, 10, 4), "slices": D.from_tensor_slices(np.zeros((4, 2))), "tensors": D.from_tensors([1, 2]),
        "sparse": D.from_sparse_tensor_slices(tf.SparseTensor([[0, 0]], [1], [5, 2])), "random": experimental.RandomDataset(seed=1),
        "lines": tf1.data.TextLineDataset("none"), "listed": experimental.from_list([(1, "a"), (2, "b"), (3, "c")]),
        "parsed": D.from_tensor_slices([["x"]] * 3).apply(experimental.parse_example_dataset(FEATURES)),
        "sparse_batch": D.from_tensor_slices(np.zeros((7, 2))).apply(experimental.dense_to_sparse_batch(3, [4])),
    }
    for name, d in inputs.items():
        parts = {
            **{f"repeat{n}": d.repeat(n) for n in (0, 1, 3, -1)}, **{f"take{n}": d.take(n) for n in (0, 3, -1, 50)},
            **{f"skip{n}": d.skip(n) for n in (0, 3, -1, 50)}, **{f"shard{n}": d.shard(3, n) for n in range(3)},
            "batch": d.batch(3), "batch_drop": d.batch(3, drop_remainder=True), "batch_parallel": d.batch(3, num_parallel_calls=2), "padded": d.padded_batch(3, []),
            "map": d.map(lambda i: i), "map_exact": tf.data.Dataset.map(d, lambda i: i), "map_parallel": tf.data.Dataset.map(d, lambda i: i, num_parallel_calls=2),
            "prefetch": d.prefetch(2), "cache": d.cache(), "shuffle": d.shuffle(2, seed=1), "options": d.with_options(tf.data.Options()), "enumerate": d.enumerate(),
            **{f"shuffle_and_repeat{n}": d.apply(experimental.shuffle_and_repeat(2, n, seed=1)) for n in (3, -1)},
            "map_and_batch": d.apply(experimental.map_and_batch(lambda i: i, 3)), "map_and_batch_drop": d.apply(experimental.map_and_batch(lambda i: i, 3, drop_remainder=True)),
            "flat_map": d.flat_map(lambda i: D.range(2)), "interleave": d.interleave(lambda i: D.range(2)),
            "interleave_parallel": d.interleave(lambda i: D.range(2), num_parallel_calls=2), "interleave_older": d.apply(experimental.parallel_interleave(lambda i: D.range(2), 2)),
            **{f"window{w}": d.window(*w) for w in ((3,), (3, 2, 2), (5, 7), (3, 2, 2, True), (3, None, 1, True))}, "scan": d.scan(np.int64(0), lambda s, i: (s, i)),
            "group": d.group_by_window(lambda i: i % 2, lambda key, group: group.batch(2), 2), "unbatch": d.batch(2).unbatch(), "rebatch": d.batch(2, drop_remainder=True).rebatch(5),
            "unique": d.unique(), "take_while": d.take_while(lambda i: True), "ignore": d.apply(experimental.ignore_errors()),
            "assert": d.apply(experimental.assert_cardinality(42)), "assert_endless": d.apply(experimental.assert_cardinality(-1)),
            **{f"zip_{other}": D.zip((d, e)) for other, e in inputs.items()}, **{f"concatenate_{other}": d.concatenate(e) for other, e in inputs.items()},
            **{f"choose_{other}": tf.data.Dataset.choose_from_datasets([d, e], D.range(2)) for other, e in inputs.items()},
        }
        made.update({f"{name}_{part}": dataset for part, dataset in parts.items()})
    counts = {name: experimental.cardinality(dataset) for name, dataset in made.items()}
    older = tf.raw_ops.ExperimentalDatasetCardinality(input_dataset=numbers._variant_tensor)
    of_windows = numbers.window(4).flat_map(lambda window: D.from_tensors(experimental.cardinality(window)))
    following = tf1.data.make_one_shot_iterator(of_windows).get_next()
    with session_on(cluster) as session:
        return [session.run(counts), session.run(older), [session.run(following) for _ in range(3)]]


@program
def dataset_rarer_kinds(cluster):
    """Datasets that few scripts make by name, and that others make of options."""
    raw = tf.raw_ops
    D = tf1.data.Dataset
    numbers = D.range(10)
    shapes = {"output_types": [tf.int64], "output_shapes": [[]]}

    def as_dataset(variant):
        return dataset_ops._VariantDataset(variant, tf.TensorSpec([], tf.int64))

    variant = numbers._variant_tensor
    return drained(cluster, {
        "listed": tf.data.experimental.from_list([(1, "a"), (2, "b"), (3, "c")]), "listed_tensors": tf.data.experimental.from_list([[1, 2], [3, 4]]),
        "finalized": as_dataset(raw.FinalizeDataset(input_dataset=variant, **shapes)),
        "max_parallelism": as_dataset(raw.MaxIntraOpParallelismDataset(input_dataset=variant, max_intra_op_parallelism=np.int64(1), **shapes)),
        "private_threads": as_dataset(raw.PrivateThreadPoolDataset(input_dataset=variant, num_threads=np.int64(1), **shapes)),
    })


@program
def dataset_older_ops(cluster):
    """Ops that today's Python no longer makes, or only within functions."""
    raw = tf.raw_ops
    int64 = {"output_types": [tf.int64]}
    with tf1.device("/job:worker/task:0"):
        numbers = raw.RangeDataset(start=np.int64(0), stop=np.int64(5), step=np.int64(1), output_shapes=[[]], **int64)
        cache = raw.AnonymousMemoryCache().handle
        cached = raw.CacheDatasetV2(input_dataset=numbers, filename="", cache=cache, output_shapes=[[]], **int64)
        text_of_all = raw.ReduceDataset(
            input_dataset=cached, initial_state=[tf.constant("")], other_arguments=[], f=_appended(), output_types=[tf.string], output_shapes=[[]])[0]
        iterator = raw.IteratorV2(shared_name="older", container="", output_shapes=[[]], **int64)
        begun = raw.MakeIterator(dataset=numbers, iterator=iterator)
        text = raw.IteratorToStringHandle(resource_handle=iterator)
        handle = tf1.placeholder(tf.string, [])
        following = raw.IteratorGetNext(
            iterator=raw.IteratorFromStringHandle(string_handle=handle, output_shapes=[[]], **int64), output_shapes=[[]], **int64)
    with session_on(cluster) as session:
        results = [session.run(text_of_all)]
        session.run(begun)
        given = session.run(text)
        return results + [session.run(following, {handle: given}) for _ in range(2)]


def _appended():
    @tf.function(input_signature=[tf.TensorSpec([], tf.string), tf.TensorSpec([], tf.int64)])
    def appended(text, element):
        return text + tf.strings.as_string(element) + ";"

    return appended.get_concrete_function()
