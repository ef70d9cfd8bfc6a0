/**
 * Tensordeck as a library: clusters, graphs, and sessions on any server that speaks TensorFlow's protocol.
 * The exports of this file are the public API; everything else may change.
 */

// The messages that the functions above take or give.
export { ClusterDef } from "../protos/generated/tensorflow/cluster.js";
export { ConfigProto, RunMetadata, RunOptions } from "../protos/generated/tensorflow/config.js";
export { DeviceAttributes } from "../protos/generated/tensorflow/device_attributes.js";
export { GraphDef } from "../protos/generated/tensorflow/graph.js";
export { MetaGraphDef } from "../protos/generated/tensorflow/meta_graph.js";
export { NodeDef } from "../protos/generated/tensorflow/node_def.js";
export { OpDef, OpList } from "../protos/generated/tensorflow/op_def.js";
export { TensorProto } from "../protos/generated/tensorflow/tensor.js";
export { ServerDef } from "../protos/generated/tensorflow/tensorflow_server.js";
export { DataType } from "../protos/generated/tensorflow/types.js";
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
  byteSizeLoad,
  type DeviceFunction,
  greedyLoadBalancing,
  type NodeToPlace,
  type PsStrategy,
  type ReplicaDeviceSetterOptions,
  replicaDeviceSetter,
  standardPsOps,
} from "./cluster/replica-device-setter.js";
export { makeServerDef, type ServerDefOptions } from "./cluster/server-def.js";
export { isChief, isEvaluator, parseTfConfig, type TfConfig } from "./cluster/tf-config.js";
export { Dataset, type IterateOptions, type Row, type ShuffleOptions } from "./data/dataset.js";
export {
  type CsvTensor,
  csvDataset,
  type ImageFolderDataset,
  type ImageFolderOptions,
  imageFolderDataset,
  mnistDataset,
  npzDataset,
  type RecordFileOptions,
  type Shard,
  type SplitDataset,
  tfRecordDataset,
} from "./data/readers.js";
export type { LogLevel, LogLine } from "./engines/log-lines.js";
export { Server, type ServerExit, type ServerOptions } from "./engines/server.js";
export type { RejectedRuntime, RuntimeCandidate, RuntimeSource } from "./engines/tensorflow/candidate.js";
export { type FindOptions, findRuntimes, searchRuntimes } from "./engines/tensorflow/find.js";
export type { GpuDiagnosis, GpuProblem } from "./engines/tensorflow/gpu-diagnosis.js";
export {
  formatBytes,
  type InstallOffer,
  type InstallProgress,
  type InstallRuntimeOptions,
  installOffer,
  installRuntime,
} from "./engines/tensorflow/install.js";
export { type Edge, formatEdge, parseEdge, tensorName } from "./graph/edge.js";
export {
  type ClipByGlobalNormOptions,
  type ClipByNormOptions,
  clipByGlobalNorm,
  clipByNorm,
  clipByValue,
  globalNorm,
} from "./graph/gradients/clipping.js";
export { denseGradient, type Gradient, IndexedSlices } from "./graph/gradients/gradient.js";
export { type GradientSource, type GradientsOptions, gradients } from "./graph/gradients/gradients.js";
export { differentiableOps } from "./graph/gradients/rules.js";
export { Graph, type GraphOptions, Operation, type OpInput, Output } from "./graph/graph.js";
export {
  type GraphFile,
  type GraphFileFormat,
  type GraphFileKind,
  readGraphFile,
  writeGraphFile,
} from "./graph/graph-file.js";
export type { NodeParts } from "./graph/graph-op-builder.js";
export * as layers from "./graph/layer-functions/index.js";
export * as losses from "./graph/losses/index.js";
export * as metrics from "./graph/metrics/index.js";
export { type ModelTensors, placeholdersFor, signatureNames } from "./graph/model-export/index.js";
export { inputArgs, outputTypes, type SignatureArg } from "./graph/node-signature.js";
export { bundledOpRegistry, OpRegistry } from "./graph/op-registry.js";
export * as ops from "./graph/ops/index.js";
export * as summary from "./graph/ops/summary.js";
export { PRIVATE_ATTR_PREFIX, stripPrivateAttrs } from "./graph/private-attrs.js";
export { formatText, parseText } from "./graph/text-format.js";
export * as train from "./graph/training/index.js";
export { Variable } from "./graph/variable.js";
export { type CsvOptions, readCsv, readCsvStream } from "./io/csv.js";
export {
  type FeedFileOptions,
  type FeedWanted,
  feedFromBytes,
  feedFromFile,
  feedFromText,
} from "./io/feed.js";
export { decodeImage, type ImageChannels, resizeImage } from "./io/image/decode-image.js";
export { readNpy, writeNpy } from "./io/npy.js";
export { readNpz } from "./io/npz.js";
export type { RecordCompression } from "./io/tfrecord/compression.js";
export { decodeExample, encodeExample, type FeatureDType } from "./io/tfrecord/example.js";
export { type FixedLenFeature, parseExamples } from "./io/tfrecord/feature-column.js";
export type { FeedFeature } from "./io/tfrecord/record-feed.js";
export {
  type ReadRecordsOptions,
  readTfRecords,
  type WriteRecordsOptions,
  writeTfRecords,
} from "./io/tfrecord/records.js";
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
export { type MasterClient, masterClient } from "./rpc/master-client.js";
export type { CallOptions } from "./rpc/method-caller.js";
export { type WorkerClient, workerClient } from "./rpc/worker-client.js";
export type { Callable, CallableSpec } from "./session/callable.js";
export type { GraphSource } from "./session/graph-source.js";
export type { PartialRun, PartialRunSpec } from "./session/partial-run.js";
export type { Feeds, FeedValue, OperationRef, TensorRef } from "./session/references.js";
export type { RunResult, StepOptions } from "./session/run-step.js";
export type { ResetOptions } from "./session/session.js";
export { type RunArguments, Session, type SessionConfig, type SessionOptions } from "./session/session.js";
export type { LocalServerOptions } from "./session/session-options.js";
export { type ChromeTrace, type ChromeTraceEvent, chromeTrace } from "./session/trace/chrome-trace.js";
export type { DeviceMemory, MemoryPoint } from "./session/trace/device-memory.js";
export { type NodePlacement, placementLine, placementOf } from "./session/trace/placement.js";
export {
  type NodeSummary,
  readStepStats,
  type StepTrace,
  summariseNodes,
} from "./session/trace/step-stats.js";
export type { NodeTiming, TransferTiming } from "./session/trace/timings.js";
export { unoptimizedConfig } from "./session/trace/unoptimized-config.js";
export { type CheckpointState, getCheckpointState, latestCheckpoint } from "./training/checkpoint-state.js";
export {
  checkpointValues,
  type ExportModelOptions,
  exportFrozenGraph,
  exportSavedModel,
  freezeGraph,
  sessionValues,
  type VariableValues,
} from "./training/export-model.js";
export { FinalOpsHook, GlobalStepWaiterHook, NanTensorHook } from "./training/guarding-hooks.js";
export {
  CheckpointSaverHook,
  type RunContext,
  type SessionRunHook,
  StopAtStepHook,
} from "./training/hooks.js";
export {
  MonitoredTrainingSession,
  type MonitoredTrainingSessionOptions,
} from "./training/monitored-training-session.js";
export {
  LoggingTensorHook,
  StepCounterHook,
  type StepCounterOptions,
  SummarySaverHook,
  type SummarySaverOptions,
} from "./training/reporting-hooks.js";
export { type SaveOptions, Saver, type SaverOptions } from "./training/saver.js";
export { FileWriter, histogramSummary, scalarSummary } from "./training/summary-writer.js";
export { SyncReplicasHook } from "./training/sync-replicas-hook.js";
