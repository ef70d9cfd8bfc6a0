import { alreadyExists, notFound } from "../../../protocol/status.js";

/** The container of resources that name none, as TensorFlow calls it. */
export const DEFAULT_CONTAINER = "localhost";

/** Something with state that outlives a step: a variable, a queue, a table. */
export interface Resource {
  /** What it is, as ResourceHandleProto.maybe_type_name has it; a name may be used once for each type. */
  readonly typeName: string;
  /** Ends every wait on it: its container was cleared. */
  dispose?(): void;
}

/** The resources of one device by container, type and name; shared by all sessions that see the device. */
export class ResourceManager {
  readonly #containers = new Map<string, Map<string, Resource>>();

  /**
   * The resource of this name and type, made by `create` where there is none.
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

  /** The resource of this name and type; undefined where there is none. */
  find<T extends Resource>(container: string, typeName: string, name: string): T | undefined {
    return this.#containers.get(container || DEFAULT_CONTAINER)?.get(keyOf(typeName, name)) as T | undefined;
  }

  /** @throws TensorFlowError NOT_FOUND in TensorFlow's words. */
  lookup<T extends Resource>(container: string, typeName: string, name: string): T {
    const found = this.find<T>(container, typeName, name);
    if (found === undefined) {
      throw notFound(`Resource ${container || DEFAULT_CONTAINER}/${name}/${typeName} does not exist.`);
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

  /** Removes one resource and ends the waits on it. @returns whether it was there. */
  remove(container: string, typeName: string, name: string): boolean {
    const resources = this.#containers.get(container || DEFAULT_CONTAINER);
    const key = keyOf(typeName, name);
    const found = resources?.get(key);
    resources?.delete(key);
    found?.dispose?.();
    return found !== undefined;
  }

  /** Removes a container with all that is in it. */
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

function keyOf(typeName: string, name: string): string {
  return `${typeName}/${name}`;
}
