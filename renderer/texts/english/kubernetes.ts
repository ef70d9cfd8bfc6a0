/** Clusters in Kubernetes. */
export const kubernetes = {
  actions: {
    chooseKubeconfig: "Choose a kubeconfig",
    forwarded: "Sessions of this machine reach {pod} at {target}.",
    scale: {
      title: "Give {job} {replicas, plural, one {# task} other {# tasks}}?",
      text: "Each task knows the cluster from its start: all tasks of {cluster} restart, one after the other, and lose their variables.",
      scale: "Scale and restart",
    },
    delete: {
      title: "Delete {cluster}?",
      text: "Its tasks end, and everything that belongs to it is deleted from namespace {namespace}.",
      delete: "Delete",
    },
  },
  kubernetesDialog: {
    title: "Kubernetes",
    connected: "{context}, namespace {namespace}",
    disconnect: "Disconnect",
    export: "Deploy a cluster…",
    noCluster: "Nothing is deployed in this namespace yet.",
    noLoad: "This cluster has no metrics API, so the load of its tasks is not known.",
  },
  connectForm: {
    explanation:
      "Deploy the cluster to a namespace, and use its tasks from here. Nothing is installed there.",
    kubeconfig: "Kubeconfig",
    kubeconfigDefault: "as kubectl finds it",
    choose: "Choose…",
    read: "Read",
    context: "Context",
    currentContext: "{context} (current)",
    namespace: "Namespace",
    defaultNamespace: "default",
    connect: "Connect",
    connecting: "Connecting…",
  },
  clusterView: {
    tasks: "Tasks of {cluster}",
    delete: "Delete {cluster}",
    use: "Run graphs here",
    useTitle:
      "Graphs of this window run on the tasks of {cluster} instead of those of your machines, until you choose otherwise.",
    used: "Graphs run here",
    fewer: "One {job} task fewer",
    more: "One {job} task more",
    job: "{job}: {replicas, number}",
    noNode: "no node yet",
    restarts: "{count, plural, one {# restart} other {# restarts}}",
    load: "{cores} cores, {memory}",
    forward: "Reach it from here",
    endForward: "Stop forwarding {task}",
    log: "Log",
    logOf: "Log of {task}",
    hideLog: "Hide the log",
    emptyLog: "It has written nothing yet.",
  },
} as const;
