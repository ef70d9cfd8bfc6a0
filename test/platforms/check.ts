/** Something that has to work on a platform. */
export interface Check {
  readonly name: string;
  /** Rejects with what went wrong. */
  run(): Promise<void>;
}

/** This machine cannot be made to run programs of the platform, whatever is installed on it. */
export class NotPossibleHere extends Error {}

/** A platform's checks, which follow each other; `dispose` ends what they have started. */
export interface PlatformChecks {
  readonly checks: readonly Check[];
  dispose(): Promise<void>;
}
