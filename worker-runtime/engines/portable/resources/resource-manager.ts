import { alreadyExists, notFound } from "../../../protocol/status.js";

/** TensorFlow's name for the container of resources that name none. */
export const DEFAULT_CONTAINER = "localhost";

/** Something with state that outlives a step: a variable, a queue, a table. */
export interface Resource {
  /** Its type, as in ResourceHandleProto.maybe_type_name; a name may be used once for each type. */
  readonly typeName: string;
  /** Ends every wait on it: its container was cleared. */
  dispose?(): void;
}

/** The node that has a private resource. */
interface PrivateOwner {
  readonly name: string;
  /** The function whose body the node is in; "" for a graph. */
  readonly scope: string;
}

interface PrivateName {
  readonly container: string;
  readonly name: string;
}

/** The resources of one device by container, type and name; shared by all sessions that see the device. */
export class ResourceManager {
  readonly #containers = new Map<string, Map<string, Resource>>();
  /** The private names of each session by container, scope and node. */
  readonly #privateNames = new Map<string, Map<string, PrivateName>>();
  #nextPrivate = 0;

  /**
   * The resource of this name and type, created by `create` if there is none.
   * @param container "" for the default one.
   */
  lookupOrCreate<T extends Resource>(container: string, typeName: string, name: string, create: () => T): T {
    const resources = this.#container(container);
    const key = keyOf(typeName, name);
    const found = resources.get(key);
    if (found !== undefined) {
      return found as T;
    }
    const made = create();
    resources.set(key, made);
    return made;
  }

  /**
   * The name of a resource whose node has no shared name: "_3_queue". It is the same for all graphs of a session, and
   * no other session has it. `endSession` removes the resources with such names.
   * @param session the session's handle.
   */
  privateName(session: string, container: string, node: PrivateOwner): string {
    let names = this.#privateNames.get(session);
    if (names === undefined) {
      names = new Map();
      this.#privateNames.set(session, names);
    }
    const key = `${container}\n${node.scope}\n${node.name}`;
    let found = names.get(key);
    if (found === undefined) {
      found = { container, name: `_${this.#nextPrivate}_${node.name}` };
      this.#nextPrivate += 1;
      names.set(key, found);
    }
    return found.name;
  }

  /** A name that is unused in this manager: "stack_7". */
  uniqueName(prefix: string): string {
    const name = `${prefix}_${this.#nextPrivate}`;
    this.#nextPrivate += 1;
    return name;
  }

  /** Removes the resources that are private to a session. */
  endSession(session: string): void {
    const names = [...(this.#privateNames.get(session)?.values() ?? [])];
    this.#privateNames.delete(session);
    for (const { container, name } of names) {
      const containerName = container || DEFAULT_CONTAINER;
      const suffix = keyOf("", name);
      for (const key of [...(this.#containers.get(containerName)?.keys() ?? [])]) {
        if (key.endsWith(suffix)) {
          this.remove(containerName, key.slice(0, -suffix.length), name);
        }
      }
    }
  }

  /** The resource of this name and type; undefined if there is none. */
  find<T extends Resource>(container: string, typeName: string, name: string): T | undefined {
    return this.#containers.get(container || DEFAULT_CONTAINER)?.get(keyOf(typeName, name)) as T | undefined;
  }

  /** @throws TensorFlowError NOT_FOUND in TensorFlow's words. */
  lookup<T extends Resource>(container: string, typeName: string, name: string): T {
    const found = this.find<T>(container, typeName, name);
    if (found === undefined) {
      const containerName = container || DEFAULT_CONTAINER;
      throw notFound(
        this.#containers.has(containerName)
          ? `Resource ${containerName}/${name}/${mangled(typeName)} does not exist.`
          : `Container ${containerName} does not exist. (Could not find resource: ${containerName}/${name})`,
      );
    }
    return found;
  }

  /** @throws TensorFlowError ALREADY_EXISTS */
  create(container: string, name: string, resource: Resource): void {
    const resources = this.#container(container);
    const key = keyOf(resource.typeName, name);
    if (resources.has(key)) {
      throw alreadyExists(`Resource ${container || DEFAULT_CONTAINER}/${name}/${resource.typeName}`);
    }
    resources.set(key, resource);
  }

  /** Removes one resource and ends the waits on it. @returns whether it existed. */
  remove(container: string, typeName: string, name: string): boolean {
    const resources = this.#containers.get(container || DEFAULT_CONTAINER);
    const key = keyOf(typeName, name);
    const found = resources?.get(key);
    resources?.delete(key);
    found?.dispose?.();
    return found !== undefined;
  }

  /** Removes a container with everything in it. */
  clear(container: string): void {
    const resources = this.#containers.get(container || DEFAULT_CONTAINER);
    this.#containers.delete(container || DEFAULT_CONTAINER);
    for (const resource of resources?.values() ?? []) {
      resource.dispose?.();
    }
  }

  /** Removes everything. */
  clearAll(): void {
    for (const container of [...this.#containers.keys()]) {
      this.clear(container);
    }
  }

  #container(container: string): Map<string, Resource> {
    const name = container || DEFAULT_CONTAINER;
    const found = this.#containers.get(name);
    if (found !== undefined) {
      return found;
    }
    const made = new Map<string, Resource>();
    this.#containers.set(name, made);
    return made;
  }
}

/** "tensorflow::Var" as it stands in the texts of TensorFlow's errors: "N10tensorflow3VarE". */
function mangled(typeName: string): string {
  const parts = typeName.split("::");
  return `N${parts.map((part) => part.length + part).join("")}E`;
}

function keyOf(typeName: string, name: string): string {
  return `${typeName}\n${name}`;
}
