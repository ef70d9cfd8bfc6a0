/** Ops whose kernels allocate nothing: what they put out was there before the step. */
export const opsWithoutAllocation: ReadonlySet<string> = new Set([
  "Const",
  "ReadVariableOp",
  "VarHandleOp",
  "_Arg",
]);
