"""What a ClusterSpec answers. Needs no cluster."""
import json

import tensorflow.compat.v1 as tf

cluster = tf.train.ClusterSpec({
    "ps": ["ps0.example.com:2222", "ps1.example.com:2222"],
    # An address without its port is listed as it is; only a server or a session refuses it.
    "worker": ["worker0.example.com:2222", "worker1.example.com", "worker2.example.com:2222"],
})


def show(what, value):
    print("%s: %s" % (what, json.dumps(value, separators=(",", ":"))))


show("jobs", cluster.jobs)
show("as_dict", cluster.as_dict())
for job in cluster.jobs:
    show("job_tasks(%s)" % job, cluster.job_tasks(job))
    show("num_tasks(%s)" % job, cluster.num_tasks(job))
    show("task_indices(%s)" % job, cluster.task_indices(job))
show("task_address(worker, 1)", cluster.task_address("worker", 1))
show("as_cluster_def", {
    job.name: [address for _, address in sorted(job.tasks.items())] for job in cluster.as_cluster_def().job
})
