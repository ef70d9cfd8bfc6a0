import { expect, it } from "vitest";
import type { ApplicationClient } from "../../../main/api/contract.js";
import { startRun } from "../../../renderer/actions/run-actions.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { setClient } from "../../../renderer/transport/client.js";
import { binary, documentOf, placeholder } from "../document/graphs.js";
import { openDocument } from "../support/documents.js";

it("a run that several things prevent names the first and the next of them", async () => {
  const calls: string[] = [];
  setClient({
    call: async (method: string) => void calls.push(method),
    on: () => () => undefined,
    onConnection: () => () => undefined,
  } as unknown as ApplicationClient);
  const inputs = ["p", "q", "r"].map((name) => placeholder(name));
  openDocument(documentOf([...inputs, binary("s", "AddV2", "p", "q"), binary("z", "AddV2", "s", "r")]));
  await startRun(1);
  const [notice] = useApp.getState().notices;
  expect(notice?.problem).toMatchObject({
    message: "The placeholder p has no value.",
    reason: "2 more things keep the graph from running; the first of them: The placeholder q has no value.",
  });
  expect(calls).not.toContain("runs.start");
});
