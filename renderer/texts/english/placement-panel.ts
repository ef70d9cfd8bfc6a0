export const placementPanel = {
  appliedSection: {
    heading: "Applied placement",
    measuredIn: "Measured in {step}.",
  },
  placementPanel: {
    explanation:
      "Pins for the tasks of the cluster, from the times of the newest traced run where there is one and from shapes elsewhere.",
    readingGraph: "Reading the graph…",
    progress: "{tried, number} of {most, number} placements tried, best {time}",
    searching: "Search for a placement",
  },
  stepFigures: {
    before: "Before",
    after: "After",
    step: "Step",
    expected: "Expected",
    measured: "Measured",
    sent: "Sent",
    notYet: "not yet",
    change: "Expected step time <b>{percent}%</b>",
  },
  suggestionText: {
    tracedBeforeEdit: "a traced run before the last edit",
    allEstimated: "Times of {nodes, plural, one {# node} other {# nodes}} estimated from shapes",
    allMeasured: "Times of all {nodes, plural, one {# node} other {# nodes}} from {run}",
    someMeasured:
      "Times of {measured, number} of {nodes, plural, one {# node} other {# nodes}} from {run}, others estimated",
    connections: {
      none: "connections assumed",
      some: "some connections assumed",
      all: "connections measured",
    },
    variables:
      "{count, plural, one {# variable goes to another task, and its value with it} other {# variables go to another task, and their values with them}}. Undo takes them back, with the values that they have then.",
    emptied: "{tasks} would run nothing of this step.",
    down: "{tasks} must be started before a run.",
    pinsAll: "Nodes of the step without a pin are pinned where they are, so that they stay there.",
    sharedCores: "Tasks that share the cores of a machine are expected to compute in turn.",
    unknownSizes:
      "The size of {count, plural, one {# tensor} other {# tensors}} is not known; a traced run tells it.",
    unknownSizesAfterTrace:
      "The size of {count, plural, one {# tensor} other {# tensors}} is not known: the traced step did not tell it.",
    withSetUp: "These times include what happens only once. Run traced steps for the times of later ones.",
  },
  suggestionView: {
    moves: "{count, plural, one {# move} other {# moves}}",
    outdated: "The graph has changed since this was suggested.",
    undo: "One undo step.",
    none: "No placement was found with a step shorter than the expected {time} of now.",
    andMore: "{name} and {count, number} more",
    move: "Move {name} to {task}",
    select: "Select {name}",
    nodes: "{count, plural, one {# node} other {# nodes}}",
    parallel: "Computes at the same time as what stays.",
    notSent: "{node} no longer goes from {from} to {to}.",
    notSentBytes: "{node} ({bytes}) no longer goes from {from} to {to}.",
    saves: "saves {bytes} per step",
    sends: "sends {bytes} more per step",
  },
} as const;
