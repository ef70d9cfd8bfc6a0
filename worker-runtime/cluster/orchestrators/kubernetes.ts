/** A cluster as manifests of Kubernetes: for each job a StatefulSet and the headless Service that names its pods. */
import type { ExportResult, ExportTask } from "./export-model.js";
import type { ExportSettings } from "./export-options.js";
import { clusterOfGroups, type JobGroup, jobGroups, mostOf, requireDense } from "./job-groups.js";
import { literalForPod, podResources } from "./pod.js";
import { gpusOf, healthCommand, imageOf, taskCommand } from "./task-program.js";
import { yamlText } from "./yaml-text.js";

/** Names the port of each task in its pod and Service. */
const PORT_NAME = "grpc-tf";

/** @throws TensorFlowError INVALID_ARGUMENT for a cluster that cannot be written so. */
export function kubernetesExport(tasks: readonly ExportTask[], settings: ExportSettings): ExportResult {
  const { name, port, namespace, networkPolicy } = settings;
  const groups = jobGroups(tasks);
  requireDense(groups, "Kubernetes");
  const cluster = clusterOfGroups(
    groups,
    ({ index }, label) => `${name}-${label}-${index}.${name}-${label}:${port}`,
  );
  const manifests = new Manifests(
    settings,
    groups.map(({ job, tasks: { length } }) => `${job}=${length}`).join(","),
  );
  const fileName = `${name}.kubernetes.yaml`;
  return {
    file: {
      name: fileName,
      language: "yaml",
      executable: false,
      text: yamlText(
        [`TensorFlow cluster. Start it with: kubectl apply -f ${fileName}`],
        [
          manifests.configMap(cluster),
          ...groups.flatMap((group) => [manifests.service(group), manifests.statefulSet(group)]),
          ...(networkPolicy ? [manifests.networkPolicy()] : []),
        ],
      ),
    },
    notes: [
      "It needs Kubernetes 1.28 or newer, whose pods know their own number.",
      `From this machine: kubectl${namespace === undefined ? "" : ` -n ${namespace}`} port-forward pod/${name}-${groups[0]?.label ?? ""}-0 ${port}`,
      ...(networkPolicy
        ? [
            `Pods with the label ${name}-client: "true" may connect. Network policies have an effect only where the cluster's network enforces them.`,
          ]
        : ["Any pod that reaches the tasks can run graphs in them: TensorFlow's protocol has no passwords."]),
    ],
  };
}

class Manifests {
  /** @param members the number of tasks by job: "ps=1,worker=2" */
  constructor(
    private readonly settings: ExportSettings,
    private readonly members: string,
  ) {}

  private labels(): Record<string, string> {
    return { "app.kubernetes.io/name": "tensordeck", "app.kubernetes.io/instance": this.settings.name };
  }

  private jobLabels({ label }: JobGroup): Record<string, string> {
    return { ...this.labels(), "app.kubernetes.io/component": label };
  }

  private metadata(name: string, labels: Record<string, string>): object {
    const { namespace } = this.settings;
    return { name, ...(namespace !== undefined && { namespace }), labels };
  }

  private get configName(): string {
    return `${this.settings.name}-cluster`;
  }

  configMap(cluster: object): object {
    return {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: this.metadata(this.configName, this.labels()),
      data: { "cluster.json": JSON.stringify(cluster) },
    };
  }

  service(group: JobGroup): object {
    return {
      apiVersion: "v1",
      kind: "Service",
      metadata: this.metadata(`${this.settings.name}-${group.label}`, this.jobLabels(group)),
      spec: {
        clusterIP: "None",
        // Tasks look each other up while they start.
        publishNotReadyAddresses: true,
        selector: this.jobLabels(group),
        ports: [{ name: PORT_NAME, port: this.settings.port, targetPort: PORT_NAME }],
      },
    };
  }

  statefulSet(group: JobGroup): object {
    const name = `${this.settings.name}-${group.label}`;
    return {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: this.metadata(name, this.jobLabels(group)),
      spec: {
        serviceName: name,
        replicas: group.tasks.length,
        podManagementPolicy: "Parallel",
        selector: { matchLabels: this.jobLabels(group) },
        template: {
          // A task knows its cluster from its start: pods are replaced when it has other members.
          metadata: { labels: this.jobLabels(group), annotations: { "tensordeck/members": this.members } },
          spec: {
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            terminationGracePeriodSeconds: 15,
            containers: [this.container(group)],
          },
        },
      },
    };
  }

  private container(group: JobGroup): object {
    const { settings } = this;
    const gpus = mostOf(group, (task) => gpusOf(task, settings));
    const resources = podResources(settings, gpus);
    return {
      name: "tensorflow",
      image: imageOf(settings, gpus),
      command: taskCommand(group.tasks[0] ?? {}, settings, "container").map(literalForPod),
      env: [
        {
          name: "TF_CLUSTER",
          valueFrom: { configMapKeyRef: { name: this.configName, key: "cluster.json" } },
        },
        {
          name: "TASK_INDEX",
          valueFrom: { fieldRef: { fieldPath: "metadata.labels['apps.kubernetes.io/pod-index']" } },
        },
        {
          name: "TF_CONFIG",
          value: `{"cluster": $(TF_CLUSTER), "task": {"type": "${group.job}", "index": $(TASK_INDEX)}}`,
        },
      ],
      ports: [{ name: PORT_NAME, containerPort: settings.port }],
      ...this.probes(),
      ...(resources !== undefined && { resources }),
    };
  }

  /** GetStatus where the image has our command, which is a process of its own each time and so is asked rarely. */
  private probes(): object {
    const isOpen = { tcpSocket: { port: PORT_NAME } };
    const command = healthCommand(this.settings);
    const answers = command === undefined ? isOpen : { exec: { command } };
    return {
      // An engine that compiles for a GPU takes minutes.
      startupProbe: { ...isOpen, periodSeconds: 2, failureThreshold: 150 },
      readinessProbe: { ...answers, periodSeconds: 15, timeoutSeconds: 10 },
      livenessProbe: { ...answers, periodSeconds: 30, timeoutSeconds: 10, failureThreshold: 4 },
    };
  }

  networkPolicy(): object {
    const { name, port } = this.settings;
    return {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: this.metadata(`${name}-tasks`, this.labels()),
      spec: {
        podSelector: { matchLabels: this.labels() },
        policyTypes: ["Ingress"],
        ingress: [
          {
            from: [
              { podSelector: { matchLabels: this.labels() } },
              { podSelector: { matchLabels: { [`${name}-client`]: "true" } } },
            ],
            ports: [{ protocol: "TCP", port }],
          },
        ],
      },
    };
  }
}
