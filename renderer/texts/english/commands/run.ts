/** Commands of runs and of what they bring. */
export const runCommands = {
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
      saveCheckpoint: {
        label: "Save a checkpoint now",
        short: "Save now",
        note: "After the current step",
        keywords: "weights, Saver, ckpt, variables",
        noStep: "No step is finished yet.",
        saving: "One is being saved.",
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
    recovery: {
      none: "No training has lost a task and could go on.",
      goOn: {
        label: "Restore the newest checkpoint and go on",
        keywords: "recover, resume, lost task, parameter server, ps, crash",
      },
      dismiss: {
        label: "Do not go on with the training that lost a task",
        short: "Dismiss",
        note: "Its checkpoints stay, and can be restored.",
      },
    },
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
} as const;
