/** The graphs that come with Tensordeck. */
import { create } from "zustand";
import type { Example } from "../../main/api/documents.js";

export interface ExampleStore {
  /** Empty until the application has responded. */
  readonly examples: readonly Example[];
}

export const useExamples = create<ExampleStore>()(() => ({ examples: [] }));

export function receiveExamples(examples: readonly Example[]): void {
  useExamples.setState({ examples });
}
