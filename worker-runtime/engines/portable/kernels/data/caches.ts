import { unimplemented } from "../../../../protocol/status.js";
import type { Resource } from "../../resources/resource-manager.js";
import { ObjectTensor, type VariantObject } from "../../values.js";
import type { OpContext, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { handleInput, makeHandle, resourceInput, STEP_CONTAINER } from "../state/resource-access.js";
import { statefulKernel } from "../state/stateful-kernel.js";
import { noTypes } from "../support/dtypes.js";
import { cardinality } from "./cardinality.js";
import { type Dataset, type Element, elementsDataset, type Pull, transformation } from "./dataset.js";

const MEMORY_CACHE = "tensorflow::data::MemoryCacheManager";

/** The name of the handle that requests a cache private to the dataset. */
const NO_CACHE = "dummy";

/** The elements of a dataset, available once a pass is complete. */
class MemoryCache implements Resource {
  readonly typeName = MEMORY_CACHE;
  #elements: readonly Element[] | undefined;

  /** A pass over the cached elements, or over the dataset; the first complete pass fills the cache. */
  iterate(input: Dataset): Pull {
    if (this.#elements !== undefined) {
      return elementsDataset(this.#elements).iterate();
    }
    const pull = input.iterate();
    const elements: Element[] = [];
    return async (step) => {
      const element = await pull(step);
      if (element === undefined) {
        this.#elements ??= elements;
      } else {
        elements.push(element);
      }
      return element;
    };
  }
}

/** The second output of an anonymous cache, which graphs never need to delete. */
class CacheDeleter implements VariantObject {
  readonly typeName = "tensorflow::ResourceDeleter";

  /** @throws TensorFlowError UNIMPLEMENTED, always. */
  encode(): never {
    throw unimplemented("A cache's deleter cannot leave its task.");
  }
}

/** A cache in memory, even if a file is named: the elements are the same, but do not outlive the dataset. */
function cached(input: Dataset, cache: MemoryCache): () => Pull {
  return () => cache.iterate(input);
}

function ownCache(input: Dataset): () => Pull {
  return cached(input, new MemoryCache());
}

/** Uses the cache that a handle names, which other datasets may share. */
function sharedCache(input: Dataset, context: OpContext, node: KernelNode): () => Pull {
  const handle = handleInput(context, 2);
  if (handle.name === NO_CACHE) {
    return ownCache(input);
  }
  return cached(input, resourceInput<MemoryCache>(node, context, 2, MEMORY_CACHE));
}

/** Datasets that cache their elements, and the caches. */
export const cacheKernels: readonly StatefulKernelDefinition[] = [
  transformation("CacheDataset", { cardinality: cardinality.same }, ownCache),
  transformation("CacheDatasetV2", { cardinality: cardinality.same }, sharedCache),
  statefulKernel("DummyMemoryCache", (node) => () => [makeHandle(node, "", NO_CACHE, MEMORY_CACHE)], {
    types: noTypes,
  }),
  // Kept alive by the datasets that use it.
  statefulKernel(
    "AnonymousMemoryCache",
    (node) =>
      ({ step: { stepResources } }) => {
        const name = stepResources.uniqueName("memory_cache");
        stepResources.create(STEP_CONTAINER, name, new MemoryCache());
        return [
          makeHandle(node, STEP_CONTAINER, name, MEMORY_CACHE),
          ObjectTensor.variant(new CacheDeleter()),
        ];
      },
    { types: noTypes },
  ),
];
