export const cluster = {
  health: {
    noTasks: "No tasks",
    starting: "Cluster starting, {running, number}/{tasks, number} tasks",
    stopped: "Cluster stopped, {running, number}/{tasks, number} tasks",
    ok: "Cluster ok, {running, number}/{tasks, number} tasks",
    machineOffline: "{name} offline",
    machinesOffline: "{count, plural, one {# machine} other {# machines}} offline",
    traffic: "{rate}/s sent",
    failed: "{names} failed, {running, number}/{tasks, number} tasks",
    notAnswering: "{names} not answering, {running, number}/{tasks, number} tasks",
  },
  machineText: {
    tensorflowWithGpuNote: "Every TensorFlow op, with CUDA.",
    tensorflowNote: "Every TensorFlow op, on the processor.",
    discovered: "Discovered, not paired",
    foreign: "TensorFlow servers started by others",
    cores: "{cores, plural, one {# core} other {# cores}}",
    lastSeen: "last seen {time}",
    connecting: "connecting…",
    tensorflow: "TensorFlow {version}",
    tensorflowWithGpu: "TensorFlow {version} GPU",
    portable: "portable engine",
    portableWithGpu: "portable engine GPU",
    portableNote:
      "Needs no installation. Computes on the processor; a TensorFlow runtime has more ops, more speed, and CUDA.",
    portableWithGpuNote:
      "Needs no installation. Computes on the GPU and the processor; a TensorFlow runtime has more ops, more speed, and CUDA.",
    kinds: {
      this: "this machine",
      paired: "paired",
      discovered: "not paired",
      foreign: "foreign",
    },
    presences: {
      online: "online",
      offline: "offline",
      connecting: "connecting",
      unknown: "unknown",
    },
    roles: {
      view: {
        label: "View",
        here: "It sees this machine, its tasks, logs and load. It starts nothing.",
        there: "see its tasks, logs and load",
      },
      run: {
        label: "Run",
        here: "It sees this machine, starts tasks here, stops its own and runs graphs. A graph can read and write files, so this gives it the rights of your account.",
        there: "start tasks and run graphs",
      },
      manage: {
        label: "Manage",
        here: "It does everything that Run allows, opens this machine's window, changes its firewall and installs a runtime.",
        there: "start tasks, run graphs and manage it",
      },
    },
  },
  machines: {
    notManaged: "It takes the role Manage on {name}.",
    notPaired: "{name} is not paired with this machine.",
    notConnected: "{name} is not connected.",
    viewOnly: "{name} lets this machine view only.",
  },
  tableDraft: {
    unchanged: "The cluster matches the table.",
    start: {
      tasks: "{names} {count, plural, one {starts} other {start}}",
      many: "{count, plural, one {# task starts} other {# tasks start}}",
    },
    restart: {
      tasks:
        "{names} {count, plural, one {restarts and loses its variables} other {restart and lose their variables}}",
      many: "{count, plural, one {# task restarts and loses its variables} other {# tasks restart and lose their variables}}",
    },
    stop: {
      tasks: "{names} {count, plural, one {stops} other {stop}}",
      many: "{count, plural, one {# task stops} other {# tasks stop}}",
    },
    changes: "{changes}.",
  },
  routes: {
    blocked: "{count, plural, one {# blocked route} other {# blocked routes}}",
    failing: "{count, plural, one {# failing route} other {# failing routes}}",
  },
  taskStates: {
    starting: "starting",
    running: "running",
    stopping: "stopping",
    stopped: "stopped",
    failed: "failed",
    unresponsive: "does not answer",
  },
} as const;
