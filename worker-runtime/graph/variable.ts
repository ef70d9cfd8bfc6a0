import { VariableDef } from "../../protos/generated/tensorflow/variable.js";
import type { DType } from "../protocol/dtype.js";
import type { VariableItem } from "./collections.js";
import type { Operation, Output } from "./operation.js";
import type { Shape } from "./shape.js";

/** The nodes of a variable, and what is known of its value. */
export interface VariableParts {
  readonly kind: "reference" | "resource";
  /** The variable itself: a reference, or the handle of a resource. */
  readonly handle: Output;
  /** Sets its initial value; must run before anything else. */
  readonly initializer: Operation;
  /** Its value. */
  readonly value: Output;
  readonly initialValue: Output;
  readonly dtype: DType;
  readonly shape: Shape | undefined;
  readonly trainable: boolean;
}

/** A value that a task keeps between runs. */
export class Variable implements VariableParts, VariableItem {
  readonly kind: "reference" | "resource";
  readonly handle: Output;
  readonly initializer: Operation;
  readonly value: Output;
  readonly initialValue: Output;
  readonly dtype: DType;
  readonly shape: Shape | undefined;
  readonly trainable: boolean;

  constructor(parts: VariableParts) {
    this.kind = parts.kind;
    this.handle = parts.handle;
    this.initializer = parts.initializer;
    this.value = parts.value;
    this.initialValue = parts.initialValue;
    this.dtype = parts.dtype;
    this.shape = parts.shape;
    this.trainable = parts.trainable;
  }

  /** The name of its node, under which checkpoints keep it: "w". */
  get name(): string {
    return this.handle.op.name;
  }

  /** The device that it was pinned to: "/job:ps/task:1"; "" leaves the choice to the master. */
  get device(): string {
    return this.handle.op.device;
  }

  /** The variable as the collections of a MetaGraphDef list it. */
  toProto(): VariableDef {
    return VariableDef.fromPartial({
      variableName: this.handle.name,
      initializerName: this.initializer.name,
      snapshotName: this.value.name,
      initialValueName: this.initialValue.name,
      isResource: this.kind === "resource",
      trainable: this.trainable,
    });
  }

  get variableDef(): VariableDef {
    return this.toProto();
  }
}
