/** The searched locations of a library, in order of preference. */
export const runtimeSources = ["explicit", "installed", "npm", "python", "system"] as const;
export type RuntimeSource = (typeof runtimeSources)[number];

/** The files that make up one libtensorflow, as they are passed to the loader. */
export interface LibraryFiles {
  /** The library that has TF_NewServer, an absolute path. */
  readonly path: string;
  /** Libraries to load before it, in this order, with their symbols visible to those that follow. */
  readonly preload: readonly string[];
  /** Libraries to load before all of these when the task is to use a GPU; they cost 200 MB. */
  readonly gpuPreload: readonly string[];
}

/** A library that looks usable: it exists and is built for this machine. It has not been loaded yet. */
export interface LocatedRuntime extends LibraryFiles {
  readonly source: RuntimeSource;
  /** Its origin, in words: "installed by Tensordeck", "Python's tensorflow package in …". */
  readonly origin: string;
}

/** A libtensorflow that was loaded once, in a separate process, and has everything that a worker needs. */
export interface RuntimeCandidate extends LocatedRuntime {
  /** TF_Version's answer: "2.21.0". */
  readonly version: string;
  /** True for a library that was built with CUDA or ROCm. Whether a GPU can be used is another question. */
  readonly gpu: boolean;
}

/** A library that was found and cannot be used. */
export interface RejectedRuntime {
  readonly path: string;
  readonly source: RuntimeSource;
  readonly origin: string;
  /** Why, and what to do, as a sentence for the user. */
  readonly reason: string;
}
