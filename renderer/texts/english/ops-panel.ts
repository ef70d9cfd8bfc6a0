export const opsPanel = {
  opsPanel: {
    reading: "Reading the op list…",
    unreadable: "The op list could not be read.",
    search: "Search ops",
    searchAll: "Search {count, number} ops",
    found: "{matches, number} of {all, number}",
    list: "Ops of {source}",
    nothingFound: "No op has “{wanted}” in its name or its help.",
    matches: "{matches, number} of {count, number}",
    asLayer: "a block with its variables",
  },
  opCard: {
    stateful: "keeps state",
    deprecated: "deprecated",
    howTo: "Drag onto the canvas, or Enter to add beside the selection",
    docs: "Docs",
  },
  functionList: {
    label: "Functions of the graph",
    heading: "Functions",
    notCalled: "not called",
    calls: "{count, plural, one {# call} other {# calls}}",
  },
  opRows: {
    favourites: "Favourites",
    recentlyUsed: "Recently used",
    layers: "Layers",
  },
} as const;
