/** Areas that have to work with every TensorFlow, the test files that show it, and what an older one cannot do. */

export interface Area {
  readonly title: string;
  /** Test files, relative to the repository. */
  readonly files: readonly string[];
  /** They load the wheel's libtensorflow_cc. */
  readonly needsLibrary?: boolean;
}

/** Tests that an older TensorFlow itself cannot pass. */
export interface Limit {
  /** The first version that can. */
  readonly since: string;
  /** A pattern of the tests' full names. */
  readonly tests?: string;
  /** A test file, as in an area. */
  readonly file?: string;
  readonly why: string;
}

const interop = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `test/interop/${name}.test.ts`);

export const AREAS: readonly Area[] = [
  {
    title: "our client on its servers",
    files: interop("session", "session-failures", "session-propagation", "variables"),
  },
  {
    title: "engine `tensorflow` with its library",
    files: interop("server", "worker"),
    needsLibrary: true,
  },
  {
    title: "its scripts on portable tasks",
    files: interop("portable/user-scripts", "portable/scenarios", "python-scripts"),
  },
  { title: "portable tasks among its servers", files: interop("mixed-cluster", "portable/answering") },
  {
    title: "training with our library on its servers",
    files: interop("training-loop", "sync-replicas", "optimizers"),
  },
  { title: "checkpoints and event files", files: interop("run-checkpoints", "summaries") },
  {
    title: "SavedModels, graph files, Python scripts",
    files: interop("saved-model", "graph-files", "graph-scripts"),
  },
];

export const LIMITS: readonly Limit[] = [
  {
    since: "2.11",
    file: "test/interop/portable/scenarios.test.ts",
    why: "the scenarios' script calls what Keras' optimizers have only since then",
  },
  {
    since: "2.16",
    tests: "every dtype goes there and back u?(float8_\\w+|int4),",
    why: "a server ends when it is sent a dtype that it does not have: float8 and 4-bit integers",
  },
  {
    since: "2.20",
    tests: "is saved letter by letter as it was",
    why: "the Python package protobuf up to version 4 writes float32 values with the digits of a double; they are read as they should be and saved with fewer digits",
  },
];
