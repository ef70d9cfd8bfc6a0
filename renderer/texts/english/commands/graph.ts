/** Commands that change the graph. */
export const graphCommands = {
  align: {
    selectMore: "Select {least, number} or more nodes or closed scopes.",
    thereAlready: "They are there already.",
    distributeKeywords: "align, space, gaps, line up, tidy",
    left: "Align left edges",
    centre: "Align centres",
    right: "Align right edges",
    top: "Align top edges",
    middle: "Align middles",
    bottom: "Align bottom edges",
    across: "Distribute from left to right",
    down: "Distribute from top to bottom",
    alignKeywords: "align, line up, tidy",
  },
  annotation: {
    frame: {
      add: {
        label: "Frame the selection",
        keywords: "group, box, title",
      },
    },
    note: {
      add: {
        label: "Add a note here",
        keywords: "comment, text",
        reason: "Select the nodes first that the note is about.",
      },
    },
    edit: {
      label: "Edit the text",
    },
    delete: {
      label: "Delete",
      named: "Delete {name}",
    },
  },
  clipboard: {
    cut: {
      label: "Cut nodes",
    },
    copy: {
      label: "Copy nodes",
    },
    paste: {
      paste: {
        label: "Paste nodes",
      },
    },
    notAllowed: {
      message: "Nothing was pasted: the browser does not let this page read the clipboard.",
      remedy: "Press Ctrl+V (on macOS Cmd+V) on the canvas, which needs no permission.",
    },
  },
  edge: {
    insert: {
      label: "Insert a node on the edge…",
      keywords: "add, op, between",
    },
  },
  edit: {
    undo: {
      label: "Undo",
      labelNow: "Undo: {edit}",
      reason: "There is nothing to undo.",
    },
    redo: {
      label: "Redo",
      labelNow: "Redo: {edit}",
      reason: "There is nothing to redo.",
    },
  },
  function: {
    entering: {
      cancel: {
        label: "Do not open the function",
        short: "Cancel",
        note: "What is shown stays.",
        reason: "No function is being opened.",
      },
    },
    call: {
      open: {
        label: "Open the function that it calls",
        named: "Open {name}",
        note: "its nodes are shown as a graph of their own",
        keywords: "body, subgraph, go into, PartitionedCall, If, While, Case",
      },
    },
    library: {
      open: {
        label: "Open a function of the graph",
        short: "Open",
        named: "Open the function {name}",
        keywords: "body, library, subgraph",
      },
      rename: {
        label: "Rename the function…",
        short: "Rename…",
        named: "Rename the function {name}…",
        note: "its calls follow",
        keywords: "library",
      },
      deleteUnused: {
        label: "Delete unused functions",
        keywords: "library, clean, prune",
        hint: "{count, plural, one {# function} other {# functions}}",
        noFunctions: "The graph has no functions.",
        allCalled: "Every function is called.",
      },
    },
    leave: {
      label: "Leave the function",
      note: "to the graph that calls it",
      keywords: "go out, back, up, close, parent",
      reason: "The graph itself is shown.",
    },
    border: {
      inGraph: "The graph itself is shown. Only a function has arguments and results.",
      addArgument: {
        label: "Add an argument",
        note: "its calls have one input more",
        keywords: "parameter, input, _Arg, signature, function",
      },
      addResult: {
        label: "Add a result",
        note: "its calls have one output more",
        keywords: "return, output, _Retval, signature, function",
      },
      giveBack: {
        label: "Make it a result of the function",
        note: "its calls have one output more",
        keywords: "return, output, _Retval, signature",
        noOutput: "It has no output.",
      },
      forward: {
        label: "Move one place forward",
        short: "Earlier",
        note: "inputs and outputs of its calls follow",
        keywords: "order, reorder, up, argument, result",
        reason: "It is the first.",
      },
      back: {
        label: "Move one place back",
        short: "Later",
        note: "inputs and outputs of its calls follow",
        keywords: "order, reorder, down, argument, result",
        reason: "It is the last.",
      },
    },
    extract: {
      extract: {
        label: "Extract to a function",
        note: "one node that calls it comes in their place",
        keywords: "subgraph, tf.function, PartitionedCall, group, reuse",
      },
    },
    inline: {
      inline: {
        label: "Inline the function",
        note: "its nodes come in place of the call",
        keywords: "expand, PartitionedCall",
      },
    },
  },
  graph: {
    graphNoNodes: "The graph has no nodes.",
    show: "Show",
    next: "Next",
    selectAll: {
      label: "Select all nodes",
    },
    selectUnpinned: {
      label: "Select nodes that are not pinned",
      hint: "{unpinned, plural, one {# node} other {# nodes}}",
      reason: "Every node is pinned.",
    },
    addOp: {
      label: "Add an op here…",
      keywords: "node",
    },
    arrange: {
      label: "Arrange the graph",
    },
    nextProblem: {
      label: "Show the next node that cannot run",
      reason: "Every node can run.",
    },
    nextWithoutKernel: {
      label: "Show the next node that its task has no kernel for",
      reason: "No node lacks a kernel.",
    },
    selection: {
      delete: {
        label: "Delete selection",
        nodes: "{nodes, plural, one {# node} other {# nodes}}",
        edges: "{edges, plural, one {# edge} other {# edges}}",
      },
    },
  },
  kernel: {
    pinElsewhere: {
      label: "Pin nodes without a kernel to a task with TensorFlow",
      short: "Pin {nodes} to {name}",
      named: "Pin what {name} has no kernel for to a task with TensorFlow",
    },
    changeEngine: {
      label: "Change the engine of a task without a kernel…",
      short: "Change the engine of {task}…",
      named: "Change the engine of {name}…",
    },
    wayOut: {
      best: {
        label: "Give nodes without a kernel what they need",
        named: "Give the nodes of {name} what they need",
      },
    },
    anotherTask: "another task",
  },
  training: {
    noCheckpoint: "No checkpoint was saved.",
    restore: {
      label: "Restore the newest checkpoint…",
      short: "Restore…",
      named: "Restore {name}…",
      keywords: "weights, Saver, ckpt, load",
      running: "Pause or stop the run first.",
    },
    export: {
      label: "Export the newest checkpoint as a model…",
      short: "Export…",
      named: "Export {name} as a model…",
      keywords: "SavedModel, frozen graph, weights, serving",
    },
    make: {
      label: "Make trainable…",
      keywords: "train, loss, optimizer, gradient, learn, Adam, replicas, ring, parameter server",
    },
  },
  layer: {
    add: {
      label: "Add a layer…",
      keywords:
        "block, Keras, Dense, Conv2D, LSTM, GRU, attention, BatchNorm, Dropout, Embedding, loss, accuracy, tf.data, pipeline, CSV, TFRecord",
    },
    addNamed: {
      label: "Add a layer of a kind…",
      named: "Add the layer {layer}…",
      keywords: "block, Keras",
    },
  },
  node: {
    nodes: {
      pin: {
        label: "Pin selection to a task…",
      },
      unpin: {
        label: "Unpin selection",
        named: "Unpin {name}",
        hint: "let the engine place it",
        reason: "Nothing of it is pinned.",
      },
      device: {
        label: "Pin selection to a device string…",
        short: "Device string…",
        keywords: "partial, job, gpu, cpu, any task",
      },
      colocate: {
        label: "Colocate selection with a node…",
        short: "Colocate…",
        keywords: "together, same device, _class, loc",
      },
      scope: {
        label: "Move selection to a scope…",
        short: "Move to a scope…",
        keywords: "name scope, group, extract, prefix",
      },
      separate: {
        label: "Release selection from colocation",
        short: "Release",
        named: "Release {name} from colocation",
      },
      bypass: {
        label: "Delete nodes and reconnect",
        short: "Delete and reconnect",
        keywords: "remove, rewire, bypass",
      },
      duplicate: {
        label: "Duplicate nodes",
      },
    },
    inspect: {
      label: "Inspect the node",
    },
    rename: {
      label: "Rename the node…",
    },
    fetch: {
      label: "Fetch with every step",
      keywords: "run, result, output, target",
    },
    problem: {
      label: "Go to what is wrong with the node",
      keywords: "error, warning, quick fix",
      reason: "Nothing is wrong with the node, or it is not in view.",
    },
    connect: {
      label: "Connect the node's output…",
      reason: "{op} has no output.",
    },
    nodeCount: "{count, plural, one {# node} other {# nodes}}",
  },
  op: {
    add: {
      label: "Add beside the selection",
      short: "Add",
      named: "Add {op}",
    },
    favourite: {
      label: "List with the favourites",
      removeFavourite: "Remove favourite",
      favourite: "Favourite",
      removeOpFromFavourites: "Remove {op} from the favourites",
      addOpToFavourites: "Add {op} to the favourites",
    },
    opList: {
      reload: {
        label: "Read the list of ops again",
        short: "Try again",
      },
      onlyRunnable: {
        label: "List only ops that the cluster can run",
        short: "Only what the cluster can run",
      },
    },
  },
  scope: {
    hasPositions: "Its nodes have positions of their own, weights too.",
    closedScope: {
      open: {
        label: "Open the scope",
        named: "Open {name}",
        keywords: "expand, block, group",
        hint: "{scopes, plural, one {# scope} other {# scopes}}",
      },
    },
    openScope: {
      close: {
        label: "Close the scope",
        named: "Close {name}",
        keywords: "collapse, block, group",
      },
      show: {
        label: "Show the scope",
        named: "Show {name}",
        keywords: "zoom, fit",
      },
      select: {
        label: "Select all in the scope",
        named: "Select all in {name}",
      },
    },
    scopes: {
      openAll: {
        label: "Open all scopes",
        keywords: "expand all",
        reason:
          "It has {size, plural, one {# node} other {# nodes}}; up to {most, number} are drawn at once.",
        noneClosed: "No scope is closed.",
      },
      closeAll: {
        label: "Close all scopes",
        keywords: "collapse all",
        reason: "No scope is open.",
      },
      weights: {
        label: "Draw weights as nodes",
        keywords: "parameters, constants, variables, fold, unfold",
      },
      cancelArranging: {
        label: "Do not wait for the layout",
        short: "Cancel",
        note: "What is open is drawn in rows.",
        reason: "No layout is being computed.",
      },
      back: {
        label: "Go back",
        keywords: "history, previous place",
        reason: "You have not jumped yet.",
      },
      forward: {
        label: "Go forward",
        keywords: "history, next place",
        reason: "You have not gone back.",
      },
    },
    jump: {
      input: {
        label: "Go to the first input",
        keywords: "jump along the edge, producer",
        reason: "It has no input.",
      },
      reader: {
        label: "Go to what reads it",
        keywords: "jump along the edge, consumer",
        reason: "Nothing reads it.",
      },
    },
    weight: {
      toggle: {
        label: "Draw its weights as nodes",
        named: "Draw the weights of {name} as nodes",
        keywords: "parameters, constants, variables, fold, unfold",
        reason: "It has no weights.",
      },
    },
    openAll: {
      reason: "It has {size, plural, one {# node} other {# nodes}}; up to {most, number} are drawn at once.",
    },
  },
  placement: {
    noNodes: "The graph has no nodes.",
    opsNotKnown: "The op list is not known yet.",
    tooFewTasks: "The cluster has fewer than two tasks to choose from. Add a worker first.",
    suggest: {
      label: "Suggest a placement",
      suggestAgain: "Suggest again",
      note: "Search for pins with a shorter step. Nothing changes until you apply them.",
      keywords: "pin, balance, partition, device, faster, automatic",
    },
    cancel: {
      label: "Stop the search for a placement",
      short: "Cancel",
      reason: "No placement is being searched for.",
    },
    keepPins: {
      label: "Keep pinned nodes where they are when a placement is suggested",
      short: "Keep pinned nodes where they are",
    },
    apply: {
      label: "Apply the suggested placement",
      short: "Apply {count, plural, one {# move} other {# moves}}",
      hint: "{count, plural, one {# move} other {# moves}}",
      noPlacementSuggested: "No placement is suggested.",
      outdated: "The graph has changed since. Suggest again.",
      noMoveChosen: "No move is chosen.",
    },
    discard: {
      label: "Discard the suggested placement",
      short: "Discard",
      reason: "No placement is suggested.",
    },
    measure: {
      label: "Measure the step: run {steps, number} traced steps",
      short: "Run {steps, number} traced steps",
      note: "Measures the time of each node and of what is sent. The last step counts.",
    },
    show: {
      now: "Show the graph as it is placed now on the canvas",
      changes: "Show what the suggested placement would move on the canvas",
      after: "Show the graph as it would be placed on the canvas",
      keywords: "pin, preview, suggested placement",
      reason: "No placement is suggested.",
    },
  },
} as const;
