import { describe, expect, test } from "vitest";
import {
  clusterJson,
  parseClusterText,
  tfConfigJson,
  tfConfigLines,
} from "../../../worker-runtime/cluster/cluster-exchange.js";
import { ClusterSpec } from "../../../worker-runtime/cluster/cluster-spec.js";
import { TensorFlowError } from "../../../worker-runtime/protocol/status.js";

const cluster = ClusterSpec.from({ ps: ["a:1"], worker: ["b:1", "c:1"] });

describe("parseClusterText", () => {
  test("reads what it writes", () => {
    expect(parseClusterText(clusterJson(cluster)).asDict()).toEqual(cluster.asDict());
    expect(parseClusterText(tfConfigJson(cluster, "worker", 1)).asDict()).toEqual(cluster.asDict());
    const [, , line = ""] = tfConfigLines(cluster).split("# ");
    expect(parseClusterText(line.slice(line.indexOf("\n"))).asDict()).toEqual(cluster.asDict());
  });

  test("keeps an address without a port, which the table then shows", () => {
    expect(parseClusterText('{"worker": ["a:1", "b"]}').asDict()).toEqual({ worker: ["a:1", "b"] });
  });

  test("takes a job named cluster for a job", () => {
    expect(parseClusterText('{"cluster": ["a:1"]}').asDict()).toEqual({ cluster: ["a:1"] });
  });

  test.each(["", "worker: a", "[]", '{"worker": 3}', '{"cluster": {"worker": 3}}'])(
    "refuses %j with a reason",
    (text) => {
      expect(() => parseClusterText(text)).toThrow(TensorFlowError);
    },
  );
});

test("tfConfigLines has one line for each task", () => {
  expect(tfConfigLines(cluster).match(/^export TF_CONFIG=/gm)).toHaveLength(3);
  expect(tfConfigLines(cluster)).toContain("# /job:worker/task:1\n");
});
