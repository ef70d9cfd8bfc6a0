/**
 * Ops that only ask whether a variable has a value. TensorFlow's replica_device_setter pins one of each variable to the
 * worker; it runs with the variable nevertheless, and nothing comes of it.
 */
export const ASKING: ReadonlySet<string> = new Set(["VarIsInitializedOp", "IsVariableInitialized"]);
