/** Width of an edge between tasks: 2 px up to 1 kB, 5 px from 1 GB on, logarithmic in between. */
export function crossingWidth(bytes: number | undefined): number {
  if (bytes === undefined || bytes <= 1000) return 2;
  return Math.min(5, 2 + (Math.log10(bytes) - 3) / 2);
}
