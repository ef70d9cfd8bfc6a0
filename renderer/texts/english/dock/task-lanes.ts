/** Lanes by task. */
export const taskLanes = {
  laneItem: {
    notPinned: "not pinned",
    notInCluster: "not in the cluster",
    nodes: "{count, plural, one {# node} other {# nodes}}",
    hint: "Alt+↑ and Alt+↓ pin it to the lane above or below.",
    nodesOfIt: "{count, plural, one {# node} other {# nodes}} of it",
    selectNodesOf: "Select {count, plural, one {# node} other {# nodes}} of",
    timeBeforeEdit: "{time}, before edit",
  },
  lanesTab: {
    noNodes: "The graph has no nodes.",
    explanation:
      "Left to right is the order of execution. Sent between tasks in a step, without fetched values: {count, plural, one {# tensor} other {# tensors}}, {bytes}.",
    tooMany:
      "The canvas draws {count, plural, one {# item} other {# items}}; lanes can be read with up to {most, number}. Close scopes, or arrange the graph so that it is drawn in scopes.",
    label: "Lanes by task",
  },
  useLanes: {
    auto: "auto",
  },
} as const;
