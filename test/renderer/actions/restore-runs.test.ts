// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from "vitest";
import type { RunUpdate } from "../../../main/api/runs.js";
import { restoreRuns } from "../../../renderer/actions/restore-runs.js";
import { activeSession, inSession, openSession } from "../../../renderer/stores/document-session.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useDocumentRun } from "../../../renderer/stores/run-store.js";
import { welcome } from "../document/graphs.js";
import { calls, connect } from "../support/components.js";
import { openDocument, runOf } from "../support/documents.js";

/** The application keeps these runs, the newest first. */
function keep(runs: readonly RunUpdate[]): void {
  connect({
    "runs.history": runs,
    "runs.kept": ({ runId }: { readonly runId: string }) => runs.find((run) => run.runId === runId),
  });
}

const shownIn = (session = activeSession()) => useDocumentRun.of(session).getState();

beforeEach(() => openDocument({ ...welcome(), id: "first" }));

describe("after the page was loaded again", () => {
  it("every tab shows the newest run of its document, also where another one ran later", async () => {
    const first = activeSession();
    const run = runOf({ runId: "r1" });
    const second = openSession({ background: true });
    const other = inSession(second, () => {
      openDocument({ ...welcome(), id: "second" });
      return runOf({ runId: "r2" });
    });
    keep([other, run, { ...run, runId: "r0" }]);
    await restoreRuns();
    expect(shownIn(first)).toMatchObject({ latest: run, runRevision: useDocument.getState().revision });
    expect(shownIn(second).latest).toBe(other);
  });

  it("values of a state that was edited since are those from before the edit", async () => {
    const run = runOf();
    documentActions.rename("z", "sum");
    keep([run]);
    await restoreRuns();
    expect(shownIn().latest).toBe(run);
    expect(shownIn().runRevision).not.toBe(useDocument.getState().revision);
  });

  it("a run of the window itself stays, and those of other documents are not shown", async () => {
    const run = runOf();
    keep([{ ...run, origin: { id: "elsewhere", document: "welcome", digest: "" } }]);
    await restoreRuns();
    expect(shownIn().latest).toBeUndefined();
    useDocumentRun.setState({ latest: run, runRevision: useDocument.getState().revision });
    calls.length = 0;
    await restoreRuns();
    expect(shownIn().latest).toBe(run);
    expect(calls).toEqual([]);
  });
});
