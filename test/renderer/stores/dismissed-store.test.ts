import { beforeEach, describe, expect, it } from "vitest";
import { CLUSTER_NOTICE, receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { dismiss, noticeKey, useDismissed } from "../../../renderer/stores/dismissed-store.js";
import { clusterOf } from "../support/cluster-states.js";

const notice = { code: "OK", message: "2 tasks were restarted." };
const key = noticeKey(CLUSTER_NOTICE, notice);
const isRead = (one = key) => useDismissed.getState().keys.has(one);

beforeEach(() => useDismissed.setState({ keys: new Set() }));

describe("a message that was put away", () => {
  it("stays away while the application goes on saying it, and comes back when it happens again", () => {
    dismiss(key);
    receiveCluster(clusterOf([], { notice }));
    expect(isRead()).toBe(true);
    receiveCluster(clusterOf([]));
    receiveCluster(clusterOf([], { notice }));
    expect(isRead()).toBe(false);
  });

  it("is another one for another task, another start and another reason", () => {
    dismiss(noticeKey("worker/0 1", notice));
    for (const other of [
      noticeKey("worker/1 1", notice),
      noticeKey("worker/0 2", notice),
      noticeKey("worker/0 1", { ...notice, reason: "worker/2 was added" }),
    ])
      expect(isRead(other)).toBe(false);
  });
});
