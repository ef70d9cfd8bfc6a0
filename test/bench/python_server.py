"""A stock server of the benchmarks: prints its target, then serves until it is ended."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf

server = tf.distribute.Server.create_local_server()
print("target", server.target, flush=True)
server.join()
