import { invalidArgument, unimplemented } from "../../protocol/status.js";

/** The advice about a model that has something that cannot be opened here. */
const REMEDY =
  "Tensordeck cannot open this; export the model from Keras as a SavedModel, model.export(folder), and open that.";

const MAX_SIZE = 2 ** 31 - 1;

/** The settings of a layer, as Keras wrote them. What is missing or of another type is an error that names the layer. */
export class LayerConfig {
  readonly className: string;
  readonly name: string;
  /** The major version of the Keras that wrote the file: 2 or 3. */
  readonly kerasVersion: number;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(
    className: string,
    name: string,
    values: Readonly<Record<string, unknown>>,
    kerasVersion: number,
  ) {
    this.className = className;
    this.name = name;
    this.kerasVersion = kerasVersion;
    this.#values = values;
  }

  /** 'The layer "dense_1" (Dense)'. */
  get title(): string {
    return `The layer "${this.name}" (${this.className})`;
  }

  has(key: string): boolean {
    return this.#values[key] !== undefined && this.#values[key] !== null;
  }

  raw(key: string): unknown {
    return this.#values[key];
  }

  int(key: string, otherwise?: number): number {
    const value = this.#values[key] ?? otherwise;
    if (typeof value === "number" && Number.isInteger(value) && Math.abs(value) <= MAX_SIZE) return value;
    throw this.invalid(key);
  }

  number(key: string, otherwise?: number): number {
    const value = this.#values[key] ?? otherwise;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    throw this.invalid(key);
  }

  flag(key: string, otherwise = false): boolean {
    const value = this.#values[key] ?? otherwise;
    if (typeof value === "boolean") return value;
    throw this.invalid(key);
  }

  text(key: string, otherwise?: string): string {
    const value = this.#values[key] ?? otherwise;
    if (typeof value === "string") return value;
    throw this.invalid(key);
  }

  ints(key: string): readonly number[] {
    const value = this.#values[key];
    const list: unknown = typeof value === "number" ? [value] : value;
    if (Array.isArray(list) && list.every((item) => Number.isInteger(item) && Math.abs(item) <= MAX_SIZE)) {
      return list;
    }
    throw this.invalid(key);
  }

  /** One size for each of so many dimensions: a list, or one number for all of them. */
  sizes(key: string, count: number, otherwise?: number): readonly number[] {
    if (!this.has(key) && otherwise !== undefined) return Array<number>(count).fill(otherwise);
    const given = this.ints(key);
    const sizes = typeof this.#values[key] === "number" ? Array<number>(count).fill(given[0] ?? 0) : given;
    if (sizes.length === count && sizes.every((size) => size >= 0)) return sizes;
    throw this.invalid(key);
  }

  /** The same layer with some settings changed. */
  with(changes: Readonly<Record<string, unknown>>): LayerConfig {
    return new LayerConfig(this.className, this.name, { ...this.#values, ...changes }, this.kerasVersion);
  }

  /** A layer within this one: that of a Bidirectional or a TimeDistributed. */
  inner(key: string): LayerConfig {
    const value = this.#values[key];
    if (typeof value !== "object" || value === null) throw this.invalid(key);
    const className: unknown = Reflect.get(value, "class_name");
    const config: unknown = Reflect.get(value, "config");
    if (typeof className !== "string" || typeof config !== "object" || config === null)
      throw this.invalid(key);
    const name: unknown = Reflect.get(config, "name");
    return new LayerConfig(
      className,
      typeof name === "string" ? name : this.name,
      { ...config },
      this.kerasVersion,
    );
  }

  invalid(key: string): Error {
    return invalidArgument(`${this.title} has no valid "${key}": the model's configuration is damaged.`);
  }

  /** The error for what Keras knows and this does not. @param what ends the sentence 'The layer "x" (Dense) …' */
  unsupported(what: string): Error {
    return unimplemented(`${this.title} ${what}. ${REMEDY}`);
  }

  /** @throws TensorFlowError UNIMPLEMENTED unless the channels are the last dimension */
  requireChannelsLast(): void {
    if (this.text("data_format", "channels_last") === "channels_last") return;
    throw this.unsupported("has its channels first");
  }
}
