export const commands = {
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
  canvas: {
    fit: {
      label: "Fit the graph to the window",
    },
    zoomIn: {
      label: "Zoom in",
    },
    zoomOut: {
      label: "Zoom out",
    },
    zoomReset: {
      label: "Zoom to 100 %",
    },
    minimap: {
      label: "Show the minimap",
      short: "Minimap",
      keywords: "hide",
    },
    list: {
      label: "Show the graph as a list",
      short: "List view",
      keywords: "hide",
    },
    find: {
      label: "Find a node…",
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
  },
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
  colour: {
    task: "Colour nodes by task",
    time: "Colour nodes by time",
    bytes: "Colour nodes by bytes of their outputs",
    taskKeywords: "color, heat map, legend, device, pin",
    timeKeywords: "color, heat map, legend, slow, profile, duration",
    bytesKeywords: "color, heat map, legend, memory, size",
    op: "Colour nodes by op",
    opKeywords: "color, heat map, legend, type, kind",
  },
  command: {
    notConnected: "Not connected to Tensordeck.",
    doesNotApply: "It does not apply here.",
  },
  curve: {
    show: {
      label: "Show the curves of a run",
      keywords: "scalars, plots, loss, metrics, history, compare runs",
    },
    logarithmic: {
      label: "Logarithmic scale of curves",
      short: "Log",
      note: "Values that are not positive are left out.",
    },
    table: {
      label: "Curves as a table",
      short: "Table",
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
  file: {
    create: {
      label: "New graph",
    },
    open: {
      label: "Open…",
    },
    examples: {
      label: "Gallery of examples…",
      keywords: "digits, classifier, welcome, tutorial",
    },
    newWindow: {
      label: "New window",
    },
    recent: {
      open: {
        label: "Open recent",
        named: "Open {name}",
      },
    },
    example: {
      open: {
        label: "Open example",
        named: "Open example: {name}",
      },
      run: {
        label: "Run example",
        short: "Run",
        named: "Run example: {name}",
      },
    },
    document: {
      save: {
        label: "Save",
      },
      saveAs: {
        label: "Save as…",
      },
      download: {
        label: "Download graph",
      },
      exportPython: {
        label: "Export as Python script",
        short: "Python script",
        note: "tf.compat.v1, runs with any TensorFlow",
        keywords: "code tf.Session",
      },
      exportTypeScript: {
        label: "Export as TypeScript",
        short: "TypeScript",
        note: 'a module for import "tensordeck"',
        keywords: "code JavaScript library",
      },
      exportSvg: {
        label: "Export as SVG",
        short: "SVG picture",
        note: "as the canvas draws it, in this theme",
        keywords: "image drawing vector",
      },
      exportPng: {
        label: "Export as PNG",
        short: "PNG picture",
        keywords: "image screenshot",
      },
    },
    picture: {
      svg: {
        label: "Export the selection as SVG",
        short: "Selection as SVG",
        keywords: "image drawing vector picture",
      },
      png: {
        label: "Export the selection as PNG",
        short: "Selection as PNG",
        keywords: "image screenshot picture",
      },
    },
  },
  function: {
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
  help: {
    palette: {
      label: "Search or run a command",
    },
    shortcuts: {
      label: "Keyboard shortcuts",
    },
    tour: {
      label: "Take the tour",
      keywords: "introduction, first steps, tutorial, getting started",
    },
    log: {
      label: "Show the log file",
      keywords: "errors, report, open log",
    },
    about: {
      label: "About Tensordeck",
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
  layer: {
    add: {
      label: "Add a layer…",
      keywords:
        "block, Keras, Dense, Conv2D, LSTM, GRU, attention, BatchNorm, Dropout, Embedding, loss, accuracy",
    },
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
      reason: "It takes the role Manage there.",
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
  partialRun: {
    to: {
      label: "Run to here",
      named: "Run to {name}",
      keywords: "part, partial, selection",
    },
    alone: {
      label: "Run alone",
      named: "Run {name} alone",
      note: "What it reads from other nodes keeps the values of the last run.",
      keywords: "part, partial, selection",
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
  },
  run: {
    runInProgress: "A run is in progress.",
    stepCount: "{count, plural, one {# step} other {# steps}}",
    once: {
      label: "Run one step",
      short: "Run",
    },
    many: {
      label: "Run many steps",
      short: "Run {count, plural, one {# step} other {# steps}}",
    },
    customSteps: {
      label: "Run a number of steps…",
      short: "Another number…",
    },
    enqueue: {
      label: "Run once the present run is over",
      short: "Add to the queue",
      keywords: "queue, wait, later",
      reason: "Nothing is running.",
    },
    choose: {
      label: "Choose what to run",
      short: "Choose what to run…",
      keywords: "fetches, targets, feeds, signature",
    },
    initialise: {
      label: "Give variables a value, then run again",
      startOne: "Start {variable} at zero, then run again",
      startSeveral: "Start {count, number} variables at zero, then run again",
      runOne: "Run {initializer}, then run again",
      runSeveral: "Run {count, number} initializers, then run again",
    },
    steps: {
      run: {
        label: "Run this many steps",
        short: "{steps, plural, one {# step} other {# steps}}",
      },
    },
    activeRun: {
      pause: {
        label: "Pause the run",
        resumeRun: "Resume the run",
        resume: "Resume",
        pause: "Pause",
        note: "Hold it after the current step",
        reason: "It is stopping.",
      },
      stop: {
        label: "Stop the run",
        abort: "Abort",
        stop: "Stop",
        abortNote: "Cancel the step that is running",
        stopNote: "Finish the current step, then stop; again: cancel it",
        abortHint: "again: abort the step",
        stoppingHint: "after this step",
      },
    },
    noRunWaiting: "No run is waiting.",
    queuedRun: {
      remove: {
        label: "Do not run it",
        named: "Take {name} out of the queue",
      },
    },
    trace: {
      toggle: {
        label: "Trace the next run",
        short: "Trace",
        note: "Record when and where every node runs. A traced step takes longer.",
      },
    },
  },
  runConfig: {
    runConfigList: {
      add: {
        label: "New run configuration",
        short: "New",
      },
    },
    choose: {
      label: "Use this run configuration",
      named: "Use the run configuration {name}",
    },
    duplicate: {
      label: "Duplicate",
      named: "Duplicate the run configuration {name}",
    },
    makeDefault: {
      label: "Make the default",
      named: "Make the run configuration {name} the default",
      note: "Chosen when the document is opened, and run by the command line.",
      reason: "It is the default already.",
    },
    remove: {
      label: "Delete",
      named: "Delete the run configuration {name}",
    },
  },
  runHistory: {
    show: {
      label: "Show and compare earlier runs",
      short: "Runs",
      keywords: "history",
    },
    clear: {
      label: "Forget the earlier runs",
      short: "Clear…",
      question: "Forget the earlier runs?",
      consequence: "The values, curves and traces of all runs of {name} that have ended are removed.",
      confirm: "Forget them",
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
  scope: {
    hasPositions: "Its nodes have positions of their own. Arrange the graph to draw it in scopes.",
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
  settings: {
    open: {
      label: "Settings…",
      keywords: "machine name, visible on this network, stop ps with the last worker",
    },
    visible: {
      label: "Make this machine visible on the network",
      short: "Make visible",
      reason: "It is already visible.",
    },
    otherTheme: {
      label: "Change to the other theme",
      labelNow: "Change to the {otherTheme} theme",
      short: "Theme",
    },
    theme: {
      dark: {
        label: "Dark theme",
      },
      light: {
        label: "Light theme",
      },
      system: {
        label: "Theme of the system",
      },
    },
  },
  tab: {
    noOtherDocumentOpen: "No other document is open.",
    close: {
      label: "Close",
      named: "Close {name}",
    },
    closeOthers: {
      label: "Close the others",
      keywords: "tabs",
    },
    moveRight: {
      label: "Move the tab to the right",
      reason: "It is the last tab.",
    },
    moveLeft: {
      label: "Move the tab to the left",
      reason: "It is the first tab.",
    },
    tabList: {
      next: {
        label: "Next tab",
        keywords: "document, switch",
      },
      previous: {
        label: "Previous tab",
        keywords: "document, switch",
      },
    },
    anyTab: {
      show: {
        label: "Go to tab",
        named: "Go to {name}",
        keywords: "document, switch",
      },
    },
    nothingElseOpen: "Nothing else is open.",
  },
  targetKinds: {
    noNodeSelected: "No node is selected.",
    nodes: "{names, plural, one {# node} other {# nodes}}",
    nothingSelected: "Nothing is selected.",
    noEdgeSelected: "No edge is selected.",
    severalEdgesSelected: "Several edges are selected.",
    itNotEdgeOneTensor: "It is not an edge of one tensor.",
    noFrameOrNoteChosen: "No frame or note is chosen.",
    severalNodesSelected: "Several nodes are selected.",
    noClosedScopeSelected: "No closed scope is selected.",
    nothingInOpenScopeSelected: "Nothing in an open scope is selected.",
    scopes: "{scopes, plural, one {# scope} other {# scopes}}",
    nothingRunning: "Nothing is running.",
    clusterNotKnownYet: "The cluster is not known yet.",
    noMachineChosen: "No machine is chosen.",
    noTaskChosen: "No task is chosen.",
    noConnectionChosen: "No connection is chosen.",
    noNodeLacksKernel: "No node lacks a kernel.",
    noOpChosen: "No op is chosen.",
    examplesNotReadYet: "The examples are not read yet.",
    noDocumentOpenedYet: "No document was opened yet.",
    noTensorOpenInDock: "No tensor is open in the dock.",
    newestRunDidNotFetch: "The newest run did not fetch {name}.",
    noVariableSelected: "No variable is selected.",
    graphNoVariables: "The graph has no variables.",
    noNumberChosen: "No number is chosen.",
    frame: "the frame",
    note: "the note",
  },
  task: {
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
  tensor: {
    copyTable: {
      label: "Copy the tensor as a table",
      short: "As a table (TSV)",
      keywords: "clipboard, spreadsheet, tab, values, text",
    },
    copyPython: {
      label: "Copy the tensor as Python",
      short: "As Python (NumPy)",
      keywords: "clipboard, numpy, array, values",
    },
    saveNpy: {
      label: "Save the tensor as .npy…",
      short: "As .npy…",
      keywords: "export, numpy, values",
    },
    saveCsv: {
      label: "Save the tensor as CSV…",
      short: "As CSV…",
      keywords: "export, table, values",
    },
    close: {
      label: "Close the tensor",
      short: "Close",
    },
  },
  variable: {
    itNoValueYet: "It has no value yet.",
    variables: {
      refresh: {
        label: "Read the variables again",
        short: "Refresh",
      },
      initialise: {
        label: "Initialize all variables",
        short: "Initialize all",
      },
      save: {
        label: "Save all variables to a checkpoint…",
        short: "Save all…",
        keywords: "weights, Saver, ckpt",
      },
      restore: {
        label: "Restore all variables from a checkpoint…",
        short: "Restore…",
        keywords: "weights, Saver, ckpt, load",
      },
    },
    open: {
      label: "Show the variable's value",
      short: "Open",
      named: "Show the value of {name}",
    },
    assign: {
      label: "Assign a value to the variable…",
      short: "Assign…",
      named: "Assign a value to {name}…",
    },
    initialise: {
      label: "Initialize the variable",
      short: "Initialize",
      named: "Initialize {name}",
    },
    save: {
      label: "Save the variable to a checkpoint…",
      short: "Save…",
      named: "Save {name} to a checkpoint…",
    },
    restore: {
      label: "Restore the variable from a checkpoint…",
      short: "Restore…",
      named: "Restore {name} from a checkpoint…",
    },
  },
  view: {
    side: {
      label: "Show or hide the side panel",
      hideSidePanel: "Hide the side panel",
      showSidePanel: "Show the side panel",
      keywords: "cluster, ops",
    },
    cluster: {
      label: "Show the cluster",
    },
    ops: {
      label: "Show the ops",
    },
    placement: {
      label: "Show the placement",
      keywords: "suggestion, tasks, lanes",
    },
    inspector: {
      label: "Show or hide the inspector",
      hideInspector: "Hide the inspector",
      showInspector: "Show the inspector",
    },
    dock: {
      label: "Open or close the dock",
      closeDock: "Close the dock",
      openDock: "Open the dock",
      keywords: "show, hide",
    },
    results: {
      label: "Show results",
    },
    timeline: {
      label: "Show timeline",
    },
    variables: {
      label: "Show variables",
      keywords: "weights, values, checkpoint",
    },
    lanes: {
      label: "Show lanes by task",
      keywords: "placement, pin, drag",
    },
    logs: {
      label: "Show logs",
    },
    problems: {
      label: "Show problems",
      short: "What to do",
    },
    nextPanel: {
      label: "Go to the next panel",
    },
    previousPanel: {
      label: "Go to the previous panel",
    },
  },
  groups: {
    Run: "Run",
    File: "File",
    Edit: "Edit",
    Graph: "Graph",
    View: "View",
    Cluster: "Cluster",
    Settings: "Settings",
    Help: "Help",
  },
} as const;
