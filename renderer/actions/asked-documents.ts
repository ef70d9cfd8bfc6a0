/** Opens the documents that the system has asked for: double-clicked files, arguments, links. */

import type { EventData } from "../../main/api/contract.js";
import { attempt } from "../stores/app-store.js";
import { inShown } from "../stores/document-session.js";
import { client } from "../transport/client.js";
import { openDocument } from "./open-actions.js";

/** Before the window has its own tabs, an opened document would be covered by them. */
let ready = false;

export function receiveAsked({ waiting }: EventData<"askedDocuments">): void {
  if (ready && waiting > 0) attempt(openAsked);
}

/** Opens those that came before the window was there, and from then on each at once. */
export async function openAskedFromNowOn(): Promise<void> {
  ready = true;
  await openAsked();
}

async function openAsked(): Promise<void> {
  for (const path of await client().call("app.takeAskedDocuments")) {
    await inShown(() => openDocument(path));
  }
}
