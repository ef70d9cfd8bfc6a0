/** Runs Python scripts as tasks of the cluster. */
import type { ScriptJob, ScriptRequest } from "../../main/api/scripts.js";
import { useScripts } from "../stores/script-store.js";
import { type DialogState, uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { pathOfFile } from "../transport/file-paths.js";
import { pickFile } from "./file-actions.js";

const words = texts.actions.scriptActions;

/** Asks for a script, then for how it is to be run. */
export async function chooseScript(): Promise<void> {
  await pickScript(words.choose);
}

/** Asks for another script; the dialog is as it was if the user cancels. */
export async function chooseOtherScript(current: Extract<DialogState, { kind: "script" }>): Promise<void> {
  if (!(await pickScript(words.choose))) uiActions.open(current);
}

/** A script that was dropped on the window. A browser does not tell where the file is, so the user does. */
export async function openDroppedScript(file: File): Promise<void> {
  const path = pathOfFile(file);
  if (path === undefined) await pickScript(words.whereIs({ name: file.name }));
  else openScript(path);
}

/** Asks how a script is to be run; as the newest job of it was, if there is one. */
export function openScript(path: string): void {
  const before = useScripts.getState().jobs.find(({ request }) => request.path === path);
  uiActions.open({ kind: "script", path, ...(before && { request: before.request }) });
}

/** Begins a job and shows it. Rejects with a ProblemError. */
export async function startScript(request: ScriptRequest): Promise<void> {
  const id = await client().call("scripts.start", request);
  useScripts.setState({ chosen: id });
  uiActions.showDock("scripts");
}

/** Ends all tasks; a second time by force. */
export async function stopScript({ id }: Pick<ScriptJob, "id">): Promise<void> {
  await client().call("scripts.stop", { jobId: id });
}

export async function forgetScript({ id }: Pick<ScriptJob, "id">): Promise<void> {
  await client().call("scripts.forget", { jobId: id });
}

async function pickScript(title: string): Promise<boolean> {
  const path = await pickFile({ mode: "open", title, extensions: ["py"] });
  if (path === undefined) return false;
  openScript(path);
  return true;
}
