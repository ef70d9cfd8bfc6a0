export const tour = {
  tourResult: {
    whatNext:
      "Drag ops from the Ops tab to draw a graph of your own, open an example, or add other machines to the cluster.",
    titleWithoutValue: "That is all",
    title: "{node} is {value}",
    nodeOfTask: "{node} of {task}",
    computed: "{task} computed it on {device} in {duration}, from {sources}. {whatNext}",
  },
  tourSteps: {
    start: {
      title: "Start two workers",
      text: "Workers are servers that compute the nodes of a graph. This graph names two, worker/0 and worker/1. Start both on this machine.",
      underWay: "Starting…",
    },
    pin: {
      title: "Move {node} to {task}",
      text: "A node is pinned to the task that computes it, and has its colour. Drag {node} onto {task} at the left, or select it, press P and choose.",
    },
    run: {
      title: "Run the graph",
      text: "Each worker computes its nodes and sends the other one what it needs. Press Run, or {shortcut}.",
      underWay: "Running…",
    },
    look: {
      title: "Look at {node}",
      text: "{node} shows its value. Select it: the inspector says where it was computed, how long that took, and from what.",
    },
  },
  tour: {
    skip: "Skip the tour",
    finish: "Finish",
    step: "Step {step, number} of {steps, number}",
    doIt: "Do it for me",
    done: "Done",
    runFailed: "The run failed; the message says why. {text}",
  },
} as const;
