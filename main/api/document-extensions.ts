/** Endings of the files that the window opens, without the dot. */
export const GRAPH_EXTENSIONS = ["pbtxt", "pb", "meta"] as const;

/** Besides graphs, models of Keras and ONNX, of which a graph is made. */
export const OPENED_EXTENSIONS = [...GRAPH_EXTENSIONS, "keras", "h5", "hdf5", "onnx"] as const;
