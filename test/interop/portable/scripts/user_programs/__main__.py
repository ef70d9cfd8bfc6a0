"""`python user_programs CLUSTER_JSON FOLDER [NAME...]`: for each program one line of JSON, what it gave on that cluster."""
import json
import sys
import time
import traceback

import support
import tensorflow as tf

import data  # noqa: F401  each of these registers its programs
import datasets  # noqa: F401
import flow  # noqa: F401
import layers  # noqa: F401
import references  # noqa: F401
import sessions  # noqa: F401
import summaries  # noqa: F401
import training  # noqa: F401


def main():
    cluster = support.Cluster(sys.argv[1], sys.argv[2])
    results = {}
    for name in sys.argv[3:] or support.PROGRAMS:
        started = time.monotonic()
        tf.compat.v1.reset_default_graph()
        try:
            results[name] = support.PROGRAMS[name](cluster)
        except Exception as error:
            traceback.print_exc()
            results[name] = {"error": "%s: %s" % (type(error).__name__, str(error)[:2000])}
        print("%s %.2f s" % (name, time.monotonic() - started), file=sys.stderr, flush=True)
        print(json.dumps({name: results[name]}), flush=True)


main()
