"""The stock Python client of the benchmarks.

Usage: python_client.py TARGET BYTES. Prints {"graph": base64 of the GraphDef, ...} and then, for every line
{"op": "step" | "feed" | "fetch", "count": N} on standard input, the durations in milliseconds.
"""
import base64
import json
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
target, size_bytes = sys.argv[1], int(sys.argv[2])
count = size_bytes // 4
graph = tf.Graph()
with graph.as_default(), tf.device("/task:0"):
    a = tf1.placeholder(tf.float32, [], name="a")
    b = tf1.placeholder(tf.float32, [], name="b")
    x = tf.add(a, b, name="x")
    big_in = tf1.placeholder(tf.float32, [count], name="big_in")
    first = tf.identity(big_in[0], name="first")
    variable = tf1.get_variable("big", initializer=tf.ones([count]), use_resource=True)
    big_out = tf.identity(variable.read_value(), name="big_out")
    init = tf1.global_variables_initializer()
session = tf1.Session(target, graph=graph)
session.run(init)
data = np.ones(count, np.float32)
steps = {
    "step": lambda: session.run(x, {a: 3.0, b: 2.0}),
    "feed": lambda: session.run(first, {big_in: data}),
    "fetch": lambda: session.run(big_out),
}
graph_def = base64.b64encode(graph.as_graph_def().SerializeToString()).decode()
print(json.dumps({"graph": graph_def}), flush=True)
for line in sys.stdin:
    command = json.loads(line)
    step = steps[command["op"]]
    millis = []
    for _ in range(command["count"]):
        start = time.perf_counter()
        step()
        millis.append((time.perf_counter() - start) * 1000)
    print(json.dumps({"millis": millis}), flush=True)
