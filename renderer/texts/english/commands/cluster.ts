/** Commands of the cluster, its machines and tasks. */
export const clusterCommands = {
  cluster: {
    notKnown: "The cluster is not known yet.",
    startMissing: {
      label: "Start the tasks that the graph names",
      reason: "They are running.",
    },
    startWanted: {
      label: "Start the document's cluster",
      nothingLacking: "The document has no tasks that the cluster lacks.",
      choiceNeeded: "The machine or address of a task has to be chosen in the table first.",
    },
    stopAll: {
      label: "Stop all tasks",
      reason: "No task is running.",
    },
    table: {
      label: "Edit the cluster as a table…",
      short: "Open the cluster table",
    },
    export: {
      label: "Export cluster…",
      short: "Cluster…",
      keywords: "docker compose, kubernetes, kubeflow tfjob, marathon, slurm, shell",
    },
    import: {
      label: "Import cluster…",
      keywords: "docker compose, kubernetes, kubeflow tfjob, clusterspec.json, TF_CONFIG",
    },
    kubernetes: {
      open: {
        label: "Kubernetes…",
        short: "Open Kubernetes",
        keywords: "kubectl, kubeconfig, pods, deploy",
      },
      disconnect: {
        label: "Disconnect from Kubernetes",
        short: "Disconnect",
        reason: "There is no connection to Kubernetes.",
      },
    },
    python: {
      label: "Use from Python…",
    },
    addMachine: {
      label: "Add a machine by address…",
      short: "Add by address",
    },
    search: {
      label: "Look for machines again",
      underWay: "Looking for machines…",
    },
    access: {
      label: "Who can use this cluster…",
      openCluster: "Open cluster",
      secureCluster: "Secure cluster",
      openNote: "Anyone on this network can run code on these machines.",
      secureNote: "Only paired machines can connect.",
      keywords: "access, open, secure",
      hints: {
        open: "open",
        secure: "secure",
      },
    },
    open: {
      label: "Make the cluster open…",
      reason: "It is open.",
    },
    secure: {
      label: "Make the cluster secure…",
      reason: "It is secure.",
    },
    membership: {
      dynamic: {
        label: "Dynamic membership",
        short: "Dynamic",
        note: "Tasks come and go freely; the session tells them who takes part.",
        keywords: "let tasks come and go",
      },
      fixed: {
        label: "Fixed membership",
        short: "Fixed",
        note: "Every task knows the whole cluster from its start, as stock scripts expect.",
        keywords: "fix the cluster for stock scripts",
      },
    },
    link: {
      show: {
        label: "Links between machines…",
        short: "All links…",
      },
      check: {
        label: "Check every connection again",
        short: "Check again",
        reason: "Every route is being checked.",
      },
      showAndCheck: {
        label: "Check connections between machines",
        hint: "{count, number} blocked",
      },
    },
    route: {
      fix: {
        label: "Fix the firewall that blocks it…",
        short: "Fix…",
      },
    },
    startOne: "Start {task}",
    startSeveral: "Start {count, plural, one {# task} other {# tasks}}",
  },
  machine: {
    notConnected: "{name} is not connected.",
    addWorker: {
      label: "Add worker",
      named: "Add worker on {name}",
    },
    addPs: {
      label: "Add ps",
      named: "Add ps on {name}",
      keywords: "parameter server",
    },
    addTasks: {
      label: "Add other tasks…",
      named: "Add tasks on {name}…",
    },
    stopTasks: {
      label: "Stop all tasks here",
      there: "Stop all tasks on {name}",
      named: "Stop all tasks on {name}",
      reason: "No task is running there.",
    },
    pair: {
      label: "Pair…",
      short: "Pair",
      named: "Pair with {name}…",
      reason: "{name} does not answer.",
    },
    openWindow: {
      label: "Open its window",
      named: "Open the window of {name}",
    },
    firewall: {
      label: "Check its firewall…",
      named: "Firewall of {name}…",
    },
    newIdentity: {
      label: "Make a new identity…",
      short: "New identity…",
      keywords: "copied disk, clone",
    },
    details: {
      label: "Details…",
      named: "Details of {name}…",
    },
    copyId: {
      label: "Copy device ID",
      named: "Copy the device ID of {name}",
    },
    forget: {
      label: "Unpair or forget",
      unpair: "Unpair…",
      forget: "Forget",
      unpairShort: "Unpair",
      unpairNamed: "Unpair {name}…",
      forgetNamed: "Forget {name}",
    },
    role: {
      grant: {
        label: "What it may do here",
      },
    },
  },
  task: {
    unreachable: "Its machine does not answer.",
    start: {
      label: "Start",
      short: "Start again",
      named: "Start {name}",
    },
    stop: {
      label: "Stop",
      named: "Stop {name}",
      reason: "It is stopping.",
    },
    restart: {
      label: "Restart",
      named: "Restart {name}",
      reason: "It is not running.",
    },
    clearState: {
      label: "Clear state…",
      named: "Clear the state of {name}…",
      note: "Forgets its variables, queues and sessions.",
      reason: "It is not running.",
    },
    showLog: {
      label: "Show log",
      named: "Show the log of {name}",
    },
    copyAddress: {
      label: "Copy address",
      named: "Copy the address of {name}",
      reason: "It has no address yet.",
    },
    copyDevice: {
      label: "Copy device",
      named: "Copy the device of {name}",
    },
    remove: {
      label: "Remove",
      removeFromList: "Remove from the list",
      removeNameFromList: "Remove {name} from the list",
      removeName: "Remove {name}",
    },
  },
  runtime: {
    installTensorflowRuntime: "Install TensorFlow runtime…",
    beingInstalled: "It is being installed.",
    isInstalled: "TensorFlow {version} is installed.",
    noBuild: "There is no TensorFlow build for this system.",
    retry: {
      label: "Install TensorFlow runtime again",
      short: "Try again",
    },
    cancelInstall: {
      label: "Cancel the installation of the TensorFlow runtime",
      short: "Cancel",
      reason: "Nothing is being installed.",
    },
    refresh: {
      label: "Look for a TensorFlow runtime again",
      short: "Look again",
    },
  },
} as const;
