/** Edits of functions, and of nodes that become one or come out of one. */
export const functionEdits = {
  editFunction: {
    noFunction: "The graph has no function {name} any more.",
    notOfFunction: "A run fetches, feeds and runs nodes of the graph, not of a function that it calls.",
    generic:
      "{name} has types or numbers that each caller decides. It can be looked at here, but not edited.",
  },
  extractFunction: {
    label: "Extract {nodes} to {name}",
    typeNotKnown: "The type of {tensor} is not known.",
    runForAll:
      "A function does all that it does whenever it is called: {node} would be run for {exit}, too, which does not need it now. Leave one of them out of the selection.",
  },
  inlineFunction: {
    label: "Inline {name} in place of {node}",
    callsNone: "{node} calls no function of this graph.",
    empty: "{node} calls a function without nodes.",
    generic: "{name} has types or numbers of its own, which depend on its caller. It stays a function.",
    opNotKnown: "The op of {node}, {op}, is not known.",
    notConnected: "An input of {node} is not connected. Connect it first.",
    colocated: "{other} is to be on the device of {node}. Separate them first.",
    named: "A signature or a collection of the document names {node}.",
    fed: "A run feeds {node}. Remove the feed first.",
    taken: "A node is named {name} already. Rename it first.",
    effectLost:
      "The function does {node} whenever it is called; in its place, that would be done only if it is asked for. It stays a function.",
  },
} as const;
