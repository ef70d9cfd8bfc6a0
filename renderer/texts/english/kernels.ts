export const kernels = {
  kernelCatalogue: {
    ofDtype: "{op} of {dtype}",
  },
  missingKernels: {
    inFunction: "{kernel} (in {function})",
    short: "no kernel",
    ofNode: "{task} (portable engine) has no kernel for {kernels}.",
    ofTask:
      "{count, plural, one {# node has} other {# nodes have}} no kernel on {task} (portable engine): {kernels}.",
    detail: "{kernel}: {nodes}",
    detailWithMore: "{kernel}: {nodes} and {count, number} more",
    more: "{count, number} more",
    noneIsPinned:
      "{count, plural, one {It is} other {They are}} not pinned to a task and will probably run there.",
    someAreNotPinned: "{count, number} of them, not pinned to a task, will probably run there.",
    noTask:
      "The cluster has no {task} yet: it would start with that engine, as this machine has no TensorFlow.",
    pin: "Pin {count, plural, one {it} other {them}} to {task}, which runs TensorFlow.",
    startWithTensorFlow:
      "Give {count, plural, one {it} other {them}} a task with TensorFlow, or start {task} with the TensorFlow engine.",
    installTensorFlow:
      "Give {count, plural, one {it} other {them}} a task with TensorFlow, or install the TensorFlow runtime before it is started.",
  },
} as const;
