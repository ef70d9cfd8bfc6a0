/** Something that has to work on a platform. */
export interface Check {
  readonly name: string;
  /** Rejects with what went wrong. */
  run(): Promise<void>;
}
