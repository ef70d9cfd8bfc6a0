import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import { mergeDevice } from "../cluster/device-name.js";
import { invalidArgument } from "../protocol/status.js";
import type { Operation } from "./operation.js";

const OP_NAME = /^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$/;
const SCOPE_NAME = /^[A-Za-z0-9_.\\/>-]*$/;

/** Names that are unique within a graph, as in TensorFlow: case is ignored. */
export class NameScopes {
  readonly #inUse = new Map<string, number>();
  #scope = "";

  /** Reserves a name within the current scope, with "_1", "_2", … appended if necessary. */
  unique(name: string): string {
    const full = this.#scope === "" ? name : `${this.#scope}/${name}`;
    const key = full.toLowerCase();
    let count = this.#inUse.get(key) ?? 0;
    this.#inUse.set(key, count + 1);
    if (count === 0) return full;
    let candidate = key;
    while (this.#inUse.has(candidate)) candidate = `${key}_${count++}`;
    this.#inUse.set(candidate, 1);
    return `${full}_${count - 1}`;
  }

  /** Reserves a name unchanged, for example of a node that was read. */
  take(name: string): void {
    const key = name.toLowerCase();
    this.#inUse.set(key, Math.max(this.#inUse.get(key) ?? 0, 1));
  }

  /**
   * Enters a scope: a new, uniquely named one below the current one, or an existing one if the name ends with "/"; ""
   * is the top. `body` receives the scope's name with a trailing "/".
   */
  within<T>(name: string, body: (scope: string) => T): T {
    const pattern = this.#scope === "" && name !== "" && !name.endsWith("/") ? OP_NAME : SCOPE_NAME;
    if (!pattern.test(name)) throw invalidArgument(`'${name}' is not a valid scope name.`);
    const before = this.#scope;
    this.#scope = name.endsWith("/") ? name.slice(0, -1) : name === "" ? "" : this.unique(name);
    try {
      return body(this.#scope === "" ? "" : `${this.#scope}/`);
    } finally {
      this.#scope = before;
    }
  }

  /** The full name of a new node: unchanged, without the "/", if it ends with "/"; otherwise made unique. */
  forOperation(name: string): string {
    if (!OP_NAME.test(name.endsWith("/") ? name.slice(0, -1) : name)) {
      throw invalidArgument(
        `'${name}' is not a valid node name. It begins with a letter, digit or point and goes on with those and _ - / \\ >.`,
      );
    }
    return name.endsWith("/") ? name.slice(0, -1) : this.unique(name);
  }
}

/** Chooses the device of a node that is being created; `device` comes from inner scopes. */
export type DeviceFunction = (node: {
  readonly op: string;
  readonly device: string;
  readonly attrs: ReadonlyMap<string, AttrValue>;
}) => string;
/** An argument of `withDevice`: a device name, a function, or undefined to clear all outer device scopes. */
export type DeviceScope = string | DeviceFunction | undefined;

/** Nested scopes of tf.device. */
export class DeviceScopes {
  #stack: DeviceScope[] = [];

  within<T>(scope: DeviceScope, body: () => T): T {
    // An invalid name is reported when the scope is opened, not at its first node.
    if (typeof scope === "string") mergeDevice("", scope);
    this.#stack.push(scope);
    try {
      return body();
    } finally {
      this.#stack.pop();
    }
  }

  /** Runs `body` without any of the open scopes. */
  without<T>(body: () => T): T {
    const before = this.#stack;
    this.#stack = [];
    try {
      return body();
    } finally {
      this.#stack = before;
    }
  }

  /** The device of a node: each scope, from the innermost to the outermost, fills in what is still open. */
  deviceFor(op: string, attrs: ReadonlyMap<string, AttrValue>): string {
    let current = "";
    for (let i = this.#stack.length - 1; i >= 0; i--) {
      const scope = this.#stack[i];
      if (scope === undefined) break;
      current =
        typeof scope === "string" ? mergeDevice(scope, current) : scope({ op, attrs, device: current });
    }
    return current;
  }
}

interface ControlScope {
  readonly inputs: readonly Operation[];
  /** Operations created in this scope: their consumers already run after the scope's inputs. */
  readonly seen: Set<Operation>;
}

/** Nested scopes of tf.control_dependencies. */
export class ControlScopes {
  #stack: ControlScope[] = [];

  /** `undefined` clears all outer scopes. */
  within<T>(inputs: readonly Operation[] | undefined, body: () => T): T {
    const before = this.#stack;
    const current = new Set(before.flatMap((scope) => scope.inputs));
    const added = inputs ? [...new Set(inputs)].filter((op) => !current.has(op)) : [];
    this.#stack = [...(inputs ? before : []), { inputs: added, seen: new Set() }];
    try {
      return body();
    } finally {
      this.#stack = before;
    }
  }

  /** The control inputs of a new operation with these data inputs. */
  inputsFor(dataInputs: readonly Operation[]): Operation[] {
    const out: Operation[] = [];
    for (const scope of this.#stack) {
      if (dataInputs.some((op) => scope.seen.has(op))) continue;
      out.push(...scope.inputs.filter((op) => !dataInputs.includes(op) && !out.includes(op)));
    }
    return out;
  }

  record(op: Operation): void {
    for (const scope of this.#stack) scope.seen.add(op);
  }
}
