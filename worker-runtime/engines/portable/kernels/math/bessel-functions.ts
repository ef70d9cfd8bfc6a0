/** Above this the asymptotic series is as precise as a double. */
const ASYMPTOTIC = 40;

/** The modified Bessel function of the first kind of integer order, times e^-|x|. DLMF 10.25.2 and 10.40.1. */
export function scaledBesselI(order: 0 | 1, x: number): number {
  const size = Math.abs(x);
  const sign = order === 1 && x < 0 ? -1 : 1;
  return sign * (size > ASYMPTOTIC ? asymptotic(order, size) : series(order, size) * Math.exp(-size));
}

/** The modified Bessel function of the first kind of integer order. */
export function besselI(order: 0 | 1, x: number): number {
  const size = Math.abs(x);
  const sign = order === 1 && x < 0 ? -1 : 1;
  return sign * (size > ASYMPTOTIC ? asymptotic(order, size) * Math.exp(size) : series(order, size));
}

/** Σ (x/2)^(2k + order) / (k! · (k + order)!); all terms have the same sign. */
function series(order: 0 | 1, x: number): number {
  const square = (x / 2) ** 2;
  let term = order === 0 ? 1 : x / 2;
  let sum = term;
  for (let k = 1; term > sum * 1e-17; k += 1) {
    term *= square / (k * (k + order));
    sum += term;
  }
  return Number.isNaN(x) ? x : sum;
}

function asymptotic(order: 0 | 1, x: number): number {
  const fourSquares = 4 * order * order;
  let term = 1;
  let sum = 1;
  for (let k = 1; k < 20; k += 1) {
    term *= -(fourSquares - (2 * k - 1) ** 2) / (8 * k * x);
    sum += term;
  }
  return sum / Math.sqrt(2 * Math.PI * x);
}
