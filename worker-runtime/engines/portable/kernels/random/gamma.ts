import { Draws } from "./draws.js";
import type { Philox } from "./philox.js";

/**
 * Draws from the gamma distribution of shape `alpha` and rate 1, by rejection: Marsaglia and Tsang, "A simple method
 * for generating gamma variables" (2000), computed in float64 for every dtype, as in TensorFlow. NaN if `alpha` is negative
 * or not finite.
 */
export function gammaSampler(alpha: number): (stream: Philox) => number {
  if (!Number.isFinite(alpha) || alpha < 0) {
    return () => Number.NaN;
  }
  if (alpha === 1) {
    return (stream) => -Math.log1p(-new Draws("uniform", stream).next());
  }
  // Below 1, the method is used for alpha + 1, and the draw is scaled by a power of a uniform draw.
  const boosted = alpha < 1;
  const d = alpha + (boosted ? 2 / 3 : -1 / 3);
  const c = 1 / 3 / Math.sqrt(d);
  return (stream) => {
    const normals = new Draws("normal", stream);
    const uniforms = new Draws("uniform", stream);
    for (;;) {
      const x = normals.next();
      const root = 1 + c * x;
      if (root <= 0) {
        continue;
      }
      const v = root * root * root;
      const u = uniforms.next();
      // The first condition implies the second one and avoids its logarithms.
      if (u < 1 - 0.0331 * (x * x) * (x * x) || Math.log(u) < 0.5 * x * x + d * (1 - v + Math.log(v))) {
        return boosted ? d * v * uniforms.next() ** (1 / alpha) : d * v;
      }
    }
  };
}
