export const placement = {
  pinProblems: {
    noDeviceName: {
      message:
        "{count, plural, one {# node is} other {# nodes are}} pinned to ''{device}'', which is not a device name.",
      remedy: "Write it as /job:worker/task:0 or /gpu:0, or unpin {count, plural, one {it} other {them}}.",
    },
    noTask: {
      message:
        "{count, plural, one {# node is} other {# nodes are}} pinned to {task}, which the cluster does not have.",
      remedy: "A run offers to add it. Or pin {count, plural, one {the node} other {them}} to another task.",
    },
    noDevice: {
      message:
        "{count, plural, one {# node is} other {# nodes are}} pinned to {device}, but {tasks} {taskCount, plural, one {has} other {have}} no {type}.",
      reason: "Such nodes run on the CPU instead.",
      remedy:
        "Pin {count, plural, one {it} other {them}} to a task with a {type}, or leave the device type out.",
    },
    apart: {
      message: "{node} is pinned to {device}, but must be with {keeper} on {keeperDevice}.",
      messageOfMany:
        "{count, plural, one {# node is} other {# nodes are}} pinned to {device}, but must be with {keeper} on {keeperDevice}.",
      reason:
        "Nodes that use a variable or are colocated share one device, so one of the pins has no effect.",
      andMore: "{names} and {count, plural, one {# other node} other {# other nodes}}",
      remedy: "Unpin {count, plural, one {it} other {them}}, or pin {keeper} there too.",
    },
    memory: {
      message: "Variables and constants of {bytes} are placed on {machine}, which has {memory} of memory.",
      remedy: "Pin some of them to a task of another machine.",
    },
  },
  placementEngine: {
    failed: "The search for a placement failed: {error}",
  },
} as const;
