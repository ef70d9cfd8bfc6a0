// @vitest-environment happy-dom
import { act, screen, within } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import type { RunUpdate } from "../../../main/api/runs.js";
import { DocumentTabs, showDocument } from "../../../renderer/app/document-tabs.js";
import {
  activeSession,
  openSession,
  openSessions,
  useActiveSession,
} from "../../../renderer/stores/document-session.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useDocumentRun } from "../../../renderer/stores/run-store.js";
import { TabPanel, Tabs } from "../../../renderer/ui/tabs.js";
import { connect, expectAccessible, focusOn, show } from "../support/components.js";

function load(path: string): void {
  const name = path.split("/").at(-1) ?? "";
  documentActions.load({ name, path, kind: "meta_graph", format: "text", metaGraph: new Uint8Array(0) });
}

function Bar() {
  const id = String(useActiveSession().id);
  return (
    <Tabs selected={id} onSelect={showDocument} manual>
      <div>
        <DocumentTabs />
        <TabPanel id={id}>The graph</TabPanel>
      </div>
    </Tabs>
  );
}

const bar = () => screen.queryByRole("tablist", { name: "Open documents" });
const tabs = () => within(screen.getByRole("tablist")).getAllByRole("tab");
const shownName = () => useDocument.getState().document.name;

beforeEach(() => connect());

/** Three documents, of which the last is shown; two have the same name. */
function openThree(): void {
  load("/models/one/graph.pb");
  openSession();
  load("/models/two/graph.pb");
  openSession();
  load("/models/other.pb");
}

it("there is no bar while one document is open", () => {
  load("/models/one/graph.pb");
  show(<Bar />);
  expect(bar()).toBeNull();
});

it("tabs tell documents of one name apart, and what is not saved, runs or failed", async () => {
  openThree();
  const [one = activeSession(), two = activeSession()] = openSessions();
  useDocument.of(one).setState({ dirty: true });
  useDocumentRun.of(one).setState({ latest: { state: "running" } as RunUpdate });
  useDocumentRun.of(two).setState({ latest: { state: "failed" } as RunUpdate });
  show(<Bar />);
  expect(tabs().map((tab) => tab.textContent)).toEqual([
    "graph.pbonehas unsaved changes",
    "graph.pbtwo",
    "other.pb",
  ]);
  expect(screen.getByRole("tab", { name: /^running graph\.pb/ })).toBe(tabs()[0]);
  expect(screen.getByRole("tab", { name: /^run failed graph\.pb/ })).toBe(tabs()[1]);
  expect(screen.getByRole("tab", { selected: true })).toBe(tabs()[2]);
  await expectAccessible();
});

it("arrow keys move between tabs without showing them; Enter shows, Delete closes", async () => {
  openThree();
  const { user } = show(<Bar />);
  const [, second, third] = tabs();
  if (!second || !third) throw new Error("There are three tabs.");
  focusOn(third);
  await user.keyboard("{ArrowLeft}");
  expect(document.activeElement).toBe(second);
  expect(shownName()).toBe("other.pb");
  await user.keyboard("{Delete}");
  expect(openSessions()).toHaveLength(2);
  focusOn(tabs()[0] ?? third);
  await user.keyboard("{Enter}");
  expect(shownName()).toBe("graph.pb");
});

it("a click shows a document, and the middle button closes it", async () => {
  openThree();
  const { user } = show(<Bar />);
  const [first] = tabs();
  if (!first) throw new Error("There are three tabs.");
  await user.click(first);
  expect(shownName()).toBe("graph.pb");
  await user.pointer({ keys: "[MouseMiddle]", target: first });
  expect(openSessions()).toHaveLength(2);
});

it("a right click offers what can be done with that tab", async () => {
  openThree();
  const { user } = show(<Bar />);
  const [first] = tabs();
  if (!first) throw new Error("There are three tabs.");
  await user.pointer({ keys: "[MouseRight]", target: first });
  await user.click(await screen.findByRole("menuitem", { name: /^Close the others/ }));
  await act(async () => undefined);
  expect(openSessions()).toHaveLength(1);
  expect(shownName()).toBe("graph.pb");
});
