/** The pages for users: what there is, and their texts, which are Markdown. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { builtFile } from "../../worker-runtime/engines/package-root.js";
import type { GuideGroup } from "../api/app.js";
import { problem } from "../shared/problems.js";

export interface GuideEntry {
  readonly name: string;
  readonly group: GuideGroup;
  /** The heading of its first line unless given. */
  readonly title?: string;
  /** One sentence that says whom it helps. */
  readonly summary: string;
  /** Its file in the repository, from which its links lead; the folder of its name here unless given. */
  readonly path?: string;
}

/** In the order in which they are listed. */
export const GUIDES: readonly GuideEntry[] = [
  {
    name: "first-steps",
    group: "start",
    summary: "The first five minutes: a graph on two workers, and a script on them.",
  },
  { name: "clusters", group: "start", summary: "Which kind of cluster to use, and who can reach it." },
  {
    name: "troubleshooting",
    group: "start",
    summary: "From what you see to what it means and what to do.",
  },
  {
    name: "raspberry-pi",
    group: "scenarios",
    summary: "A PC with a GPU computes for a Raspberry Pi, in five commands.",
  },
  {
    name: "sum-over-workers",
    group: "scenarios",
    summary: "A sum over two workers and a parameter server, and where variables are.",
  },
  {
    name: "training",
    group: "scenarios",
    summary: "Layers on parameter servers, and the four forms of replicated training.",
  },
  {
    name: "shared-variables",
    group: "scenarios",
    summary: "Which sessions share a variable, and which task does the work.",
  },
  {
    name: "other-systems",
    group: "scenarios",
    summary: "Flags, TF_CONFIG, Docker, Kubernetes, Slurm, Marathon, Hadoop and Spark.",
  },
  {
    name: "window",
    group: "reference",
    summary: "Each part of the window: graphs, feeds, placement, runs, variables, training, export.",
  },
  {
    name: "architecture",
    group: "reference",
    summary: "How the parts of Tensordeck fit together.",
  },
  {
    name: "ops",
    group: "reference",
    title: "Ops of the portable engine",
    summary: "What the portable engine computes: every op and its dtypes.",
    path: "worker-runtime/engines/portable/README.md",
  },
  {
    name: "compatibility",
    group: "reference",
    summary: "Which versions of TensorFlow were tried, and with what result.",
    path: "test/compatibility/README.md",
  },
  {
    name: "security",
    group: "reference",
    summary: "What is protected, what is not, and how to report a vulnerability.",
    path: "SECURITY.md",
  },
  {
    name: "contributing",
    group: "reference",
    summary: "How to change Tensordeck: set-up, checks, conventions, glossary.",
    path: "CONTRIBUTING.md",
  },
];

/** A guide's file in the repository, with "/". */
export function pathOf({ name, path }: Pick<GuideEntry, "name" | "path">): string {
  return path ?? `main/help/${name}/README.md`;
}

/** A guide's title, without Markdown's marks. */
export function titleOf({ title }: Pick<GuideEntry, "title">, text: string): string {
  return title ?? (/^# (.*)/.exec(text)?.[1] ?? "").replaceAll("`", "");
}

/**
 * A guide's text.
 * @throws ProblemError NOT_FOUND if there is no guide of that name; TensorFlowError if the program was not built.
 */
export async function readGuide(name: string): Promise<string> {
  if (!GUIDES.some((guide) => guide.name === name)) throw problem("NOT_FOUND", `There is no guide ${name}.`);
  return await readFile(builtFile("main", join("help", name, "README.md")), "utf8");
}
