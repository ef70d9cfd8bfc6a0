const random = "random numbers";
const rows = "reads rows of a table, which a session would be given as a whole";
const passedOn = "passes a value on that nothing in its region needs";

/** The ops of these networks that kernels run although ONNX Runtime runs all regions, and why, besides `runByKernels`. */
export const networkKernels: Readonly<Record<string, string>> = {
  CTCLoss: "its loops over elements depend on each other",
  ComputeAccidentalHits: "finds which of the sampled classes are labels: as many as there happen to be",
  IdentityN: passedOn,
  LogUniformCandidateSampler: random,
  Multinomial: random,
  RandomStandardNormal: random,
  RandomUniform: random,
  RandomUniformInt: random,
  ResourceGather: rows,
  SparseToDense: "of indices that are not validated: of two equal ones, the last would have to win",
  StopGradient: passedOn,
  Unique: "the size of its result depends on values",
  VariableV2: "a reference",
};
