/** The pages for users: what there is, and their texts, which are Markdown. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { builtFile } from "../../worker-runtime/engines/package-root.js";
import { problem } from "../shared/problems.js";

export interface GuideEntry {
  /** The name of its folder. */
  readonly name: string;
  /** One sentence that says whom it helps. */
  readonly summary: string;
}

/** In the order in which they are listed. */
export const GUIDES: readonly GuideEntry[] = [
  { name: "first-steps", summary: "The first five minutes: a graph on two workers, and a script on them." },
  { name: "raspberry-pi", summary: "A PC with a GPU computes for a Raspberry Pi, in five commands." },
  { name: "clusters", summary: "Which kind of cluster to use, and who can reach it." },
  { name: "troubleshooting", summary: "From what you see to what it means and what to do." },
];

/** A guide's title: the heading of its first line. */
export function titleOf(text: string): string {
  return /^# (.*)/.exec(text)?.[1] ?? "";
}

/**
 * A guide's text.
 * @throws ProblemError NOT_FOUND if there is no guide of that name; TensorFlowError if the program was not built.
 */
export async function readGuide(name: string): Promise<string> {
  if (!GUIDES.some((guide) => guide.name === name)) throw problem("NOT_FOUND", `There is no guide ${name}.`);
  return await readFile(builtFile("main", join("help", name, "README.md")), "utf8");
}
