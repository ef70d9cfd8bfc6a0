/** Variables, control flow, random numbers, images and others whose shapes follow from an attribute or a given shape. */
import { mergeShapes, partialShapeFromProto, type Shape } from "../shape.js";
import type { ShapeContext } from "../shape-context.js";
import {
  constantInt,
  forOps,
  nameOf,
  ofRank,
  ofRankAtLeast,
  type Rules,
  type ShapeRule,
  sameSize,
  shapeFromInput,
  sizeAt,
  what,
} from "./rule.js";

const scalars: ShapeRule = ({ outputCount }) => new Array(outputCount).fill([]);
const unchanged: ShapeRule = ({ inputShapes, outputCount }) => new Array(outputCount).fill(inputShapes[0]);

/** The shape of an assignment: the value's, which must equal the variable's if validate_shape is set. */
const assign: ShapeRule = (c) => {
  const [variable, value] = c.inputShapes;
  const validated = c.attr("validate_shape")?.value;
  if (validated?.$case === "b" && !validated.value) return [value];
  return [mergeShapes(variable, value, what(c))];
};

const assignUpdate: ShapeRule = (c) => [mergeShapes(c.inputShapes[0], c.inputShapes[1], what(c))];

/** A resource variable's value has the shape of its handle. */
const readVariable: ShapeRule = (c) => [c.handleShape(0)];

const assignVariable: ShapeRule = (c) => {
  mergeShapes(c.handleShape(0), c.inputShapes[1], what(c));
  return [];
};

/** One value of the table for each key; of tables of other kinds, keys or values may have a shape. */
const lookedUp: ShapeRule = (c) => {
  const [value, keys] = [c.handleShape(0), c.inputShapes[1]];
  return [value && keys && [...keys, ...value]];
};

const variableShape: ShapeRule = (c) => [[c.handleShape(0)?.length ?? -1]];

const merge: ShapeRule = (c) => {
  const [first, ...rest] = c.inputShapes;
  const sameRank = first && rest.every((shape) => shape?.length === first.length);
  const shape = sameRank
    ? first.map((size, i) => (rest.every((other) => other?.[i] === size) ? size : -1))
    : undefined;
  return [shape, []];
};

const fromShapeInput: ShapeRule = (c) => [shapeFromInput(c, 0)];

const multinomial: ShapeRule = (c) => {
  const logits = ofRank(c, 0, 2);
  ofRank(c, 1, 0);
  return [[sizeAt(logits, 0), constantInt(c, 1) ?? -1]];
};

const gamma: ShapeRule = (c) => {
  const [shape, alpha] = [shapeFromInput(c, 0), c.inputShapes[1]];
  return [shape && alpha && [...shape, ...alpha]];
};

/** A seed has two elements. */
const seeded =
  (index: number, rule: ShapeRule): ShapeRule =>
  (c) => {
    const seed = ofRank(c, index, 1);
    sameSize(c, sizeAt(seed, 0), 2, () => `${nameOf(c, index)} must have 2 elements.`);
    return rule(c);
  };

/** A list of shapes in an attribute, one for each output. */
const listed =
  (name: string): ShapeRule =>
  (c) => {
    const value = c.attr(name)?.value;
    return value?.$case === "list" ? value.value.shape.map(partialShapeFromProto) : [];
  };

/** Rows and columns. */
function sizesOf(c: ShapeContext, index: number): readonly (number | undefined)[] | undefined {
  const vector = ofRank(c, index, 1);
  sameSize(c, sizeAt(vector, 0), 2, () => `${nameOf(c, index)} must have 2 elements: rows and columns.`);
  return c.knownInts(index)?.elements;
}

/** Images of a size that an input gives. */
const resize: ShapeRule = (c) => {
  const images = ofRank(c, 0, 4);
  const size = sizesOf(c, 1);
  return [[sizeAt(images, 0), size?.[0] ?? -1, size?.[1] ?? -1, sizeAt(images, 3)]];
};

const cropAndResize: ShapeRule = (c) => {
  const [image, boxes] = [ofRank(c, 0, 4), ofRank(c, 1, 2)];
  const count = sizeAt(mergeShapes([sizeAt(boxes, 0)], [sizeAt(ofRank(c, 2, 1), 0)], what(c)), 0);
  const size = sizesOf(c, 3);
  return [[count, size?.[0] ?? -1, size?.[1] ?? -1, sizeAt(image, 3)]];
};

const decoded: ShapeRule = (c) => {
  const channels = c.attr("channels")?.value;
  const count = channels?.$case === "i" ? Number(channels.value) : 0;
  ofRank(c, 0, 0);
  return [[-1, -1, count > 0 ? count : -1]];
};

/** The variable that an optimizer of TensorFlow 1 changes. */
const applied: ShapeRule = (c) => [ofRankAtLeast(c, 0, 0)];

const listElement: ShapeRule = (c) => [shapeFromElement(c, 2)];
function shapeFromElement(c: ShapeContext, index: number): Shape | undefined {
  return c.knownInts(index)?.rank === 1 ? shapeFromInput(c, index) : undefined;
}

const SCALARS =
  "VarHandleOp Size Rank VarIsInitializedOp IsVariableInitialized QueueSizeV2 StringFormat FIFOQueueV2 RandomShuffleQueueV2 " +
  "PaddingFIFOQueueV2 PriorityQueueV2 QueueIsClosedV2 ReadFile TensorListLength ControlTrigger MergeSummary " +
  "ScalarSummary HistogramSummary ImageSummary HashTableV2 MutableHashTableV2 IteratorV2 Iterator AnonymousHashTable " +
  "LookupTableSizeV2 BarrierReadySize BarrierIncompleteSize StackV2 Timestamp";
const APPLY =
  "ApplyGradientDescent ApplyMomentum ApplyAdam ApplyAdagrad ApplyAdagradV2 ApplyRMSProp ApplyCenteredRMSProp ApplyFtrl ApplyFtrlV2 " +
  "ApplyAdadelta ApplyAddSign ApplyPowerSign ApplyAdaMax ApplyProximalGradientDescent ApplyProximalAdagrad ApplyAdagradDA " +
  "SparseApplyAdagrad SparseApplyMomentum SparseApplyRMSProp SparseApplyFtrl SparseApplyAdadelta";

export const stateRules: Rules = [
  ...forOps(SCALARS, scalars),
  ...forOps("AssignAdd AssignSub", assignUpdate),
  ["Assign", assign],
  ["ReadVariableOp", readVariable],
  ...forOps("AssignVariableOp AssignAddVariableOp AssignSubVariableOp", assignVariable),
  ["VariableShape", variableShape],
  ...forOps("LookupTableFind LookupTableFindV2", lookedUp),
  ...forOps(APPLY, applied),
  ...forOps("Enter RefEnter Exit RefExit NextIteration RefNextIteration Switch RefSwitch", unchanged),
  ...forOps("Merge RefMerge", merge),
  ...forOps(
    "RandomStandardNormal RandomUniform TruncatedNormal RandomUniformInt ParameterizedTruncatedNormal",
    fromShapeInput,
  ),
  ...forOps(
    "StatelessRandomUniform StatelessRandomNormal StatelessTruncatedNormal StatelessRandomUniformInt " +
      "StatelessRandomUniformFullInt StatelessRandomBinomial StatelessRandomPoisson StatelessRandomGammaV2",
    seeded(1, fromShapeInput),
  ),
  ...forOps(
    "StatelessRandomUniformV2 StatelessRandomNormalV2 StatelessTruncatedNormalV2 StatelessRandomUniformIntV2 " +
      "StatelessRandomUniformFullIntV2 StatelessRandomGammaV3",
    fromShapeInput,
    { 1: 1, 2: 1, 3: 0 },
  ),
  ...forOps("RandomGamma RandomPoisson RandomPoissonV2", gamma),
  ["Multinomial", multinomial],
  ["StatelessMultinomial", seeded(2, multinomial)],
  ...forOps(
    "If StatelessIf While StatelessWhile Case StatelessCase IteratorGetNext IteratorGetNextSync",
    listed("output_shapes"),
  ),
  // A function's argument has the shape that its file gives.
  ["_Arg", listed("_output_shapes")],
  ...forOps("ResizeBilinear ResizeNearestNeighbor ResizeBicubic ResizeArea", resize),
  ["CropAndResize", cropAndResize],
  ...forOps("DecodePng DecodeJpeg", decoded),
  ["TensorListGetItem", listElement],
  ["TensorListPopBack", (c) => [[], shapeFromElement(c, 1)]],
];

/** Tables whose keys and values are scalars. */
const SCALAR_TABLES = /^(Mutable)?HashTable(V2)?$/;

/** The shape of the variable, or of a table's value, behind a handle that a node gives; undefined for other nodes. */
export function behindHandles(c: ShapeContext): Shape | undefined {
  if (SCALAR_TABLES.test(c.op)) return [];
  if (c.op === "VarHandleOp") {
    const shape = c.attr("shape")?.value;
    return shape?.$case === "shape" ? partialShapeFromProto(shape.value) : undefined;
  }
  return c.op === "Identity" || c.op === "Enter" || c.op === "Switch" ? c.handleShape(0) : undefined;
}
