import { Ajv2019 } from "ajv/dist/2019.js";
import { type IPod, Pod } from "kubernetes-models/v1/Pod";
import { describe, expect, test } from "vitest";
import { parseAllDocuments, stringify } from "yaml";
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

  test("a compose file with anchors that are merged, as Compose merges them", () => {
    expect(
      read(`
x-node: &node {image: x, expose: ["3333"]}
services:
  ps-0: {<<: *node, command: python server.py ps 0}
  worker-0: {<<: [*node]}
`),
    ).toEqual({ ps: ["ps-0:3333"], worker: ["worker-0:3333"] });
    expect(
      read(`
x-shared: &shared
  TF_CONFIG: '{"cluster": {"chief": ["alpha:4000"], "worker": ["beta:4001"]}}'
services:
  alpha: {environment: {<<: *shared, ROLE: chief}}
  beta: {environment: {<<: *shared, ROLE: worker}}
`),
    ).toEqual({ chief: ["alpha:4000"], worker: ["beta:4001"] });
  });

  test("a compose file whose commands stand in a shell's script", () => {
    const cluster = { ps: ["params:2220"], worker: ["a:2221", "b:2221"] };
    expect(
      read(`
services:
  params:
    command: bash -c "pip install -q pandas && exec python m.py --ps_hosts=params:2220 --worker_hosts=a:2221,b:2221; true"
`),
    ).toEqual(cluster);
    expect(
      read(`
services:
  params:
    entrypoint: ["/bin/sh", "-c"]
    command:
      - |
        cd /app # it's here
        python m.py --ps_hosts params:2220 \\
          --worker_hosts a:2221,b:2221 --job_name ps
`),
    ).toEqual(cluster);
    const started = (index: number) =>
      `sh -c "TF_CONFIG='{\\"cluster\\":{\\"worker\\":[\\"a:1\\",\\"b:2\\"]},\\"task\\":{\\"type\\":\\"worker\\",\\"index\\":${index}}}' python t.py"`;
    const imported = importCluster(
      `services:\n  a:\n    command: ${started(0)}\n  b:\n    command: ${started(1)}\n`,
    );
    expect(imported.source).toBe("compose");
    expect(imported.cluster.asDict()).toEqual({ worker: ["a:1", "b:2"] });
  });

  test("a compose file whose tasks are told by --job_name, with any name", () => {
    expect(
      read(`
services:
  alpha: {expose: ["1"], command: tensordeck worker --job_name=reader --task_index=0}
  beta: {expose: ["2"], command: [tensordeck, worker, --job_name, reader, --task_index, "1"]}
`),
    ).toEqual({ reader: ["alpha:1", "beta:2"] });
  });

  test("a compose file as docker compose config prints it in JSON", () => {
    expect(
      read('{"name": "lab", "services": {"ps-0": {"expose": ["2222"]}, "redis-1": {"image": "redis"}}}'),
    ).toEqual({
      ps: ["ps-0:2222"],
    });
  });

  test("says where the cluster was read and which ports were assumed", () => {
    const notes = (text: string) => importCluster(text).notes.join(" ");
    expect(notes("services: {worker-0: {expose: ['1']}, worker-1: {image: x}}")).toMatch(
      /names of the services.* Port 2222 is assumed for worker-1: the file names none\.$/,
    );
    expect(notes("services: {a: {command: 'x --ps_hosts=a:1'}}")).toMatch(/--ps_hosts/);
    expect(notes("kind: TFJob\nmetadata: {name: a}\nspec: {tfReplicaSpecs: {PS: {}}}")).toMatch(
      /PS has no port/,
    );
    expect(notes('{"worker": ["a:1"]}')).toBe("");
  });

  test("a TFJob as kubectl get prints it, in a list and in JSON", () => {
    const job = {
      apiVersion: "kubeflow.org/v1",
      kind: "TFJob",
      metadata: { name: "digits", namespace: "ml" },
      spec: { tfReplicaSpecs: { PS: { replicas: 1 }, Worker: { replicas: 2 } } },
    };
    const cluster = {
      ps: ["digits-ps-0.ml.svc:2222"],
      worker: ["digits-worker-0.ml.svc:2222", "digits-worker-1.ml.svc:2222"],
    };
    expect(read(JSON.stringify(job))).toEqual(cluster);
    expect(read(stringify({ apiVersion: "v1", kind: "List", items: [job] }))).toEqual(cluster);
    expect(() => read(JSON.stringify({ kind: "TFJobList", items: [job, job] }))).toThrow(/2 TFJobs/);
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
    const value = '{"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 0}}';
    expect(read(`TF_CONFIG='${value}' python train.py`)).toEqual(cluster);
    expect(read(`${line(0)}\npython train.py\n`)).toEqual(cluster);
    expect(
      read(`# one worker's start\nexport TF_CONFIG="${value.replaceAll('"', '\\"')}"\npython train.py`),
    ).toEqual(cluster);
    expect(read(`TF_CONFIG=${value}`)).toEqual(cluster);
  });

  test("scripts that start tasks with --ps_hosts and --worker_hosts", () => {
    const start = (job: string) =>
      `python m.py --ps_hosts=a:1 --worker_hosts "b:1,c:1" --job_name=${job} &\n`;
    expect(read(`#!/bin/sh\n${start("ps")}${start("worker")}wait\n`)).toEqual({
      ps: ["a:1"],
      worker: ["b:1", "c:1"],
    });
    expect(() => read(`${start("ps")}python m.py --ps_hosts=other:1\n`)).toThrow(/several clusters/);
    expect(() => read("python m.py --worker_hosts=$HOSTS\n")).toThrow(/variable \$HOSTS/);
  });

  test("a Compose file of 50,000 services is read", () => {
    const services = Array.from({ length: 50_000 }, (_, index) => `  worker-${index}:\n    image: t\n`);
    const { worker } = read(`services:\n${services.join("")}`);
    expect(worker).toHaveLength(50_000);
    expect(worker?.[49_999]).toBe("worker-49999:2222");
  });

  test.each([
    ["", /describes no cluster/],
    ["hello", /describes no cluster/],
    ["a: [", /neither JSON nor YAML/],
    ["kind: TFJob\nmetadata: {name: a}\n", /tfReplicaSpecs/],
    ["kind: TFJob\nmetadata: {name: a}\nspec: {tfReplicaSpecs: {Cook: {}}}\n", /type Cook/],
    ["services: {db: {image: x}}", /No service/],
    ["services: {redis-1: {image: redis}, db2: {image: x}}", /No service/],
    ["services: {worker-0: {image: x}, worker0: {image: x}}", /worker-0 and worker0 are both worker\/0/],
    [
      "services: {a: {environment: {TF_CONFIG: '$TF'}}}",
      /the variable \$TF\. Write the value .*docker compose config/,
    ],
    [
      `services:
  a: {environment: {TF_CONFIG: '{"cluster": {"worker": ["a:1"]}}'}}
  b: {environment: {TF_CONFIG: '{"cluster": {"worker": ["b:1"]}}'}}`,
      /services a and b have different clusters/,
    ],
    ["services: {ps-0: {image: x}, ps-0: {image: y}}", /The key "ps-0" is given twice/],
    [
      "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c, *c, *c, *c, *c, *c, *c]",
      /neither JSON nor YAML|no cluster/,
    ],
  ])("refuses %j", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});
