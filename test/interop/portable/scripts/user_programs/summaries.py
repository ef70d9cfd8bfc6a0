"""Summaries: as strings that a client writes, and as event files that a server writes itself."""
import os

import numpy as np
import tensorflow as tf

from support import error_of, program, session_on, tf1


def told(value):
    """What a summary says; pictures as their pixels, since packed bytes may differ."""
    kind = value.WhichOneof("value")
    if kind == "image":
        image = value.image
        with tf.Graph().as_default(), tf1.Session() as local:
            pixels = local.run(tf.io.decode_png(image.encoded_image_string))
        return [value.tag, image.height, image.width, image.colorspace, pixels]
    if kind == "audio":
        return [value.tag, value.audio.SerializeToString()]
    if kind == "tensor":
        return [value.tag, tf.make_ndarray(value.tensor), value.metadata.SerializeToString()]
    if kind == "histo":
        return [value.tag, list(value.histo.bucket), value.histo.sum]
    return [value.tag, value.simple_value]


@program
def summaries(cluster):
    x = tf.constant([1.0, 2.0, 3.0])
    pictures = tf.reshape(tf.linspace(0.0, 1.0, 48), [1, 4, 4, 3])
    odd = tf.where(tf.range(48) % 7 == 0, tf.constant(np.nan), tf.linspace(-1.0, 2.0, 48))
    merged = [
        tf1.summary.scalar("s", tf.reduce_sum(x)), tf1.summary.histogram("h", x), tf1.summary.text("t", tf.constant("hello")),
        tf1.summary.image("i", pictures), tf1.summary.image("negative", pictures - 0.4), tf1.summary.image("odd", tf.reshape(odd, [3, 4, 4, 1]), 2),
        tf1.summary.image("bytes", tf.cast(pictures * 255.0, tf.uint8), 1), tf1.summary.image("double", tf.cast(pictures, tf.float64)),
        tf1.summary.image("half", tf.cast(pictures, tf.float16)), tf1.summary.image("opaque", tf.reshape(pictures, [2, 2, 3, 4])), tf1.summary.image("black", pictures * 0.0),
        tf1.summary.audio("a", tf.reshape(x / 4, [1, 3]), 100), tf1.summary.audio("stereo", tf.reshape(pictures, [2, 12, 2]), 8000.0, 1),
    ]
    wrong = [tf1.summary.image("two", tf.reshape(pictures, [1, 4, 6, 2])), tf1.summary.audio("flat", x, 100)]
    with session_on(cluster) as session:
        results = [told(value) for text in session.run(merged) for value in tf1.Summary.FromString(text).value]
        return results + [error_of(lambda: session.run(one)) for one in wrong]


@program
def summary_writers(cluster):
    """Event files that the server itself writes, as tf.summary of TensorFlow 2 has it."""
    raw = tf.raw_ops
    folder = cluster.path("events", "deep")
    pictures = tf.reshape(tf.linspace(0.0, 1.0, 48), [1, 4, 4, 3])
    event = tf1.Event(step=9, wall_time=5.0, summary=tf1.Summary(value=[tf1.Summary.Value(tag="imported", simple_value=7.0)]))
    graph = tf1.GraphDef(node=[tf1.NodeDef(name="a", op="NoOp")]).SerializeToString()
    with tf1.device("/job:worker/task:0"):
        writer = tf.summary.create_file_writer(folder, max_queue=3, flush_millis=600000, filename_suffix=".mine")
        step = tf1.placeholder(tf.int64, [])
        with writer.as_default(step=step):
            written = [
                tf.summary.write("loss", tf.constant(0.5) * tf.cast(step, tf.float32), metadata=tf1.SummaryMetadata(display_name="Loss")),
                tf.summary.write("text", tf.constant(["a", "b"])),
                tf.summary.experimental.write_raw_pb(event.summary.SerializeToString()),
            ]
        handle = {"writer": writer._resource, "step": step}
        older = [
            raw.WriteScalarSummary(tag="scalar", value=tf.constant(3, tf.int32), **handle), raw.WriteHistogramSummary(tag="histogram", values=[1.0, 2.0, 2.0], **handle),
            raw.WriteImageSummary(tag="image", tensor=pictures, bad_color=np.uint8([255, 0, 0, 255]), **handle),
            raw.WriteAudioSummary(tag="audio", tensor=tf.reshape(pictures, [2, 24]), sample_rate=100.0, **handle),
            raw.WriteGraphSummary(tensor=graph, **handle), raw.ImportEvent(writer=writer._resource, event=event.SerializeToString()),
        ]
        wrong = [
            raw.ImportEvent(writer=writer._resource, event=b"\xff"), raw.WriteHistogramSummary(tag="nan", values=[np.nan], **handle),
            raw.WriteRawProtoSummary(tensor=b"\xff", **handle),
        ]
        initialize, flush, close = writer.init(), writer.flush(), writer.close()

    def told_events():
        names = sorted(os.listdir(folder))
        events = [event for name in names for event in tf1.train.summary_iterator(os.path.join(folder, name))]
        return [len(names), names[0].endswith(".mine"), [
            [event.step, event.file_version, event.graph_def, event.source_metadata.writer, [told(value) for value in event.summary.value]] for event in events]]

    with session_on(cluster) as session:
        results = [error_of(lambda: session.run(written[0], {step: 1}))]
        session.run(initialize)
        session.run(initialize)
        results.append(told_events())
        for number in (2, 3):
            [session.run(one, {step: number}) for one in written]
        for one in older:
            session.run(one, {step: 4})
        results += [error_of(lambda: session.run(one, {step: 5})) for one in wrong]
        session.run(flush)
        results.append(told_events())
        session.run(written[0], {step: 6})
        session.run(close)
        results.append(len(told_events()[2]))
        return results + [error_of(lambda: session.run(flush)), error_of(lambda: session.run(written[0], {step: 7}))]
