/** Commands of files and of the window, and what all commands have in common. */
export const windowCommands = {
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
    runScript: {
      label: "Run a script…",
      keywords: "python, train, submit, job, tf_config, strategy",
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
      exportModel: {
        label: "Export as a model…",
        short: "Model…",
        note: "SavedModel or frozen graph, with its weights",
        keywords: "SavedModel frozen graph pb weights variables serving deploy",
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
    guides: {
      label: "Guides",
      keywords: "help, documentation, manual, troubleshooting, raspberry pi, problem",
    },
    log: {
      label: "Show the log file",
      keywords: "errors, report, open log",
    },
    about: {
      label: "About Tensordeck",
    },
    licences: {
      label: "Licences",
      keywords: "open source, third-party notices, terms, copyright, packages",
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
    callsNoFunction: "{node} calls no function of this graph.",
    noFunctionChosen: "No function is open, and no node that calls one is selected.",
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
    noLayerChosen: "No layer is chosen.",
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
    scripts: {
      label: "Show scripts",
      keywords: "python, job, output, submit",
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
