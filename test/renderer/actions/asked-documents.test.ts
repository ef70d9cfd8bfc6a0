/** Documents that the system asks for, before the window has its tabs and later. */
import { afterEach, expect, test, vi } from "vitest";
import type { ApplicationClient } from "../../../main/api/contract.js";
import type { DocumentFile } from "../../../main/api/documents.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { openAskedFromNowOn, receiveAsked } from "../../../renderer/actions/asked-documents.js";
import { closeSession, openSessions } from "../../../renderer/stores/document-session.js";
import { setClient } from "../../../renderer/transport/client.js";

const waiting: string[] = [];
const call = vi.fn(async (method: string, params: unknown): Promise<unknown> => {
  if (method === "app.takeAskedDocuments") return waiting.splice(0);
  const { path } = params as { path: string };
  const file: DocumentFile = {
    ...{ name: path.slice(1), path, sourceId: path, kind: "meta_graph", format: "text" },
    metaGraph: MetaGraphDef.encode(MetaGraphDef.fromPartial({})).finish(),
  };
  return file;
});

afterEach(() => {
  for (const session of openSessions()) closeSession(session);
});

const opened = () =>
  call.mock.calls
    .filter(([method]) => method === "documents.open")
    .map(([, params]) => (params as { readonly path: string }).path);

test("those that come early wait for the window's own tabs, later ones are opened at once", async () => {
  setClient({ call, on: () => () => undefined } as unknown as ApplicationClient);
  waiting.push("/a.pbtxt", "/b.pb");
  receiveAsked({ waiting: 2 });
  expect(call).not.toHaveBeenCalled();
  await openAskedFromNowOn();
  expect(opened()).toEqual(["/a.pbtxt", "/b.pb"]);
  receiveAsked({ waiting: 0 });
  expect(opened()).toHaveLength(2);
  waiting.push("/c.onnx");
  receiveAsked({ waiting: 1 });
  await vi.waitFor(() => expect(opened()).toHaveLength(3));
});
