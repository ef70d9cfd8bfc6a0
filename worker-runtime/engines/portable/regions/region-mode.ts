/**
 * Which nodes ONNX Runtime runs: none, those for which it is faster than kernels, or all that it can, for which steps
 * wait (for tests).
 */
export type RegionMode = "off" | "auto" | "always";
