/**
 * Causes of TensorFlow's errors, and what to do about them. The patterns are TensorFlow 2.21's own texts; texts that
 * match none of them are shown unchanged.
 */
export interface Explanation {
  readonly pattern: RegExp;
  /** A sentence, or what makes it of the error's text. */
  readonly reason?: string | ((text: string) => string);
  readonly remedy: string;
}

/*
 * Ops that oneDNN computes and TensorFlow's own CPU kernels do not. TensorFlow 2.21 uses oneDNN by itself on processors with
 * AVX-512 VNNI or AMX, and elsewhere where the variable is set (port::util IsMklEnabled).
 */
const GROUPED_CONVOLUTION =
  "This convolution is grouped: its filter takes fewer channels than its input has. On a CPU, TensorFlow computes such ones only with oneDNN, which it does not use by itself on every processor.";
const CHANNELS_FIRST =
  "The node has its channels first (data_format NCHW). On a CPU, TensorFlow computes that only with oneDNN, which it does not use by itself on every processor.";
const WITH_ONEDNN =
  "start the application or the worker of that task with TF_ENABLE_ONEDNN_OPTS=1 in its environment";

/** The first match is used, so special patterns come before general ones. */
export const explanations: readonly Explanation[] = [
  {
    pattern: /The portable engine cannot run this graph/,
    reason: missingKernels,
    remedy:
      "Pin these nodes to a task with the TensorFlow engine, or install the TensorFlow runtime and recreate the task.",
  },
  {
    pattern: /ClusterSpec names the job and task index to be the same names/i,
    reason:
      "The task was started with a ClusterSpec of its own, as in a fixed cluster: by the window of another machine, perhaps. The cluster of this window is dynamic, and tells its tasks of each other with every session.",
    remedy: "Make the cluster fixed in this window, too, or dynamic in the other one.",
  },
  {
    pattern:
      /does not support grouped convolutions|grouped convolutions are not supported on CPU|filter_size does not have enough elements/i,
    reason: GROUPED_CONVOLUTION,
    remedy: `Pin the node to a task with the portable engine or a GPU, or ${WITH_ONEDNN}.`,
  },
  {
    pattern: /only supports? (?:the )?ND?HWC|only supported for NHWC/i,
    reason: CHANNELS_FIRST,
    remedy: `Use data_format NHWC (NDHWC for volumes), pin the node to a task with the portable engine or a GPU, or ${WITH_ONEDNN}.`,
  },
  {
    pattern: /Op type not registered|No such op|unknown op/i,
    reason:
      "The TensorFlow of that task does not have this op: it is of another version, or the op is a custom one.",
    remedy: "Replace the node, pin it to a task whose TensorFlow has the op, or use one version everywhere.",
  },
  {
    pattern: /NodeDef mentions attr .* not in Op/i,
    reason: "The graph was probably created by a different version of TensorFlow than the task runs.",
    remedy: "Delete the attribute, or export the graph again with the task's version.",
  },
  {
    pattern: /NodeDef missing attr|No attr named '[^']+' in NodeDef/i,
    reason: "An attribute that the op needs is not set.",
    remedy: "Set it in the inspector.",
  },
  {
    pattern: /Value for attr '[^']+' of .* is not in the list of allowed values/i,
    reason: "The op does not support this dtype.",
    remedy: "Choose a dtype that it supports, or put a Cast before it.",
  },
  {
    pattern:
      /Input \d+ of node \S+ does not exist|expected \d+ inputs?.* (?:got|but)|Connecting to invalid output/i,
    reason:
      "The node's connections do not match its op: it takes fewer inputs, or the output does not exist.",
    remedy: "Check the node's inputs and reconnect them.",
  },
  {
    pattern: /output index too large/i,
    reason: "The node has fewer outputs.",
    remedy: "Fetch another output.",
  },
  {
    pattern: /Illegal op name/i,
    reason:
      "A node's name consists only of letters, digits and _ . / -, and begins with a letter, a digit or a dot.",
    remedy: "Rename the node.",
  },
  {
    pattern: /You must feed a value for placeholder/i,
    reason: "The run depends on a placeholder that has no value.",
    remedy: "Give the placeholder a value among the feeds.",
  },
  {
    pattern:
      /Attempting to use uninitialized value|Error while reading resource variable|Could not find (?:resource|variable)|does not exist.*resource|uninitialized/i,
    reason: "The variable has no value yet: nothing was assigned to it since its task was started.",
    remedy: "Run its initializer first (the node that assigns to it), then run this again.",
  },
  {
    pattern: /Number of ways to split should evenly divide/,
    reason: "The size of the dimension that is split is not a multiple of the number of parts.",
    remedy: "Feed a value whose size is a multiple of it, or split into another number of parts.",
  },
  {
    pattern:
      /Incompatible shapes|must be equal rank|Matrix size-incompatible|Dimensions must be equal|must have the same (?:size|shape)|Shapes? .* (?:incompatible|must)|but (?:are|got|is) shape|ConcatOp : Dimension|Input to reshape/i,
    reason: "The shapes of the node's inputs are incompatible.",
    remedy: "Check the shapes of its inputs: feed values of compatible shapes, or reshape one of them.",
  },
  {
    pattern:
      /was passed .* incompatible with expected|Expected .* but got|Trying to (?:assign|access|read) .* (?:type|dtype)|dtype mismatch|does not match (?:expected )?(?:type|dtype)|but given dtype/i,
    reason: "A value's dtype differs from the node's.",
    remedy: "Feed a value of the right dtype, or put a Cast between the two.",
  },
  {
    pattern:
      /Could not satisfy explicit device|Cannot assign a device for operation|unknown device|not on a known device/i,
    reason: "The device that the node is pinned to is not in the session's cluster, or cannot run this op.",
    remedy: "Pin the node to another device, or allow soft placement.",
  },
  {
    pattern: /No OpKernel was registered|no (?:registered )?kernel/i,
    reason: "The op exists, but not for these dtypes on this kind of device.",
    remedy: "Pin the node to a CPU, change its dtype, or allow soft placement.",
  },
  {
    pattern: /OOM when allocating|out of memory|Dst tensor is not initialized|failed to allocate/i,
    reason: "The device's memory does not hold the node's result.",
    remedy: "Use a smaller batch, spread the nodes over more tasks, or stop others that use the device.",
  },
  {
    pattern: /No such file or directory|; Permission denied|; Is a directory/i,
    reason: "The file is looked for on the machine and in the folder of the task that runs the node.",
    remedy: "Check the path that the node gets.",
  },
  {
    pattern: /indices?\[.*\] = .* is not in \[|out of (?:range|bounds)|slice index/i,
    reason: "An index lies outside the tensor that it is used on.",
    remedy: "Look at the values of the node's inputs.",
  },
  {
    pattern: /Detected at node|Integer division by zero|division by zero/i,
    remedy: "Look at the values of the node's inputs.",
  },
  {
    pattern:
      /(?:Graph|Session|Worker session|session) (?:handle )?.*(?:is )?not (?:found|known)|possibly(?:,)? (?:this|the) (?:worker|master) (?:has |just )?restarted|was restarted while/i,
    reason: "A task was restarted since the session was created; variables that it held are lost.",
    remedy: "Run again: Tensordeck creates a new session. Initialize the variables first.",
  },
  {
    pattern:
      /failed to connect|Connection (?:refused|reset)|Socket closed|connection .*(?:closed|lost)|stopped answering|recvmsg|GOAWAY|No connection established|ECONNREFUSED|ECONNRESET/i,
    reason: "The task ended or its machine cannot be reached.",
    remedy: "Look at the task's log, start it again and run again.",
  },
  {
    pattern: /Timed out waiting|Deadline Exceeded|did not answer within|timed out/i,
    reason: "The step took longer than its time limit.",
    remedy: "Raise the limit, or look for a node that waits forever, such as for a value in an empty queue.",
  },
  {
    pattern: /The same \w+ \([^)]+\) request was received twice/,
    reason:
      "TensorFlow gave two steps the same request ID, by chance: about once in 43,000 steps whose master is a TensorFlow task.",
    remedy:
      "Run again, a training from its last checkpoint: parts of the step may have run. Tasks with the portable engine do not refuse such a step.",
  },
  {
    pattern: /NaN|Inf(?:inity)? (?:in|or)|CheckNumerics/,
    reason: "A calculation produced NaN or an infinite value.",
    remedy: "Look at the values that go into the node.",
  },
  {
    pattern: /takes .* GB, but TensorFlow's messages|larger than|exceeds maximum protobuf size/i,
    reason: "A message between tasks can hold 2 GB at most.",
    remedy: "Feed large values in parts, or load them into variables.",
  },
];

/** The lines of the portable engine's error as a sentence: "It has no kernel for 'Svd' (u, v), 'Conv3D' (c)." */
function missingKernels(text: string): string {
  const ops = [...text.matchAll(/No OpKernel was registered to support Op (.+?) used by (.+)/g)].map(
    ([, what, nodes = ""]) => `${what} (${nodes.replaceAll(/\{\{node ([^}]+)\}\}/g, "$1")})`,
  );
  return `It has no kernel for ${ops.join(", ")}.`;
}
