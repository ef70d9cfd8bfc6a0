/**
 * The schemas of Kubeflow's training operator (kubeflow.org/v1, version 1.9 of the operator) and Marathon's REST interface
 * (version 1.5 and newer) document of the objects that exports write and imports read, in our own words. A TFJob may have all
 * that the operator's API has but a status; of Marathon, only what exports use. Anything else is refused.
 */

const name = { type: "string", pattern: "^[a-z]([-a-z0-9]*[a-z0-9])?$", maxLength: 63 };

const count = { type: "integer", minimum: 0, maximum: 2 ** 31 - 1 };
const seconds = { type: "integer", minimum: 0 };
const text = { type: "string", minLength: 1 };

/** The pod in it is Kubernetes' own, and checked as such. */
const replicaSpec = {
  type: "object",
  additionalProperties: false,
  properties: {
    // One, unless given.
    replicas: count,
    restartPolicy: { enum: ["Always", "OnFailure", "Never", "ExitCode"] },
    template: {
      type: "object",
      additionalProperties: false,
      required: ["spec"],
      properties: { spec: { type: "object" } },
    },
  },
};

export const tfJobSchema = {
  type: "object",
  additionalProperties: false,
  required: ["apiVersion", "kind", "metadata", "spec"],
  properties: {
    apiVersion: { const: "kubeflow.org/v1" },
    kind: { const: "TFJob" },
    metadata: {
      type: "object",
      additionalProperties: false,
      required: ["name"],
      properties: { name, namespace: name },
    },
    spec: {
      type: "object",
      additionalProperties: false,
      required: ["tfReplicaSpecs"],
      properties: {
        runPolicy: {
          type: "object",
          additionalProperties: false,
          properties: {
            cleanPodPolicy: { enum: ["All", "Running", "None"] },
            ttlSecondsAfterFinished: seconds,
            activeDeadlineSeconds: seconds,
            backoffLimit: count,
            suspend: { type: "boolean" },
            managedBy: text,
            // For schedulers that start all pods of a job or none.
            schedulingPolicy: {
              type: "object",
              additionalProperties: false,
              properties: {
                minAvailable: count,
                minResources: { type: "object", additionalProperties: { type: ["integer", "string"] } },
                priorityClass: text,
                queue: text,
                scheduleTimeoutSeconds: seconds,
              },
            },
          },
        },
        // Empty: the chief's success is the job's, or worker 0's.
        successPolicy: { enum: ["", "AllWorkers"] },
        enableDynamicWorker: { type: "boolean" },
        tfReplicaSpecs: {
          type: "object",
          additionalProperties: false,
          minProperties: 1,
          properties: Object.fromEntries(
            ["Chief", "Master", "PS", "Worker", "Evaluator"].map((type) => [type, replicaSpec]),
          ),
        },
      },
    },
  },
};

const timing = { type: "integer", minimum: 0 };

const app = {
  type: "object",
  additionalProperties: false,
  required: ["id", "cmd"],
  properties: {
    id: name,
    instances: { type: "integer", minimum: 0 },
    cmd: { type: "string", minLength: 1 },
    cpus: { type: "number", exclusiveMinimum: 0 },
    mem: { type: "number", minimum: 32 },
    gpus: { type: "integer", minimum: 0 },
    env: { type: "object", additionalProperties: { type: "string" } },
    container: {
      type: "object",
      additionalProperties: false,
      required: ["type"],
      properties: {
        type: { enum: ["MESOS", "DOCKER"] },
        docker: {
          type: "object",
          additionalProperties: false,
          required: ["image"],
          properties: { image: { type: "string" } },
        },
      },
    },
    networks: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        properties: { mode: { enum: ["host", "container", "container/bridge"] } },
      },
    },
    portDefinitions: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        properties: {
          name: { type: "string", pattern: "^[a-z0-9-]{1,15}$" },
          port: { type: "integer", minimum: 0, maximum: 65_535 },
          protocol: { enum: ["tcp", "udp", "udp,tcp"] },
        },
      },
    },
    requirePorts: { type: "boolean" },
    constraints: {
      type: "array",
      items: {
        type: "array",
        minItems: 2,
        maxItems: 3,
        items: [
          { type: "string" },
          { enum: ["UNIQUE", "CLUSTER", "GROUP_BY", "LIKE", "UNLIKE", "MAX_PER", "IS"] },
          { type: "string" },
        ],
      },
    },
    upgradeStrategy: {
      type: "object",
      additionalProperties: false,
      properties: {
        minimumHealthCapacity: { type: "number", minimum: 0, maximum: 1 },
        maximumOverCapacity: { type: "number", minimum: 0, maximum: 1 },
      },
    },
    healthChecks: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["protocol"],
        properties: {
          protocol: { enum: ["HTTP", "HTTPS", "TCP", "COMMAND", "MESOS_TCP", "MESOS_HTTP", "MESOS_HTTPS"] },
          command: {
            type: "object",
            additionalProperties: false,
            required: ["value"],
            properties: { value: { type: "string" } },
          },
          portIndex: { type: "integer", minimum: 0 },
          gracePeriodSeconds: timing,
          intervalSeconds: timing,
          timeoutSeconds: timing,
          maxConsecutiveFailures: timing,
        },
      },
    },
  },
};

export const marathonGroupSchema = {
  type: "object",
  additionalProperties: false,
  required: ["id", "apps"],
  properties: { id: { type: "string", pattern: "^/[a-z0-9-]+$" }, apps: { type: "array", items: app } },
};
