import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { Tensor } from "../protocol/tensor.js";
import type { KnownInts } from "./known-ints.js";
import type { Shape } from "./shape.js";

/** The facts about a node that a shape rule may use. */
export interface ShapeContext {
  /** The node's name, for errors. */
  readonly node: string;
  readonly op: string;
  attr(name: string): AttrValue | undefined;
  readonly inputShapes: readonly (Shape | undefined)[];
  /** The name of an input's argument, for errors. */
  inputName?(index: number): string | undefined;
  /** The value of an input if it is a Const. */
  constantInput(index: number): Tensor | undefined;
  /** The integers of an input as far as they are known: of a Const, or computed from shapes. */
  knownInts(index: number): KnownInts | undefined;
  /** The shape of the variable's value if an input is the handle of a resource variable. */
  handleShape(index: number): Shape | undefined;
  readonly outputCount: number;
}

/** The known facts about an output before a run. */
export interface OutputFacts {
  readonly shape: Shape | undefined;
  /** Its elements, if it is a small tensor of integers. */
  readonly ints?: KnownInts;
  /** The shape of the value behind it, if it is the handle of a resource variable. */
  readonly behind?: Shape;
}
