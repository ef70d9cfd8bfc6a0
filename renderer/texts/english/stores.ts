export const stores = {
  documentActions: {
    arrange: "Arrange the graph",
  },
  documentState: {
    untitled: "untitled",
    untitledWithNumber: "untitled {count, number}",
  },
  runtimeStore: {
    cancelled: "The installation was cancelled. Nothing of it was kept.",
  },
} as const;
