export const modules = {
  attrText: {
    wrongType: "An attribute of type {type} cannot be typed in.",
    missing: "A value is missing.",
    noInteger: "{text} is not a whole number.",
    tooLarge: "{text} does not fit 64 bits.",
    noNumber: "{text} is not a number.",
    noBool: "{text} is neither true nor false.",
    noDtype: "There is no dtype named {text}.",
    noSize: "{text} is not a size. Write a shape as [2, 3]; ? for any size.",
    sizeMissing: "A size is missing. Write a shape as [2, 3]; ? for any size.",
  },
  candidates: {
    runsAfter: "runs after",
    runsBefore: "runs before",
  },
  clipText: {
    noNodes:
      "The clipboard holds no nodes. Copy nodes in Tensordeck, or the text of a GraphDef (.pbtxt), and paste again.",
    sameName: "The text on the clipboard has two nodes named {name}.",
    unreadable: "The nodes on the clipboard cannot be read: {error}",
  },
  documentFile: {
    sameName: "{file} has two nodes named {node}. TensorFlow refuses such a graph; rename one of them.",
  },
  feedFit: {
    wrongDtype: "It holds {given}, but {node} takes {wanted}.",
    noRows: "It holds a single value, which has no rows.",
    wrongShape: "It has shape [{given}], but {node} takes {wanted}.",
    wrongShapeInBatches: "It has shape [{given}] in batches of {size, number}, but {node} takes {wanted}.",
    severalArrays: "It holds several arrays. Choose one of {names}.",
    noArray: "It holds no array {name}. Choose one of {names}.",
  },
  functionBorder: {
    opNotKnown: "The op of {node}, {op}, is not known, so its arguments are not known either.",
    notConnected: "An input of {node} is not connected. Connect it first.",
    placeholder:
      "{node} is fed from outside, which a function cannot be. Leave it out of the selection: it becomes an argument.",
    fed: "A run feeds {node}, which nothing within a function can be. Leave it out of the selection, or remove the feed.",
    state:
      "{node} holds state that other nodes use by its name. Leave it out of the selection: it becomes an argument.",
    givesReference:
      "{node} gives a reference to a variable, which only the graph itself can hold. Leave it out of the selection.",
    named: "A signature or a collection of the document names {node}. Leave it out of the selection.",
    colocated:
      "{node} is to be on the device of {other}, and only one of them is selected. Select both, or separate them first.",
    readsReference:
      "{node} reads {from} by reference, which a function has no argument for. Read its value with an Identity outside of the selection.",
    cutsLoop:
      "The selection cuts the loop that begins at {node}: {within} is in it, and {outside} is not. Select all of it, or nothing of it.",
    cutsCondition:
      "The selection cuts the condition that begins at {node}: {within} is in it, and {outside} is not. Select all of it, or nothing of it.",
    wayBack: "{from} reads from the selection, and {node} reads from it. Select what is between them, too.",
  },
  literal: {
    moreText: 'There is more text after the value: "{rest}".',
    openList: 'A list is not closed: "{close}" is missing.',
    expected: 'Expected "," or "{close}" after item {item, number}.',
    rowsDiffer: "The rows differ: item 1 has shape [{first}], item {item, number} has [{other}].",
    missing: "A value is missing.",
    openText: "A text is not closed: {quote} is missing.",
  },
  opEntries: {
    categories: {
      math: "Math",
      linearAlgebra: "Linear algebra",
      array: "Array",
      neuralNet: "Neural net",
      random: "Random",
      reduction: "Reduction",
      logic: "Logic and comparison",
      state: "State",
      training: "Training",
      controlFlow: "Control flow",
      text: "Text",
      media: "Image and audio",
      sparse: "Sparse and ragged",
      data: "Data and files",
      lookup: "Lookup and queues",
      quantised: "Quantised",
      distributed: "Distributed",
      compiler: "TPU and XLA",
      debugging: "Summaries and debugging",
      boostedTrees: "Boosted trees",
      other: "Other",
    },
  },
  opText: {
    nothing: "nothing",
    atLeast: "at least {minimum, number}",
    default: "default {value}",
  },
  problems: {
    circular: {
      short: "circular",
      message: "{node} depends on its own output.",
      reason: "A graph must not contain a cycle, except through a Merge op of a while loop.",
      remedy: "Disconnect one of the edges of the cycle.",
    },
    unknownOp: {
      short: "unknown op",
      message: "There is no op named {op}.",
      reason: "Neither the engine's op list nor the graph's function library has it.",
      remedy:
        "It probably belongs to a custom op library or a newer TensorFlow. Replace it, or load that library.",
    },
    shapesDiffer: {
      short: "shapes differ",
      reads: "It reads {inputs}.",
      readsMore: "It reads {inputs} and {count, plural, one {# other} other {# others}}.",
      remedy: "Change the shape of an input, or connect another one.",
    },
    notSet: {
      short: "{attribute} not set",
      message: "{node} has no value for {attribute}.",
      remedy: "Set it in the inspector.",
    },
    missing: {
      short: "{input} is missing",
      message: "Nothing is connected to input {input} of {node}.",
      remedy: "Drag an edge from an output to {input}.",
    },
    noProducer: {
      short: "no {producer}",
      message: "Input {input} of {node} names {producer}, which the graph does not have.",
      remedy: "Connect another output to it.",
    },
    noOutput: {
      short: "no {tensor}",
      message:
        "Input {input} of {node} reads output {output, number} of {producer}, which has {count, plural, one {# output} other {# outputs}}.",
      remedy: "Connect another output to it.",
    },
    dtypesDiffer: {
      short: "dtypes differ",
      message: "Input {input} of {node} takes {wanted}, but {producer} gives {given}.",
      remedy: "Put a Cast between them, or change the dtype of one.",
    },
    tooManyInputs: {
      short: "too many inputs",
      message: "{node} has {given, plural, one {# input} other {# inputs}}, but {op} takes {wanted, number}.",
      remedy: "Disconnect the superfluous ones.",
    },
  },
  recordFit: {
    empty: "It has no records.",
    severalFeatures: "Its records have several features. Choose one of {names}.",
    noFeature: "Its records have no feature {name}. Choose one of {names}.",
    missing: "Record {record, number} has no {feature}. Give it a default value.",
    wrongCount:
      "Record {record, number} has {given, plural, one {# value} other {# values}} of {feature}, but shape [{shape}] takes {wanted, number}.",
    wrongKind: "Record {record, number} has {given} values of {feature}, not {wanted}.",
    wrongDtype: "The records have {given} values, but {node} takes {wanted}.",
    wrongShape: "The records give shape [{given}], but {node} takes {wanted}.",
    wrongShapeInBatches:
      "The records give shape [{given}] in batches of {size, number}, but {node} takes {wanted}.",
  },
  runInputs: {
    nothingToRun: "There is nothing to run.",
    emptyGraph: {
      reason: "The graph is empty.",
      remedy: "Add ops from the Ops tab, or open a graph.",
    },
    onlyEffects: {
      reason: "The graph ends only in operations that save, restore, initialize or report.",
      remedy: "Choose what to run in the inspector, or select a node and fetch its output.",
    },
    notFed: {
      message: "The placeholder {node} has no value.",
      remedy: "Select {node} and type a value, or choose a .npy, .npz or CSV file.",
    },
  },
  runnableNames: {
    noNode: "The graph has no node {node}.",
    onlyEffect: "{node} has no value. Write ^{node} to run it for its effect.",
    noOutput: "{node} has no value {output, number} that could be fetched.",
  },
  shapeFixes: {
    flag: "Transpose {input}",
    transpose: "Insert a Transpose of {input}",
    reshape: "Reshape {input} to {shape}",
  },
  values: {
    opaque: "A {dtype} has no value that can be typed.",
    quoted: '"{text}" is text, but the dtype is {dtype}.',
    noBool: "{text} is neither true nor false.",
    outOfRange: "{text} does not fit {dtype}, which holds {min} to {max}.",
    noInteger: "{text} is not a whole number, but the dtype is {dtype}.",
    noNumber: "{text} is not a number, but the dtype is {dtype}.",
    noComplex: "{text} is not a complex number; write it as 1+2j.",
  },
} as const;
