import { Ajv2019 } from "ajv/dist/2019.js";
import { type IPod, Pod } from "kubernetes-models/v1/Pod";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { importCluster } from "../../../../worker-runtime/cluster/orchestrators/import-cluster.js";
import { textOf } from "./clusters.js";
import { tfJobSchema } from "./envelope-schemas.js";

const read = (text: string) => importCluster(text, "file").cluster.asDict();

describe("what exports write is read back", () => {
  test.each([
    ["compose", { ps: ["ps-0:2222"], worker: ["worker-0:2222", "worker-1:2222"] }],
    [
      "kubernetes",
      {
        ps: ["tensordeck-ps-0.tensordeck-ps:2222"],
        worker: ["tensordeck-worker-0.tensordeck-worker:2222", "tensordeck-worker-1.tensordeck-worker:2222"],
      },
    ],
    [
      "tfjob",
      {
        ps: ["tensordeck-ps-0.default.svc:2222"],
        worker: ["tensordeck-worker-0.default.svc:2222", "tensordeck-worker-1.default.svc:2222"],
      },
    ],
    ["shell", { ps: ["gpu-pc:2222"], worker: ["gpu-pc:2223", "raspberrypi:2222"] }],
  ] as const)("%s", (target, cluster) => {
    const imported = importCluster(textOf(target), "file");
    expect(imported.source).toBe(target);
    expect(imported.cluster.asDict()).toEqual(cluster);
  });
});

describe("files of others", () => {
  test("a compose file with TF_CONFIG in a list of variables", () => {
    expect(
      read(`
services:
  trainer:
    image: x
    environment:
      - A=b
      - TF_CONFIG={"cluster":{"worker":["trainer:1"]},"task":{"type":"worker","index":0}}
  database: {image: y}
`),
    ).toEqual({ worker: ["trainer:1"] });
  });

  test("a compose file whose commands name the hosts", () => {
    expect(
      read(`
services:
  a: {image: x, command: "python train.py --job_name=ps --ps_hosts=a:1 --worker_hosts b:1,c:1"}
`),
    ).toEqual({ ps: ["a:1"], worker: ["b:1", "c:1"] });
  });

  test("a compose file with nothing but names and ports", () => {
    expect(
      read(`
services:
  ps0: {image: x, expose: ["2300"]}
  worker_0: {image: x, ports: ["127.0.0.1:9000:2301/tcp"]}
  worker_1: {image: x, ports: [{target: 2302}]}
  worker_2: {image: x}
`),
    ).toEqual({ ps: ["ps0:2300"], worker: ["worker_0:2301", "worker_1:2302", "worker_2:2222"] });
  });

  test("a TFJob among other manifests, with a port of its own and an evaluator", () => {
    const text = `
apiVersion: v1
kind: Namespace
metadata: {name: tf}
---
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: mnist, namespace: tf}
spec:
  tfReplicaSpecs:
    Chief: {template: {spec: {containers: [{name: tensorflow, image: x}]}}}
    Worker:
      replicas: 2
      template:
        spec:
          containers:
            - {name: tensorflow, image: x, ports: [{name: tfjob-port, containerPort: 3333}]}
    Evaluator: {replicas: 1, template: {spec: {containers: [{name: tensorflow, image: x}]}}}
`;
    // As the operator, and Kubernetes, would take it.
    const job = parseAllDocuments(text).at(-1)?.toJS() as {
      spec: { tfReplicaSpecs: Record<string, { template: Omit<IPod, "apiVersion" | "kind"> }> };
    };
    expect(new Ajv2019({ strict: false }).validate(tfJobSchema, job)).toBe(true);
    for (const { template } of Object.values(job.spec.tfReplicaSpecs)) new Pod(template).validate();
    expect(read(text)).toEqual({
      chief: ["mnist-chief-0.tf.svc:2222"],
      worker: ["mnist-worker-0.tf.svc:3333", "mnist-worker-1.tf.svc:3333"],
    });
  });

  test("a TFJob whose types of replicas are written in small letters, which the operator takes as well", () => {
    const job = "kind: TFJob\nmetadata: {name: a}\nspec: {tfReplicaSpecs: {chief: {}, ps: {replicas: 2}}}\n";
    expect(read(job)).toEqual({
      chief: ["a-chief-0.default.svc:2222"],
      ps: ["a-ps-0.default.svc:2222", "a-ps-1.default.svc:2222"],
    });
  });

  test("scripts and lines that set TF_CONFIG, and the cluster's own file", () => {
    const line = (index: number) =>
      `export TF_CONFIG='{"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": ${index}}}'`;
    const cluster = { worker: ["a:1", "b:1"] };
    expect(read(`#!/bin/sh\ncd /x\n${line(0)}\n${line(1)}\n`)).toEqual(cluster);
    expect(read(line(1))).toEqual(cluster);
    expect(read('{"worker": ["a:1", "b:1"]}')).toEqual(cluster);
  });

  test.each([
    ["", /describes no cluster/],
    ["hello", /describes no cluster/],
    ["a: [", /neither JSON nor YAML/],
    ["kind: TFJob\nmetadata: {name: a}\n", /tfReplicaSpecs/],
    ["kind: TFJob\nmetadata: {name: a}\nspec: {tfReplicaSpecs: {Cook: {}}}\n", /type Cook/],
    ["services: {db: {image: x}}", /No service/],
    ["services: {a: {environment: {TF_CONFIG: '$TF'}}}", /variable that Compose replaces/],
    [
      `services:
  a: {environment: {TF_CONFIG: '{"cluster": {"worker": ["a:1"]}}'}}
  b: {environment: {TF_CONFIG: '{"cluster": {"worker": ["b:1"]}}'}}`,
      /services a and b have different clusters/,
    ],
    [
      "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c, *c, *c, *c, *c, *c, *c]",
      /neither JSON nor YAML|no cluster/,
    ],
  ])("refuses %j", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});
