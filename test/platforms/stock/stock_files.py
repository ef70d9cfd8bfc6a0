"""What graphs do with files on the worker's machine, as lines that compare: `stock_files.py TARGET FOLDER`, an empty folder there."""
import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
target, folder = sys.argv[1:]
ops = tf.raw_ops


def say(name, *values):
    print(name, *(value.tolist() if isinstance(value, np.ndarray) else value for value in values), flush=True)


def tried(name, *tensors):
    try:
        say(name, *session.run(list(tensors)))
    except tf.errors.OpError as error:
        print(name, type(error).__name__, error.message.split("\n")[0])


with tf.Session(target) as session:
    for number, separator in enumerate("\\/"):
        at = folder + separator
        path = f"{at}größe {number}.txt"
        deep = separator.join([folder, "neu", str(number), "x.txt"])
        for name in (path, deep):
            session.run(ops.WriteFile(filename=name, contents=b"a\r\nb\n\xff"))
        tried("read", ops.ReadFile(filename=path), ops.ReadFile(filename=deep))
        for pattern in ["*.txt", "GR*.TXT", "g[a-zö]*.txt", "*.*", "gr*e ?.txt", f"größe {number}.txt", f"neu{separator}*{separator}x.txt", "neu*", "no*"]:
            tried(f"matching {pattern}", ops.MatchingFiles(pattern=at + pattern))
        tried("matching all", ops.MatchingFiles(pattern=[at + "*", at + "neu" + separator + "*"]))
        prefix = at + f"model é.ckpt-{number}"
        value = tf.fill([3], float(number))
        save = ops.SaveV2(prefix=prefix, tensor_names=["v"], shape_and_slices=[""], tensors=[value])
        session.run(save)
        other = prefix.replace("\\", "/")
        for name in (prefix, other):
            tried("restored", ops.RestoreV2(prefix=name, tensor_names=["v"], shape_and_slices=[""], dtypes=[tf.float32])[0])
        merged = at + f"merged{separator}model-{number}"
        session.run(ops.MergeV2Checkpoints(checkpoint_prefixes=[prefix], destination_prefix=merged, delete_old_dirs=False))
        tried("merged", ops.RestoreV2(prefix=merged, tensor_names=["v"], shape_and_slices=[""], dtypes=[tf.float32])[0])
        tried("after", ops.MatchingFiles(pattern=at + "*"))
        tried("sharded", ops.ShardedFilename(basename=prefix, shard=1, num_shards=2))
        tried("missing file", ops.ReadFile(filename=at + "missing.txt"))
        tried("missing folder", ops.ReadFile(filename=separator.join([folder, "missing", "x.txt"])))
        reader, queue = ops.TextLineReaderV2(), tf.FIFOQueue(1, tf.string)
        session.run(queue.enqueue(path))
        tried("lines", *ops.ReaderReadUpToV2(reader_handle=reader, queue_handle=queue.queue_ref, num_records=2))
