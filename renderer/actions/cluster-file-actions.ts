/** Files that describe a cluster, of Tensordeck or of another system, are shown in the table's import. */
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { pickFile } from "./file-actions.js";

const words = texts.actions.clusterFileActions;

export const CLUSTER_EXTENSIONS = ["yaml", "yml", "json", "sh"] as const;
const CLUSTER_FILE = new RegExp(`\\.(${CLUSTER_EXTENSIONS.join("|")})$`, "i");

/** Whether a file is one by its name. */
export function isClusterFile(name: string): boolean {
  return CLUSTER_FILE.test(name);
}

/** Asks for a file and shows what importing it would change. Rejects with a ProblemError if it cannot be read. */
export async function chooseClusterFile(): Promise<void> {
  const path = await pickFile({ mode: "open", title: words.choose, extensions: CLUSTER_EXTENSIONS });
  if (path !== undefined) await openClusterFile(path);
}

/** Rejects with a ProblemError if the file cannot be read. */
export async function openClusterFile(path: string): Promise<void> {
  uiActions.open({ kind: "cluster-table", file: await client().call("files.readText", { path }) });
}

/** A file that the browser holds. */
export async function openDroppedCluster(file: File): Promise<void> {
  uiActions.open({ kind: "cluster-table", file: { name: file.name, text: await file.text() } });
}
