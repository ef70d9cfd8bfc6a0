import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { optionProblems } from "../../../../worker-runtime/cluster/orchestrators/export-options.js";
import { EXPORT_TARGETS } from "../../../../worker-runtime/cluster/orchestrators/export-targets.js";
import { shellWord, splitShellWords } from "../../../../worker-runtime/cluster/orchestrators/shell-words.js";
import { MUCH, textOf } from "./clusters.js";

function refusal(message: RegExp) {
  return expect.objectContaining({ codeName: "INVALID_ARGUMENT", message: expect.stringMatching(message) });
}

interface ComposeService {
  readonly image: string;
  readonly entrypoint: readonly string[];
  readonly environment: { readonly TF_CONFIG: string };
  readonly ports?: readonly string[];
  readonly deploy?: { readonly resources: unknown };
  readonly restart: string;
}

const servicesOf = (text: string) => (parse(text) as { services: Record<string, ComposeService> }).services;

describe("compose", () => {
  test("each task is a service that finds itself and the others in TF_CONFIG", () => {
    const services = servicesOf(textOf("compose"));
    expect(Object.keys(services)).toEqual(["ps-0", "worker-0", "worker-1"]);
    expect(JSON.parse(services["worker-1"]?.environment.TF_CONFIG ?? "")).toEqual({
      cluster: { ps: ["ps-0:2222"], worker: ["worker-0:2222", "worker-1:2222"] },
      task: { type: "worker", index: 1 },
    });
    expect(services["ps-0"]?.image).toBe("lab/tensordeck:1");
  });

  test("a ps gets no GPU, and published ports count up", () => {
    const services = servicesOf(textOf("compose", MUCH.compose));
    expect(services["ps-0"]?.deploy?.resources).toEqual({ limits: { cpus: "1.5", memory: "4096m" } });
    expect(services["worker-0"]?.deploy?.resources).toMatchObject({
      reservations: { devices: [{ driver: "nvidia", count: 2, capabilities: ["gpu"] }] },
    });
    expect(services["worker-1"]?.ports).toEqual(["127.0.0.1:2224:2222"]);
  });

  test("what Compose would replace is kept, and a script is not started again", () => {
    const { "worker-0": service } = servicesOf(
      textOf("compose", { run: "script", script: `train.py '$HOME' "two words"` }),
    );
    expect(service?.entrypoint).toEqual(["python3", "train.py", "$$HOME", "two words"]);
    expect(service?.restart).toBe("no");
  });

  test("GPUs are those of the cluster's tasks unless their number is given", () => {
    const tasks = [{ job: "worker", index: 0, gpus: 1 }];
    const resources = (gpus?: string) =>
      servicesOf(textOf("compose", gpus === undefined ? {} : { gpus }, tasks))["worker-0"]?.deploy;
    expect(resources()).toMatchObject({ resources: { reservations: {} } });
    expect(resources("0")).toBeUndefined();
  });
});

test("kubernetes: TF_CONFIG is put together from the ClusterSpec and the pod's own number", () => {
  const manifests = parseAllDocuments(textOf("kubernetes")).map((document) => document.toJS());
  expect(JSON.parse(manifests[0].data["cluster.json"])).toEqual({
    ps: ["tensordeck-ps-0.tensordeck-ps:2222"],
    worker: ["tensordeck-worker-0.tensordeck-worker:2222", "tensordeck-worker-1.tensordeck-worker:2222"],
  });
  const { spec } = manifests[4];
  expect(spec).toMatchObject({ serviceName: "tensordeck-worker", replicas: 2 });
  const [container] = spec.template.spec.containers;
  // As the kubelet does it.
  const replaced = container.env[2].value
    .replace("$(TF_CLUSTER)", manifests[0].data["cluster.json"])
    .replace("$(TASK_INDEX)", "1");
  expect(JSON.parse(replaced).task).toEqual({ type: "worker", index: 1 });
  expect(container.readinessProbe.exec.command).toEqual(["tensordeck", "health", "localhost:2222"]);
});

test("kubernetes: TensorFlow's own server is probed by its port", () => {
  const text = textOf("kubernetes", { run: "server", gpus: "1" });
  const manifests = parseAllDocuments(text).map((document) => document.toJS());
  const [container] = manifests[4].spec.template.spec.containers;
  expect(container.image).toBe("tensorflow/tensorflow:2.21.0-gpu");
  expect(container.livenessProbe.tcpSocket).toEqual({ port: "grpc-tf" });
});

test("marathon: each task is bound to the machine and port of its address", () => {
  const { id, apps } = JSON.parse(textOf("marathon", MUCH.marathon));
  expect(id).toBe("/lab");
  expect(apps[2]).toMatchObject({
    id: "worker-1",
    constraints: [["hostname", "CLUSTER", "raspberrypi"]],
    portDefinitions: [{ port: 2222 }],
    gpus: 1,
  });
  expect(JSON.parse(apps[1].env.TF_CONFIG).cluster.worker).toEqual(["gpu-pc:2223", "raspberrypi:2222"]);
});

describe("scripts", () => {
  test.each([
    ["slurm", {}],
    ["slurm", MUCH.slurm],
    ["slurm", { run: "script", script: "train.py 'it is' $x" }],
    ["slurm", { run: "server" }],
    ["shell", {}],
    ["shell", MUCH.shell],
    ["shell", { run: "server" }],
  ] as const)("bash accepts %s %j", (target, values) => {
    const { status, stderr } = spawnSync("bash", ["-n"], { input: textOf(target, values), encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("slurm: what is asked for stands in the directives", () => {
    expect(textOf("slurm", MUCH.slurm).match(/^#SBATCH .*/gm)).toEqual([
      "#SBATCH --job-name=lab",
      "#SBATCH --ntasks=3",
      "#SBATCH --cpus-per-task=4",
      "#SBATCH --mem-per-cpu=2048M",
      "#SBATCH --gpus-per-task=1",
      "#SBATCH --time=1:00:00",
      "#SBATCH --partition=gpu",
      "#SBATCH --account=lab",
      "#SBATCH --output=lab-%j.log",
    ]);
  });

  test.each(["plain", "two words", "it's", '"', "$HOME", "a\\b", "", "línea"])(
    "the word %j survives",
    (word) => {
      expect(splitShellWords(shellWord(word))).toEqual([word]);
    },
  );
});

describe("refused with a reason", () => {
  const tasks = (...names: string[]) =>
    names.map((name) => {
      const [job = "", index] = name.split("/");
      return { job, index: Number(index), address: `h:${2222 + Number(index)}` };
    });

  test.each(EXPORT_TARGETS)("%s without tasks", (target) => {
    expect(() => textOf(target, {}, [])).toThrow(/no tasks/);
  });

  test.each([
    ["kubernetes", tasks("worker/0", "worker/2"), /has no task 1/],
    ["tfjob", tasks("worker/0", "trainer/0"), /'trainer'/],
    ["tfjob", tasks("chief/0", "chief/1"), /one chief/],
    ["compose", tasks("Worker/0", "worker/0"), /both be called worker/],
    ["compose", tasks("worker/0", "worker/0"), /twice/],
    ["marathon", [{ job: "worker", index: 0, address: "localhost:2222" }], /any machine itself/],
    ["shell", [{ job: "worker", index: 0 }], /no address yet/],
    ["shell", [{ job: "worker", index: 0, address: "h" }], /has no port/],
  ] as const)("%s %#", (target, cluster, message) => {
    expect(() => textOf(target, {}, cluster)).toThrow(refusal(message));
  });

  test.each([
    ["compose", { name: "A b" }, /^--name must be/],
    ["compose", { memory: "4GB" }, /^--memory must be/],
    ["compose", { cpus: "0" }, /^--cpus must be/],
    ["compose", { run: "script" }, /^--script must name/],
    ["compose", { run: "script", script: "a 'b" }, /^--script has a quote/],
    ["compose", { image: "" }, /^--image must name an image/],
    ["compose", { namespace: "tf" }, /^--namespace does not belong to compose/],
    ["kubernetes", { run: "script", script: "a.py" }, /^--run cannot be script/],
    ["slurm", { cpus: "0.5" }, /^--cpus must be a whole number/],
    ["slurm", { time: "tomorrow" }, /^--time must be/],
    ["tfjob", { port: "80" }, /^--port must be/],
    ["shell", { gpus: "-1" }, /^--gpus must be/],
  ] as const)("%s %j", (target, values, message) => {
    expect(() => textOf(target, values)).toThrow(refusal(message));
  });

  test("a form gets all problems at once, and none of options that do not matter", () => {
    expect(
      Object.keys(optionProblems("compose", { name: "A", gpus: "x", engine: "y", run: "server" })),
    ).toEqual(["name", "gpus"]);
  });
});
