/** The folders that graphs may read and write: a graph can come from anyone who reaches the port. */
export interface FileAccess {
  /**
   * The path as it may be opened, symbolic links resolved.
   * @throws TensorFlowError PERMISSION_DENIED for a path outside of the folders that the user allowed, saying how to
   *   allow it; UNIMPLEMENTED for other file systems ("gs://").
   */
  resolve(path: string, purpose: "read" | "write"): Promise<string>;
}
