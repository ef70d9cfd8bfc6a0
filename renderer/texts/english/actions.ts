export const actions = {
  clusterFileActions: {
    choose: "Choose a file that describes a cluster",
  },
  scriptActions: {
    choose: "Choose a Python script",
    whereIs: "Where is {name}? A browser does not say",
  },
  clusterActions: {
    tasks: "{count, plural, one {# task} other {# tasks}}",
    makeFixed: {
      title: "Make the cluster fixed?",
      text: "Tasks of a fixed cluster know each other from their start. {tasks} {count, plural, one {is} other {are}} restarted. Variables that live there are lost, and a run in progress fails.",
    },
    makeDynamic: {
      title: "Make the cluster dynamic?",
      text: "Tasks of a dynamic cluster start alone. {tasks} {count, plural, one {is} other {are}} restarted. Variables that live there are lost, and a run in progress fails.",
    },
    addToFixed: {
      title: "Add to the fixed cluster?",
      text: "Tasks of a fixed cluster know each other from their start. {tasks} {count, plural, one {is} other {are}} restarted. Variables that live there are lost, and a run in progress fails.",
    },
    restart: "Restart {count, plural, one {# task} other {# tasks}}",
    clearState: {
      title: "Clear the state of {task}?",
      text: "Variables, queues and sessions that live on {task} are lost, including those of other programs. The task keeps running. A run in progress may fail.",
      clear: "Clear state",
    },
  },
  copyText: {
    message: "Nothing was copied: the browser does not let this page write to the clipboard.",
    remedy: "Allow the clipboard in the settings of this page, or select the text and copy it by hand.",
  },
  draftActions: {
    restored: "The unsaved edits of {name} are still here.",
    reloaded: "The window was reloaded before they were saved.",
    discard: "Discard edits",
    fileChanged: "{name} has since been changed by another program; saving asks before replacing it.",
    fileMissing: "{name} is no longer there; saving writes it again.",
  },
  exportActions: {
    unfinished: {
      message: "{node} has an input without a value.",
      remedy: "Connect it, then export the graph again.",
    },
    unreadableFeed: {
      images: "{tensor} is fed image files by their path, which an exported script cannot do.",
      pixels: "{tensor} is fed images, which an exported script can do only for float32 and uint8.",
      batches: "{tensor} is fed in batches, which an exported script cannot do.",
      rows: "{tensor} is fed a share of a file's rows, or its bytes in another range, which an exported script cannot do.",
      remedy:
        "Feed it a text, a whole file or images that are chosen in the window, then export the graph again.",
    },
  },
  fetchDocument: {
    message: "Only a part of {name} has arrived.",
    reason: "The connection to the application was lost, or other documents were opened meanwhile.",
    remedy: "Open it again.",
  },
  fileActions: {
    saveGraph: "Save the graph",
    goTo: "Go to it",
    replaceTitle: "Replace the file?",
    replace: "Replace",
    openElsewhere: {
      message: "{path} is open in another tab.",
      remedy: "Close that tab first, or save under another name.",
    },
    keep: {
      title: "Keep what does not fit in a GraphDef?",
      text: "{name} is a GraphDef, which holds nodes only. {lost, select, runs {The run configurations} runsAndCluster {The run configurations and the cluster} choice {The chosen feeds and fetches} choiceAndCluster {The chosen feeds and fetches and the cluster} other {The cluster}} would be lost. A MetaGraphDef keeps them, and Python reads it with import_meta_graph.",
      metaGraph: "Save as a MetaGraphDef",
      nodesOnly: "Save the nodes only",
    },
  },
  graphTasks: {
    start: {
      workers: "Start {count, plural, one {# worker} other {# workers}}",
      named: "Start {names}",
      tasks: "Start {count, plural, one {# task} other {# tasks}}",
      instead: "Start {names} here instead",
    },
    startAndRun: {
      workers: "Start {count, plural, one {# worker} other {# workers}} and run",
      named: "Start {names} and run",
      tasks: "Start {count, plural, one {# task} other {# tasks}} and run",
      instead: "Start {names} here instead and run",
    },
    fixedElsewhere:
      "The machine of {names} does not answer, and a fixed cluster has {count, plural, one {it} other {them}} at no other address.",
    notInKubernetes: {
      message: "The cluster {cluster} in Kubernetes has no such task of job {job}.",
      remedy:
        "Give job {job} of {cluster} more tasks, pin the nodes to other tasks, or run graphs on your machines.",
    },
  },
  imageFeed: {
    none: "No image was chosen.",
    wrongCount:
      "{node} takes {most, plural, =1 {one image} one {# image} other {# images}}, but {chosen, plural, one {# was} other {# were}} chosen.",
    unreadable: "{file} is no image that this browser can read.",
    tooLarge: "Images of shape {shape} are too large for {node}. Save them as .npy.",
    cannotDraw: "This browser cannot draw images.",
    images: "{count, plural, one {# image} other {# images}}",
    cut: "cut",
    resized: "resized",
    cutAndResized: "cut and resized",
    cutFrom: "cut from {size}",
    resizedFrom: "resized from {size}",
    cutAndResizedFrom: "cut and resized from {size}",
  },
  machineActions: {
    unpair: {
      title: "Unpair {machine}?",
      text: "{machine} and this machine forget each other's fingerprint; using it again requires a new code.",
      textWithTasks:
        "{machine} and this machine forget each other's fingerprint; using it again requires a new code. {count, plural, one {# task of this cluster runs there and leaves it} other {# tasks of this cluster run there and leave it}}.",
      theirs: "{hosted}, which {machine} runs here, {count, plural, one {ends} other {end}} at once.",
      unpair: "Unpair",
    },
    viewOnly: {
      title: "Let {machine} only view this machine?",
      text: "{hosted}, which {machine} runs here, {count, plural, one {ends} other {end}} at once, with {count, plural, one {its} other {their}} variables. Its window tells why.",
      lower: "Only view",
    },
    lostRole: {
      message: "{machine} now lets this machine only view.",
      remedy:
        "What ran there for this machine has ended. Ask the user of {machine} for the role run, or use other machines.",
    },
    asking: "Asking {machine} for its window…",
    windowOpens: {
      message: "The window of {machine} opens in your browser, at {address}.",
      remedy: "If no browser opened, open the copied address in a browser on this machine. It works once.",
      copy: "Copy address",
    },
    newIdentity: {
      title: "Create a new identity for this machine?",
      text: "For a machine that was copied from another one, for example with a memory card: both have the same identity and are mistaken for each other. This machine forgets the machines that it is paired with and has to be paired again; its tasks and settings stay.",
      make: "Make a new identity",
      message: "This machine gets a new identity at its next start.",
      remedy: "Close Tensordeck and start it again, then pair this machine again.",
    },
  },
  openActions: {
    opening: "Opening {name}…",
    openingSoFar: "Opening {name}… {percent, number} %",
    openGraph: "Open a graph",
  },
  partialRun: {
    tensors: "{count, plural, one {# tensor} other {# tensors}}",
    to: "to {nodes}",
    alone: "{nodes} alone",
    noValues: "{tensors} {count, plural, one {has} other {have}} no value of an earlier run.",
    remedy: "Run the graph to there first.",
  },
  pictureActions: {
    nothing: "There is nothing to draw.",
    selectNodes: "Select nodes that the canvas shows.",
    addNodes: "Add a node, or wait until the graph is laid out.",
    noPng: "The browser made no PNG.",
  },
  placementActions: {
    apply: "Place {nodes} as suggested",
  },
  reportError: {
    theWindow: "The window",
    message: "Something went wrong in the window.",
    remedy: "Your graph is still here. If something no longer responds, reload the window.",
  },
  recoveryActions: {
    goOn: "Restore from step {step, number} and go on",
  },
  runActions: {
    select: "Select {node}",
    othersToo:
      "{count, plural, one {One more thing keeps the graph from running:} other {# more things keep the graph from running; the first of them:}} {first}",
    needs: "This graph needs {tasks}.",
    needsFixed: "Collective operations need a fixed cluster.",
    whyFixed: "TensorFlow's servers run them only with tasks that they know from their start.",
    makeFixedAndRun: "Make the cluster fixed and run",
    anotherGraph: "another graph",
    goTo: "Go to {name}",
    failedElsewhere: "The run of {name} failed. {problem}",
    runWithoutValues: "Run without the saved values",
    restoreAndRun: "Restore the saved values and run",
    restoreAgainAndRun: "Restore again and run",
    startAndRunAgain: "Start {task} and run again",
    startHereAndRunAgain: "Start {task} here instead and run again",
  },
  tabActions: {
    title: "Save changes to {name}?",
    text: "Changes that are not saved are lost.",
    save: "Save",
    discard: "Discard changes",
  },
  tensorActions: {
    ofRun: "{tensor} of {run}",
    tooManyElements:
      "This part has {count, plural, one {# element} other {# elements}}, too many for the clipboard.",
    chooseSlice: "Choose a slice of at most {count, number}, or save it as a file.",
    save: "Save {tensor}",
    saving: "Saving {tensor}…",
    saved: "Saved {bytes} to {path}.",
  },
  modelActions: {
    title: {
      saved_model: "Export as a SavedModel",
      frozen: "Export as a frozen graph",
    },
    exporting: "Exporting the model…",
    exportingSoFar: "Exporting the model… {percent, number} %",
    exported:
      "Exported to {path} with {count, plural, =0 {no variables} one {# variable ({bytes})} other {# variables ({bytes})}}.",
    replace: {
      title: "Replace the model?",
      text: "There is a model at {path}.",
      replace: "Replace",
    },
  },
  carriedValues: {
    moved:
      "{count, plural, one {# variable has its value} other {# variables have their values}} on the new task.",
    renamed:
      "{count, plural, one {# variable has its value} other {# variables have their values}} under the new name.",
    afterRun: "The values of the variables follow the edit when the run is over.",
    putBack: "Leave {count, plural, one {# variable as it was} other {# variables as they were}}",
    later:
      "{count, plural, one {The value of # variable follows} other {The values of # variables follow}} the edit before the next run. Not yet: {reason}",
    without: {
      title: "Edit variables without their values?",
      text: "The values that the variables have cannot go to their new task or name with them, so the next run would need them initialized or restored. If you cancel, the variables stay as they were. {reason}",
      move: "Edit without values",
    },
  },
  keptValues: {
    keeping: "Keeping {count, plural, one {the value of # variable} other {the values of # variables}}…",
    keepingSoFar:
      "Keeping {count, plural, one {the value of # variable} other {the values of # variables}}… {percent, number} %",
    bringingBack:
      "Assigning {count, plural, one {the value of # variable} other {the values of # variables}}…",
    bringingBackSoFar:
      "Assigning {count, plural, one {the value of # variable} other {the values of # variables}}… {percent, number} %",
  },
  trainingActions: {
    added:
      "Added {count, plural, one {# node} other {# nodes}} in the scope {scope}. Run now trains the graph, with the run configuration {configuration}.",
  },
  variableActions: {
    graphChanged: "The graph was changed meanwhile.",
    valueOf: "Value of {variable}",
    variables: "{count, plural, one {# variable} other {# variables}}",
    noInitializer: {
      message: "{variable} has no initializer.",
      messageOfMany: "None of the variables has an initializer.",
      reason: "No node of the graph assigns a first value.",
      remedy: "Assign a value, or restore a checkpoint.",
    },
    reset: {
      text: "Initializing replaces {count, plural, one {the value} other {the values}} of {variables}. Until the application ends, what is replaced can be brought back.",
      unknown:
        "Initializing replaces the values that the variables have. Which ones do is not known: {reason}",
      initialise: "Initialize",
    },
    initialized: "Initialized {count, plural, one {# variable} other {# variables}}.",
    notInitialized: "The variables were not initialized, or not all of them.",
    bringBack: "Bring the values back",
    broughtBack:
      "{count, plural, one {# variable has its value} other {# variables have their values}} of before the initialization.",
    someInitialized: "Initialized all but {variables}, for which the graph has no initializer.",
    save: "Save {variable}",
    saveMany: "Save the variables",
    saving: "Saving {variables}…",
    savingSoFar: "Saving {variables}… {percent, number} %",
    saved: "Saved {count, plural, one {# variable} other {# variables}} ({bytes}) to {path}.",
    skipped: "{count, plural, one {# variable} other {# variables}} had no value.",
    restore: "Restore {variable} from a checkpoint",
    restoreMany: "Restore the variables from a checkpoint",
    replace: {
      title: "Replace the values?",
      text: "{variable} has a value that the checkpoint replaces. Save first what should be kept.",
      textOfMany:
        "{count, plural, one {# variable has a value} other {# variables have values}} that the checkpoint replaces. Save first what should be kept.",
      restore: "Restore",
    },
    restoring: "Restoring {variables}…",
    restoringSoFar: "Restoring {variables}… {percent, number} %",
    restored: "Restored {count, plural, one {# variable} other {# variables}}.",
    missing: "The checkpoint does not have {names}.",
    unused: "No variables suit its {count, plural, one {layer} other {layers}} {names}.",
    namesAndOthers: "{names} and {count, plural, one {# other} other {# others}}",
  },
} as const;
