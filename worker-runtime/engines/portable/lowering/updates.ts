import type { DType } from "../../../protocol/dtype.js";
import { internalError } from "../../../protocol/status.js";
import type { KernelTypes } from "../kernels/kernel.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { Arithmetic } from "./arithmetic.js";
import type { LoweringContext, UpdateLowering } from "./lowering.js";
import { products } from "./origins.js";

/** How an optimizer applies a gradient, as in kernels/state/training. */
interface Rule {
  /** The op for a reference variable: "ApplyAdam". The name for a resource, "ResourceApplyAdam", is derived from it. */
  readonly op: string;
  readonly forms: readonly ("Apply" | "ResourceApply")[];
  /** Names of the arguments that are variables, in the order of the new values. */
  readonly variables: readonly string[];
  /** The name of the gradient argument; defaults to "grad". All other arguments except the variables are scalars. */
  readonly gradient?: string;
  /** @param arg returns the value of an argument by name. @returns the new values of `variables`. */
  update(
    m: Arithmetic,
    arg: (name: string) => OnnxValue,
    node: KernelNode,
    context: LoweringContext,
  ): readonly OnnxValue[];
}

const both = ["Apply", "ResourceApply"] as const;
const resourceOnly = ["ResourceApply"] as const;

/** An average that moves towards a value: average + (value - average) * (1 - decay). */
function moved(m: Arithmetic, average: OnnxValue, value: OnnxValue, decay: OnnxValue): OnnxValue {
  return m.add(average, m.mul(m.sub(value, average), m.sub(m.one, decay)));
}

/** Adam's learning rate with the bias correction of both moments. */
function adamRate(m: Arithmetic, arg: (name: string) => OnnxValue): OnnxValue {
  const root = m.sqrt(m.sub(m.one, arg("beta2_power")));
  return m.div(m.mul(arg("lr"), root), m.sub(m.one, arg("beta1_power")));
}

/** The proximal operator of l1·|x| + l2·x²/2 for a learning rate. A negative l1 shrinks nothing. */
function shrink(m: Arithmetic, value: OnnxValue, rate: OnnxValue, l1: OnnxValue, l2: OnnxValue): OnnxValue {
  const least = m.mul(rate, m.max(l1, m.zero));
  const kept = m.mul(m.sign(value), m.max(m.sub(m.abs(value), least), m.zero));
  return m.div(kept, m.add(m.one, m.mul(l2, rate)));
}

/** ONNX Runtime adds longer products to a matrix in several parts, each of which is rounded. */
const MAX_SUMMED = 256;

/** Gradient descent in the pass that computes the gradient, if this is a product of matrices and the rate is constant. */
function descentByProduct(
  arg: (name: string) => OnnxValue,
  { value }: LoweringContext,
): OnnxValue | undefined {
  const delta = arg("delta");
  const { inner = Number.POSITIVE_INFINITY, plus } = products.get(delta) ?? {};
  // Gemm's factor has 32 bits.
  if (plus === undefined || inner > MAX_SUMMED || delta.dtype !== "float32") {
    return undefined;
  }
  const alpha = value(arg("alpha"));
  return alpha && plus(arg("var"), -Number(alpha.at(0)));
}

function proximalDescent(m: Arithmetic, arg: (name: string) => OnnxValue): readonly OnnxValue[] {
  const alpha = arg("alpha");
  const stepped = m.sub(arg("var"), m.mul(arg("delta"), alpha));
  return [shrink(m, stepped, alpha, arg("l1"), arg("l2"))];
}

/** @param epsilon undefined if the op has none. */
function adagrad(epsilon?: string): Rule["update"] {
  return (m, arg, node) => {
    const g = arg("grad");
    const accum = node.bool("update_slots") ? m.add(arg("accum"), m.mul(g, g)) : arg("accum");
    const root = m.sqrt(accum);
    const scale = epsilon === undefined ? root : m.add(root, arg(epsilon));
    return [m.sub(arg("var"), m.div(m.mul(g, arg("lr")), scale)), accum];
  };
}

/** @param stepSize the step size for the agreement of the signs of gradient and running mean: 1, 0 or -1. */
function signRule(
  stepSize: (m: Arithmetic, arg: (name: string) => OnnxValue, agreement: OnnxValue) => OnnxValue,
): Rule["update"] {
  return (m, arg) => {
    const g = arg("grad");
    const mean = m.add(m.mul(arg("m"), arg("beta")), m.mul(g, m.sub(m.one, arg("beta"))));
    const agreement = m.mul(m.sign(g), m.sign(mean));
    return [m.sub(arg("var"), m.mul(stepSize(m, arg, agreement), g)), mean];
  };
}

/** Whether Ftrl has its usual power, for which kernels take square roots, too: 65,536 of them in 0.19 ms instead of 0.48. */
function isOfRoots(arg: (name: string) => OnnxValue, { value }: LoweringContext): boolean {
  return Number(value(arg("lr_power"))?.at(0)) === -0.5;
}

/** @param shrinkage undefined if the op has none. */
function ftrl(shrinkage?: string): Rule["update"] {
  return (m, arg, node, context) => {
    const multiplied = node.bool("multiply_linear_by_lr");
    const [old, g] = [arg("var"), arg("grad")];
    // The kernel refuses these.
    const isRate = multiplied ? m.atLeast(arg("lr"), m.zero) : m.greater(arg("lr"), m.zero);
    const lr = m.unless(m.not(isRate), arg("lr"));
    const notNegative = (name: string) => m.unless(m.greater(m.zero, arg(name)), arg(name));
    const power = m.unless(m.greater(arg("lr_power"), m.zero), arg("lr_power"));
    // The linear term is stored either multiplied by the learning rate or not: the same rule at a different scale.
    const scaled = (value: OnnxValue) => (multiplied ? m.mul(value, lr) : value);
    const perRate = (value: OnnxValue) => (multiplied ? value : m.div(value, lr));
    const after = m.add(arg("accum"), m.mul(g, g));
    const [powerBefore, powerAfter] = [arg("accum"), after].map((value) =>
      isOfRoots(arg, context) ? m.sqrt(value) : m.pow(value, m.neg(power)),
    ) as [OnnxValue, OnnxValue];
    const sigma = perRate(m.sub(powerAfter, powerBefore));
    const change =
      shrinkage === undefined ? g : m.add(g, m.mul(m.mul(m.constant(2), notNegative(shrinkage)), old));
    const linear = m.sub(m.add(arg("linear"), scaled(change)), m.mul(sigma, old));
    const threshold = scaled(notNegative("l1"));
    const quadratic = m.add(perRate(powerAfter), scaled(m.mul(m.constant(2), notNegative("l2"))));
    const value = m.div(m.sub(m.mul(m.sign(linear), threshold), linear), quadratic);
    return [m.where(m.greater(m.abs(linear), threshold), value, m.zero), after, linear];
  };
}

/**
 * Formulas: the functors of TensorFlow's core/kernels/training_ops.cc, as in the kernels, where the papers are named.
 */
const rules: readonly Rule[] = [
  {
    op: "ApplyGradientDescent",
    forms: both,
    variables: ["var"],
    gradient: "delta",
    update: (m, arg, _, context) => [
      descentByProduct(arg, context) ?? m.sub(arg("var"), m.mul(arg("delta"), arg("alpha"))),
    ],
  },
  {
    op: "ApplyProximalGradientDescent",
    forms: both,
    variables: ["var"],
    gradient: "delta",
    update: proximalDescent,
  },
  {
    op: "ApplyMomentum",
    forms: both,
    variables: ["var", "accum"],
    update: (m, arg, node) => {
      const [g, lr, momentum] = [arg("grad"), arg("lr"), arg("momentum")];
      const accum = m.add(m.mul(arg("accum"), momentum), g);
      const step = node.bool("use_nesterov")
        ? m.add(m.mul(g, lr), m.mul(accum, m.mul(momentum, lr)))
        : m.mul(accum, lr);
      return [m.sub(arg("var"), step), accum];
    },
  },
  {
    op: "ApplyKerasMomentum",
    forms: resourceOnly,
    variables: ["var", "accum"],
    update: (m, arg, node) => {
      const step = m.mul(arg("grad"), arg("lr"));
      const accum = m.sub(m.mul(arg("accum"), arg("momentum")), step);
      const change = node.bool("use_nesterov") ? m.sub(m.mul(accum, arg("momentum")), step) : accum;
      return [m.add(arg("var"), change), accum];
    },
  },
  {
    op: "ApplyAddSign",
    forms: both,
    variables: ["var", "m"],
    update: signRule((m, arg, agreement) =>
      m.mul(arg("lr"), m.add(arg("alpha"), m.mul(arg("sign_decay"), agreement))),
    ),
  },
  {
    op: "ApplyPowerSign",
    forms: both,
    variables: ["var", "m"],
    update: signRule((m, arg, agreement) =>
      m.mul(arg("lr"), m.exp(m.mul(m.mul(arg("logbase"), arg("sign_decay")), agreement))),
    ),
  },
  {
    op: "ApplyAdam",
    forms: both,
    variables: ["var", "m", "v"],
    update: (m, arg, node) => {
      const [g, beta1] = [arg("grad"), arg("beta1")];
      const mean = moved(m, arg("m"), g, beta1);
      const square = moved(m, arg("v"), m.mul(g, g), arg("beta2"));
      const ahead = node.bool("use_nesterov")
        ? m.add(m.mul(g, m.sub(m.one, beta1)), m.mul(beta1, mean))
        : mean;
      const scale = m.add(m.sqrt(square), arg("epsilon"));
      return [m.sub(arg("var"), m.div(m.mul(ahead, adamRate(m, arg)), scale)), mean, square];
    },
  },
  {
    op: "ApplyAdamWithAmsgrad",
    forms: resourceOnly,
    variables: ["var", "m", "v", "vhat"],
    update: (m, arg) => {
      const g = arg("grad");
      const mean = moved(m, arg("m"), g, arg("beta1"));
      const square = moved(m, arg("v"), m.mul(g, g), arg("beta2"));
      const largest = m.max(arg("vhat"), square);
      const scale = m.add(m.sqrt(largest), arg("epsilon"));
      return [m.sub(arg("var"), m.div(m.mul(mean, adamRate(m, arg)), scale)), mean, square, largest];
    },
  },
  {
    op: "ApplyAdaMax",
    forms: both,
    variables: ["var", "m", "v"],
    update: (m, arg) => {
      const g = arg("grad");
      const mean = moved(m, arg("m"), g, arg("beta1"));
      const largest = m.max(m.mul(arg("v"), arg("beta2")), m.abs(g));
      const rate = m.div(arg("lr"), m.sub(m.one, arg("beta1_power")));
      const step = m.mul(m.div(mean, m.add(largest, arg("epsilon"))), rate);
      return [m.sub(arg("var"), step), mean, largest];
    },
  },
  { op: "ApplyAdagrad", forms: both, variables: ["var", "accum"], update: adagrad() },
  { op: "ApplyAdagradV2", forms: both, variables: ["var", "accum"], update: adagrad("epsilon") },
  {
    op: "ApplyProximalAdagrad",
    forms: both,
    variables: ["var", "accum"],
    update: (m, arg) => {
      const g = arg("grad");
      const accum = m.add(arg("accum"), m.mul(g, g));
      const rate = m.div(arg("lr"), m.sqrt(accum));
      return [shrink(m, m.sub(arg("var"), m.mul(g, rate)), rate, arg("l1"), arg("l2")), accum];
    },
  },
  {
    op: "ApplyAdagradDA",
    forms: both,
    variables: ["var", "gradient_accumulator", "gradient_squared_accumulator"],
    update: (m, arg) => {
      const g = arg("grad");
      const step = m.convert(arg("global_step"));
      const sum = m.add(arg("gradient_accumulator"), g);
      const squares = m.add(arg("gradient_squared_accumulator"), m.mul(g, g));
      const least = m.mul(step, m.max(arg("l1"), m.zero));
      const kept = m.mul(m.sign(sum), m.max(m.sub(m.abs(sum), least), m.zero));
      const scale = m.add(m.mul(m.mul(arg("l2"), step), arg("lr")), m.sqrt(squares));
      return [m.div(m.mul(kept, m.neg(arg("lr"))), scale), sum, squares];
    },
  },
  {
    op: "ApplyAdadelta",
    forms: both,
    variables: ["var", "accum", "accum_update"],
    update: (m, arg) => {
      const [g, rho, epsilon] = [arg("grad"), arg("rho"), arg("epsilon")];
      const rest = m.sub(m.one, rho);
      const accum = m.add(m.mul(arg("accum"), rho), m.mul(m.mul(g, g), rest));
      const root = (value: OnnxValue) => m.sqrt(m.add(value, epsilon));
      const update = m.mul(m.div(root(arg("accum_update")), root(accum)), g);
      const accumUpdate = m.add(m.mul(arg("accum_update"), rho), m.mul(m.mul(update, update), rest));
      return [m.sub(arg("var"), m.mul(update, arg("lr"))), accum, accumUpdate];
    },
  },
  {
    op: "ApplyRMSProp",
    forms: both,
    variables: ["var", "ms", "mom"],
    update: (m, arg) => {
      const g = arg("grad");
      const square = moved(m, arg("ms"), m.mul(g, g), arg("rho"));
      const step = m.div(m.mul(g, arg("lr")), m.sqrt(m.add(square, arg("epsilon"))));
      const mom = m.add(m.mul(arg("mom"), arg("momentum")), step);
      return [m.sub(arg("var"), mom), square, mom];
    },
  },
  {
    op: "ApplyCenteredRMSProp",
    forms: both,
    variables: ["var", "mg", "ms", "mom"],
    update: (m, arg) => {
      const [g, rho] = [arg("grad"), arg("rho")];
      const square = moved(m, arg("ms"), m.mul(g, g), rho);
      const mean = moved(m, arg("mg"), g, rho);
      const variance = m.add(m.sub(square, m.mul(mean, mean)), arg("epsilon"));
      const step = m.div(m.mul(g, arg("lr")), m.sqrt(variance));
      const mom = m.add(m.mul(arg("mom"), arg("momentum")), step);
      return [m.sub(arg("var"), mom), mean, square, mom];
    },
  },
  { op: "ApplyFtrl", forms: both, variables: ["var", "accum", "linear"], update: ftrl() },
  { op: "ApplyFtrlV2", forms: both, variables: ["var", "accum", "linear"], update: ftrl("l2_shrinkage") },
];

const floats = ["float32", "float64"] as const satisfies readonly DType[];

/**
 * The lowering of one form of a rule. The variables are the first arguments of all these ops. Scalars must be of rank
 * 0, and the gradient must have the variable's rank: ONNX would broadcast what the kernel rejects.
 */
function updateLowering(rule: Rule, form: Rule["forms"][number]): UpdateLowering {
  const gradient = rule.gradient ?? "grad";
  return {
    op: form + rule.op.slice("Apply".length),
    types: { T: floats },
    variables: rule.variables.map((_, index) => index),
    lower: (node, inputs, context) => {
      const { model, rank } = context;
      const args = new Map(node.inputs.map(({ argName }, index) => [argName, inputs[index]]));
      const arg = (name: string): OnnxValue => {
        const value = args.get(name);
        if (value === undefined) {
          throw internalError(`${node.op} has no argument ${name}.`);
        }
        return value;
      };
      const tensors = [...rule.variables, gradient];
      const wanted = rank(arg("var"));
      const fits = [...args].every(
        ([name, value]) => value !== undefined && rank(value) === (tensors.includes(name) ? wanted : 0),
      );
      return fits ? rule.update(new Arithmetic(model, node.type("T")), arg, node, context) : undefined;
    },
  };
}

/** The dtypes that ONNX Runtime can add on the CPU. */
const sumTypes = ["float32", "float64", "int32", "int64"] as const satisfies readonly DType[];

/** The dtypes that onnxruntime-node accepts and returns, and that ONNX Runtime can copy. */
const copiedTypes = [
  ...sumTypes,
  "float16",
  "int8",
  "int16",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
  "bool",
] as const satisfies readonly DType[];

/** An assignment of a value to a variable, whose old value may have a different shape or be absent. */
function assignment(op: string, types: KernelTypes): UpdateLowering {
  return { op, types, variables: [0], isCopy: true, lower: (_, [, value]) => value && [value] };
}

/** An addition to the old value, or a subtraction from it. */
function change(op: string, onnx: "Add" | "Sub", types: KernelTypes): UpdateLowering {
  return {
    op,
    types,
    variables: [0],
    lower: (_, [old, value], { model, rank }) =>
      old === undefined || value === undefined || rank(old) !== rank(value)
        ? undefined
        : [model.node(onnx, [old, value], old.dtype)],
  };
}

/** Ops that change variables: assignments and dense optimizer updates, for references and resources. */
export const updateLowerings: readonly UpdateLowering[] = [
  assignment("Assign", { T: copiedTypes }),
  assignment("AssignVariableOp", { dtype: copiedTypes }),
  change("AssignAdd", "Add", { T: sumTypes }),
  change("AssignSub", "Sub", { T: sumTypes }),
  change("AssignAddVariableOp", "Add", { dtype: sumTypes }),
  change("AssignSubVariableOp", "Sub", { dtype: sumTypes }),
  ...rules.flatMap((rule) => rule.forms.map((form) => updateLowering(rule, form))),
];
