"""Answers for tf.train.ClusterSpec and tf.DeviceSpec what the library is compared with.

Reads {"clusters": [...], "devices": [...], "merges": [[outer, inner], ...], "setters": [...]} from stdin, writes the answers.
An error is {"error": true}.
"""

import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import tensorflow as tf  # noqa: E402


def or_error(answer, *args):
    try:
        return answer(*args)
    except (ValueError, TypeError):
        return {"error": True}


def cluster(value):
    spec = tf.train.ClusterSpec(value)
    return {
        "jobs": spec.jobs,
        "dict": spec.as_dict(),
        "repr": repr(spec),
        "proto": spec.as_cluster_def().SerializeToString(deterministic=True).hex(),
        "tasks": {
            job: {
                "num": spec.num_tasks(job),
                "indices": spec.task_indices(job),
                "list": spec.job_tasks(job),
            }
            for job in spec.jobs
            if spec.num_tasks(job)
        },
        "missing_job": or_error(spec.num_tasks, "no_such_job"),
        "missing_task": [or_error(spec.task_address, job, 999) for job in spec.jobs],
    }


def device(name):
    return tf.DeviceSpec.from_string(name).to_string()


def merge(outer, inner):
    outer = tf.DeviceSpec.from_string(outer)
    return outer.make_merged_spec(tf.DeviceSpec.from_string(inner)).to_string()


def setter(case):
    choose = tf.compat.v1.train.replica_device_setter(**case["options"])
    if choose is None:
        return None
    return [choose(tf.compat.v1.NodeDef(op=op, device=where)) for op, where in case["nodes"]]


cases = json.load(sys.stdin)
print(
    json.dumps(
        {
            "clusters": [or_error(cluster, case) for case in cases["clusters"]],
            "devices": [or_error(device, case) for case in cases["devices"]],
            "merges": [or_error(merge, *case) for case in cases["merges"]],
            "setters": [or_error(setter, case) for case in cases["setters"]],
        }
    )
)
