import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { Tensor } from "../protocol/tensor.js";
import type { Shape } from "./shape.js";

/** The facts about a node that a shape rule may use. */
export interface ShapeContext {
  /** The node's name, for errors. */
  readonly node: string;
  readonly op: string;
  attr(name: string): AttrValue | undefined;
  readonly inputShapes: readonly (Shape | undefined)[];
  /** The value of an input if it is a Const. */
  constantInput(index: number): Tensor | undefined;
  /** The shape of the variable's value if an input is the handle of a resource variable. */
  handleShape?(index: number): Shape | undefined;
  readonly outputCount: number;
}
