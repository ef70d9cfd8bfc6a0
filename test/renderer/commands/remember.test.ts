import { expect, it, vi } from "vitest";
import { missingTasks } from "../../../renderer/actions/graph-tasks.js";
import { clusterCommands } from "../../../renderer/commands/cluster-commands.js";
import { remember } from "../../../renderer/commands/remember.js";
import { useApp } from "../../../renderer/stores/app-store.js";

vi.mock("../../../renderer/actions/graph-tasks.js", async (original) => {
  const actual = await original<typeof import("../../../renderer/actions/graph-tasks.js")>();
  return { ...actual, missingTasks: vi.fn(actual.missingTasks) };
});

it("works an answer out again only when it is asked about something else", () => {
  const work = vi.fn((one: object, other: object) => [one, other]);
  const asked = remember(work);
  const [a, b] = [{}, {}];
  expect(asked(a, b)).toBe(asked(a, b));
  expect(work).toHaveBeenCalledTimes(1);
  expect(asked(b, a)).toEqual([b, a]);
  expect(asked(a, b)).toEqual([a, b]);
  expect(work).toHaveBeenCalledTimes(3);
});

it("a change that is not of the graph or the tasks goes through no node", () => {
  useApp.setState({ connection: "connected" });
  clusterCommands.startMissing.now();
  vi.mocked(missingTasks).mockClear();
  useApp.setState({ connection: "lost" });
  expect(clusterCommands.startMissing.now().reason).toBe("Not connected to Tensordeck.");
  expect(missingTasks).not.toHaveBeenCalled();
});
