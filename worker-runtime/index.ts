/**
 * Tensordeck as a library: clusters, graphs, and sessions on any server that speaks TensorFlow's protocol.
 * What is exported here is the public API; everything else may change.
 */
export { addressProblem, formatHostPort, type HostPort, parseHostPort } from "./cluster/address.js";
export { clusterFromFlags, type HostsFlags, parseClusterJson, splitHosts } from "./cluster/classic.js";
export {
  type ClusterDict,
  ClusterSpec,
  type ClusterTask,
  type JobAddresses,
} from "./cluster/cluster-spec.js";
export {
  makeClusterDeviceFilters,
  passesFilters,
  type TaskFilters,
  tasksPassing,
} from "./cluster/device-filters.js";
export {
  canonicalDeviceName,
  type DeviceParts,
  deviceMatches,
  formatDeviceName,
  mergeDevice,
  parseDeviceName,
  type TaskName,
  taskDeviceName,
  taskOfDevice,
  taskText,
} from "./cluster/device-name.js";
export {
  type DeviceFunction,
  type NodeToPlace,
  type ReplicaDeviceSetterOptions,
  replicaDeviceSetter,
  standardPsOps,
} from "./cluster/replica-device-setter.js";
export { makeServerDef, type ServerDefOptions } from "./cluster/server-def.js";
export { isChief, isEvaluator, parseTfConfig, type TfConfig } from "./cluster/tf-config.js";
export {
  type DType,
  dataTypeOf,
  dtypeName,
  dtypeOf,
  dtypes,
  integerRange,
  isDType,
  isReference,
} from "./protocol/dtype.js";
export type { ElementValue } from "./protocol/element-text.js";
export { bitsFromNumber, numberFromBits, numbersFromBits } from "./protocol/small-float.js";
export {
  PayloadKey,
  StatusCode,
  type StatusCodeName,
  statusCodeName,
  TensorFlowError,
} from "./protocol/status.js";
export { type NestedElements, Tensor, tensorFromProto, tensorToProto } from "./protocol/tensor.js";
export type { NumericArray, TensorData } from "./protocol/tensor-data.js";
export type { Complex, TensorElement, TensorValue } from "./protocol/tensor-values.js";
export { Channel } from "./rpc/channel.js";
export { MasterClient } from "./rpc/master-client.js";
export type { CallOptions } from "./rpc/service-client.js";
export { WorkerClient } from "./rpc/worker-client.js";
export type { Callable, CallableSpec } from "./session/callable.js";
export type { GraphSource } from "./session/graph-source.js";
export type { PartialRun, PartialRunSpec } from "./session/partial-run.js";
export type { Feeds, FeedValue, OperationRef, TensorRef } from "./session/references.js";
export type { RunResult, StepOptions } from "./session/run-step.js";
export { type RunArguments, Session, type SessionConfig, type SessionOptions } from "./session/session.js";
