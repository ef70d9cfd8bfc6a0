/** Layers of sequences [batch, time, features]. */
import { attend } from "../../../graph/layers/attention.js";
import {
  type Cell,
  gruCell,
  lstmCell,
  overTime,
  SEQUENCES,
  simpleCell,
} from "../../../graph/layers/recurrence.js";
import type { Output } from "../../../graph/operation.js";
import { activationOf } from "../activations.js";
import { type KerasLayer, kernelAndBias, type LayerCall, type WeightDecl, within } from "../layer-call.js";
import type { LayerConfig } from "../layer-config.js";
import { weightsOfSteps } from "../masks.js";

interface Recurrent {
  readonly gates: number;
  readonly states: number;
  readonly cell: (layer: LayerCall, units: number, weights: CellWeights) => Cell;
  readonly biasShape: (config: LayerConfig, size: number) => readonly number[];
}

interface CellWeights {
  readonly kernel: Output;
  readonly recurrent: Output;
  readonly bias: Output | undefined;
}

const isResetAfter = (config: LayerConfig) => config.flag("reset_after", config.kerasVersion >= 2);

function activations(layer: LayerCall) {
  const result = activationOf(layer.config, "activation", "tanh");
  const gates = activationOf(layer.config, "recurrent_activation", "sigmoid");
  return { activation: (x: Output) => result(layer, x), gate: (x: Output) => gates(layer, x) };
}

const RECURRENT: Readonly<Record<string, Recurrent>> = {
  SimpleRNN: {
    ...{ gates: 1, states: 1, biasShape: (_config, size) => [size] },
    cell: (layer, _units, weights) =>
      simpleCell(layer, {
        ...weights,
        activation: (x) => activationOf(layer.config, "activation", "tanh")(layer, x),
      }),
  },
  LSTM: {
    ...{ gates: 4, states: 2, biasShape: (_config, size) => [size] },
    cell: (layer, _units, weights) => lstmCell(layer, { ...weights, ...activations(layer) }),
  },
  GRU: {
    ...{ gates: 3, states: 1 },
    biasShape: (config, size) => (isResetAfter(config) ? [2, size] : [size]),
    cell: (layer, units, weights) =>
      gruCell(layer, units, {
        ...weights,
        ...activations(layer),
        resetAfter: isResetAfter(layer.config),
      }),
  },
};

function recurrentWeights(config: LayerConfig): readonly WeightDecl[] {
  return within(["cell"], "", kernelAndBias(config, ["kernel", "recurrent_kernel"]));
}

/** The results of every step or of the last one, and the states after it. */
function recur(
  layer: LayerCall,
  kind: Recurrent,
): { readonly result: Output; readonly states: readonly Output[] } {
  const { config, args } = layer;
  const [input = layer.input, ...given] = args.inputs;
  layer.requireRank(input, 3, SEQUENCES);
  if (config.flag("stateful")) throw config.unsupported("keeps its state between batches");
  const units = config.int("units");
  const size = kind.gates * units;
  const cell = kind.cell(layer, units, {
    kernel: layer.weight("kernel", [layer.size(input, -1), size]),
    recurrent: layer.weight("recurrent_kernel", [units, size]),
    bias: config.flag("use_bias", true) ? layer.weight("bias", kind.biasShape(config, size)) : undefined,
  });
  const initial = args.named.get("initial_state") ?? (given.length > 0 ? given : undefined);
  const backwards = config.flag("go_backwards");
  const zeroMasked = config.flag("zero_output_for_mask");
  const options = { units, states: kind.states, initial, backwards, mask: layer.mask, zeroMasked };
  const { last, states, results } = overTime(layer, input, options, cell);
  return { result: config.flag("return_sequences") ? results() : last, states };
}

function recurrent(kind: Recurrent): KerasLayer {
  return {
    weights: recurrentWeights,
    call(layer) {
      const { result, states } = recur(layer, kind);
      return layer.config.flag("return_state") ? [result, ...states] : result;
    },
    masks: (layer) => [layer.config.flag("return_sequences") ? layer.maskOf(layer.input) : undefined],
  };
}

const MERGES: Readonly<Record<string, string>> = { sum: "AddV2", mul: "Mul" };

function recurrentOf(outer: LayerConfig, inner: LayerConfig): Recurrent {
  const found = RECURRENT[inner.className];
  if (found) return found;
  throw outer.unsupported(`is of a ${inner.className}`);
}

const bidirectional: KerasLayer = {
  weights: (config) => {
    const own = recurrentWeights(config.inner("layer"));
    return [...within(["forward_layer"], "forward/", own), ...within(["backward_layer"], "backward/", own)];
  },
  call(layer) {
    const { config, graph } = layer;
    const wrapped = config.inner("layer");
    const ahead = wrapped.with({ zero_output_for_mask: wrapped.flag("return_sequences") });
    const kind = recurrentOf(config, ahead);
    if (layer.args.inputs.length > 1) throw config.unsupported("is given its first states");
    const forward = graph.withNameScope("forward", () =>
      recur(layer.inner(ahead, [layer.input], "forward/"), kind),
    );
    const back = ahead.with({ go_backwards: true });
    const backward = graph.withNameScope("backward", () =>
      recur(layer.inner(back, [layer.input], "backward/"), kind),
    );
    const inOrder = ahead.flag("return_sequences")
      ? layer.op("ReverseV2", [backward.result, layer.ints([1], "time")])
      : backward.result;
    const merged = merge(layer, forward.result, inOrder);
    const states = ahead.flag("return_state") ? [...forward.states, ...backward.states] : [];
    return [...merged, ...states];
  },
  masks(layer, results) {
    const { config, input } = layer;
    const mask = config.inner("layer").flag("return_sequences") ? layer.maskOf(input) : undefined;
    const sequences = config.raw("merge_mode") === null ? 2 : 1;
    return results.map((_, at) => (at < sequences ? mask : undefined));
  },
};

function merge(layer: LayerCall, forward: Output, backward: Output): readonly Output[] {
  const { config } = layer;
  if (config.raw("merge_mode") === null) return [forward, backward];
  const mode = config.text("merge_mode", "concat");
  const op = MERGES[mode];
  if (mode === "concat") return [layer.op("ConcatV2", [[forward, backward], layer.ints(-1, "axis")])];
  if (mode === "ave") {
    const sum = layer.op("AddV2", [forward, backward]);
    return [layer.op("Mul", [sum, layer.scalar(0.5, "half")])];
  }
  if (op !== undefined) return [layer.op(op, [forward, backward])];
  throw config.invalid("merge_mode");
}

const HEADS = ["query", "key", "value", "output"] as const;

const multiHeadAttention: KerasLayer = {
  weights: (config) =>
    HEADS.flatMap((head) =>
      // Keras 2 wrote the private name.
      within([`${head}_dense`, `_${head}_dense`], `${head}/`, kernelAndBias(config)),
    ),
  call(layer) {
    const { config, args } = layer;
    const [query = layer.input, second, third] = args.inputs;
    const value = args.named.get("value")?.[0] ?? second ?? query;
    const key = args.named.get("key")?.[0] ?? third ?? value;
    for (const tensor of [query, value, key]) layer.requireRank(tensor, 3, SEQUENCES);
    refuseVariants(config);
    if (args.named.has("attention_mask")) throw config.unsupported("takes a mask");
    const heads = config.int("num_heads");
    const size = config.int("key_dim");
    const valueSize = config.int("value_dim", size);
    const features = config.has("output_shape") ? config.int("output_shape") : layer.size(query, -1);
    const project = (name: string, input: Output, sizeOfHead: number) => {
      const kernel = layer.weight(`${name}/kernel`, [layer.size(input, -1), heads, sizeOfHead]);
      const sums = layer.einsum("abc,cde->abde", input, kernel);
      return config.flag("use_bias", true)
        ? layer.op("AddV2", [sums, layer.weight(`${name}/bias`, [heads, sizeOfHead])])
        : sums;
    };
    const mixed = attend(layer, {
      query: project("query", query, size),
      key: project("key", key, size),
      value: project("value", value, valueSize),
      size,
      bias: hiddenBias(layer, { query, value, key: key === value ? undefined : key }),
    });
    const sums = layer.einsum(
      "abcd,cde->abe",
      mixed,
      layer.weight("output/kernel", [heads, valueSize, features]),
    );
    const result = config.flag("use_bias", true)
      ? layer.op("AddV2", [sums, layer.weight("output/bias", [features])])
      : sums;
    const shaped = layer.shaped(result, [...(query.shape ?? []).slice(0, 2), features]);
    const mask = layer.maskOf(query);
    if (mask) args.masks.set(shaped, mask);
    // As in Keras: what reads these tensors after the attention sees no masks of them.
    for (const tensor of [query, value, key]) args.masks.delete(tensor);
    return shaped;
  },
  masks: (layer, results) => results.map((result) => layer.maskOf(result)),
};

function refuseVariants(config: LayerConfig): void {
  const axes = config.has("attention_axes") ? config.ints("attention_axes") : [1];
  if (axes.length !== 1 || axes[0] !== 1)
    throw config.unsupported("attends along other dimensions than time");
  if (config.flag("use_gate")) throw config.unsupported("has a gate");
  if (config.has("sliding_window")) throw config.unsupported("has a sliding window");
}

interface Attended {
  readonly query: Output;
  readonly value: Output;
  /** Undefined where it is the value. */
  readonly key: Output | undefined;
}

/** −10⁹ for what a target must not see; [targets, sources], with masks [batch, 1, targets, sources]. */
function hiddenBias(layer: LayerCall, { query, value, key }: Attended): Output | undefined {
  const isCausal = layer.args.values.get("use_causal_mask") === true;
  const rows = layer.maskOf(query);
  const columns = [value, ...(key ? [key] : [])].flatMap((source) => layer.maskOf(source) ?? []);
  if (!rows && columns.length === 0) return isCausal ? causalBias(layer, query, value) : undefined;
  const heads = layer.ints(1, "heads");
  const seen = [
    ...(rows ? [layer.op("ExpandDims", [weightsOfSteps(layer, rows), heads])] : []),
    ...columns.map((mask) => {
      const steps = layer.op("ExpandDims", [layer.op("ExpandDims", [mask, heads]), heads]);
      return layer.op("Cast", [steps], { DstT: "float32" });
    }),
    // From 0 and −10⁹ to 1 and 0.
    ...(isCausal ? [layer.op("Exp", [causalBias(layer, query, value)])] : []),
  ].reduce((all, next) => layer.op("Mul", [all, next]));
  // All that is hidden gets one score: a target that does not count sees all steps alike, as in Keras.
  const hidden = layer.op("Sub", [seen, layer.scalar(1, "seen")]);
  return layer.op("Mul", [hidden, layer.scalar(1e9, "most")]);
}

/** −10⁹ for the steps after a target's own, which it must not see; [targets, sources]. */
function causalBias(layer: LayerCall, query: Output, value: Output): Output {
  const stepsOf = (tensor: Output) =>
    layer.op("GatherV2", [layer.op("Shape", [tensor]), layer.ints(1, "time"), layer.ints(0, "axis")]);
  const shape = layer.op("Pack", [[stepsOf(query), stepsOf(value)]]);
  const all = layer.op("Fill", [shape, layer.scalar(-1e9, "hidden")]);
  const seen = layer.op("MatrixBandPart", [all, layer.ints(-1, "below"), layer.ints(0, "above")]);
  return layer.op("Sub", [all, seen]);
}

export const SEQUENCE_LAYERS: Readonly<Record<string, KerasLayer>> = {
  ...Object.fromEntries(Object.entries(RECURRENT).map(([name, kind]) => [name, recurrent(kind)])),
  Bidirectional: bidirectional,
  MultiHeadAttention: multiHeadAttention,
};
